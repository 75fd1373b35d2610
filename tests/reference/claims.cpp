#include "tests/reference/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "pendec/pendec.hpp"
#include "tests/reference/exact_qp.hpp"
#include "tests/reference/sparse_enumeration.hpp"

namespace pendec::reference {
namespace {

constexpr long double nothing = std::numeric_limits<long double>::infinity();

/// A lower bound of the truth, up to 1e-9 of it and to what underflows. Where the truth is zero, it is so up to the
/// rounding of the reference.
bool is_below(double bound, long double truth) {
  constexpr long double smallest = std::numeric_limits<double>::denorm_min();
  const bool both_zero = bound == 0.0 && std::abs(truth) < 1e-30L;
  return static_cast<long double>(bound) <= truth + 1e-9L * std::abs(truth) + smallest || both_zero ||
         truth == nothing;
}

std::string text(long double a) { return fmt::format("{:.17g}", static_cast<double>(a)); }

/// A problem in the one form that can be enumerated: f on convex pieces, each a polyhedron.
struct Truth {
  const ExactQuadratic& f;
  std::vector<LinearConstraints> pieces;
  bool sum_of_squares = false;
  double unit = 1.0;  // of x: what is far smaller is zero

  long double least() const {
    long double found = nothing;
    for (const LinearConstraints& piece : pieces) found = std::min(found, least_on(piece));
    return found;
  }

  /// The reference has roundings, too, of which a sum of squares shows one.
  long double least_on(const LinearConstraints& piece) const {
    const long double found = reference::least_on(f, piece);
    return sum_of_squares ? std::max(found, 0.0L) : found;
  }

  /// f is bounded below on all pieces: by bounds of x, as a sum of squares, or because Q is positive definite.
  bool is_bounded() const {
    const auto boxed = [](const LinearConstraints& c) { return c.lower.allFinite() && c.upper.allFinite(); };
    return sum_of_squares || is_definite() || std::all_of(pieces.begin(), pieces.end(), boxed);
  }

  bool is_definite() const {
    std::vector<Quad> L(f.Q);
    const auto entry = [&](Index i, Index j) -> Quad& { return L[static_cast<std::size_t>(i + f.n * j)]; };
    for (Index j = 0; j < f.n; ++j) {
      for (Index k = 0; k < j; ++k) entry(j, j) -= entry(j, k) * entry(j, k) * entry(k, k);
      if (!(entry(j, j) > Quad(1e-26) * f.q(j, j))) return false;
      for (Index i = j + 1; i < f.n; ++i) {
        for (Index k = 0; k < j; ++k) entry(i, j) -= entry(i, k) * entry(j, k) * entry(k, k);
        entry(i, j) /= entry(j, j);
      }
    }
    return true;
  }

  /// The largest violation of a row or bound, each relative to its own terms, on the piece that y violates least.
  long double violation(const Vector& y) const {
    long double least = nothing;
    for (const LinearConstraints& c : pieces) least = std::min(least, violation(c, y));
    return least;
  }

  long double violation(const LinearConstraints& c, const Vector& y) const {
    const long double largest = std::max(static_cast<long double>(y.cwiseAbs().maxCoeff()), 1e-20L * unit);
    long double worst = 0.0L;
    const auto test = [&](long double excess, long double size) {
      if (excess > 0.0L) worst = std::max(worst, excess / size);
    };
    for (Index i = 0; i < y.size(); ++i) {
      const long double value = y[i], floor = 1e-9L * largest;
      if (std::isfinite(c.lower[i]))
        test(c.lower[i] - value, std::max({std::abs(value), std::abs(static_cast<long double>(c.lower[i])), floor}));
      if (std::isfinite(c.upper[i]))
        test(value - c.upper[i], std::max({std::abs(value), std::abs(static_cast<long double>(c.upper[i])), floor}));
    }
    const auto rows = [&](const Operator& matrix, const Vector& right, bool equations) {
      const DenseMatrix M(matrix);
      for (Index j = 0; j < right.size(); ++j) {
        long double sum = -static_cast<long double>(right[j]), size = std::abs(sum);
        for (Index i = 0; i < y.size(); ++i) {
          const long double a = (*M)(j, i), value = y[i];
          sum += a * value;
          size += std::abs(a) * std::max(std::abs(value), 2e-8L * largest);
        }
        test(equations ? std::abs(sum) : sum, size);
      }
    };
    rows(c.A, c.b, false);
    rows(c.E, c.d, true);
    return worst;
  }

