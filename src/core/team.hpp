// Passes over vectors that do not fit the caches of one processor, shared among several.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "pendec/core/space.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// The caller and threads that help it for a while: started before there is work for them, and awake when one work
/// soon follows another. Where threads cannot be had or come late, the caller does all of it.
class Team {
 public:
  static constexpr Index most = 4;  // threads: they saturate the memory of most machines
  static constexpr Index most_parts = 2 * most;

  /// For passes over n entries: the caller alone if a thread would cost more than it saves.
  explicit Team(Index n);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Into how many parts a pass over n entries is best cut, a power of two: more than there are threads, as some are
  /// slower than others.
  static Index parts_for(Index n);

  /// The same for any vector in the hands of this team: 1 for a short one.
  Index parts(Index n) const;

  /// work(0), …, work(parts − 1), each once, in any order and at the same time. None may throw.
  template <class Work>
  void run(Index parts, Work work) {
    if (parts == 1) return work(Index{0});
    share(parts, std::ref(work));
  }

  /// The caller goes on alone.
  void dismiss();

 private:
  static constexpr Index no_more = -1;

  void share(Index parts, const std::function<void(Index)>& work);
  void help();
  void take_parts();

  Index parts_;
  const std::function<void(Index)>* work_ = nullptr;
  std::atomic<Index> waiting_ = 0;     // parts that nobody has taken; no_more: the helpers may go
  std::atomic<Index> unfinished_ = 0;  // parts that are not done
  std::vector<std::thread> helpers_;
};

/// The k-th of 2ⁱ parts of n entries, cut in halves again and again.
Range part(Index n, Index k, Index parts);

}  // namespace pendec::detail
