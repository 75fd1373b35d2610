#include "tests/reference/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pendec/core/error.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/objectives/regression.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/union_of.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"
#include "pendec/solvers/lowrank/maxcut.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"
#include "pendec/solvers/sparse/sparse_regression.hpp"
#include "tests/reference/exact_qp.hpp"
#include "tests/reference/sparse_enumeration.hpp"

namespace pendec::reference {
namespace {

constexpr long double nothing = std::numeric_limits<long double>::infinity();

/// A lower bound of the truth, up to 1e-9 of it and to what underflows.
bool is_below(double bound, long double truth) {
  constexpr long double smallest = std::numeric_limits<double>::denorm_min();
  return static_cast<long double>(bound) <= truth + 1e-9L * std::abs(truth) + smallest || truth == nothing;
}

std::string text(long double a) { return fmt::format("{:.17g}", static_cast<double>(a)); }

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
  const Index n = 1 + draw.below(3);
  const Units unit = units(draw, nasty);
  SparseQp p{.Q = Matrix(semidefinite(draw, n, nasty) * (unit.f / unit.x / unit.x)),
             .c = draw.vector(n) * (unit.f / unit.x),
             .s = 1 + draw.below(n)};
  if (draw.chance(0.2)) p.c.setZero();
  p.constraints = LinearConstraints::none(n);
  const Index kind = draw.below(5);
  const bool grouped = n == 3 && draw.chance(0.25);
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
  if (p.forced_in.empty() && draw.chance(0.15)) p.forced_out = {draw.below(n)};
  if (draw.chance(0.3)) p.constant = draw.plain() * unit.f;

  const Result r = solve_sparse_qp(p);
  const bool proved = r.status == Status::optimal || r.status == Status::gap_limit;
  const ExactQuadratic f(*p.Q.view(), p.c, p.constant);
  const long double truth = enumerate(p, Precision::quadruple);
  Verdict v{.wrong = {}, .proved = proved || r.status == Status::infeasible};
  const auto wrong = [&](std::string what) {
    v.wrong = fmt::format("{}; status {}, f {}, bound {}, truth {}", what, to_string(r.status), text(r.f),
                          text(r.bound), text(truth));
    return v;
  };
  if (r.status == Status::infeasible && truth != nothing) return wrong("not infeasible");
  const bool boxed = p.constraints.lower.allFinite() && p.constraints.upper.allFinite();
  const double Q_size = p.Q.view()->cwiseAbs().maxCoeff(), c_size = p.c.cwiseAbs().maxCoeff();
  const bool deep = truth < -1e9L * c_size * (c_size / Q_size);  // as far as rounding can tell, that is unbounded
  if (r.status == Status::unbounded && (boxed || !nasty) && !deep) return wrong("not unbounded");
  if (!is_below(r.bound, truth)) return wrong("the bound is no bound");
  if (!r.has_point()) return v;
  const long double size = f.size(r.y), noise = 1e-12L * size;
  if (std::abs(f.value(r.y) - r.f) > noise + 1e-300L) return wrong("f is not f(x)");
  const long double gap = 1e-9L * std::max({std::abs(truth), size, static_cast<long double>(Q_size)});
  if (proved && r.f > truth + gap) return wrong("not optimal");
  return v;
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
  const Result r = solve_disjunctive(p, Vector::Zero(n));
  Verdict v{.wrong = {}, .proved = r.status == Status::optimal || r.status == Status::infeasible};
  long double truth = nothing;
  const auto wrong = [&](std::string what) {
    v.wrong = fmt::format("{}; status {}, f {}, bound {}, truth {}", what, to_string(r.status), text(r.f),
                          text(r.bound), text(truth));
    return v;
  };
  for (Index k = 0; k < count; ++k) {
    LinearConstraints both = parts[static_cast<std::size_t>(k)];
    both.append(shared);
    const long double least = least_on(truth_f, both);
    truth = std::min(truth, least);
    // bounds of parts are for points that are better than the best one found
    const bool better = least < static_cast<long double>(r.f);
    if (r.parts().bounds.size() > 0 && better && !is_below(r.parts().bounds[k], least))
      return wrong(fmt::format("the bound {} of part {} is no bound of {}", r.parts().bounds[k], k, text(least)));
  }
  if (r.status == Status::infeasible && truth != nothing) return wrong("not infeasible");
  const auto is_bounded = [](const LinearConstraints& c) { return c.lower.allFinite() && c.upper.allFinite(); };
  if (r.status == Status::unbounded && (!nasty || residuals || std::all_of(parts.begin(), parts.end(), is_bounded)))
    return wrong("not unbounded");
  if (!is_below(r.bound, truth)) return wrong("the bound is no bound");
  if (r.status == Status::optimal &&
      static_cast<long double>(r.f) > truth + 1.01e-6L * std::max(1.0L, std::abs(truth)))
    return wrong("not optimal");
  return v;
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
    if (problem_class == "correlation") return check_correlation(draw, nasty);
    if (problem_class == "max_cut") return check_max_cut(draw, nasty);
    return check_regression(draw, nasty);
  } catch (const InvalidArgument&) {
    return {.wrong = {}, .refused = true};
  }
}

}  // namespace pendec::reference
