#include "team.hpp"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "pendec/core/error.hpp"
#include "pendec/core/threads.hpp"

namespace pendec {
namespace {

Index processors() {
#ifdef __linux__
  cpu_set_t allowed;  // to this process, by taskset say: std::thread counts all
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return std::max(1U, std::thread::hardware_concurrency());  // 0 if that is not known
}

/// What OMP_NUM_THREADS says, "4" or, with the threads of inner levels, "4,2"; else one for each processor.
Index threads_at_first() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return processors();
  char* end = nullptr;
  const long most = std::strtol(text, &end, 10);
  return most >= 1 && (*end == '\0' || *end == ',' || *end == ' ') ? most : processors();
}

std::atomic<Index>& most_threads() {
  static std::atomic<Index> most = threads_at_first();
  return most;
}

/// Returns when `value` is no longer `old`. Who waits gives way to others at first and sleeps at last: to be woken
/// takes longer than most waits.
void await_change(const std::atomic<Index>& value, Index old) {
  for (int i = 0; i < 500; ++i) {
    if (value != old) return;
    std::this_thread::yield();
  }
  value.wait(old);
}

constexpr Index least_share = 200'000;  // entries for a thread: a pass takes 0.1 ms, to start and end a thread 0.05

/// The threads that passes over n entries deserve.
Index team_size(Index n) { return std::clamp(n / least_share, Index{1}, std::min(threads(), detail::Team::most)); }

Index parts_of_team(Index size) {
  return size == 1 ? 1 : static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * size)));
}

}  // namespace

Index threads() { return most_threads(); }

void set_threads(Index most) {
  require(most >= 1, "threads", most, "at least 1");
  most_threads() = most;
}

namespace detail {

Team::Team(Index n) {
  const Index size = team_size(n);
  parts_ = parts_of_team(size);
  try {
    helpers_.reserve(static_cast<std::size_t>(size - 1));
    for (Index i = 1; i < size; ++i) helpers_.emplace_back([this] { help(); });
  } catch (const std::exception&) {  // as many as the system gives
  }
}

Team::~Team() {
  dismiss();
  for (std::thread& helper : helpers_) helper.join();
}

void Team::dismiss() {
  waiting_ = no_more;
  if (!helpers_.empty()) waiting_.notify_all();
}

Index Team::parts_for(Index n) { return parts_of_team(team_size(n)); }

Index Team::parts(Index n) const { return n < 2 * least_share ? 1 : parts_; }

void Team::share(Index parts, const std::function<void(Index)>& work) {
  work_ = &work;
  unfinished_ = parts;
  waiting_ = parts;
  if (!helpers_.empty()) waiting_.notify_all();
  take_parts();
  for (Index left = unfinished_; left != 0; left = unfinished_) await_change(unfinished_, left);
}

void Team::help() {
  while (waiting_ != no_more) {
    await_change(waiting_, 0);
    take_parts();
  }
}

void Team::take_parts() {
  for (Index waiting = waiting_; waiting > 0;) {
    if (!waiting_.compare_exchange_weak(waiting, waiting - 1)) continue;
    (*work_)(waiting - 1);  // who has taken a part keeps the caller from going on, and so this work in its place
    if (--unfinished_ == 0) unfinished_.notify_one();
    waiting = waiting_;
  }
}

Range part(Index n, Index k, Index parts) {
  Range range{0, n};
  while (parts > 1) {
    parts /= 2;
    const Index half = range.size / 2;
    if (k < parts) {
      range.size = half;
    } else {
      range = {range.begin + half, range.size - half};
      k -= parts;
    }
  }
  return range;
}

}  // namespace detail
}  // namespace pendec