  /// What is false about a result; empty: nothing. `gap`: how much `optimal` allows, relative.
  std::string wrong(const Result& r, double gap) const {
    const long double truth = least(), smallest = std::numeric_limits<double>::denorm_min();
    const auto tell = [&](const std::string& what) {
      return fmt::format("{}; status {}, route {}, f {}, bound {}, truth {}", what, to_string(r.status), r.route,
                         text(r.f), text(r.bound), text(truth));
    };
    const bool bounded = is_bounded();
    if (r.status == Status::infeasible && truth != nothing) return tell("not infeasible");
    if (r.status == Status::unbounded && bounded) return tell("not unbounded");
    if (bounded && !is_below(r.bound, truth)) return tell("the bound is no bound");
    if (!r.has_point() || r.status == Status::infeasible || r.status == Status::unbounded) return "";
    const long double size = f.size(r.y);
    const long double underflow = size < 1e-290L ? 1e-290L : 1e3L * smallest * (1.0L + r.y.lpNorm<1>());
    if (std::abs(f.value(r.y) - r.f) > 1e-12L * size + underflow) return tell("f is not f(y)");
    if (!r.success()) return "";
    if (const long double off = violation(r.y); off > 2e-6L)
      return tell(fmt::format("y is infeasible by {:.3g}", static_cast<double>(off)));
    const bool optimal = r.status == Status::optimal && bounded;
    if (optimal && r.f > truth + 1.01L * std::max(gap * std::abs(truth), 1e-9L * size) + 10.0L * underflow)
      return tell("not optimal");
    return "";
  }
};

/// Units of f and of x.
struct Units {
  double f = 1.0, x = 1.0;
};

Units units(Draw& draw, bool nasty) {
  constexpr double of_f[] = {1.0, 1.0, 1e8, 1e-8, 1e150, 1e-150, 1e-310}, of_x[] = {1.0, 1.0, 1e6, 1e-6, 1e70, 1e-70};
  if (!nasty || draw.chance(0.5)) return {};
  return {of_f[draw.below(7)], of_x[draw.below(6)]};
}

/// Positive semidefinite, up to rounding where nasty.
Matrix semidefinite(Draw& draw, Index n, bool nasty) {
  const Index rank = nasty && draw.chance(0.6) ? draw.below(n + 1) : n + draw.below(3);
  Matrix B = draw.matrix(n, std::max<Index>(rank, 1));
  if (nasty && draw.chance(0.3))
    for (Index i = 0; i < n; ++i) B.row(i) *= std::pow(10.0, -8.0 * draw.uniform());
  if (nasty && n > 1 && draw.chance(0.2)) B.row(n - 1) = B.row(0);
  Matrix Q = B * B.transpose();
  if (!nasty) Q.diagonal().array() += 0.1;
  if (nasty && draw.chance(0.3)) Q.diagonal().array() += std::pow(10.0, -16.0 * draw.uniform());
  return Q;
}

struct Interval {
  double lower, upper;
};

Interval interval(Draw& draw, bool nasty) {
  const double a = draw.plain(), width = nasty && draw.chance(0.3) ? 0.0 : draw.between(0.1, 3.0);
  return {a, a + width};
}

/// Rows, some of them equations, through or near a point, that contains it if `feasible`; nasty ones repeat each
/// other, also with other right-hand sides.
void add_rows(Draw& draw, bool nasty, bool feasible, const Vector& near, LinearConstraints& c) {
  const Index n = near.size();
  const bool equation = draw.chance(0.4);
  Index count = draw.below(3);
  Matrix M = draw.matrix(count, n);
  if (count == 2 && nasty && draw.chance(0.5)) M.row(1) = (draw.chance(0.5) ? 1.0 : -2.0) * M.row(0);
  Vector right = M * near;
  for (Index j = 0; j < count; ++j)
    if (draw.chance(0.5)) right[j] += !feasible ? draw.plain() : equation ? 0.0 : std::abs(draw.plain());
  (equation ? c.E : c.A) = M;
  (equation ? c.d : c.b) = right;
}

Verdict check_sparse_qp(Draw& draw, bool nasty) {
  const Index n = 1 + draw.below(4);
  const Units unit = units(draw, nasty);
  SparseQp p{.Q = Matrix(semidefinite(draw, n, nasty) * (unit.f / unit.x / unit.x)),
             .c = draw.vector(n) * (unit.f / unit.x),
             .s = 1 + draw.below(n)};
  if (draw.chance(0.2)) p.c.setZero();
  p.constraints = LinearConstraints::none(n);
  const Index kind = draw.below(5);
  const bool grouped = n >= 3 && draw.chance(0.25);
  for (Index i = 0; i < n && kind > 0; ++i) {
    Interval b = interval(draw, nasty);
    if (kind == 1 || grouped) b = {std::min(b.lower, 0.0), std::max(b.upper, 0.0)};
    if (kind == 2) b.lower = 0.0, b.upper = infinity;
    if (kind == 3 && draw.chance(0.5)) b.upper = infinity;
    p.constraints.lower[i] = b.lower, p.constraints.upper[i] = b.upper;
  }
  if (grouped && kind != 2) {
    p.constraints.lower = p.constraints.lower.cwiseMin(0.0);
    p.constraints.upper = p.constraints.upper.cwiseMax(0.0);
  }
  Vector near = Vector::Zero(n);
  near[draw.below(n)] = draw.plain();
  add_rows(draw, nasty, false, near, p.constraints);
  p.constraints.b *= unit.x, p.constraints.d *= unit.x, p.constraints.lower *= unit.x, p.constraints.upper *= unit.x;
  if (grouped) p.groups = {{0, 2}, {1}};
  if (draw.chance(0.15)) p.forced_in = {draw.below(n)};
  if (p.forced_in.empty() && draw.chance(0.15)) p.forced_out = {draw.below(grouped ? 3 : n)};
  if (draw.chance(0.3)) p.constant = draw.plain() * unit.f;

  SparseQpOptions options;
  if (draw.chance(0.15)) options.certify = false;
  if (draw.chance(0.15)) options.nodes = draw.below(4);
  if (draw.chance(0.15)) options.gap = 0.1;
  if (!grouped && p.forced_in.empty() && draw.chance(0.2)) p.budgets = {{{0}, draw.below(2)}};
  const Result r = solve_sparse_qp(p, options);
  const ExactQuadratic f(*p.Q.view(), p.c, p.constant);
  const bool whole = options.certify && options.nodes > 4;
  return {.wrong = Truth{f, pieces_of(p)}.wrong(r, 1e-9),
          .proved = !whole || r.status == Status::optimal || r.status == Status::gap_limit ||
                    r.status == Status::infeasible};
}

Verdict check_union(Draw& draw, bool nasty) {
  const Index n = 1 + draw.below(3), count = 1 + draw.below(6);
  const Units unit = units(draw, nasty);
  const bool residuals = draw.chance(0.3);
  ExactQuadratic truth_f(n);
  Problem p;
  if (residuals) {
    const Index rows = 1 + draw.below(4);
    Matrix A = draw.matrix(rows, n) * (std::sqrt(unit.f) / unit.x);
    if (nasty && n > 1 && draw.chance(0.5)) A.col(n - 1) = A.col(0);
    const Vector b = draw.vector(rows) * std::sqrt(unit.f);
    p.f = LeastSquares(A, b);
    truth_f = ExactQuadratic::least_squares(A, b);
  } else {
    const Matrix Q = semidefinite(draw, n, nasty) * (unit.f / unit.x / unit.x);
    const Vector c = draw.vector(n) * (unit.f / unit.x);
    p.f = Quadratic(Q, c);
    truth_f = ExactQuadratic(Q, c);
  }
  std::vector<LinearConstraints> parts;
  std::vector<Set> sets;
  for (Index k = 0; k < count; ++k) {
    LinearConstraints part = LinearConstraints::none(n);
    Vector middle(n);
    for (Index i = 0; i < n; ++i) {
      const Interval b = interval(draw, nasty);
      part.lower[i] = b.lower, part.upper[i] = b.upper;
      middle[i] = 0.5 * (b.lower + b.upper);
    }
    const bool rows = draw.chance(0.3);
    if (rows) {
      if (draw.chance(0.5)) part.lower.setConstant(-infinity), part.upper.setConstant(infinity);
      add_rows(draw, nasty, true, middle, part);  // an empty part is refused
    }
    part.lower *= unit.x, part.upper *= unit.x, part.b *= unit.x, part.d *= unit.x;
    sets.push_back(rows ? Set(Polyhedron(part)) : Set(Box(part.lower, part.upper)));
    parts.push_back(part);
  }
  p.D = UnionOf(std::move(sets));
  LinearConstraints shared = LinearConstraints::none(n);
  if (draw.chance(0.4)) {
    add_rows(draw, nasty, false, draw.vector(n), shared);
    const bool equations = shared.d.size() > 0;
    const Matrix M = (equations ? shared.E : shared.A).dense();
    const Vector right = (equations ? shared.d : shared.b) * unit.x;
    if (M.rows() > 0) {
      p.G = Affine(M);
      p.C = Box(equations ? right : Vector(Vector::Constant(right.size(), -infinity)), right);
      (equations ? shared.d : shared.b) = right;
    }
  }
  const Result r = draw.chance(0.5) ? solve_disjunctive(p, Vector::Zero(n)) : solve(p, Vector::Zero(n));
  Truth truth{truth_f, parts, residuals, unit.x};
  for (LinearConstraints& piece : truth.pieces) piece.append(shared);
  Verdict v{.wrong = truth.wrong(r, 1e-6), .proved = r.status == Status::optimal || r.status == Status::infeasible};
  const auto* details = std::get_if<PartsDetails>(&r.details);
  for (Index k = 0; details && details->bounds.size() == count && k < count && truth.is_bounded(); ++k) {
    const long double least = truth.least_on(truth.pieces[static_cast<std::size_t>(k)]);
    // bounds of parts are for points that are better than the best one found
    if (least < static_cast<long double>(r.f) && !is_below(details->bounds[k], least))
      v.wrong = fmt::format("the bound {} of part {} is no bound of {}", details->bounds[k], k, text(least));
  }
  return v;
}

/// A set with the pieces it is made of.
struct Choice {
  Set D;
  std::vector<LinearConstraints> pieces;
};

struct Ends {
  Vector lower, upper;
};

Ends ends(Draw& draw, bool nasty, Index n, bool with_zero, double unit) {
  Ends out{Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    Interval b = interval(draw, nasty);
    if (with_zero) b = {std::min(b.lower, 0.0), std::max(b.upper, 0.0)};
    if (nasty && draw.chance(0.1)) b.upper = infinity;
    if (nasty && draw.chance(0.1)) b.lower = -infinity;
    out.lower[i] = b.lower * unit, out.upper[i] = b.upper * unit;
  }
  return out;
}

/// Entries of `in` within the ends, zero elsewhere.
LinearConstraints on_support(const Ends& ends, unsigned in) {
  LinearConstraints c = LinearConstraints::none(ends.lower.size());
  c.lower = ends.lower, c.upper = ends.upper;
  for (Index i = 0; i < ends.lower.size(); ++i)
    if ((in >> i & 1U) == 0) c.lower[i] = c.upper[i] = 0.0;
  return c;
}

/// All supports that `allowed` likes.
template <class Allowed>
std::vector<LinearConstraints> supports(const Ends& ends, const Allowed& allowed) {
  std::vector<LinearConstraints> pieces;
  for (unsigned in = 0; in < (1U << ends.lower.size()); ++in)
    if (allowed(in)) pieces.push_back(on_support(ends, in));
  return pieces;
}

Index count_of(unsigned in) { return std::popcount(in); }

std::vector<std::vector<Index>> two_groups(Draw& draw, Index n) {
  std::vector<std::vector<Index>> groups(2);
  for (Index i = 0; i < n; ++i)
    if (const Index g = draw.below(3); g < 2) groups[static_cast<std::size_t>(g)].push_back(i);
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  if (groups.empty()) groups.push_back({0});
  return groups;
}

Index members(unsigned in, const std::vector<Index>& group) {
  return std::count_if(group.begin(), group.end(), [&](Index i) { return (in >> i & 1U) != 0; });
}

Choice counted_choice(Draw& draw, bool nasty, Index n, double unit) {
  const Index s = draw.below(n + 1);
  const Ends bounds = ends(draw, nasty, n, draw.chance(0.5), unit);
  const Ends none{Vector::Constant(n, -infinity), Vector::Constant(n, infinity)};
  const auto few = [&](unsigned in) { return count_of(in) <= s; };
  switch (draw.below(6)) {
    case 0:
      return {Sparse(n, s), supports(none, few)};
    case 1:
      return {SparseBox(bounds.lower, bounds.upper, s), supports(bounds, few)};
    case 2: {
      const double sum = unit * (draw.chance(0.5) ? 1.0 : draw.between(0.1, 3.0));
      const Index most = std::max<Index>(s, 1);
      auto pieces = supports({Vector::Zero(n), Vector::Constant(n, infinity)},
                             [&](unsigned in) { return count_of(in) <= most; });
      for (LinearConstraints& piece : pieces) piece.E = Matrix::Ones(1, n), piece.d = Vector::Constant(1, sum);
      return {SparseSimplex(n, most, sum), std::move(pieces)};
    }
    case 3: {
      const auto groups = two_groups(draw, n);
      std::vector<Index> counts;
      for (const auto& group : groups) counts.push_back(draw.below(std::ssize(group) + 1));
      return {GroupCounts(bounds.lower, bounds.upper, groups, counts, s), supports(bounds, [&](unsigned in) {
                bool fits = few(in);
                for (std::size_t g = 0; g < groups.size(); ++g) fits = fits && members(in, groups[g]) <= counts[g];
                return fits;
              })};
    }
    case 4: {
      const auto groups = two_groups(draw, n);
      const Index most = draw.below(std::ssize(groups) + 1);
      return {GroupSparse(n, groups, most), supports(none, [&](unsigned in) {
                Index chosen = 0;
                for (const auto& group : groups) chosen += members(in, group) > 0;
                return chosen <= most;
              })};
    }
    default: {  // some coordinates, in another order; the others are free
      std::vector<Index> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), Index{0});
      for (Index k = n - 1; k > 0; --k)
        std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(draw.below(k + 1))]);
      order.resize(static_cast<std::size_t>(1 + draw.below(n)));
      const Index most = draw.below(std::ssize(order) + 1);
      Ends there = none;
      there.lower(order) = bounds.lower.head(std::ssize(order)),
      there.upper(order) = bounds.upper.head(std::ssize(order));
      auto pieces = supports(there, [&](unsigned in) {
        return members(in, order) <= most && count_of(in) - members(in, order) == n - std::ssize(order);
      });
      return {Indexed(n, order,
                      SparseBox(bounds.lower.head(std::ssize(order)), bounds.upper.head(std::ssize(order)), most)),
              std::move(pieces)};
    }
  }
}

