// Passes over vectors that do not fit the caches of one processor are shared among several. The results are the same
// to the last bit.
#pragma once

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// The most threads one projection uses, the caller's included: at first OMP_NUM_THREADS if it is set, else the
/// number of processors this process may run on. Threads of BLAS and LAPACK are not counted.
PENDEC_EXPORT Index threads();
PENDEC_EXPORT void set_threads(Index most);

}  // namespace pendec
