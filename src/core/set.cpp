#include "pendec/core/set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace pendec {
namespace {

/// For sets without state.
class PlainProjector final : public Projector {
 public:
  explicit PlainProjector(Set set) : set_(std::move(set)) {}
  using Projector::project;
  void project(In z, Out y) override { set_.project(z, y); }

 private:
  Set set_;
};

/// The chart of a set that is one branch.
struct Identity {
  Index input_dimension() const { return n; }
  Index output_dimension() const { return n; }
  void evaluate(In x, Out out) const { out = x; }
  void adjoint(In, In w, Out out) const { out = w; }
  void derivative(In, In d, Out out) const { out = d; }
  Operator constant_jacobian() const {
    std::vector<Index> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), Index{0});
    return Operator::embedding(n, std::move(all));
  }
  Index n;
};

}  // namespace

const detail::SetInterface& Set::self() const {
  require(self_ != nullptr, "Set", std::string_view("missing"), "a set");
  return *self_;
}

const detail::SetInterface& Set::self_for(In x) const {
  if (x.size() != dimension()) require_dimension(name() + ": point.size()", x.size(), dimension());
  return *self_;
}

void Set::project(In z, Out y) const {
  if (y.size() != z.size()) require_dimension(name() + ": projection.size()", y.size(), z.size());
  self_for(z).project(z, y);
}

Vector Set::projection(In z) const {
  Vector y(z.size());
  project(z, y);
  return y;
}

double Set::distance(In x) const {
  if (x.hasNaN()) return std::numeric_limits<double>::quiet_NaN();
  if (const auto own = self_for(x).distance(x)) return *own;
  return (x - projection(x)).norm();
}

bool Set::contains(In x, double tol) const {
  if (x.hasNaN()) return false;
  if (const auto own = self_for(x).contains(x, tol)) return *own;
  return distance(x) <= tol;
}

std::optional<double> Set::normal_residual(In x, In v) const {
  if (!x.allFinite() || !v.allFinite()) return std::numeric_limits<double>::quiet_NaN();  // nothing to be compared
  require_dimension("normal_residual: v.size()", v.size(), x.size());
  if (const auto own = self_for(x).normal_residual(x, v)) return own;
  if (!convex()) return std::nullopt;
  // ‖Π(x + sv) − x‖/s rises to the distance of v to the normal cone as s falls to 0
  const double size = v.norm();
  if (size == 0.0) return 0.0;
  const double s = 1e-6 * (x.norm() > 0.0 ? x.norm() : 1.0) / size;
  return (projection(x + s * v) - x).norm() / s;
}

std::optional<bool> Set::projection_is_unique(In z, double tol) const {
  const detail::SetInterface& set = self_for(z);
  if (!z.allFinite()) return std::nullopt;
  if (set.convex()) return true;
  return set.projection_is_unique(z, tol);
}

std::unique_ptr<Projector> Set::projector() const {
  if (auto own = self().projector()) return own;
  return std::make_unique<PlainProjector>(*this);
}

std::optional<Branch> Set::branch(In y, In z) const {
  if (!y.allFinite() || !z.allFinite()) return std::nullopt;
  if (auto own = self_for(y).branch(y, z)) return own;
  if (!convex()) return std::nullopt;
  return Branch{"everything", {}, Identity{dimension()}, *this, y};
}

std::optional<Branch> Set::branch_at(BranchKey key, In near) const {
  if (!near.allFinite()) return std::nullopt;
  if (auto own = self_for(near).branch_at(key, near)) return own;
  if (!convex() || !key.empty()) return std::nullopt;
  return Branch{"everything", {}, Identity{dimension()}, *this, projection(near)};
}

double Set::relative_size(In v, In sizes) const {
  if (const auto own = self_for(v).relative_size(v, sizes)) return *own;
  const auto rows = linear_constraints();
  const bool box = rows && rows->b.size() == 0 && rows->d.size() == 0;
  const auto share = [](double part, double of) { return part == 0.0 ? 0.0 : part / of; };
  if (!box) return share(v.norm(), sizes.norm());
  double largest = 0.0;
  for (Index j = 0; j < v.size(); ++j) largest = std::max(largest, share(std::abs(v[j]), sizes[j]));
  return largest;
}

double Set::relative_violation(In point, In nearest, In sizes) const {
  const double moved = relative_size(point - nearest, sizes);
  const auto rows = linear_constraints();
  return rows ? std::max(moved, rows->relative_violation(point, sizes)) : moved;
}

std::optional<Alternatives> Set::alternatives() const {
  if (auto own = self().alternatives()) return own;
  if (!convex()) return std::nullopt;
  std::vector<Index> all(static_cast<std::size_t>(dimension()));
  std::iota(all.begin(), all.end(), Index{0});
  return Alternatives{.dimension = dimension(), .common = {{std::move(all), {*this}}}};
}

std::optional<Neighbours> Set::neighbours(BranchKey key, In z, Index most) const {
  if (!z.allFinite()) return std::nullopt;
  if (auto own = self_for(z).neighbours(key, z, most)) return own;
  if (!convex()) return std::nullopt;
  return Neighbours{};
}

}  // namespace pendec
