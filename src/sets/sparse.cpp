#include "pendec/sets/sparse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

#include "pendec/core/error.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/free.hpp"

namespace pendec {
namespace {

/// The s-th largest |zᵢ|, digit by digit of its bits, which are ordered as the magnitudes are: seven passes over z
/// whatever its entries, and no copy of them. Entries that are no numbers have no order and are left out; 0 if fewer
/// than s are left.
double kth_magnitude(In z, Index s) {
  constexpr int width = 9;  // seven digits make the 63 bits of a magnitude
  constexpr std::uint64_t base = 1U << width;
  std::uint64_t prefix = 0;
  s += z.array().isNaN().count();  // their bits come after those of all numbers
  for (int shift = 63 - width; shift >= 0; shift -= width) {
    std::array<Index, base + 1> count{};  // the last: of the entries that do not begin with the prefix
    for (const double entry : z) {
      const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(entry)) >> shift;
      ++count[std::min(bits - (prefix << width), base)];
    }
    std::uint64_t digit = base - 1;
    while (digit > 0 && s > count[digit]) s -= count[digit--];
    prefix = prefix << width | digit;
  }
  return std::bit_cast<double>(prefix);
}

struct Bracket {
  double low, high;
  double likely;  // where many are equal, probably the s-th largest magnitude itself
};

struct Counts {
  Index above, inside;
};

/// y = z where |zᵢ| ≥ low or zᵢ is no number, 0 elsewhere. Counts the magnitudes above and inside [low, high].
Counts keep(const double* __restrict z, Index n, double low, double high, double* __restrict y) {
  Index above = 0, not_below = 0;
  for (Index i = 0; i < n; ++i) {
    const double magnitude = std::abs(z[i]);
    above += static_cast<Index>(magnitude > high);
    not_below += static_cast<Index>(magnitude >= low);
    y[i] = magnitude < low ? 0.0 : z[i];
  }
  return {above, not_below - above};
}

/// The k-th largest of n magnitudes, k = 0, 1, …; `scratch` has room for n. As the projection itself, which needs
/// more care: a small sample brackets the number, and what lies outside is left behind; without branches to
/// mispredict.
double kth_largest(const double* values, Index n, Index k, double* scratch) {
  constexpr Index size = 128, margin = 15;
  for (; n > 4 * size; values = scratch) {
    std::array<double, size> sample;
    for (Index j = 0; j < size; ++j) sample[j] = values[j * (n / size)];
    std::sort(sample.begin(), sample.end(), std::greater<>());
    const Index rank = k * size / n;
    const double low = rank + margin < size ? sample[rank + margin] : 0.0;
    const double high = rank >= margin ? sample[rank - margin] : infinity;
    Index above = 0, not_below = 0;
    for (Index i = 0; i < n; ++i) {
      above += static_cast<Index>(values[i] > high);
      not_below += static_cast<Index>(values[i] >= low);
    }
    if (k < above || k >= not_below || not_below - above > n / 2) break;
    Index inside = 0;
    for (Index i = 0; i < n; ++i) {
      const double value = values[i];
      scratch[inside] = value;  // written always, kept if inside
      inside += static_cast<Index>(value >= low) & static_cast<Index>(value <= high);
    }
    n = inside;
    k -= above;
  }
  if (values != scratch) std::copy_n(values, n, scratch);
  std::nth_element(scratch, scratch + k, scratch + n, std::greater<>());
  return scratch[k];
}

/// A sample brackets the s-th largest magnitude; one pass keeps what lies above the bracket and drops what lies
/// below; only the O(n^⅔) entries inside are compared with each other (Floyd & Rivest 1975). Where the bracket
/// missed, or has too many entries inside, the magnitude is guessed or, at last, found digit by digit.
class SparseProjector final : public Projector {
 public:
  SparseProjector(Index n, Index s)
      : s_(s),
        sample_size_(std::lround(2.0 * std::pow(static_cast<double>(n), 2.0 / 3.0))),
        capacity_(std::min(n, 2 * sample_size_)),
        indices_(room<Index>()),
        magnitudes_(room<double>()),
        scratch_(room<double>()) {}

  using Projector::project;
  void project(In z, Out y) override {
    if (s_ == 0) {
      y.setZero();
    } else if (s_ == z.size()) {
      y = z;
    } else {
      const Bracket bracket = estimate(z);
      if (!select(z, bracket, y) && !keep_to(z, bracket.likely, y)) keep_to(z, kth_magnitude(z, s_), y);
    }
  }

 private:
  template <class T>
  std::unique_ptr<T[]> room() const {
    return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(capacity_ + 1));
  }

  static constexpr double least_positive = std::numeric_limits<double>::denorm_min();

  /// Quantiles of a sample, three standard deviations around s/n. Zeros stay outside: which of them are kept cannot
  /// be seen in y.
  Bracket estimate(In z) {
    if (capacity_ == z.size()) return {least_positive, infinity, 0.0};
    const Index stride = z.size() / sample_size_;
    Index size = 0;
    for (Index k = 0; k < sample_size_; ++k) {
      const std::uint64_t jitter = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15U >> 40;  // against periods in z
      const Index i = k * stride + (static_cast<Index>(jitter) * stride >> 24);
      magnitudes_[size] = std::abs(z[i]);
      size += static_cast<Index>(!std::isnan(z[i]));
    }
    const double fraction = static_cast<double>(s_) / static_cast<double>(z.size());
    const double rank = fraction * static_cast<double>(size);
    const double margin = 3.0 * std::sqrt(rank * (1.0 - fraction)) + 1.0;
    const auto quantile = [&](double k, double beyond) {
      if (k < 0.0 || k >= static_cast<double>(size)) return beyond;
      return kth_largest(magnitudes_.get(), size, static_cast<Index>(k), scratch_.get());
    };
    const double low = quantile(rank + margin, 0.0);
    const double likely = quantile(rank, 0.0);
    const double high = quantile(rank - margin, infinity);
    return {std::max(low, least_positive), high, likely};
  }

