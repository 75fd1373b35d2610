#include "pair_units.hpp"

#include <cmath>
#include <vector>

#include "pendec/transform/scaled.hpp"

namespace pendec::detail {
namespace {

/// 1 where it is of ordinary size.
double mean_slope(const Operator& J) {
  constexpr double ordinary = 100.0;
  Vector largest = Vector::Zero(J.rows());
  const SparseMatrix entries = J.sparse();
  for (Index j = 0; j < entries.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(entries, j); entry; ++entry)
      largest[entry.row()] = std::max(largest[entry.row()], std::abs(entry.value()));
  double sum = 0.0;
  Index rows = 0;
  for (const double slope : largest)
    if (slope > 0.0 && std::isfinite(slope)) sum += std::log(slope), ++rows;
  const double mean = rows > 0 ? std::exp(sum / static_cast<double>(rows)) : 1.0;
  return mean > ordinary || mean < 1.0 / ordinary ? mean : 1.0;
}

}  // namespace

Vector PairUnits::as_given(Vector lambda) const {
  lambda.tail(slopes.size()).array() /= slopes.array();
  return lambda;
}

PairUnits in_ordinary_units(const PairProgram& program, In x) {
  PairUnits out{program, {}};
  std::vector<double> slopes;
  for (PairConstraint& pair : out.program.pairs)
    for (Map* side : {&pair.F, &pair.H}) {
      const double slope = mean_slope(side->jacobian(x));
      const Index rows = side->output_dimension();
      slopes.insert(slopes.end(), static_cast<std::size_t>(rows), slope);
      if (slope != 1.0) *side = scaled(*side, Vector::Constant(rows, slope));
    }
  out.slopes = Eigen::Map<const Vector>(slopes.data(), std::ssize(slopes));
  return out;
}

}  // namespace pendec::detail
