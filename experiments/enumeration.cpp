#include "experiments/enumeration.hpp"

#include <nlopt.h>

#include <memory>

#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/union_of.hpp"

namespace pendec::experiments {
namespace {

struct Part {
  const Problem& problem;
  const LinearConstraints& rows;
};

Eigen::Map<const Vector> point(unsigned n, const double* x) { return {x, static_cast<Index>(n)}; }

double objective(unsigned n, const double* x, double* gradient, void* data) {
  const auto& part = *static_cast<const Part*>(data);
  if (!gradient) return part.problem.f.value(point(n, x));
  return part.problem.f.value_and_gradient(point(n, x), Eigen::Map<Vector>(gradient, n));
}

/// [A x − b; G(x)] ≤ 0; the Jacobian is stored row by row.
void constraints(unsigned m, double* result, unsigned n, const double* x, double* gradient, void* data) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto& part = *static_cast<const Part*>(data);
  const Index own = part.rows.b.size();
  Eigen::Map<Vector> values(result, m);
  values.head(own) = part.rows.A.times(point(n, x)) - part.rows.b;
  if (part.problem.has_G()) part.problem.G.evaluate(point(n, x), values.tail(m - own));
  if (!gradient) return;
  Eigen::Map<RowMajor> jacobian(gradient, m, n);
  jacobian.topRows(own) = part.rows.A.dense();
  if (part.problem.has_G()) jacobian.bottomRows(m - own) = part.problem.G.jacobian(point(n, x)).dense();
}

}  // namespace

Enumeration enumerate_parts(const Problem& problem, In start, int restarts, const std::function<bool()>& stop) {
  constexpr double tolerance = 1e-8, feasible = 1e-6;
  const auto n = static_cast<unsigned>(problem.dimension());
  Enumeration best;
  const auto& parts = problem.D.as<UnionOf>()->parts;
  for (std::size_t k = 0; k < parts.size() && !(stop && stop()); ++k) {
    Part part{problem, parts[k].as<Polyhedron>()->prepared->data};
    const auto m = static_cast<unsigned>(part.rows.b.size() + (problem.has_G() ? problem.G.output_dimension() : 0));
    const std::unique_ptr<std::remove_pointer_t<nlopt_opt>, void (*)(nlopt_opt)> solver(
        nlopt_create(NLOPT_LD_SLSQP, n), nlopt_destroy);
    const std::vector<double> tolerances(m, tolerance);
    nlopt_set_min_objective(solver.get(), objective, &part);
    nlopt_add_inequality_mconstraint(solver.get(), m, constraints, &part, tolerances.data());
    nlopt_set_xtol_rel(solver.get(), tolerance);
    nlopt_set_ftol_rel(solver.get(), tolerance);
    nlopt_set_maxeval(solver.get(), 1000);
    Vector x = start, violation(m);
    double f = 0.0;
    // also where it gives up, x is worth a look
    for (int run = 0; run <= restarts && x.allFinite(); ++run) nlopt_optimize(solver.get(), x.data(), &f);
    constraints(m, violation.data(), n, x.data(), nullptr, &part);
    if (!x.allFinite() || !(violation.maxCoeff() <= feasible)) continue;
    ++best.solved;
    f = problem.f.value(x);
    if (f >= best.f) continue;
    best = {std::move(x), f, static_cast<Index>(k), best.solved};
  }
  return best;
}

}  // namespace pendec::experiments
