// Counts heap allocations of this program, where malloc can be replaced (glibc, no sanitizer).
#pragma once

namespace pendec::testing_support {

/// False: malloc is not ours to count.
bool can_count_allocations();

/// Allocations since the program started, all threads.
long allocations();

}  // namespace pendec::testing_support
