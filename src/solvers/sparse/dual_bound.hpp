// The lower bound behind every certificate of a sparse QP: a closed formula, valid for any x̂ and any multipliers.
#pragma once

#include <span>
#include <vector>

#include "model.hpp"
#include "split.hpp"

namespace pendec::sparse {

/// With Q = Q0 + diag(δ), ½xᵀQ0x ≥ x̂ᵀQ0x − ½x̂ᵀQ0x̂ and multipliers λ ≥ 0 of A x ≤ b, ν of E x = d, every feasible x
/// of a node has
///     f(x) ≥ −½x̂ᵀQ0x̂ − λᵀb − νᵀd + Σ_{chosen groups} h,   h = Σ_{i in the group} min {½δᵢt² + gᵢt : lᵢ ≤ t ≤ uᵢ},
/// g = Q0x̂ + c + Aᵀλ + Eᵀν; the least sum takes the groups that are in and the `slots` smallest negative h of the
/// open ones, or as many of them as families have room for: the best basis of a laminar matroid, by greed. Evaluated
/// with an allowance for rounding: the number returned is below the exact one.
class DualBound {
 public:
  explicit DualBound(const Model& model) : model_(&model) {}

  /// x on `columns`, zero elsewhere.
  double evaluate(const Split& split, const Choices& choices, Index slots, std::span<const Index> columns, In x,
                  In lambda, In nu);

  // Of the last evaluation:
  const Vector& gradient() const { return g_; }
  double value() const { return value_; }
  double allowance() const { return allowance_; }  // what the value lacks for rounding and errors of data
  void forget() { value_ = -infinity, taken_.clear(); }
  double if_in(Index group) const;   // the bound with one open group forced in
  double if_out(Index group) const;  // … or out

 private:
  void take_least();
  void take_by_families(const Choices& choices);

  const Model* model_;
  Vector Qx_, g_, error_, h_, spread_;
  double value_ = -infinity, allowance_ = 0.0, kth_ = 0.0, next_ = 0.0;
  Index slots_ = 0;
  std::vector<Index> order_;
  std::vector<char> taken_;  // open groups in the least sum

  /// Of a family: the largest h that is taken, the least that is not, and whether there was room, and is any left.
  struct OfFamily {
    double kth = -infinity, next = 0.0;
    bool open = true, full = false;
  };
  std::vector<OfFamily> families_;
};

}  // namespace pendec::sparse
