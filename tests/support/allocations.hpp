// Counts heap allocations of this program, where malloc can be replaced (glibc, no sanitizer).
#pragma once

namespace pendec::testing_support {

/// False: malloc is not ours to count.
bool can_count_allocations();

/// Allocations since the program started, all threads.
long allocations();

/// The most bytes in use at a time since `forget_peak()`, beyond those in use then.
void forget_peak();
long peak_bytes();

}  // namespace pendec::testing_support
