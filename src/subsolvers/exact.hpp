// What can be said without rounding: sums of products (Shewchuk 1997, "Adaptive precision floating-point
// arithmetic"), and what follows from them.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "pendec/core/linear_constraints.hpp"

namespace pendec::detail {

/// The exact sum, as long as no product overflows or underflows, as that of numbers that do not overlap, the least
/// first.
class Expansion {
 public:
  void add(double term) {
    std::size_t kept = 0;
    for (const double part : parts_) {
      const double sum = term + part, other = sum - term;
      const double lost = (term - (sum - other)) + (part - other);
      if (lost != 0.0) parts_[kept++] = lost;
      term = sum;
    }
    parts_.resize(kept);
    if (term != 0.0) parts_.push_back(term);
  }

  void add_product(double a, double b) {
    if (a == 0.0 || b == 0.0) return;
    const double product = a * b;
    exact_ = exact_ && std::isfinite(product) && std::abs(product) > 1e-280;
    add(product);
    add(std::fma(a, b, -product));
  }

  bool is_zero() const { return exact_ && parts_.empty(); }
  bool is_negative() const { return exact_ && !parts_.empty() && parts_.back() < 0.0; }

 private:
  std::vector<double> parts_;
  bool exact_ = true;
};

/// A y* with M y* = 0 is no farther from y than this. Nothing where the rows of M, but for those that are zero or
/// repeat another, are not seen to be independent.
std::optional<double> distance_to_kernel(const Matrix& M, In y);

/// What rounding has made of ratios of small numbers becomes whole numbers with the same ratios. False: v has none.
bool to_small_fractions(Vector& v);

/// Hd = 0, cᵀd < 0 and d in the recession cone of the rows: ½xᵀHx + cᵀx falls for ever along d.
bool is_ray_of_descent(MatrixIn H, In c, const LinearConstraints& rows, In d);

}  // namespace pendec::detail
