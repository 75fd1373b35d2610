// Products of sets, block by block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pendec/core/set.hpp"

namespace pendec {

struct NamedSet {
  std::string name;
  Set set;
};

/// D₁ × … × D_N on concatenated coordinates. Everything is done part by part, normal cones too
/// (Rockafellar, Wets 1998, Proposition 6.41); the cost is the sum of the parts'.
struct PENDEC_EXPORT Product {
  explicit Product(std::vector<Set> parts);        // names "0", "1", …
  explicit Product(std::vector<NamedSet> blocks);  // Product({{"x", Sparse(5, 2)}, {"slack", Box::nonnegative(3)}})

  Index dimension() const { return offsets.back(); }
  std::string name() const;
  bool convex() const;
  void project(In z, Out y) const;
  std::unique_ptr<Projector> projector() const;
  double distance(In x) const;
  std::optional<double> normal_residual(In x, In v) const;  // of all parts; nothing if a part has none
  std::optional<bool> projection_is_unique(In z, double tol) const;

  /// The product of the parts' branches; key = {length, key, length, …}.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // those of one part

  std::optional<LinearConstraints> linear_constraints() const;
  std::optional<Set> scaled(In row) const;
  std::optional<Alternatives> alternatives() const;  // if all parts have some
  std::vector<Range> free_ranges() const;
  double relative_size(In v, In sizes) const;

  /// Coordinates of the block called `block`; throws InvalidArgument that lists the names there are.
  Range range(std::string_view block) const;

  std::vector<NamedSet> blocks;
  std::vector<Index> offsets;  // block k has coordinates offsets[k], …, offsets[k + 1] − 1
};

}  // namespace pendec