/// Pairs and values: `n` is even.
Choice paired_choice(Draw& draw, bool nasty, Index n, double unit) {
  const Index pairs = n / 2;
  Ends bounds = ends(draw, nasty, n, true, unit);
  std::vector<LinearConstraints> pieces;
  const Index kind = draw.below(4);
  if (kind == 3) {
    std::vector<double> values;
    for (Index k = 1 + draw.below(3); k > 0; --k) values.push_back(draw.plain() * unit);
    const auto count = values.size();
    std::size_t all = 1;
    for (Index i = 0; i < n; ++i) all *= count;
    for (std::size_t number = 0; number < all; ++number) {
      LinearConstraints c = LinearConstraints::none(n);
      std::size_t rest = number;
      for (Index i = 0; i < n; ++i, rest /= count) c.lower[i] = c.upper[i] = values[rest % count];
      pieces.push_back(std::move(c));
    }
    return {FiniteValues(n, values), std::move(pieces)};
  }
  for (unsigned first = 0; first < (1U << pairs); ++first) {
    LinearConstraints c = LinearConstraints::none(n);
    if (kind == 0) c.lower = bounds.lower, c.upper = bounds.upper;
    for (Index i = 0; i < pairs; ++i) {
      const bool one = (first >> i & 1U) != 0;
      const Index a = i, b = pairs + i;
      if (kind == 0) c.lower[one ? b : a] = c.upper[one ? b : a] = 0.0;  // one of them vanishes
      if (kind == 1 && one) c.lower[b] = c.upper[b] = 0.0;               // vanishing: b = 0, or b >= 0 >= a
      if (kind == 1 && !one) c.lower[b] = 0.0, c.upper[a] = 0.0;
      if (kind == 2) c.lower[one ? a : b] = 0.0;
    }
    pieces.push_back(std::move(c));
  }
  if (kind == 0)
    return {BoxSwitching(bounds.lower.head(pairs), bounds.upper.head(pairs), bounds.lower.tail(pairs),
                         bounds.upper.tail(pairs)),
            std::move(pieces)};
  return {kind == 1 ? PairUnion::vanishing(pairs) : PairUnion::either(pairs), std::move(pieces)};
}

