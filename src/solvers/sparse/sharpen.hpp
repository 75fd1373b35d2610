// A better split for a given problem: the δ that lifts the bound at the root.
#pragma once

#include "relaxation.hpp"

namespace pendec::sparse {

/// The value R(δ) of the root relaxation is concave in δ, with supergradient ½xᵢ²(1/zᵢ − 1). Maximises
/// R(δ) + μ log det(Q − diag δ) over δ ≥ 0 for falling μ, by steps that are Newton's for the barrier; keeps the
/// verified split with the largest bound in `relaxation`. x is the root's point, before and after.
void sharpen(const Model& model, Relaxation& relaxation, Vector& x, double cutoff, const Deadline& deadline);

}  // namespace pendec::sparse
