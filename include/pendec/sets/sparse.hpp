// Few nonzeros.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {x ∈ ℝⁿ : ‖x‖₀ ≤ s}. The projection keeps the s largest magnitudes, of equal ones those with the lowest index.
/// Cost O(n), one pass over z and room for O(n^⅔) entries in general; a few passes where many magnitudes tie. From
/// n = 400 000 on several threads share them, as many as threads() allows.
struct PENDEC_EXPORT Sparse {
  Sparse(Index n, Index s);

  Index dimension() const { return n; }
  std::string name() const { return "Sparse"; }
  bool convex() const { return s == n || s == 0; }
  void project(In z, Out y) const;
  std::unique_ptr<Projector> projector() const;  // project() allocates nothing but threads

  /// Exact distance of v to the limiting normal cone (Bauschke, Luke, Phan, Wang 2014; Pan, Xiu, Zhou 2015):
  /// {v : vᵢ = 0 where xᵢ ≠ 0}, and ‖v‖₀ ≤ n − s besides if ‖x‖₀ < s.
  double normal_residual(In x, In v) const;

  /// |z|₍s₎ − |z|₍s+1₎ > tol, or nothing of size tol is dropped.
  bool projection_is_unique(In z, double tol) const;

  /// The support of y, filled up to s indices by the largest |zᵢ|; nothing if s = 0.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // one index for another
  std::optional<Set> scaled(In) const { return Set(*this); }
  std::optional<Alternatives> alternatives() const;
  std::vector<Range> free_ranges() const;
  std::optional<Vector> ray(In z) const;

  Index n, s;
};

}  // namespace pendec