/// Two sets side by side.
Choice product(const Choice& a, const Choice& b) {
  Choice out{Product({a.D, b.D}), {}};
  for (const LinearConstraints& left : a.pieces)
    for (const LinearConstraints& right : b.pieces) out.pieces.push_back(LinearConstraints::product({left, right}));
  return out;
}

Choice any_choice(Draw& draw, bool nasty, double unit) {
  const Index n = 1 + draw.below(3);
  switch (draw.below(5)) {
    case 0:
      return paired_choice(draw, nasty, 2 * (1 + draw.below(2)), unit);
    case 1: {
      const Ends bounds = ends(draw, nasty, n, false, unit);
      LinearConstraints box = LinearConstraints::none(n);
      box.lower = bounds.lower, box.upper = bounds.upper;
      return {Box(bounds.lower, bounds.upper), {box}};
    }
    case 2:
      return product(counted_choice(draw, nasty, 1 + draw.below(2), unit), paired_choice(draw, nasty, 2, unit));
    default:
      return counted_choice(draw, nasty, n + draw.below(2), unit);
  }
}

/// An objective with the exact numbers that it stands for.
struct Stated {
  Objective f;
  ExactQuadratic exact;
  bool sum_of_squares = false;
};

Stated any_objective(Draw& draw, bool nasty, Index n, const Units& unit) {
  const double curvature = unit.f / unit.x / unit.x;
  const Matrix Q = semidefinite(draw, n, nasty) * curvature;
  Vector c = draw.vector(n) * (unit.f / unit.x);
  if (draw.chance(0.15)) c.setZero();
  const Index rows = 1 + draw.below(n + 2);
  Matrix A = draw.matrix(rows, n) * (std::sqrt(unit.f) / unit.x);
  if (nasty && n > 1 && draw.chance(0.3)) A.col(n - 1) = A.col(0);
  const Vector b = draw.vector(rows) * std::sqrt(unit.f);
  switch (draw.below(6)) {
    case 0:
      return {Quadratic(SparseMatrix(Q.sparseView()), c), ExactQuadratic(Q, c)};
    case 1: {
      Stated out{Quadratic(Operator(A).gram(), c), ExactQuadratic::least_squares(A, Vector::Zero(rows))};
      for (Index i = 0; i < n; ++i) out.exact.c[static_cast<std::size_t>(i)] = c[i];
      return out;
    }
    case 2: {
      const double ridge = draw.chance(0.5) ? curvature * std::pow(10.0, -6.0 * draw.uniform()) : 0.0;
      Stated out{LeastSquares(A, b, {.ridge = ridge}), ExactQuadratic::least_squares(A, b), true};
      for (Index i = 0; i < n; ++i) out.exact.q(i, i) += Quad(ridge);
      return out;
    }
    case 3: {
      const Vector more = draw.vector(n) * (unit.f / unit.x);
      Stated out{Sum({{1.0, Quadratic(Q, c)}, {2.0, Linear(more)}}), ExactQuadratic(Q, c)};
      for (Index i = 0; i < n; ++i) out.exact.c[static_cast<std::size_t>(i)] += Quad(2) * Quad(more[i]);
      return out;
    }
    case 4: {
      Vector w = draw.vector(n).cwiseAbs() * curvature, a = draw.vector(n) * unit.x;
      if (nasty && draw.chance(0.3)) w[draw.below(n)] = 0.0;
      Stated out{SquaredDistance(a, w), ExactQuadratic(n), true};
      for (Index i = 0; i < n; ++i) {
        out.exact.q(i, i) = w[i];
        out.exact.c[static_cast<std::size_t>(i)] = -Quad(w[i]) * Quad(a[i]);
        out.exact.constant += Quad(w[i]) * Quad(a[i]) * Quad(a[i]) / 2;
      }
      return out;
    }
    default:
      return {Quadratic(Q, c), ExactQuadratic(Q, c)};
  }
}

