// Clp, the simplex method for linear programs, where it is part of the build.
#pragma once

#include "pendec/export.hpp"

namespace pendec {

/// Was the library built with Clp? Without it pairs are not tested for B-stationarity.
PENDEC_EXPORT bool has_clp();

}  // namespace pendec
