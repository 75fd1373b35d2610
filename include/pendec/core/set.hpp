// Closed sets one can project onto: C (convex) and D (possibly nonconvex) of the problem.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pendec/core/alternatives.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/linear_constraints.hpp"
#include "pendec/core/map.hpp"
#include "pendec/core/projector.hpp"
#include "pendec/core/space.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

struct Branch;
struct Neighbours;
struct PreparedConstraints;  // of subsolvers/qp.hpp
class Set;

/// {X ∈ ℝ^{rows × cols} : rank X ≤ rank}, on column-major coordinates; `semidefinite`: X = Xᵀ ⪰ 0, too.
struct RankBound {
  Index rows = 0, cols = 0, rank = 0;
  bool semidefinite = false;
};

/// Names a branch of a set: equal keys, equal branches.
using BranchKey = std::span<const Index>;

/// What a user's set must have: its dimension and one element of the projection. Optional abilities, found by name:
///   std::string name() const
///   bool   convex() const                       (default: false)
///   bool   contains(In x, double tol) const     (default: distance ≤ tol)
///   double distance(In x) const                 (default: ‖x − Π(x)‖)
///   double normal_residual(In x, In v) const    distance of v to the limiting normal cone at x ∈ D
///   bool   projection_is_unique(In z, double tol) const
///   std::unique_ptr<Projector> projector() const
///   std::optional<Branch> branch(In y, In z) const   the smooth or convex piece y lies on, see Branch (default for
///                                               convex sets: everything)
///   std::optional<Branch> branch_at(BranchKey key, In near) const   the branch of that key, see Branch
///   std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const   the branches one exchange away
///   std::optional<Vector> ray(In z) const       for cones: a unit vector u of the set with the largest ⟨z, u⟩ if
///                                               Π(z) = 0, any unit vector of it otherwise
///   std::optional<LinearConstraints> linear_constraints() const   for polyhedra
///   std::shared_ptr<const PreparedConstraints> prepared_constraints() const   for polyhedra that keep them: to share
///   std::optional<RankBound> rank_bound() const   for sets that are such a bound and nothing else
///   std::optional<Set> scaled(In row) const     {z : diag(row) z ∈ the set}, row > 0, where it stays projectable
///   std::vector<Range> free_ranges() const      coordinates the set leaves free
///   double relative_size(In v, In sizes) const  for sets made of others, see the handle
///   std::optional<Alternatives> alternatives() const   its finitely many convex pieces (default for convex sets:
///   one)
template <class S>
concept Projectable = requires(const S& set, In z, Out y) {
  { set.dimension() } -> std::convertible_to<Index>;
  set.project(z, y);  // y = one element of Π_D(z)
};

namespace detail {

struct SetInterface {
  virtual ~SetInterface() = default;
  virtual Index dimension() const = 0;
  virtual void project(In z, Out y) const = 0;
  virtual std::string name() const = 0;
  virtual bool convex() const = 0;
  virtual std::optional<bool> contains(In x, double tol) const = 0;
  virtual std::optional<double> distance(In x) const = 0;
  virtual std::optional<double> normal_residual(In x, In v) const = 0;
  virtual std::optional<bool> projection_is_unique(In z, double tol) const = 0;
  virtual std::unique_ptr<Projector> projector() const = 0;
  virtual std::optional<Branch> branch(In y, In z) const = 0;
  virtual std::optional<Branch> branch_at(BranchKey key, In near) const = 0;
  virtual std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const = 0;
  virtual std::optional<LinearConstraints> linear_constraints() const = 0;
  virtual std::shared_ptr<const PreparedConstraints> prepared_constraints() const = 0;
  virtual std::optional<RankBound> rank_bound() const = 0;
  virtual std::optional<Set> scaled(In row) const = 0;
  virtual std::vector<Range> free_ranges() const = 0;
  virtual std::optional<double> relative_size(In v, In sizes) const = 0;
  virtual std::optional<Alternatives> alternatives() const = 0;
  virtual std::optional<Vector> ray(In z) const = 0;
};

template <Projectable S>
struct SetModel;

}  // namespace detail

/// Handle to any Projectable; cheap to copy, immutable, thread-shareable. Default-constructed it is "no set".
class PENDEC_EXPORT Set {
 public:
  Set() = default;
  template <Projectable S>
  requires(!std::same_as<S, Set>) Set(S set);  // NOLINT: implicit

