// Room for intermediate results of an evaluation.
#pragma once

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// A vector of `size` entries for the length of a block: `Scratch x(n); *x = 2.0 * z;`. It is taken from a pile that
/// belongs to the calling thread, so that evaluations may nest and run in parallel, and do not allocate once the pile
/// has reached its height. Scratches end in the reverse order of their beginning, as blocks do.
class PENDEC_EXPORT Scratch {
 public:
  using View = Eigen::Map<Vector, Eigen::AlignedMax>;

  explicit Scratch(Index size);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  View& operator*() { return view_; }
  View* operator->() { return &view_; }

 private:
  View view_;
};

}  // namespace pendec
