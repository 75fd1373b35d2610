#include "pendec/sets/singular_values.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "../subsolvers/dense.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/l1_ball.hpp"

namespace pendec {
namespace {

/// For a box: all bounds are the same. Otherwise a necessary condition, tried at a few points: distances do not
/// change with order and signs.
bool seems_symmetric(const Set& set) {
  if (const auto* box = set.as<Box>())
    return box->lower == -box->upper && (box->upper.array() == box->upper[0]).all();
  Random random(1);
  for (int trial = 0; trial < 5; ++trial) {
    const Vector x = 2.0 * random.normal_vector(set.dimension());
    const double distance = set.distance(x), allowed = 1e-8 * (1.0 + distance);
    Vector flipped = x;
    flipped[0] = -x[0];
    if (std::abs(set.distance(flipped) - distance) > allowed) return false;
    if (std::abs(set.distance(x.reverse()) - distance) > allowed) return false;
  }
  return true;
}

void require_matrix(const std::string& set, Index rows, Index cols) {
  require(rows >= 1, set + ".rows", rows, "at least 1");
  require(cols >= 1, set + ".cols", cols, "at least 1");
}

}  // namespace

SingularValues::SingularValues(Index rows_, Index cols_, Set set_) : rows(rows_), cols(cols_), set(std::move(set_)) {
  require_matrix("SingularValues", rows, cols);
  require(static_cast<bool>(set), "SingularValues.set", std::string("missing"), "a set");
  require_dimension("SingularValues.set.dimension()", set.dimension(), std::min(rows, cols));
  require(seems_symmetric(set), "SingularValues.set", set.name(),
          "a set that does not change when coordinates are permuted or change sign");
}

void SingularValues::project(In z, Out y) const {
  const detail::ThinSvd svd = detail::thin_svd(ConstMatrixView(z.data(), rows, cols));
  const Vector sigma = set.projection(svd.sigma);
  MatrixView(y.data(), rows, cols) = detail::times_transpose(svd.U * sigma.asDiagonal(), svd.V);
}

double SingularValues::distance(In x) const {
  return set.distance(detail::singular_values(ConstMatrixView(x.data(), rows, cols)));
}

bool SingularValues::contains(In x, double tol) const {
  return set.contains(detail::singular_values(ConstMatrixView(x.data(), rows, cols)), tol);
}

std::optional<Set> SingularValues::scaled(In row) const {
  if (row.minCoeff() != row.maxCoeff()) return std::nullopt;
  auto inner = set.scaled(row.head(set.dimension()));
  if (!inner) return inner;
  return Set(SingularValues(rows, cols, std::move(*inner)));
}

Set nuclear_ball(Index rows, Index cols, double radius) {
  require_matrix("nuclear_ball", rows, cols);
  require(radius > 0.0 && radius < infinity, "nuclear_ball.radius", radius, "a positive finite number");
  return SingularValues(rows, cols, L1Ball(std::min(rows, cols), radius));
}

Set spectral_ball(Index rows, Index cols, double radius) {
  require_matrix("spectral_ball", rows, cols);
  require(radius > 0.0, "spectral_ball.radius", radius, "a positive number");
  return SingularValues(rows, cols, max_norm_ball(std::min(rows, cols), radius));
}

}  // namespace pendec
