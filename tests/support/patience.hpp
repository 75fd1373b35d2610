// Bounds on time, for programs that sanitizers slow down.
#pragma once

namespace pendec::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double patience = 20.0;
#else
inline constexpr double patience = 1.0;
#endif

}  // namespace pendec::testing
