// The inexact x-update: descent steps along d = −H_ℓ(∇ₓq) with a line search.
#pragma once

#include <memory>

#include "pendec/xupdate/line_search.hpp"
#include "pendec/xupdate/x_update.hpp"

namespace pendec {

/// The bounded-eigenvalue condition of Section 4: −⟨g, d⟩ ≥ c₁‖g‖² and ‖d‖ ≤ c₂‖g‖.
PENDEC_EXPORT bool direction_is_bounded(In g, In d, double c1, double c2);

class PENDEC_EXPORT DescentUpdate final : public XUpdate {
 public:
  DescentUpdate(const XUpdateOptions& options, std::unique_ptr<DescentMap> map, Index n);

  bool update(Penalty& q, In v, Point& p, Monitor& monitor) override;
  void change_tau(double change) override { map_->change_tau(change); }

 private:
  bool small(In g) const;
  bool step(Penalty& q, In v);
  double first_step() const;

  XUpdateOptions options_;
  std::unique_ptr<DescentMap> map_;
  LineSearch line_search_;
  Iterate at_, next_;
  Vector d_;
  bool scaled_ = false;    // has a step been taken that tells the size of the next?
  double decrease_ = 0.0;  // of q in the step before
};

}  // namespace pendec
