// Polyhedra, projected onto by the dual active-set method or, with many variables, by Newton's on the dual.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pendec/core/set.hpp"
#include "pendec/subsolvers/qp.hpp"

namespace pendec {
namespace detail {
struct SparseRows;  // of src/subsolvers/sparse_rows.hpp
}

/// {x : A x ≤ b, E x = d, lower ≤ x ≤ upper}, not empty; copies share the data. A projection solves a QP: by the dual
/// active-set method (Goldfarb, Idnani 1983), O((rows + active) n) per step; with more than 300 variables, and rows
/// that are few or sparse, by Newton's method on the dual with sparse factorisations, and memory for the nonzeros
/// alone.
struct PENDEC_EXPORT Polyhedron {
  Polyhedron(Operator A, Vector b);
  explicit Polyhedron(LinearConstraints constraints);

  Index dimension() const;
  std::string name() const { return "Polyhedron"; }
  bool convex() const { return true; }
  void project(In z, Out y) const;
  bool contains(In x, double tol) const;

  /// Distance of v to the normal cone {Σ yᵢ aᵢ : yᵢ ≥ 0 on active rows, free on equalities}. A row counts as active
  /// within 1e-9 (1 + ‖x‖) ‖row‖₁.
  double normal_residual(In x, In v) const;

  std::unique_ptr<Projector> projector() const;
  const LinearConstraints& constraints() const;
  std::optional<LinearConstraints> linear_constraints() const { return constraints(); }
  std::shared_ptr<const PreparedConstraints> prepared_constraints() const { return prepared; }
  std::optional<Set> scaled(In row) const;

  std::shared_ptr<const PreparedConstraints> prepared;  // one of the two
  std::shared_ptr<const detail::SparseRows> sparse;
};

/// Begins every projection with the active set of the last one.
class PENDEC_EXPORT PolyhedronProjector final : public Projector {
 public:
  explicit PolyhedronProjector(std::shared_ptr<const PreparedConstraints> constraints);

  using Projector::project;
  void project(In z, Out y) override;

  /// As project, but gives up (false, y untouched) once the distance is known to exceed max_distance: cheaper than
  /// the projection itself.
  bool project_within(In z, Out y, double max_distance);

  const DualActiveSet& solver() const { return solver_; }

 private:
  DualActiveSet solver_;
};

}  // namespace pendec
