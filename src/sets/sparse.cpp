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
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "../core/team.hpp"
#include "choices.hpp"
#include "exchanges.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/maps/selection.hpp"

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
};

/// All bits of a word if `condition`, else none: what a branch would choose is chosen by &, and nothing mispredicted.
inline std::uint64_t all_if(bool condition) { return 0 - static_cast<std::uint64_t>(condition); }

/// 0 if `dropped`, else the entry.
inline double drop_if(bool dropped, double entry) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(entry) & all_if(!dropped));
}

constexpr Index word_bits = 64;  // entries of a block, a bit of a word for each

constexpr std::array<std::uint64_t, word_bits> bit = [] {
  std::array<std::uint64_t, word_bits> powers{};
  for (Index i = 0; i < word_bits; ++i) powers[i] = std::uint64_t{1} << i;
  return powers;
}();

struct Found {
  Index above = 0;           // the number of magnitudes above high
  std::uint64_t inside = 0;  // the places of those inside [low, high]
};

/// y = z where |zᵢ| ≥ low or zᵢ is no number, 0 elsewhere, for the n ≤ 64 entries of a block.
inline Found keep(const double* __restrict z, Index n, double low, double high, double* __restrict y) {
  Found found;
  for (Index i = 0; i < n; ++i) {
    const double magnitude = std::abs(z[i]);
    found.above += static_cast<Index>(magnitude > high);
    found.inside |= bit[i] & all_if(magnitude >= low) & all_if(magnitude <= high);
    y[i] = drop_if(magnitude < low, z[i]);
  }
  return found;
}

/// The same for the entries of a range. Calls next(begin, found) for every block until it is false; returns whether
/// it never was.
template <class Next>
bool keep(In z, Range range, double low, double high, Out y, Next next) {
  const Index end = range.begin + range.size, whole = end - range.size % word_bits;
  for (Index i = range.begin; i < whole; i += word_bits)
    if (!next(i, keep(z.data() + i, word_bits, low, high, y.data() + i))) return false;
  return next(whole, keep(z.data() + whole, end - whole, low, high, y.data() + whole));
}

struct Part {
  Index above, size;
};

constexpr Index subsample = 128;

/// Copies the part of n magnitudes that has the first-th to the last-th largest, counted from 0, as the projection
/// itself does, which needs more care: a small sample brackets them, and what lies outside is left behind. All of
/// them, not copied, if that fails. The copies may take the place of the values.
Part narrow(const double* values, Index n, Index first, Index last, double* copies) {
  constexpr Index margin = 15;
  std::array<double, subsample> sample;
  for (Index j = 0; j < subsample; ++j) sample[j] = values[j * (n / subsample)];
  std::sort(sample.begin(), sample.end(), std::greater<>());
  const Index left = first * subsample / n - margin, right = last * subsample / n + margin;
  const double high = left >= 0 ? sample[left] : infinity;
  const double low = right < subsample ? sample[right] : 0.0;
  Index above = 0, not_below = 0;
  for (Index i = 0; i < n; ++i) {
    above += static_cast<Index>(values[i] > high);
    not_below += static_cast<Index>(values[i] >= low);
  }
  if (first < above || last >= not_below || not_below - above > n / 2) return {0, n};
  Index inside = 0;
  for (Index i = 0; i < n; ++i) {
    const double value = values[i];
    copies[inside] = value;  // written always, kept if inside: no branch to mispredict
    inside += static_cast<Index>(value >= low) & static_cast<Index>(value <= high);
  }
  return {above, inside};
}

