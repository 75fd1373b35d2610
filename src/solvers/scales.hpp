// The units that certificates of a solve are relative to.
#pragma once

#include <algorithm>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/options.hpp"
#include "pendec/transform/scaled.hpp"

namespace pendec::detail {

/// How large y is in the units of a solve; no smaller than 10⁻³, since zero has no size of its own, and no larger
/// than 1.
inline double share_of_unit(In y, double unit) {
  return std::clamp((y.size() > 0 ? y.lpNorm<Eigen::Infinity>() : 0.0) / unit, 1e-3, 1.0);
}

/// The unit of G that a solve has found, for a point y: that of its start would excuse violations which are large
/// beside y. 0 without G.
inline double feasibility_unit(const Scaling& scaling, In y) {
  return scaling.rows.size() > 0 ? scaling.rows.maxCoeff() * share_of_unit(y, scaling.point) : 0.0;
}

/// Those that solve() takes for y from its start; whoever certifies with them can be verified from the same start.
CertificateScales scales_of_solve(const Problem& problem, In start, const Options& options, In y);

}  // namespace pendec::detail
