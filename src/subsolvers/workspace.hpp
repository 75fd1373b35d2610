// Workspaces of LAPACK's routines.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace pendec::detail {

/// Calls a routine twice: once for the size of its workspace, once for the work.
template <class Routine>
bool with_workspace(const Routine& routine) {
  double size = 0.0;
  int integer_size = 0, info = 0, ask = -1;
  routine(&size, &ask, &integer_size, &ask, &info);
  // a size beyond LAPACK's integers comes back negative
  if (info != 0 || !(size >= 1.0) || size > std::numeric_limits<int>::max() || integer_size < 0) return false;
  constexpr std::size_t margin = 64;  // OpenBLAS's dsymv reads past the end of its vectors
  std::vector<double> work(static_cast<std::size_t>(size) + margin);
  std::vector<int> integers(static_cast<std::size_t>(std::max(integer_size, 1)));
  const int work_size = static_cast<int>(size), integers_size = static_cast<int>(integers.size());
  routine(work.data(), &work_size, integers.data(), &integers_size, &info);
  return info == 0;
}

}  // namespace pendec::detail
