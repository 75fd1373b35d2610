#include "tests/support/allocations.hpp"

#include <atomic>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

namespace pendec::testing_support {
bool can_count_allocations() { return false; }
long allocations() { return 0; }
void forget_peak() {}
long peak_bytes() { return 0; }
}  // namespace pendec::testing_support

#else

#include <malloc.h>

#include <algorithm>

namespace {
std::atomic<long> count{0}, in_use{0}, peak{0}, forgotten{0};

void* counted(void* block) {
  const long now = in_use += static_cast<long>(malloc_usable_size(block));
  for (long before = peak; before < now && !peak.compare_exchange_weak(before, now);) {
  }
  ++count;
  return block;
}

void given_back(void* block) { in_use -= static_cast<long>(malloc_usable_size(block)); }
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT: glibc's name
void* __libc_realloc(void* old, std::size_t size);               // NOLINT
void* __libc_calloc(std::size_t n, std::size_t size);            // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT
void __libc_free(void* block);                                   // NOLINT
void* malloc(std::size_t size) noexcept { return counted(__libc_malloc(size)); }
void* calloc(std::size_t n, std::size_t size) noexcept { return counted(__libc_calloc(n, size)); }
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
void* memalign(std::size_t alignment, std::size_t size) noexcept { return counted(__libc_memalign(alignment, size)); }
int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  *block = counted(__libc_memalign(alignment, size));
  return *block ? 0 : 12;  // ENOMEM
}
void* realloc(void* old, std::size_t size) noexcept {
  given_back(old);
  return counted(__libc_realloc(old, size));
}
void free(void* block) noexcept {
  given_back(block);
  __libc_free(block);
}
}

namespace pendec::testing_support {
bool can_count_allocations() { return true; }
long allocations() { return count.load(); }
void forget_peak() { forgotten = in_use.load(), peak = in_use.load(); }
long peak_bytes() { return peak - forgotten; }
}  // namespace pendec::testing_support

#endif
