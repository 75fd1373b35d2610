#include "tests/support/allocations.hpp"

#include <atomic>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

namespace pendec::testing_support {
bool can_count_allocations() { return false; }
long allocations() { return 0; }
}  // namespace pendec::testing_support

#else

namespace {
std::atomic<long> count{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);              // NOLINT: glibc's name
void* __libc_realloc(void* old, std::size_t size);  // NOLINT
void* malloc(std::size_t size) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* realloc(void* old, std::size_t size) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
}

namespace pendec::testing_support {
bool can_count_allocations() { return true; }
long allocations() { return count.load(); }
}  // namespace pendec::testing_support

#endif
