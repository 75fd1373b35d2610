// Certificates of stationarity, computed from the problem alone for any point from any solver.
#pragma once

#include <optional>
#include <string>

#include "pendec/core/certificate.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// Verifies y with the multiplier λ; without λ it is estimated by least squares over N_C and the normal space of D.
/// Residuals are relative to what is added up at y: no start, run or unit found for one makes a certificate easier.
PENDEC_EXPORT Certificate certify(const Problem& problem, In y, std::optional<Vector> lambda = std::nullopt);

/// Verifies the pair (x, y) with multipliers (λ, μ).
PENDEC_EXPORT PairCertificate certify_pair(const Problem& problem, In x, In y, In lambda, In mu);

/// One line for people.
PENDEC_EXPORT std::string to_text(const Certificate& certificate);

}  // namespace pendec
