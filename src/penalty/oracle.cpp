#include "pendec/penalty/oracle.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace pendec {

Oracle::Oracle(const Problem& problem) : problem_(problem), projector_D_(problem.D.projector()) {
  if (problem.has_G()) projector_C_ = problem.C.projector();
}

double Oracle::f(In x) { return f(x, scratch_); }

double Oracle::f(In x, Vector& workspace) {
  ++counts.f;
  if (problem_.f.has_value()) return problem_.f.value(x);
  workspace.resize(x.size());
  return problem_.f.value_and_gradient(x, workspace);
}

double Oracle::f_and_gradient(In x, Out gradient) {
  ++counts.f;
  ++counts.gradient;
  return problem_.f.value_and_gradient(x, gradient);
}

void Oracle::G(In x, Out out) {
  ++counts.G;
  problem_.G.evaluate(x, out);
}

void Oracle::adjoint(In x, In w, Out out) {
  ++counts.adjoint;
  problem_.G.adjoint(x, w, out);
}

void Oracle::project_C(In w, Out out) {
  ++counts.project_C;
  projector_C_->project(w, out);
}

void Oracle::project_D(In z, Out y) {
  using clock = std::chrono::steady_clock;
  ++counts.project_D;
  const auto start = clock::now();
  projector_D_->project(z, y);
  times.project_D += std::chrono::duration<double>(clock::now() - start).count();
  // the sum is one fast pass and finite unless an entry is not (or the entries are huge)
  if (!std::isfinite(y.sum()) && !y.allFinite())
    throw NotFinite(fmt::format("the projection onto D ({}) is not finite", problem_.D.name()));
}

}  // namespace pendec
