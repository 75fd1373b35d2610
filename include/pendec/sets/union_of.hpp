// Finitely many alternatives.
#pragma once

#include <memory>
#include <vector>

#include "pendec/core/set.hpp"

namespace pendec {

class DualActiveSet;

/// Projects onto the nearest part along one solve, touching few of the others: distances are 1-Lipschitz, so one
/// computed before, less the way gone since, is a bound (as for nearest centres in Elkan 2003); so is the distance to
/// a half-space known to contain the part. The parts wait in a heap by their bounds, and are judged by half-space and
/// then by projection until the next bound exceeds the best distance. Projections onto polyhedra are warm-started and
/// end once they are too long to matter. The result is exact: bounds are kept below what rounding may do to them.
class PENDEC_EXPORT UnionProjector final : public Projector {
 public:
  explicit UnionProjector(const std::vector<Set>& parts);
  ~UnionProjector() override;

  using Projector::project;
  void project(In z, Out y) override;
  double error() const override;

  struct Work {
    Index calls = 0;
    Index projections = 0;  // onto a part, also those that ended early
    Index bounds = 0;       // parts taken from the heap
  };
  const Work& work() const { return work_; }

 private:
  struct Part;
  struct Entry {
    double key;  // lower bound of the distance + path when it was taken
    std::size_t part;
    bool operator>(const Entry& other) const { return key > other.key || (key == other.key && part > other.part); }
  };

  double uncertainty(std::size_t k) const;
  void walk_to(In z);
  void first_bounds(In z);
  double distance(std::size_t k, In z, Out y, double most);
  double distance_to_polyhedron(Part& part, In z, Out y, double most);

  std::vector<Part> parts_;
  std::vector<Entry> heap_, processed_;
  double path_ = 0.0;  // length of the way from the first point to the last one
  std::size_t winner_ = 0;
  std::unique_ptr<DualActiveSet> visitor_;
  Vector last_, trial_, slack_;
  Work work_;
};

/// D = D₁ ∪ … ∪ D_N: the nearest of the parts' projections, the lowest index of equally near ones. (Optimality
/// conditions for such sets: Flegel, Kanzow, Outrata 2007.)
/// Cost: N projections; along a solve only of those parts that may have become the nearest.
struct PENDEC_EXPORT UnionOf {
  explicit UnionOf(std::vector<Set> parts);

  Index dimension() const { return parts.front().dimension(); }
  std::string name() const { return "UnionOf"; }
  bool convex() const { return parts.size() == 1 && parts.front().convex(); }
  void project(In z, Out y) const;

  /// A UnionProjector. Same result as project(), up to the rounding of the parts' own projectors.
  std::unique_ptr<Projector> projector() const;
  double distance(In x) const;
  bool contains(In x, double tol) const;

  /// With one part that contains x (up to 1e-10 (1 + ‖x‖)), the distance of v to its limiting normal cone. With
  /// several, the least over x and sampled points nearby of the largest residual among the parts there: zero only for
  /// regular normals at a point within about 1e-6 of x, hence for limiting normals of the union; one that the samples
  /// miss is not recognised. Nothing if an active part has no formula.
  std::optional<double> normal_residual(In x, In v) const;

  /// The nearest part is nearer by more than tol than every other that gives a different point.
  std::optional<bool> projection_is_unique(In z, double tol) const;

  /// Of the parts that contain y the nearest to z, of equally near ones the first; the part nearest to y if none
  /// does. A nonconvex part hands on its own branch. key = {part, …}.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // the other parts
  std::optional<LinearConstraints> linear_constraints() const;                  // only with a single part
  std::optional<Alternatives> alternatives() const;                             // if all parts are convex
  std::optional<Set> scaled(In row) const;

  std::vector<Set> parts;
};

}  // namespace pendec
