#include "pair_units.hpp"

#include <cmath>
#include <vector>

#include "pendec/core/random.hpp"
#include "pendec/transform/scaled.hpp"

namespace pendec::detail {
namespace {

Vector largest_entries(const Operator& J) {
  Vector largest = Vector::Zero(J.rows());
  const SparseMatrix entries = J.sparse();
  for (Index j = 0; j < entries.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(entries, j); entry; ++entry)
      largest[entry.row()] = std::max(largest[entry.row()], std::abs(entry.value()));
  return largest;
}

Vector slopes_of(const Map& F, In x, const std::vector<Vector>& near) {
  Vector slopes = largest_entries(F.jacobian(x));
  if (!F.is_affine())
    for (const Vector& there : near) {
      const Vector others = largest_entries(F.jacobian(there));
      for (Index i = 0; i < slopes.size(); ++i)
        if (std::isfinite(others[i])) slopes[i] = std::max(slopes[i], others[i]);
    }
  for (double& slope : slopes)
    if (!(slope > 0.0 && std::isfinite(slope))) slope = 1.0;
  return slopes;
}

}  // namespace

Vector PairUnits::as_given(Vector lambda) const {
  lambda.tail(slopes.size()).array() /= slopes.array();
  return lambda;
}

PairUnits in_like_slopes(const PairProgram& program, In x) {
  constexpr int points = 2;
  Random random(3);
  std::vector<Vector> near;
  for (int k = 0; k < points; ++k) {
    Vector there = x;
    for (double& value : there) value += random.uniform(-1.0, 1.0) * std::max(1.0, std::abs(value));
    near.push_back(program.X ? Vector(program.X.projection(there)) : std::move(there));
  }
  PairUnits out{program, {}};
  std::vector<double> slopes;
  for (PairConstraint& pair : out.program.pairs)
    for (Map* side : {&pair.F, &pair.H}) {
      const Vector own = slopes_of(*side, x, near);
      slopes.insert(slopes.end(), own.begin(), own.end());
      if ((own.array() != 1.0).any()) *side = scaled(*side, own);
    }
  out.slopes = Eigen::Map<const Vector>(slopes.data(), std::ssize(slopes));
  return out;
}

}  // namespace pendec::detail
