// The limited-memory BFGS matrix: d ← H d from the last few steps and gradient changes.
#pragma once

#include <optional>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// A ring of pairs (s, y), s a step and y the change of the gradient along it, and the two-loop recursion over them
/// (Nocedal 1980). Between the loops H₀ = ⟨s, y⟩/⟨y, y⟩ of the newest pair, or the caller's own.
class PENDEC_EXPORT LbfgsPairs {
 public:
  /// Pairs with less, relative to ‖s‖‖y‖, would make H nearly singular or indefinite.
  static constexpr double min_curvature = 1e-10;

  /// Keeps up to `most` pairs; of long vectors fewer, since memory and passes over it cost more than pairs save: on
  /// least squares with 10⁵ variables 2, 3, 5 and 10 pairs take as many seconds.
  LbfgsPairs(Index n, Index most);

  Index size() const { return count_; }
  Index capacity() const { return memory_; }
  void clear() { count_ = 0; }

  /// Where the pair was put; nothing if it has too little curvature, which would make H nearly singular or
  /// indefinite.
  std::optional<Index> add(In s, In y);

  /// The pair (x⁺ − x, g⁺ − g), without vectors for the differences.
  std::optional<Index> add_step(In x, In g, In x_next, In g_next);

  /// Every y changes by `factor` times the column of its place; pairs that lose their curvature are dropped, with all
  /// older ones.
  void correct(double factor, const Matrix& changes);

  /// d ← H d; without pairs d stays as it is.
  void apply(Out d);

  /// The same with the caller's d ← H₀ d between these two.
  void first_loop(Out d) { first_loop(d, rho_, nullptr); }
  void second_loop(Out d) { second_loop(d, rho_, nullptr); }

  /// The same on the coordinates with free = 1, to which all pairs are restricted; d is 0 at the others, where free =
  /// 0. False if no pair has curvature there.
  bool apply_on(const Eigen::ArrayXd& free, Out d);

 private:
  static constexpr Index few_pairs = 2;

  template <class S, class Y>
  std::optional<Index> add_pair(const S& s, const Y& y);
  Index slot(Index age) const { return (newest_ - age + memory_) % memory_; }  // 0 is the newest
  void first_loop(Out d, const Vector& rho, const Eigen::ArrayXd* free);
  void second_loop(Out d, const Vector& rho, const Eigen::ArrayXd* free);

  Index memory_;
  Matrix s_, y_;
  Vector rho_, restricted_rho_, alpha_;  // rho = 1/⟨s, y⟩; 0: not to be used
  Index newest_ = 0, count_ = 0;
};

}  // namespace pendec