/// The k-th largest of n magnitudes, k = 0, 1, …; `scratch` has room for n.
double kth_largest(const double* values, Index n, Index k, double* scratch) {
  while (n > 4 * subsample) {
    const Part part = narrow(values, n, k, k, scratch);
    if (part.size == n) break;
    values = scratch;
    n = part.size;
    k -= part.above;
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
        sample_size_(sample_size(n, s)),
        capacity_(std::min(n, 2 * sample_size_)),
        parts_(detail::Team::parts_for(n)),
        tallies_(static_cast<std::size_t>(parts_)),
        listed_(std::make_unique_for_overwrite<Entry[]>(static_cast<std::size_t>(parts_ * capacity_))),
        room_(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(2 * (capacity_ + 1)))),
        values_(room_.get()),
        scratch_(values_ + capacity_ + 1) {}

  using Projector::project;
  void project(In z, Out y) override {
    if (s_ == 0) {
      y.setZero();
    } else if (s_ == z.size()) {
      y = z;
    } else {
      detail::Team team(parts_ > 1 ? z.size() : 0);
      // One bracket in eighty misses, none in a million that is twice as wide. Where many are equal, the sample
      // probably has the s-th largest magnitude itself.
      if (select(z, estimate(z, 2.5), y, team) || select(z, estimate(z, 5.0), y, team)) return;
      if (!keep_to(z, quantile(rank_), y, team)) keep_to(z, kth_magnitude(z, s_), y, team);
    }
  }

 private:
  static constexpr double least_positive = std::numeric_limits<double>::denorm_min();

  /// Large enough that about as many entries of z lie inside the bracket as there are in the sample, and no more than
  /// twice as many where s or n − s is small.
  static Index sample_size(Index n, Index s) {
    const auto size = static_cast<double>(n), fraction = static_cast<double>(s) / size;
    return std::lround(
        std::max(2.0 * std::cbrt(4.0 * fraction * (1.0 - fraction) * size * size), 4.0 * std::sqrt(size)));
  }

  /// Quantiles of a sample, so many standard deviations around s/n. Zeros stay outside: which of them are kept cannot
  /// be seen in y.
  Bracket estimate(In z, double deviations) {
    if (capacity_ == z.size()) return {least_positive, infinity};
    constexpr Index run = 8;  // neighbours: a line of the cache
    const Index stride = run * z.size() / sample_size_;
    const Index size = sample_size_ / run * run;
    for (Index k = 0; k < size / run; ++k) {
      const std::uint64_t jitter = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15U >> 40;  // against periods in z
      const Index begin = (k * stride + (static_cast<Index>(jitter) * (stride - run) >> 24)) / run * run;
      // What is no number counts as less than all magnitudes.
      for (Index i = 0; i < run; ++i) values_[k * run + i] = std::max(-1.0, std::abs(z[begin + i]));
    }
    const double fraction = static_cast<double>(s_) / static_cast<double>(z.size());
    const double rank = fraction * static_cast<double>(size);
    const double margin = deviations * std::sqrt(rank * (1.0 - fraction)) + 1.0;
    const auto first = static_cast<Index>(rank - margin), last = static_cast<Index>(rank + margin);
    rank_ = static_cast<Index>(rank);
    middle_ = {0, size};
    if (size > 4 * subsample)
      middle_ = narrow(values_, size, std::max(first, Index{0}), std::min(last, size - 1), values_);
    const double low = last < size ? quantile(last) : 0.0;
    const double high = rank < margin ? infinity : quantile(first);
    return {std::max(low, least_positive), high};
  }

  /// The k-th largest magnitude of the sample.
  double quantile(Index k) const { return kth_largest(values_, middle_.size, k - middle_.above, scratch_); }

  struct Entry {
    double magnitude;
    Index index;
  };

  /// What a part of z has above and inside the bracket.
  struct Tally {
    Index above = 0, inside = 0;
  };

  /// Keeps what is not below the bracket in the k-th part of y and lists what is inside; inside > capacity_ if that
  /// is too much.
  Tally keep_part(In z, Index k, Bracket bracket, Out y) {
    Tally tally;
    Entry* const listed = list(k);
    keep(z, detail::part(z.size(), k, parts_), bracket.low, bracket.high, y, [&](Index begin, Found found) {
      tally.above += found.above;
      if (tally.inside + std::popcount(found.inside) > capacity_) {
        tally.inside = capacity_ + 1;
        return false;
      }
      for (std::uint64_t left = found.inside; left != 0; left &= left - 1) {
        const Index i = begin + std::countr_zero(left);
        listed[tally.inside++] = {std::abs(z[i]), i};
      }
      return true;
    });
    return tally;
  }

  Entry* list(Index k) const { return listed_.get() + k * capacity_; }

  Tally total() const {
    Tally sum;
    for (const Tally& tally : tallies_) sum = {sum.above + tally.above, sum.inside + tally.inside};
    return sum;
  }

  /// y = Π(z), or false if the bracket misses the s-th largest magnitude or has too many entries inside.
  bool select(In z, Bracket bracket, Out y, detail::Team& team) {
    team.run(parts_, [&](Index k) { tallies_[k] = keep_part(z, k, bracket, y); });
    const auto [above, inside] = total();
    if (inside > capacity_) return false;
    if (above + inside <= s_) return above + inside == s_ || bracket.low == least_positive;
    if (above >= s_) return false;
    team.dismiss();
    Entry* end = list(0);
    for (Index k = 0; k < parts_; ++k) end = std::copy_n(list(k), tallies_[k].inside, end);
    const std::span listed(list(0), end);
    std::transform(listed.begin(), listed.end(), values_, [](const Entry& entry) { return entry.magnitude; });
    const double least = kth_largest(values_, inside, s_ - above - 1, scratch_);
    Index kept = above;
    double elsewhere = 0.0;  // stored to where y stays as it is: no branch to mispredict
    for (const Entry& entry : listed) {
      const bool dropped = entry.magnitude < least;
      *(dropped ? &y[entry.index] : &elsewhere) = 0.0;
      kept += static_cast<Index>(!dropped);
    }
    drop_last(kept - s_, least, y);
    return true;
  }

  /// y = Π(z) if `least` is the s-th largest magnitude, else false.
  bool keep_to(In z, double least, Out y, detail::Team& team) {
    team.run(parts_, [&](Index k) {
      Tally tally;
      keep(z, detail::part(z.size(), k, parts_), least, least, y, [&](Index, Found found) {
        tally.above += found.above;
        tally.inside += std::popcount(found.inside);
        return true;
      });
      tallies_[k] = tally;
    });
    const auto [above, ties] = total();
    if (above > s_ || above + ties < s_) return false;
    drop_last(above + ties - s_, least, y);
    return true;
  }

  /// Of the entries of this magnitude the last ones give way.
  static void drop_last(Index surplus, double magnitude, Out y) {
    for (Index i = y.size() - 1; surplus > 0; --i) {
      const bool tie = std::abs(y[i]) == magnitude;
      y[i] = drop_if(tie, y[i]);
      surplus -= static_cast<Index>(tie);
    }
  }

  Index s_, sample_size_, capacity_, parts_;
  Index rank_ = 0;  // in the sample, as s in z
  Part middle_{};   // of the sample, in values_
  std::vector<Tally> tallies_;
  std::unique_ptr<Entry[]> listed_;  // inside the bracket, room for capacity_ in each part
  std::unique_ptr<double[]> room_;
  double *values_, *scratch_;  // in it: of the sample, then of all that are listed
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
  std::vector<Index> support;
  for (Index i = 0; i < n; ++i)
    if (y[i] != 0.0) support.push_back(i);
  if (std::ssize(support) == s) return branch_at(support, y);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](Index i, Index j) {
    if ((y[i] != 0.0) != (y[j] != 0.0)) return y[i] != 0.0;
    if (std::abs(z[i]) != std::abs(z[j])) return std::abs(z[i]) > std::abs(z[j]);
    return i < j;
  };
  const auto end = order.begin() + s;
  std::nth_element(order.begin(), end - 1, order.end(), before);
  std::sort(order.begin(), end);
  support.assign(order.begin(), end);
  return branch_at(support, y);
}

std::optional<Branch> Sparse::branch_at(BranchKey key, In near) const {
  if (s == 0) return std::nullopt;
  detail::require_support(key, n, s);
  std::vector<Index> support(key.begin(), key.end());
  Vector t = near(support);
  std::string label = fmt::format("support {{{}}}", fmt::join(support, ", "));
  Map chart = Embedding(n, support);
  Set domain = Free(t.size());
  return Branch{std::move(label), std::move(support), std::move(chart), std::move(domain), std::move(t)};
}

std::optional<Neighbours> Sparse::neighbours(BranchKey key, In z, Index most) const {
  const auto any = [](Index) { return true; };
  return detail::exchanges(
      key, detail::others_than(key, n, any), [&](Index i) { return z[i] * z[i]; }, most);
}

std::optional<Vector> Sparse::ray(In) const {
  if (s == 0) return std::nullopt;
  return Vector(Vector::Unit(n, 0));
}

std::vector<Range> Sparse::free_ranges() const {
  if (s < n) return {};
  return {{0, n}};
}

std::optional<Alternatives> Sparse::alternatives() const {
  const Set line = Free(1);
  return detail::few_coordinates(n, s, [&](Index) { return line; });
}

}  // namespace pendec