  /// y = Π(z), or false if the bracket misses the s-th largest magnitude or has too many entries inside.
  bool select(In z, Bracket bracket, Out y) {
    constexpr Index block = 16;  // most have no candidate
    Index above = 0, inside = 0, end = 0;
    for (Index begin = 0; begin < z.size(); begin += block) {
      const Index size = std::min(block, z.size() - begin);
      const Counts here = keep(z.data() + begin, size, bracket.low, bracket.high, y.data() + begin);
      above += here.above;
      if (here.inside == 0) continue;
      inside += here.inside;
      if (inside > capacity_) return false;
      for (Index i = begin; i < begin + size; ++i) {
        const double magnitude = std::abs(z[i]);
        indices_[end] = i;  // written always, kept if inside: no branch to mispredict
        magnitudes_[end] = magnitude;
        end += static_cast<Index>(magnitude >= bracket.low) & static_cast<Index>(magnitude <= bracket.high);
      }
    }
    if (above + inside <= s_) return above + inside == s_ || bracket.low == least_positive;
    if (above >= s_) return false;
    const double* const magnitudes = magnitudes_.get();
    const double least = kth_largest(magnitudes, inside, s_ - above - 1, scratch_.get());
    Index ties = s_ - above;  // to be kept
    for (Index k = 0; k < inside; ++k) ties -= static_cast<Index>(magnitudes[k] > least);
    for (Index k = 0; k < inside; ++k) {
      const bool kept = magnitudes[k] > least || (magnitudes[k] == least && ties-- > 0);
      if (!kept) y[indices_[k]] = 0.0;
    }
    return true;
  }

  /// y = Π(z) if `least` is the s-th largest magnitude, else false.
  bool keep_to(In z, double least, Out y) const {
    const auto [above, ties] = keep(z.data(), z.size(), least, least, y.data());
    if (above > s_ || above + ties < s_) return false;
    Index surplus = above + ties - s_;
    for (Index i = z.size() - 1; surplus > 0; --i) {  // the last ones give way
      const auto tie = static_cast<Index>(std::abs(z[i]) == least);
      y[i] = std::bit_cast<double>(std::bit_cast<Index>(y[i]) & (tie - 1));  // 0 if tie: no branch to mispredict
      surplus -= tie;
    }
    return true;
  }

  Index s_, sample_size_, capacity_;
  std::unique_ptr<Index[]> indices_;  // of the entries inside the bracket, in their order
  std::unique_ptr<double[]> magnitudes_, scratch_;
};

}  // namespace

Sparse::Sparse(Index n_, Index s_) : n(n_), s(s_) {
  require(n >= 1, "Sparse.n", n, "at least 1");
  require(s >= 0 && s <= n, "Sparse.s", s, fmt::format("0 <= s <= n = {}", n));
}

void Sparse::project(In z, Out y) const { SparseProjector(n, s).project(z, y); }

std::unique_ptr<Projector> Sparse::projector() const { return std::make_unique<SparseProjector>(n, s); }

double Sparse::normal_residual(In x, In v) const {
  std::vector<double> off_support;
  double squares = 0.0;
  for (Index i = 0; i < n; ++i) {
    if (x[i] != 0.0) {
      squares += v[i] * v[i];
    } else {
      off_support.push_back(std::abs(v[i]));
    }
  }
  // ‖v‖₀ ≤ n − s: of the n − ‖x‖₀ entries off the support the s − ‖x‖₀ smallest have to vanish.
  const Index excess = static_cast<Index>(off_support.size()) - (n - s);
  if (excess > 0) {
    const auto end = off_support.begin() + excess;
    std::nth_element(off_support.begin(), end, off_support.end());
    squares = std::inner_product(off_support.begin(), end, off_support.begin(), squares);
  }
  return std::sqrt(squares);
}

bool Sparse::projection_is_unique(In z, double tol) const {
  if (s == 0 || s == n) return true;
  const double kept = kth_magnitude(z, s);
  const double dropped = kth_magnitude(z, s + 1);
  return dropped <= tol || kept - dropped > tol;
}

std::optional<Branch> Sparse::branch(In y, In z) const {
  if (s == 0) return std::nullopt;
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](Index i, Index j) {
    if ((y[i] != 0.0) != (y[j] != 0.0)) return y[i] != 0.0;
    if (std::abs(z[i]) != std::abs(z[j])) return std::abs(z[i]) > std::abs(z[j]);
    return i < j;
  };
  std::nth_element(order.begin(), order.begin() + (s - 1), order.end(), before);
  std::vector<Index> support(order.begin(), order.begin() + s);
  std::sort(support.begin(), support.end());

  Vector t(s);
  for (Index k = 0; k < s; ++k) t[k] = y[support[static_cast<std::size_t>(k)]];
  std::string label = fmt::format("support {{{}}}", fmt::join(support, ", "));
  Map chart = Embedding(Vector::Zero(n), support);
  return Branch{std::move(label), std::move(support), std::move(chart), Free(s), std::move(t)};
}

std::optional<Vector> Sparse::ray(In) const {
  if (s == 0) return std::nullopt;
  return Vector(Vector::Unit(n, 0));
}

std::vector<Range> Sparse::free_ranges() const {
  if (s < n) return {};
  return {{0, n}};
}

}  // namespace pendec
