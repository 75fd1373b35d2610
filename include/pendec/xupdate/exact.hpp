// Exact x-updates: the user's closed form, and quadratic f with affine G.
#pragma once

#include <memory>

#include "pendec/xupdate/x_update.hpp"

namespace pendec {

class PENDEC_EXPORT UserExactUpdate final : public XUpdate {
 public:
  explicit UserExactUpdate(ExactXUpdate solve) : solve_(std::move(solve)) {}
  bool update(Penalty& q, In v, Point& p, Monitor& monitor) override;

 private:
  ExactXUpdate solve_;
};

/// min_x ½xᵀQx + cᵀx + τ/2‖x − v + μ/τ‖² + τ/2 dist²_C(Ax + b + λ/τ), factored once for all τ.
/// `lower_level`: subject to Ax + b ∈ C instead of the last term, for C polyhedral (by a QP; in closed form where
/// coordinates are fixed).
PENDEC_EXPORT std::unique_ptr<XUpdate> make_quadratic_update(const Penalty& q, bool lower_level);

}  // namespace pendec
