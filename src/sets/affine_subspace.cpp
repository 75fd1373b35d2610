#include "pendec/sets/affine_subspace.hpp"

#include <utility>

#include "../subsolvers/dense.hpp"
#include "../subsolvers/sparse_equations.hpp"
#include "pendec/core/error.hpp"

namespace pendec {
namespace {

/// Where a decomposition of all entries would store and touch much that is zero.
bool suits_sparse_equations(const Operator& E) {
  constexpr Index small = 100'000, share = 10;
  return E.rows() * E.cols() > small && share * E.formed_entries() <= E.rows() * E.cols();
}

}  // namespace

AffineSubspace::AffineSubspace(Operator E_, Vector d_) : E(std::move(E_)), d(std::move(d_)) {
  require(E.cols() >= 1, "AffineSubspace.E.cols()", E.cols(), "at least 1");
  require(E.rows() >= 1, "AffineSubspace.E.rows()", E.rows(), "at least 1");
  require_dimension("AffineSubspace.d.size()", d.size(), E.rows());
  E.require_finite("AffineSubspace.E");
  require_finite("AffineSubspace.d", d);
  const auto require_solution = [&](double mismatch, double size) {
    require(mismatch <= 1e-9 * size, "AffineSubspace.d", std::string("outside the range of E"),
            "equations E x = d with a solution");
  };
  if (suits_sparse_equations(E)) {
    sparse = std::make_shared<const detail::SparseEquations>(E, d);
    Vector x(dimension());
    sparse->project(Vector::Zero(dimension()), x);
    const detail::SparseRows& rows = sparse->rows();
    require_solution((rows.matrix * x - rows.right).lpNorm<Eigen::Infinity>(),
                     rows.right.lpNorm<Eigen::Infinity>() + x.norm());
    return;
  }
  // Rows may differ in size by orders of magnitude; equations of length one make one tolerance fit all.
  Matrix rows = E.dense();
  Vector right = d;
  for (Index i = 0; i < rows.rows(); ++i) {
    const double length = rows.row(i).norm();
    if (length == 0.0) continue;
    rows.row(i) /= length;
    right[i] /= length;
  }
  const detail::ThinSvd svd = detail::thin_svd(rows);
  constexpr double tolerance = 1e-11;
  const Index rank = (svd.sigma.array() > tolerance * svd.sigma[0]).count();
  basis = svd.V.leftCols(rank);
  offset = (svd.U.leftCols(rank).transpose() * right).cwiseQuotient(svd.sigma.head(rank));
  const double mismatch = (rows * (basis * offset) - right).lpNorm<Eigen::Infinity>();
  require_solution(mismatch, right.lpNorm<Eigen::Infinity>() + offset.norm());
}

void AffineSubspace::project(In z, Out y) const {
  if (sparse) return sparse->project(z, y);
  y = z;
  y.noalias() -= basis * (basis.transpose() * z - offset);
}

double AffineSubspace::distance(In x) const {
  if (!sparse) return (basis.transpose() * x - offset).norm();
  Vector y(x.size());
  sparse->project(x, y);
  return (x - y).norm();
}

double AffineSubspace::normal_residual(In, In v) const {
  if (!sparse) return (v - basis * (basis.transpose() * v)).norm();
  Vector along(v.size());
  sparse->project_along(v, along);
  return along.norm();
}

std::optional<LinearConstraints> AffineSubspace::linear_constraints() const {
  LinearConstraints rows = LinearConstraints::none(dimension());
  rows.E = E;
  rows.d = d;
  return rows;
}

std::optional<Set> AffineSubspace::scaled(In row) const { return Set(AffineSubspace(E.scaled({}, row), d)); }

}  // namespace pendec
