// What results of the solvers of classes claim, recomputed.
#include <algorithm>
#include <cmath>

#include "../subsolvers/dense.hpp"
#include "../subsolvers/manifold/unit_rows.hpp"
#include "claims.hpp"
#include "lowrank/completion_residual.hpp"
#include "lowrank/correlation_parts.hpp"
#include "lowrank/task_loss.hpp"
#include "pendec/certificates/stationarity.hpp"
#include "pendec/subsolvers/eigen.hpp"

namespace pendec {
namespace {

constexpr double of_classes = 1e-6;  // what `converged` asks of a certificate, relative

using detail::Claims;

/// Sizes and finiteness of a matrix that a result has; nothing else is looked at where they are wrong.
bool usable_matrix(const std::string& name, const Matrix& M, Index rows, Claims& c) {
  return c.size(name + ", rows", M.rows(), rows) && c.finite(name, M);
}

bool unit_rows(const std::string& name, const Matrix& V, Claims& c) {
  const double off = (V.rowwise().norm().array() - 1.0).abs().maxCoeff();
  return c.claim(name, "rows of length one", "off by " + to_text(off), off <= 1e-9);
}

/// The certificate of the result, and one of our own that the status rests on.
void claim_stationarity(const Result& r, const Certificate& own, Claims& c) {
  c.at_most("certificate: relative stationarity", own.relative_stationarity(),
            1.1 * r.certificate.relative_stationarity() + 0.1 * of_classes);
  if (r.status == Status::converged)
    c.status(r, own.holds(of_classes), "stationary up to " + to_text(own.relative_stationarity()));
}

/// −∇f(X) at X = BCᵀ without a box: what of it is no normal of the rank set, relative to its size as the solver has
/// it. X itself is not formed.
double completion_residual(const CompletionProblem& problem, const CompletionDetails& d) {
  Matrix left = problem.gamma * d.C;                             // ∇f(X)ᵀ B
  Matrix right = problem.gamma * d.B * (d.C.transpose() * d.C);  // ∇f(X) C
  double squares = 0.0, size = 0.0;
  for (const Observation& o : problem.seen) {
    const double residual = d.entry(o.row, o.column) - o.value;
    left.row(o.column) += residual * d.B.row(o.row);
    right.row(o.row) += residual * d.C.row(o.column);
    squares += residual * residual;
    size += o.value * o.value;
  }
  const double miss = std::hypot(left.norm(), (right * detail::orthonormaliser(d.C)).norm());
  const double scale = std::max({std::sqrt(squares), problem.gamma * d.C.norm(), 1e-6 * std::sqrt(size)});
  return miss == 0.0 ? 0.0 : miss / scale;
}

}  // namespace

std::vector<Claim> verify(SparseQp problem, const Result& r) {
  const SparseDetails& d = r.sparse();
  problem.s = d.s;
  Claims c{detail::verify_ready(problem.problem(), r, problem.constant)};
  if (r.y.size() == problem.dimension()) c.support(d, r.y);
  return std::move(c.all);
}

std::vector<Claim> verify(const Moments& moments, PortfolioOptions options, const Result& r) {
  const SparseDetails& d = r.sparse();
  options.s = d.s;
  if (d.portfolio && d.portfolio->target && !options.min_return) {  // a point of the frontier
    options.min_return = d.portfolio->target;
    options.nu = 0.0;
  }
  Claims c{verify(portfolio_problem(moments, options), r)};
  if (!d.portfolio || r.y.size() != moments.size()) return std::move(c.all);
  const double variance = std::max(r.y.dot(moments.covariance * r.y), 0.0);
  c.number("details.mean", d.portfolio->mean, moments.mean.dot(r.y), moments.mean.norm() * r.y.norm());
  c.number("details.volatility", d.portfolio->volatility, std::sqrt(variance), std::sqrt(variance));
  return std::move(c.all);
}

std::vector<Claim> verify(const Operator& A, const Vector& b, const SparseRegressionOptions& options,
                          const Result& r) {
  const SparseDetails& d = r.sparse();
  Claims c;
  if (!r.has_point() && r.y.size() == 0) {
    c.status(r, !r.success(), "no point");
    return std::move(c.all);
  }
  if (!c.size("y", r.y.size(), A.cols() + (options.intercept ? 1 : 0)) || !c.finite("y", r.y))
    return std::move(c.all);
  const ScaledModel own = scaled_model(A, b, d.s, options, r.y);
  const Problem problem = own.problem.completed();
  const ModelDetails claimed = d.model.value_or(ModelDetails{}), &found = *own.details.model;
  c.support(d, r.y.head(A.cols()));
  c.number("f", r.f, own.f, std::max(own.f, own.size));
  c.number("details.model.loss", claimed.loss, found.loss, std::max(own.f, own.size));
  c.number("details.model.intercept", claimed.intercept, found.intercept, 1.0 + std::abs(found.intercept));
  c.number("details.model.criteria.bic", claimed.criteria.bic, found.criteria.bic,
           1.0 + std::abs(found.criteria.bic));
  c.at_most("distance to the models allowed", problem.D.distance(own.x), of_classes * (1.0 + own.x.norm()));
  if (r.status == Status::optimal || r.status == Status::gap_limit) {
    const double open = r.f - r.bound, most = (r.status == Status::optimal ? 2e-9 : 1.0) * std::max(own.f, own.size);
    c.status(r, open >= 0.0 && open <= most,
             "f - bound = " + to_text(open) + " (the bound itself was not proved again)");
  }
  if (r.status == Status::converged) claim_stationarity(r, certify(problem, own.x), c);
  return std::move(c.all);
}

std::vector<Claim> verify(MatrixIn A, std::optional<Index> rank, const CorrelationOptions& options, const Result& r) {
  const CorrelationDetails& d = r.correlation();
  const Index n = A.rows();
  Claims c;
  if (!usable_matrix("details.V", d.V, n, c) || !unit_rows("details.V", d.V, c)) return std::move(c.all);
  c.at_most("rank", static_cast<double>(d.V.cols()), static_cast<double>(rank.value_or(n)));
  const auto [known, weights] = detail::weighted_entries(A, options.weights);
  const Matrix X = d.X(), gradient = weights.cwiseProduct(X - known);
  const double f = 0.5 * gradient.cwiseProduct(X - known).sum();
  const double size = 0.5 * weights.cwiseProduct(known.cwiseAbs2() + X.cwiseAbs2()).sum();
  c.number("f", r.f, f, size);
  double missed = 0.0;
  for (const auto& [i, j] : options.fixed) missed = std::max(missed, std::abs(X(i, j) - known(i, j)));
  c.number("details.fixed_error", d.fixed_error, missed, 1.0);
  if (r.status == Status::optimal || d.global) {
    const double unavoidable = detail::unavoidable_distance(known, weights), rounding = 1e-12 * size;
    c.status(r,
             missed <= of_classes && (missed > 0.0 || r.bound <= r.f + rounding) &&
                 detail::agree(r.f, r.bound, unavoidable, rounding),
             "f - bound = " + to_text(r.f - r.bound) + " (the bound itself was not proved again)");
  } else if (options.fixed.empty() && r.success()) {
    Matrix tangent = detail::times(gradient, d.V);
    const Vector radial = detail::row_products(tangent, d.V);
    detail::subtract_rows(radial, d.V, tangent);
    const double scale = std::max(gradient.norm(), weights.cwiseProduct(X).norm());
    Matrix normal = -gradient;
    normal.diagonal() += radial;
    const bool bounded = rank && *rank < n;
    const double positive = bounded ? 0.0 : std::max(detail::largest_eigenvalue_bound(normal, Deadline()), 0.0);
    claim_stationarity(r, detail::certify_factor(d.V, tangent, radial, scale, positive), c);
  }
  return std::move(c.all);
}

std::vector<Claim> verify(const CompletionProblem& problem, const Result& r) {
  const CompletionDetails& d = r.completion();
  Claims c;
  if (!usable_matrix("details.B", d.B, problem.rows, c) || !usable_matrix("details.C", d.C, problem.cols, c) ||
      !c.size("details.B and C, columns", d.B.cols(), d.C.cols()) || r.status == Status::not_finite)
    return std::move(c.all);
  c.at_most("rank", static_cast<double>(d.B.cols()), static_cast<double>(problem.kappa));
  c.at_most("distance of B'B to the identity",
            (d.B.transpose() * d.B - Matrix::Identity(d.B.cols(), d.B.cols())).norm(), 1e-8);
  CompletionDetails own_details = d;
  const double f = detail::measure(problem, own_details);
  const double size = rmse(problem.seen, Biases::zero(problem.rows, problem.cols)) *
                      std::sqrt(static_cast<double>(problem.seen.size()));
  c.number("f", r.f, f, size * size);
  c.number("details.rmse", d.rmse, own_details.rmse, size);
  if (problem.box) {
    const double worst = detail::box_violation(problem, d);
    if (r.success()) c.status(r, worst <= 2.0 * of_classes * problem.scale(), "the box is left by " + to_text(worst));
  } else {
    Certificate own = r.certificate;
    own.epsilon = completion_residual(problem, d);
    own.gradient_scale = 1.0;
    claim_stationarity(r, own, c);
  }
  return std::move(c.all);
}

std::vector<Claim> verify(const MultitaskProblem& problem, const Result& r) {
  const MultitaskDetails& d = r.multitask();
  const Index tasks = std::ssize(problem.tasks);
  Claims c;
  for (const auto& [name, M] : {std::pair{"details.W", &d.W}, {"details.U", &d.U}, {"details.V", &d.V}})
    if (!usable_matrix(name, *M, tasks, c) || !c.size(std::string(name) + ", columns", M->cols(), problem.features()))
      return std::move(c.all);
  if (r.status == Status::not_finite) return std::move(c.all);
  Result own;
  own.details = d;
  detail::assess_tasks(problem, own);
  c.number("f", r.f, own.f, std::abs(own.f));
  c.number("certificate.distance_C", r.certificate.distance_C, own.certificate.distance_C,
           own.certificate.feasibility_scale);
  c.at_most("distance of V to the rank", own.certificate.distance_D, of_classes * own.certificate.point_scale);
  claim_stationarity(r, own.certificate, c);
  return std::move(c.all);
}

std::vector<Claim> verify(const Graph& graph, const Result& r) {
  const CutDetails& d = r.cut();
  Claims c;
  if (!c.size("y", r.y.size(), graph.n) || !usable_matrix("details.V", d.V, graph.n, c)) return std::move(c.all);
  c.claim("y", "sides", "other entries than -1 and 1", (r.y.array().abs() == 1.0).all());
  unit_rows("details.V", d.V, c);
  double relaxation = 0.0, size = 0.0;
  for (const Edge& e : graph.edges) {
    relaxation += 0.5 * e.weight * (1.0 - d.V.row(e.i).dot(d.V.row(e.j)));
    size += std::abs(e.weight);
  }
  const double cut = graph.cut(r.y);
  c.number("details.cut", d.cut, cut, size);
  c.number("f", r.f, -cut, size);
  c.number("details.relaxation", d.relaxation, relaxation, size);
  c.number("bound", r.bound, -d.upper_bound, 0.0);
  const double most = d.upper_bound + 1e-9 * size;
  c.claim("details.upper_bound", to_text(d.upper_bound), "the cut and X are heavier",
          cut <= most && relaxation <= most);
  if (r.status == Status::optimal)
    c.status(r, d.upper_bound - cut <= 1.01e-6 * std::abs(cut),
             "upper bound - cut = " + to_text(d.upper_bound - cut) + " (the bound itself was not proved again)");
  return std::move(c.all);
}

}  // namespace pendec
