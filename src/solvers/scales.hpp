// The units that certificates of a solve are relative to.
#pragma once

#include "pendec/certificates/stationarity.hpp"
#include "pendec/report/options.hpp"

namespace pendec::detail {

/// Those that solve() takes from its start; whoever certifies with them can be verified from the same start.
CertificateScales scales_of_solve(const Problem& problem, In start, const Options& options);

}  // namespace pendec::detail
