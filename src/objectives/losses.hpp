// The losses, each written once: values, slopes and curvatures of some predictions t of observations b.
#pragma once

#include <algorithm>
#include <cmath>

#include "pendec/objectives/regression.hpp"

namespace pendec::detail {

/// So many terms of a sum at a time, without memory from the heap.
constexpr Index most_terms = 64;
using Terms = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_terms, 1>;
using SomeTerms = Eigen::Map<const Terms>;

inline SomeTerms terms_of(In v, Index begin, Index size) { return {v.data() + begin, size}; }
inline SomeTerms terms_of(const Terms& v) { return {v.data(), v.size()}; }

/// Functions of all terms from the same vector instructions wherever the stack begins, and so with the same digits.
template <class Expression>
Terms evaluated(const Expression& expression) {
  alignas(64) double room[most_terms];
  Eigen::Map<Terms, Eigen::AlignedMax> out(room, expression.size());
  out = expression;
  return out;
}

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
  SquaredTerms(const SomeTerms& t, const SomeTerms& seen, double) : r(t - seen), b(seen) {}

  Terms value() const { return 0.5 * r.square(); }
  const Terms& slope() const { return r; }
  Terms curvature() const { return Terms::Ones(r.size()); }
  Terms size() const { return value(); }
  Terms value_size(const Terms& p) const { return value() + slope().abs() * (p + b.abs()); }
  Terms slope_size(const Terms& p) const { return p + b.abs(); }

  Terms r;
  SomeTerms b;
};

struct HuberTerms : SquaredTerms {  // ½(t − b)² up to |t − b| ≤ M, linear beyond
  HuberTerms(const SomeTerms& t, const SomeTerms& seen, double M) : SquaredTerms(t, seen, M), m(M) {}

  Terms value() const { return (r.abs() <= m).select(0.5 * r.square(), m * (r.abs() - 0.5 * m)); }
  Terms slope() const { return r.max(-m).min(m); }
  Terms curvature() const { return (r.abs() <= m).select(Terms::Ones(r.size()), 0.0); }
  Terms size() const { return value() + slope().abs() * (r.abs() + 2.0 * b.abs()); }
  Terms value_size(const Terms& p) const { return value() + slope().abs() * (p + b.abs()); }

  double m;
};

struct PoissonTerms {  // exp(t) − bt
  PoissonTerms(const SomeTerms& t, const SomeTerms& seen, double) : rate(evaluated(t.exp())), bt(seen * t), b(seen) {}

  Terms value() const { return rate - bt; }
  Terms slope() const { return rate - b; }
  const Terms& curvature() const { return rate; }
  Terms size() const { return rate + bt.abs(); }
  Terms value_size(const Terms& p) const { return size() + (rate + b) * p; }
  Terms slope_size(const Terms& p) const { return (rate + b) * (1.0 + p); }

  Terms rate, bt;
  SomeTerms b;
};

struct LogisticTerms {  // log(1 + exp(−m)) of the margin m = bt: max(−m, 0) + log(1 + e), e = exp(−|m|)
  LogisticTerms(const SomeTerms& t, const SomeTerms& labels, double)
      : b(labels), m(labels * t), e(evaluated((-m.abs()).exp())) {}

  /// To an absolute error: log1p would need a loop without vectors.
  Terms value() const { return (-m).max(0.0) + evaluated((1.0 + e).log()); }
  Terms slope() const {
    Terms out(m.size());  // by hand: Eigen has no vectors for a choice
    for (Index k = 0; k < m.size(); ++k) out[k] = b[k] * (m[k] > 0.0 ? -e[k] : -1.0) / (1.0 + e[k]);
    return out;
  }
  auto curvature() const { return e / (1.0 + e).square(); }
  Terms size() const { return value(); }
  Terms value_size(const Terms& p) const { return value() + p; }
  Terms slope_size(const Terms& p) const { return 1.0 + p; }

  SomeTerms b;
  Terms m, e;
};

template <class Kind>
void add_to(LossSum& sum, const Kind& terms) {
  for (const double value : terms.value()) sum.add(value);
}

inline void add_to(LossSum& sum, const LogisticTerms& terms) {
  LossSum own = sum;  // in registers
  for (Index k = 0; k < terms.m.size(); ++k) {
    own.add(std::max(-terms.m[k], 0.0));
    own.add_logarithm(terms.e[k]);
  }
  sum = own;
}

/// visit(begin, size) for one block of terms after the other.
template <class Visit>
void for_blocks(Index count, const Visit& visit) {
  for (Index begin = 0; begin < count; begin += most_terms) visit(begin, std::min(most_terms, count - begin));
}

/// visit(terms, begin, size) for one block of predictions after the other.
template <class Visit>
void for_losses(Loss loss, double huber, In t, In b, const Visit& visit) {
  for_blocks(t.size(), [&](Index begin, Index size) {
    const SomeTerms at = terms_of(t, begin, size), seen = terms_of(b, begin, size);
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
  });
}

/// Σ_k ℓ(t_k; b_k); `slope`, where given, becomes ℓ'. It may take the place of t.
inline double sum_of_losses(Loss loss, double huber, In t, In b, double* slope = nullptr) {
  if (loss == Loss::squared) {  // in one pass
    if (!slope) return 0.5 * (t - b).squaredNorm();
    Eigen::Map<Vector> r(slope, t.size());
    r = t - b;
    return 0.5 * r.squaredNorm();
  }
  LossSum sum;
  for_losses(loss, huber, t, b, [&](const auto& terms, Index begin, Index size) {
    add_to(sum, terms);
    if (slope) Eigen::Map<Terms>(slope + begin, size) = terms.slope();
  });
  const double value = sum.value();
  if (slope && std::isnan(value)) Eigen::Map<Vector>(slope, t.size()).setConstant(value);  // Eigen's exp may lose it
  return value;
}

}  // namespace pendec::detail
