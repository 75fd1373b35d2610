// When is a gap between a point and a proven bound small enough?
#pragma once

#include <optional>

#include "pendec/core/objective.hpp"
#include "pendec/core/set.hpp"
#include "pendec/core/status.hpp"

namespace pendec::detail {

/// Are the terms of f so small that what underflows may be all there is? Nothing is relative to anything there.
inline bool underflows(double terms) { return terms != 0.0 && terms < 1e-280; }
bool underflows(const Objective& f, In y);

/// Up to this share of f what is proved is the optimum.
inline constexpr double optimal_gap = 1e-6;

/// What f − bound may amount to: `gap` of |f(y)| or, where that cancels, 1e-9 of what f adds up at y, and what
/// underflows. Nothing else is a unit of f: the range of f, its curvature or 1 would excuse points that are not
/// optimal.
double allowed_gap(const Objective& f, In y, double value, double gap);

/// `optimal` where f − bound is allowed for a gap of 1e-6 and for the one asked for, `gap_limit` where it is for the
/// latter alone. Nothing where it is more; f below the bound contradicts it.
std::optional<Status> status_of_gap(const Objective& f, In y, double value, double bound, double gap);

/// Is y in the part, up to rounding of its own entries and of each row?
bool lies_in(const Set& part, In y);

}  // namespace pendec::detail
