// Where rounding is all that a descent method still sees.
#pragma once

#include <algorithm>
#include <cmath>

#include "pendec/core/types.hpp"

namespace pendec {

/// Asked in every iteration. False: for a hundred of them neither the value has fallen visibly nor the gradient
/// become smaller.
class Progressing {
 public:
  bool operator()(double value, double gradient) {
    constexpr Index patience = 100;
    least_ = std::min(least_, gradient);
    if (iteration_++ % patience != 0) return true;
    const bool falls = marked_value_ - value > 1e2 * epsilon * std::abs(value);
    const bool shrinks = least_ < 0.8 * marked_gradient_;
    marked_value_ = value;
    marked_gradient_ = least_;
    return falls || shrinks;
  }

 private:
  Index iteration_ = 0;
  double least_ = infinity, marked_value_ = infinity, marked_gradient_ = infinity;
};

}  // namespace pendec
