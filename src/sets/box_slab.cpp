#include "pendec/sets/box_slab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bounds.hpp"
#include "interval.hpp"
#include "pendec/core/error.hpp"
#include "pendec/sets/slab.hpp"

namespace pendec {
namespace {

/// The ν ≥ 0 with Σ aᵢ clamp(zᵢ − ν aᵢ) = target, for a target that is at most the value at ν = 0 and is reached.
/// Between two breakpoints the function is p − qν. The bracket (left, right) shrinks to such a piece: half of its
/// breakpoints go in every round, and with them the coordinates that have none left in it.
class Root {
 public:
  Root(const BoxSlab& set, In z, In a, double target) : set_(set), z_(z), a_(a), target_(target) {
    for (Index i = 0; i < z.size(); ++i) {
      if (a[i] == 0.0) continue;
      undecided_.push_back(i);
      for (const double b : {leaves_upper(i), reaches_lower(i)})
        if (std::isfinite(b) && b > 0.0) breakpoints_.push_back(b);
    }
    decide();
  }

  double find() {
    while (!breakpoints_.empty()) {
      const auto middle = breakpoints_.begin() + static_cast<std::ptrdiff_t>(breakpoints_.size() / 2);
      std::nth_element(breakpoints_.begin(), middle, breakpoints_.end());
      const double nu = *middle;
      (value(nu) > target_ ? left_ : right_) = nu;
      std::erase_if(breakpoints_, [this](double b) { return b <= left_ || b >= right_; });
      decide();
    }
    const double nu = q_ > 0.0 ? (p_ - target_) / q_ : left_;
    return detail::clamp(nu, left_, right_);
  }

 private:
  // With growing ν, zᵢ − ν aᵢ moves towards −sign(aᵢ)∞: first off the bound on one side, then onto the other.
  double leaves_upper(Index i) const { return (z_[i] - (a_[i] > 0.0 ? set_.upper[i] : set_.lower[i])) / a_[i]; }
  double reaches_lower(Index i) const { return (z_[i] - (a_[i] > 0.0 ? set_.lower[i] : set_.upper[i])) / a_[i]; }

  double value(double nu) const {
    double sum = p_ - q_ * nu;
    for (const Index i : undecided_) sum += a_[i] * detail::clamp(z_[i] - nu * a_[i], set_.lower[i], set_.upper[i]);
    return sum;
  }

  /// Moves the coordinates that are linear or constant on the whole bracket into p − qν.
  void decide() {
    std::erase_if(undecided_, [this](Index i) {
      const double from = leaves_upper(i), to = reaches_lower(i);
      if (from >= right_) {
        p_ += a_[i] * (a_[i] > 0.0 ? set_.upper[i] : set_.lower[i]);
      } else if (to <= left_) {
        p_ += a_[i] * (a_[i] > 0.0 ? set_.lower[i] : set_.upper[i]);
      } else if (from <= left_ && to >= right_) {
        p_ += a_[i] * z_[i];
        q_ += a_[i] * a_[i];
      } else {
        return false;
      }
      return true;
    });
  }

  const BoxSlab& set_;
  In z_, a_;
  double target_;
  double left_ = 0.0, right_ = infinity;
  double p_ = 0.0, q_ = 0.0;
  std::vector<double> breakpoints_;
  std::vector<Index> undecided_;
};

/// The extreme values of aᵀx over the box, and what rounding may have done to them.
struct Extremes {
  double least = 0.0, most = 0.0, rounding = 0.0;
};

Extremes extremes(const BoxSlab& set) {
  Extremes e;
  double size = 0.0;
  for (Index i = 0; i < set.a.size(); ++i) {
    if (set.a[i] == 0.0) continue;
    const double at_lower = set.a[i] * set.lower[i], at_upper = set.a[i] * set.upper[i];
    e.least += std::min(at_lower, at_upper);
    e.most += std::max(at_lower, at_upper);
    size = std::max({size, std::isfinite(at_lower) ? std::abs(at_lower) : 0.0,
                     std::isfinite(at_upper) ? std::abs(at_upper) : 0.0});
  }
  e.rounding = 4.0 * epsilon * static_cast<double>(set.a.size()) * size;
  return e;
}

}  // namespace

BoxSlab::BoxSlab(Vector lower_, Vector upper_, Vector a_, double least_, double most_)
    : lower(std::move(lower_)), upper(std::move(upper_)), a(std::move(a_)), least(least_), most(most_) {
  require(least < infinity, "BoxSlab.least", least, "a number or -inf");
  require(most > -infinity, "BoxSlab.most", most, "a number or inf");
  require(least <= most, "BoxSlab.least", least, fmt::format("least <= most = {}", most));
  detail::require_bounds("BoxSlab", lower, upper);
  require_dimension("BoxSlab.a.size()", a.size(), lower.size());
  require_finite("BoxSlab.a", a);
  require((a.array() != 0.0).any(), "BoxSlab.a", std::string("zero"), "a vector other than zero");
  const Extremes e = extremes(*this);
  require(e.most + e.rounding >= least, "BoxSlab.least", least,
          fmt::format("at most {}, the largest a'x in the box", e.most));
  require(e.least - e.rounding <= most, "BoxSlab.most", most,
          fmt::format("at least {}, the smallest a'x in the box", e.least));
  const Slab slab(a, least, most);  // the same in units where the squares of a are numbers
  a = slab.a;
  least = slab.lower;
  most = slab.upper;
}

BoxSlab BoxSlab::capped_simplex(Index n, double sum) {
  require(n >= 1, "capped_simplex.n", n, "at least 1");
  require(sum >= 0.0 && sum <= static_cast<double>(n), "capped_simplex.sum", sum,
          fmt::format("0 <= sum <= n = {}", n));
  return {Vector::Zero(n), Vector::Ones(n), Vector::Ones(n), sum, sum};
}

void BoxSlab::project(In z, Out y) const {
  for (Index i = 0; i < z.size(); ++i) y[i] = detail::clamp(z[i], lower[i], upper[i]);
  const double value = a.dot(y);
  double nu = 0.0;
  if (value > most) {
    nu = Root(*this, z, a, most).find();
  } else if (value < least) {
    const Vector minus = -a;
    nu = -Root(*this, z, minus, -least).find();
  } else {
    return;
  }
  for (Index i = 0; i < z.size(); ++i) y[i] = detail::clamp(detail::subtract(z[i], nu * a[i]), lower[i], upper[i]);
}

std::optional<LinearConstraints> BoxSlab::linear_constraints() const {
  auto rows = Slab(a, least, most).linear_constraints();
  rows->lower = lower;
  rows->upper = upper;
  return rows;
}

std::optional<Set> BoxSlab::scaled(In row) const {
  return Set(BoxSlab(lower.cwiseQuotient(row), upper.cwiseQuotient(row), a.cwiseProduct(row), least, most));
}

}  // namespace pendec