  explicit operator bool() const { return self_ != nullptr; }
  Index dimension() const { return self().dimension(); }
  std::string name() const { return self().name(); }
  bool convex() const { return self().convex(); }

  /// y = one element of Π(z); z and y must not overlap.
  void project(In z, Out y) const;
  Vector projection(In z) const;
  double distance(In x) const;            // NaN if x has entries that are no numbers
  bool contains(In x, double tol) const;  // false then

  /// Distance of v to the limiting normal cone at x: the set's own formula; for convex sets without one
  /// ‖Π(x + sv) − x‖/s with a step of 1e-6 relative to x; nothing for nonconvex sets without a formula.
  std::optional<double> normal_residual(In x, In v) const;

  /// Is Π(z) a single point, up to `tol` in the quantities compared? Nothing if the set cannot tell.
  std::optional<bool> projection_is_unique(In z, double tol) const;

  /// State for many projections along one solve.
  std::unique_ptr<Projector> projector() const;

  /// The piece that y ∈ D lies on; `z`, a point with y ∈ Π(z), breaks ties. A convex set is one piece; nothing if the
  /// set does not know its pieces.
  std::optional<Branch> branch(In y, In z) const;

  /// The branch with that key, as branch() or neighbours() gave it; t are the coordinates of its point nearest to
  /// `near`, up to an estimate where the domain and the chart do not allow more.
  std::optional<Branch> branch_at(BranchKey key, In near) const;

  /// The branches one exchange away from the one with that key (one index of a support for another, one pair on its
  /// other side, another part of a union), the `most` nearest to z first. None for convex sets, which are one piece;
  /// nothing if the set does not know its pieces.
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;

  std::optional<LinearConstraints> linear_constraints() const { return self().linear_constraints(); }

  /// linear_constraints() as the QP solver reads them, where the set keeps them; null: it does not, or is no
  /// polyhedron.
  std::shared_ptr<const PreparedConstraints> prepared_constraints() const { return self().prepared_constraints(); }
  std::optional<RankBound> rank_bound() const { return self().rank_bound(); }
  std::optional<Set> scaled(In row) const { return self().scaled(row); }
  std::vector<Range> free_ranges() const { return self().free_ranges(); }

  /// How large a change v of a point is whose entries have these sizes: the largest of the entries of a box and of
  /// the factors of a product, each by itself; else ‖v‖/‖sizes‖.
  double relative_size(In v, In sizes) const;
  /// How far a point is outside: that of the change to the nearest one, and each row and bound of a polyhedron by
  /// itself, relative to its terms.
  double relative_violation(In point, In nearest, In sizes) const;

  /// What the set lets one choose; a convex set nothing. Nothing at all if the set has other than finitely many
  /// convex pieces, or does not say.
  std::optional<Alternatives> alternatives() const;

  /// For cones: a unit vector u of the set; if Π(z) = 0, one with the largest ⟨z, u⟩. Nothing for other sets.
  std::optional<Vector> ray(In z) const { return self().ray(z); }

  /// The wrapped object, if it is an S.
  template <class S>
  const S* as() const;

 private:
  const detail::SetInterface& self() const;          // throws if there is none
  const detail::SetInterface& self_for(In x) const;  // throws if x has another dimension

  std::shared_ptr<const detail::SetInterface> self_;
};

/// The piece {chart(t) : t ∈ domain} ⊆ D, with `domain` closed and convex. Supports give x = (t on S, 0 elsewhere),
/// rank gives factors, a union gives one of its parts. Restricting (P) to a branch is again a problem (P), with a
/// convex D; polish and the branch searches know nothing else about a set.
struct Branch {
  std::string label;       // for people: "support {3, 7}", "part 2", "rank 5"
  std::vector<Index> key;  // for programs: equal keys, equal branches
  Map chart;               // t ↦ x
  Set domain;              // of t
  Vector t;                // coordinates of the point asked about: chart(t) = y
};

/// A branch one exchange away from another one.
struct Neighbour {
  std::vector<Index> key;
  double excess = 0.0;  // how much larger dist² from z is to it than to the other one; an estimate where exact costs
};

/// Neighbouring branches by rising excess, equally near ones in a fixed order.
struct Neighbours {
  std::vector<Neighbour> nearest;
  Index total = 0;  // how many there are, listed or not; a piece without a chart cannot be listed
};