/// solve() on whatever can be stated.
Verdict check_front_door(Draw& draw, bool nasty) {
  const Units unit = units(draw, nasty);
  const Choice choice = any_choice(draw, nasty, unit.x);
  const Index n = choice.D.dimension();
  const Stated stated = any_objective(draw, nasty, n, unit);
  Truth truth{stated.exact, choice.pieces, stated.sum_of_squares, unit.x};
  Problem p{.f = stated.f, .D = choice.D};
  if (draw.chance(0.5)) {
    LinearConstraints shared = LinearConstraints::none(n);
    Vector near = Vector::Zero(n);
    near[draw.below(n)] = draw.plain();
    add_rows(draw, nasty, false, near, shared);
    const bool equations = shared.d.size() > 0;
    Matrix M = (equations ? shared.E : shared.A).dense();
    Vector right = (equations ? shared.d : shared.b) * unit.x;
    if (M.rows() > 0) {
      if (nasty && draw.chance(0.3)) {
        const double factor = std::pow(10.0, std::floor(draw.between(-8.0, 8.0)));
        M.row(0) *= factor, right[0] *= factor;
      }
      p.G = Affine(M);
      p.C = Box(equations ? right : Vector(Vector::Constant(right.size(), -infinity)), right);
      (equations ? shared.E : shared.A) = M;
      (equations ? shared.d : shared.b) = right;
      for (LinearConstraints& piece : truth.pieces) piece.append(shared);
    }
  }
  const Vector start = draw.chance(0.5) ? Vector(Vector::Zero(n)) : Vector(draw.vector(n) * unit.x);
  const Result r = solve(p, start);
  return {.wrong = truth.wrong(r, 1e-6), .proved = r.success() || r.status == Status::infeasible};
}

