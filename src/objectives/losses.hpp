// The losses, each written once: values, slopes and curvatures of some predictions t of observations b.
#pragma once

#include <algorithm>
#include <cmath>

#include "pendec/objectives/regression.hpp"

namespace pendec::detail {

/// So many terms of a sum at a time, without memory from the heap.
constexpr Index most_terms = 64;
using Terms = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_terms, 1>;

/// Adds up numbers, and log(1 + eᵢ) for 0 ≤ eᵢ ≤ 1 with few logarithms: of products, but for small eᵢ, of which 1 +
/// eᵢ would keep too little.
class LossSum {
 public:
  void add(double value) { sum_ += value; }
  void add_logarithm(double e) {
    if (!(e >= 0x1p-10)) {
      logarithms_ += std::log1p(e);  // NaN as well
      return;
    }
    product_ *= 1.0 + e;
    if (product_ < 0x1p500) return;
    logarithms_ += std::log(product_);
    product_ = 1.0;
  }
  double value() const { return sum_ + (logarithms_ + std::log(product_)); }

 private:
  double sum_ = 0.0, logarithms_ = 0.0, product_ = 1.0;
};

/// A loss of predictions t, with what its value and slope are wrong by, relative to rounding, where the predictions
/// are sums of numbers of size p.
struct SquaredTerms {  // ½(t − b)²
  SquaredTerms(const Terms& t, const Terms& b, double) : r(t - b), b_size(b.abs()) {}

  Terms value() const { return 0.5 * r.square(); }
  Terms slope() const { return r; }
  Terms curvature() const { return Terms::Ones(r.size()); }
  Terms size() const { return value(); }
  Terms value_size(const Terms& p) const { return value() + slope().abs() * (p + b_size); }
  Terms slope_size(const Terms& p) const { return p + b_size; }

  Terms r, b_size;
};

struct HuberTerms : SquaredTerms {  // ½(t − b)² up to |t − b| ≤ M, linear beyond
  HuberTerms(const Terms& t, const Terms& b, double M) : SquaredTerms(t, b, M), m(M) {}

  Terms value() const { return (r.abs() <= m).select(0.5 * r.square(), m * (r.abs() - 0.5 * m)); }
  Terms slope() const { return r.max(-m).min(m); }
  Terms curvature() const { return (r.abs() <= m).select(Terms::Ones(r.size()), 0.0); }
  Terms size() const { return value() + slope().abs() * (r.abs() + 2.0 * b_size); }
  Terms value_size(const Terms& p) const { return value() + slope().abs() * (p + b_size); }

  double m;
};

struct PoissonTerms {  // exp(t) − bt
  PoissonTerms(const Terms& t, const Terms& seen, double) : rate(t.exp()), bt(seen * t), b(seen) {}

  Terms value() const { return rate - bt; }
  Terms slope() const { return rate - b; }
  Terms curvature() const { return rate; }
  Terms size() const { return rate + bt.abs(); }
  Terms value_size(const Terms& p) const { return size() + (rate + b) * p; }
  Terms slope_size(const Terms& p) const { return (rate + b) * (1.0 + p); }

  Terms rate, bt, b;
};

struct LogisticTerms {  // log(1 + exp(−m)) of the margin m = bt: max(−m, 0) + log(1 + e), e = exp(−|m|)
  LogisticTerms(const Terms& t, const Terms& labels, double) : b(labels), m(labels * t), e((-m.abs()).exp()) {}

  Terms value() const { return (-m).max(0.0) + (1.0 + e).log(); }  // to an absolute error: log1p has no vectors
  Terms slope() const { return b * (m > 0.0).select(-e, -1.0) / (1.0 + e); }
  Terms curvature() const { return e / (1.0 + e).square(); }
  Terms size() const { return value(); }
  Terms value_size(const Terms& p) const { return value() + p; }
  Terms slope_size(const Terms& p) const { return 1.0 + p; }

  Terms b, m, e;
};

template <class Kind>
void add_to(LossSum& sum, const Kind& terms) {
  for (const double value : terms.value()) sum.add(value);
}

inline void add_to(LossSum& sum, const LogisticTerms& terms) {
  for (Index k = 0; k < terms.m.size(); ++k) {
    sum.add(std::max(-terms.m[k], 0.0));
    sum.add_logarithm(terms.e[k]);
  }
}

/// visit(terms, begin, size) for one block of predictions after the other.
template <class Visit>
void for_losses(Loss loss, double huber, In t, In b, const Visit& visit) {
  for (Index begin = 0; begin < t.size(); begin += most_terms) {
    const Index size = std::min(most_terms, t.size() - begin);
    const Terms at = t.segment(begin, size).array(), seen = b.segment(begin, size).array();
    switch (loss) {
      case Loss::squared:
        visit(SquaredTerms(at, seen, huber), begin, size);
        break;
      case Loss::logistic:
        visit(LogisticTerms(at, seen, huber), begin, size);
        break;
      case Loss::huber:
        visit(HuberTerms(at, seen, huber), begin, size);
        break;
      case Loss::poisson:
        visit(PoissonTerms(at, seen, huber), begin, size);
        break;
    }
  }
}

/// Σ_k ℓ(t_k; b_k); where they are given, `slope` becomes ℓ', which may take the place of t, and `curvature` ℓ''.
inline double sum_of_losses(Loss loss, double huber, In t, In b, double* slope = nullptr,
                            double* curvature = nullptr) {
  if (loss == Loss::squared) {  // in one pass
    if (curvature) Eigen::Map<Vector>(curvature, t.size()).setOnes();
    if (!slope) return 0.5 * (t - b).squaredNorm();
    Eigen::Map<Vector> r(slope, t.size());
    r = t - b;
    return 0.5 * r.squaredNorm();
  }
  LossSum sum;
  for_losses(loss, huber, t, b, [&](const auto& terms, Index begin, Index size) {
    add_to(sum, terms);
    if (slope) Eigen::Map<Terms>(slope + begin, size) = terms.slope();
    if (curvature) Eigen::Map<Terms>(curvature + begin, size) = terms.curvature();
  });
  const double value = sum.value();
  if (slope && std::isnan(value)) Eigen::Map<Vector>(slope, t.size()).setConstant(value);  // Eigen's exp may lose it
  return value;
}

}  // namespace pendec::detail
