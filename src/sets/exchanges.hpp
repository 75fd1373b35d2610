// Neighbouring branches of sets that keep s of n things: one goes, another one comes.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "pendec/core/set.hpp"

namespace pendec::detail {

/// Leaves the `most` nearest ones, sorted.
inline void keep_nearest(std::vector<Neighbour>& all, Index most) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Neighbour& a, const Neighbour& b) { return a.excess < b.excess; });
  if (std::ssize(all) > most) all.resize(static_cast<std::size_t>(std::max<Index>(most, 0)));
}

/// All keys (ascending) with one entry of `kept` replaced by one of `others`; an exchange costs loss(leaving) −
/// loss(coming). The cheapest come off a heap of one candidate for each that leaves: O((kept + others + most) log).
template <class Loss>
Neighbours exchanges(BranchKey kept, std::vector<Index> others, const Loss& loss, Index most) {
  Neighbours out;
  out.total = std::ssize(kept) * std::ssize(others);
  if (out.total == 0 || most <= 0) return out;
  std::stable_sort(others.begin(), others.end(), [&](Index i, Index j) { return loss(i) > loss(j); });
  struct Exchange {
    double excess;
    std::size_t leaving, coming;  // positions
    bool operator>(const Exchange& b) const {
      return std::tie(excess, leaving, coming) > std::tie(b.excess, b.leaving, b.coming);
    }
  };
  std::priority_queue<Exchange, std::vector<Exchange>, std::greater<>> queue;
  for (std::size_t i = 0; i < kept.size(); ++i) queue.push({loss(kept[i]) - loss(others[0]), i, 0});
  while (!queue.empty() && std::ssize(out.nearest) < most) {
    const Exchange e = queue.top();
    queue.pop();
    Neighbour neighbour{{kept.begin(), kept.end()}, e.excess};
    neighbour.key[e.leaving] = others[e.coming];
    std::sort(neighbour.key.begin(), neighbour.key.end());
    out.nearest.push_back(std::move(neighbour));
    if (e.coming + 1 < others.size())
      queue.push({loss(kept[e.leaving]) - loss(others[e.coming + 1]), e.leaving, e.coming + 1});
  }
  return out;
}

/// Those of 0, …, n − 1 that satisfy `allowed` and are not in the ascending `kept`.
template <class Allowed>
std::vector<Index> others_than(BranchKey kept, Index n, const Allowed& allowed) {
  std::vector<Index> others;
  for (Index i = 0; i < n; ++i)
    if (!std::binary_search(kept.begin(), kept.end(), i) && allowed(i)) others.push_back(i);
  return others;
}

/// Throws InvalidArgument unless the key lists distinct numbers below n in ascending order, at most s of them.
void require_support(BranchKey key, Index n, Index s);

/// Entries in the key between their bounds, all others zero.
Branch box_branch(BranchKey key, const Vector& lower, const Vector& upper, In near);

}  // namespace pendec::detail