/// The least f of a few descents over factors with unit rows: no bound may exceed it.
long double sampled_correlation(Draw& draw, const Matrix& A, const Matrix& W, Index rank) {
  const Index n = A.rows();
  const auto value = [&](const Matrix& V) {
    long double f = 0.0L;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        long double x = 0.0L, a = 0.0L, b = 0.0L;
        for (Index k = 0; k < V.cols(); ++k) {
          x += static_cast<long double>(V(i, k)) * V(j, k);
          a += static_cast<long double>(V(i, k)) * V(i, k);
          b += static_cast<long double>(V(j, k)) * V(j, k);
        }
        const long double e = (i == j ? 1.0L : x / std::sqrt(a * b)) - A(i, j);
        f += 0.5L * W(i, j) * e * e;
      }
    }
    return f;
  };
  long double best = nothing;
  for (int start = 0; start < 6; ++start) {
    Matrix V = draw.matrix(n, rank);
    for (Index i = 0; i < n; ++i)
      if (!(V.row(i).norm() > 0.0)) V(i, 0) = 1.0;
    V.rowwise().normalize();
    const double step = 0.25 / (static_cast<double>(n) * W.maxCoeff() * (1.0 + A.cwiseAbs().maxCoeff()));
    for (int k = 0; k < 200; ++k) {
      Matrix residual = (V * V.transpose() - A).cwiseProduct(W);
      residual.diagonal().setZero();
      V -= step * 2.0 * residual * V;
      V.rowwise().normalize();
    }
    if (V.allFinite()) best = std::min(best, value(V));
  }
  return best;
}