namespace detail {

template <Projectable S>
struct SetModel final : SetInterface {
  explicit SetModel(S s) : set(std::move(s)) {}
  Index dimension() const override { return set.dimension(); }
  void project(In z, Out y) const override { set.project(z, y); }
  std::string name() const override {
    if constexpr (requires { set.name(); }) return set.name();
    return "user set";
  }
  bool convex() const override {
    if constexpr (requires { set.convex(); }) return set.convex();
    return false;
  }
  std::optional<bool> contains(In x, double tol) const override {
    if constexpr (requires { set.contains(x, tol); }) return set.contains(x, tol);
    return std::nullopt;
  }
  std::optional<double> distance(In x) const override {
    if constexpr (requires { set.distance(x); }) return set.distance(x);
    return std::nullopt;
  }
  std::optional<double> normal_residual(In x, In v) const override {
    if constexpr (requires { set.normal_residual(x, v); }) return set.normal_residual(x, v);
    return std::nullopt;
  }
  std::optional<bool> projection_is_unique(In z, double tol) const override {
    if constexpr (requires { set.projection_is_unique(z, tol); }) return set.projection_is_unique(z, tol);
    return std::nullopt;
  }
  std::unique_ptr<Projector> projector() const override {
    if constexpr (requires { set.projector(); }) return set.projector();
    return nullptr;
  }
  std::optional<Branch> branch(In y, In z) const override {
    if constexpr (requires { set.branch(y, z); }) return set.branch(y, z);
    return std::nullopt;
  }
  std::optional<Branch> branch_at(BranchKey key, In near) const override {
    if constexpr (requires { set.branch_at(key, near); }) return set.branch_at(key, near);
    return std::nullopt;
  }
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const override {
    if constexpr (requires { set.neighbours(key, z, most); }) return set.neighbours(key, z, most);
    return std::nullopt;
  }
  std::optional<LinearConstraints> linear_constraints() const override {
    if constexpr (requires { set.linear_constraints(); }) return set.linear_constraints();
    return std::nullopt;
  }
  std::shared_ptr<const PreparedConstraints> prepared_constraints() const override {
    if constexpr (requires { set.prepared_constraints(); }) return set.prepared_constraints();
    return nullptr;
  }
  std::optional<RankBound> rank_bound() const override {
    if constexpr (requires { set.rank_bound(); }) return set.rank_bound();
    return std::nullopt;
  }
  std::optional<Set> scaled(In row) const override {
    if constexpr (requires { set.scaled(row); }) return set.scaled(row);
    return std::nullopt;
  }
  std::vector<Range> free_ranges() const override {
    if constexpr (requires { set.free_ranges(); }) return set.free_ranges();
    return {};
  }
  std::optional<double> relative_size([[maybe_unused]] In v, [[maybe_unused]] In sizes) const override {
    if constexpr (requires { set.relative_size(v, sizes); }) return set.relative_size(v, sizes);
    return std::nullopt;
  }
  std::optional<Alternatives> alternatives() const override {
    if constexpr (requires { set.alternatives(); }) return set.alternatives();
    return std::nullopt;
  }
  std::optional<Vector> ray(In z) const override {
    if constexpr (requires { set.ray(z); }) return set.ray(z);
    return std::nullopt;
  }
  S set;
};

/// A set given by a lambda (In z, Out y).
template <class Project>
struct SetFromFunction {
  Index n;
  Project fn;
  Index dimension() const { return n; }
  void project(In z, Out y) const { fn(z, y); }
};

}  // namespace detail

template <Projectable S>
requires(!std::same_as<S, Set>) Set::Set(S set)
    : self_(std::make_shared<const detail::SetModel<S>>(std::move(set))) {}

template <class S>
const S* Set::as() const {
  const auto* model = dynamic_cast<const detail::SetModel<S>*>(self_.get());
  return model ? &model->set : nullptr;
}

/// make_set(2, [](In z, Out y) { y = z.cwiseMax(0.0); })
template <class Project>
requires std::invocable<const Project&, In, Out> Set make_set(Index n, Project project) {
  require(n >= 1, "make_set.n", n, "at least 1");
  return Set(detail::SetFromFunction<Project>{n, std::move(project)});
}

}  // namespace pendec
