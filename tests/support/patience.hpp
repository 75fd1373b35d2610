// Bounds on time, and amounts of work, for programs that sanitizers slow down.
#pragma once

namespace pendec::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double patience = 20.0;
#else
inline constexpr double patience = 1.0;
#endif

/// How often to repeat what a test repeats to be sure of its claim; a sanitizer needs to see the code run.
constexpr int rounds(int all, int under_sanitizers) { return patience > 1.0 ? under_sanitizers : all; }

}  // namespace pendec::testing