Verdict check_correlation(Draw& draw, bool nasty) {
  const Index n = 2 + draw.below(3), rank = 1 + draw.below(n);
  Matrix A = draw.matrix(n, n) * (nasty ? std::pow(10.0, draw.between(-6.0, 6.0)) : 0.5);
  A = (0.5 * (A + A.transpose())).eval();
  A.diagonal().setOnes();
  if (nasty && draw.chance(0.3)) A.setOnes();
  if (nasty && draw.chance(0.2)) A.row(0) = A.row(n - 1), A.col(0) = A.col(n - 1), A(0, 0) = 1.0;
  if (A != A.transpose()) A = (0.5 * (A + A.transpose())).eval();
  CorrelationOptions options;
  Matrix W = Matrix::Ones(n, n);
  if (draw.chance(0.3)) {
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i <= j; ++i) W(i, j) = W(j, i) = std::pow(10.0, draw.between(nasty ? -6.0 : -1.0, 0.0));
    options.weights = W;
  }
  const bool bounded = draw.chance(0.7);
  const Result r = nearest_correlation(A, bounded ? std::optional(rank) : std::nullopt, options);
  const long double seen = sampled_correlation(draw, A, W, bounded ? rank : n);
  Verdict v{.wrong = {}, .proved = r.correlation().global};
  const auto wrong = [&](std::string what) {
    v.wrong = fmt::format("{}; status {}, f {}, bound {}, seen {}", what, to_string(r.status), text(r.f),
                          text(r.bound), text(seen));
    return v;
  };
  const long double noise = 1e-13L * W.cwiseProduct((A.cwiseAbs() + Matrix::Ones(n, n)).cwiseAbs2()).sum();
  if (static_cast<long double>(r.bound) > seen + 1e-9L * seen + noise) return wrong("the bound is no bound");
  const long double change = W.cwiseProduct((A.cwiseAbs() + Matrix::Ones(n, n)).cwiseAbs2()).sum();
  if (r.correlation().global && r.f > seen + 1e-6L * change) return wrong("not global");
  return v;
}

Verdict check_max_cut(Draw& draw, bool nasty) {
  const Index n = 2 + draw.below(6);
  Graph graph{n, {}};
  const double unit = nasty && draw.chance(0.5) ? std::pow(10.0, draw.between(-150.0, 150.0)) : 1.0;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < j; ++i)
      if (graph.edges.empty() || draw.chance(0.7)) {
        const double wild = nasty && draw.chance(0.3) ? std::pow(10.0, draw.between(-10.0, 0.0)) : 1.0;
        graph.edges.push_back({i, j, draw.plain() * unit * wild});
      }
  const Result r = max_cut(graph, {.rank = draw.chance(0.3) ? std::optional(1 + draw.below(2)) : std::nullopt});
  long double truth = 0.0L, size = 0.0L;
  for (const Edge& e : graph.edges) size += std::abs(e.weight);
  for (unsigned sides = 0; sides < (1U << (n - 1)); ++sides) {
    long double cut = 0.0L;
    for (const Edge& e : graph.edges)
      if ((sides >> e.i & 1U) != (sides >> e.j & 1U)) cut += e.weight;
    truth = std::max(truth, cut);
  }
  Verdict v{.wrong = {}, .proved = r.cut().cut >= r.cut().upper_bound * (1.0 - 1e-9)};
  const auto wrong = [&](std::string what) {
    v.wrong = fmt::format("{}; cut {}, bound {}, truth {}", what, text(r.cut().cut), text(r.cut().upper_bound),
                          text(truth));
    return v;
  };
  if (static_cast<long double>(r.cut().upper_bound) < truth - 1e-9L * truth) return wrong("the bound is no bound");
  if (static_cast<long double>(r.cut().cut) > truth + 1e-15L * size) return wrong("no cut is as heavy");
  return v;
}

Verdict check_regression(Draw& draw, bool nasty) {
  const Index p = 1 + draw.below(3), m = 2 + draw.below(7), s = 1 + draw.below(p);
  Matrix A = draw.matrix(m, p);
  if (nasty && p > 1 && draw.chance(0.4)) A.col(p - 1) = A.col(0);
  if (nasty && p > 1 && draw.chance(0.3)) A.col(p - 1) = A.col(0) + 1e-8 * draw.vector(m);
  if (nasty && draw.chance(0.2)) A.col(0).setConstant(draw.plain());
  if (nasty)
    for (Index j = 0; j < p; ++j) {
      if (draw.chance(0.3)) A.col(j) *= std::pow(10.0, draw.between(-100.0, 100.0));
      if (draw.chance(0.2)) A.col(j).array() += 1e6;
    }
  Vector b = draw.vector(m);
  if (draw.chance(0.3)) b = A.col(0);  // a perfect fit
  if (nasty && draw.chance(0.3)) b *= std::pow(10.0, draw.between(-100.0, 100.0));
  SparseRegressionOptions options{.intercept = draw.chance(0.6), .nonnegative = draw.chance(0.2)};
  if (draw.chance(0.4)) options.ridge = std::pow(10.0, draw.between(-6.0, 1.0));

  // (coefficients, intercept), the ridge on coefficients in units of the features' deviations
  Matrix full(m, p + 1);
  full << A, Vector::Ones(m);
  ExactQuadratic f = ExactQuadratic::least_squares(full, b);
  for (Index j = 0; j < p; ++j) {
    Quad mean = 0, variance = 0;
    for (Index k = 0; k < m && options.intercept; ++k) mean += Quad(A(k, j)) / Quad(m);
    for (Index k = 0; k < m; ++k) variance += (Quad(A(k, j)) - mean) * (Quad(A(k, j)) - mean) / Quad(m);
    const bool constant = variance <= Quad(1e-24) * mean * mean;
    f.q(j, j) += Quad(options.ridge) * (constant ? Quad(1) : variance);
  }
  LinearConstraints bounds = LinearConstraints::none(p + 1);
  if (options.nonnegative) bounds.lower.head(p).setZero();
  long double truth = nothing;
  for (unsigned chosen = 0; chosen < (1U << p); ++chosen) {
    std::vector<Index> columns;
    for (Index j = 0; j < p; ++j)
      if (chosen >> j & 1U) columns.push_back(j);
    if (static_cast<Index>(columns.size()) > s) continue;
    if (options.intercept) columns.push_back(p);
    truth = std::min(truth, least_on(f, bounds, columns));
  }
  truth = std::max(truth, 0.0L);
  const Result r = sparse_regression(A, b, s, options);
  Verdict v{.wrong = {}, .proved = r.status == Status::optimal};
  const auto wrong = [&](std::string what) {
    v.wrong = fmt::format("{}; status {}, f {}, bound {}, truth {}", what, to_string(r.status), text(r.f),
                          text(r.bound), text(truth));
    return v;
  };
  if (r.status == Status::unbounded || r.status == Status::infeasible) return wrong("least squares have a minimum");
  if (!is_below(r.bound, truth)) return wrong("the bound is no bound");
  const long double gap = 1e-9L * std::max(std::abs(truth), static_cast<long double>(f.constant));
  if (r.status == Status::optimal && r.f > truth + gap) return wrong("not optimal");
  Vector full_y = Vector::Zero(p + 1);
  full_y.head(r.y.size()) = r.y;
  if (r.success() && std::abs(f.value(full_y) - r.f) > 1e-9L * f.size(full_y) + 1e-290L)
    return wrong("f is not f(y)");
  return v;
}

}  // namespace

double Draw::plain() { return std::round(between(-3.0, 3.0) * 10.0) / 10.0; }

Matrix Draw::matrix(Index rows, Index cols) {
  Matrix M(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) M(i, j) = chance(0.5) ? plain() : between(-3.0, 3.0);
  return M;
}

double BytesDraw::uniform() {
  if (bytes_.size() < 2) return 0.0;
  const double value = static_cast<unsigned char>(bytes_[0]) + static_cast<unsigned char>(bytes_[1]) / 256.0;
  bytes_.remove_prefix(2);
  return value / 256.0;
}

Verdict check_claims(std::string_view problem_class, Draw& draw, bool nasty) {
  try {
    if (problem_class == "sparse_qp") return check_sparse_qp(draw, nasty);
    if (problem_class == "union") return check_union(draw, nasty);
    if (problem_class == "front_door") return check_front_door(draw, nasty);
    if (problem_class == "correlation") return check_correlation(draw, nasty);
    if (problem_class == "max_cut") return check_max_cut(draw, nasty);
    return check_regression(draw, nasty);
  } catch (const InvalidArgument&) {
    return {.wrong = {}, .refused = true};
  }
}

}  // namespace pendec::reference
