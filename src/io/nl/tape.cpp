#include "tape.hpp"

#include <algorithm>
#include <cmath>

namespace pendec::io::nl {
namespace {

/// Which argument min, max or if takes over as it is.
std::int32_t chosen(const Tape::Step& step, const double* arguments) {
  return piece(step.op, {arguments, static_cast<std::size_t>(step.count)});
}

/// A derivative that does not exist counts only where it is asked for: 0 · ∞ is 0 here.
void add_share(double& to, double weight, double factor) {
  if (weight != 0.0) to += weight * factor;
}

}  // namespace

double TapeRunner::value(const Tape& tape, In x) {
  const std::size_t k = tape.variables.size();
  values_.resize(tape.slots());
  for (std::size_t v = 0; v < k; ++v) values_[v] = x[tape.variables[v]];
  for (std::size_t s = 0; s < tape.steps.size(); ++s) {
    const Tape::Step& step = tape.steps[s];
    const std::int32_t* from = tape.arguments.data() + step.first;
    double& to = values_[k + s];
    if (step.op == Op::number) {
      to = step.value;
    } else if (step.op == Op::sum) {
      to = step.value;
      const double* factors = tape.coefficients.data() + step.first;
      for (std::int32_t j = 0; j < step.count; ++j)
        to += (step.weighted ? factors[j] : 1.0) * values_[static_cast<std::size_t>(from[j])];
    } else {
      arguments_.resize(static_cast<std::size_t>(step.count));
      for (std::int32_t j = 0; j < step.count; ++j)
        arguments_[static_cast<std::size_t>(j)] = values_[static_cast<std::size_t>(from[j])];
      to = evaluate(step.op, arguments_);
    }
  }
  return values_[tape.slots() - 1];
}

void TapeRunner::add_pieces(const Tape& tape, std::vector<int>& out) {
  for (const Tape::Step& step : tape.steps) {
    arguments_.resize(static_cast<std::size_t>(step.count));
    for (std::size_t j = 0; j < arguments_.size(); ++j)
      arguments_[j] = values_[static_cast<std::size_t>(tape.arguments[static_cast<std::size_t>(step.first) + j])];
    if (const int which = piece(step.op, arguments_); which >= 0) out.push_back(which);
  }
}

const double* TapeRunner::gradient(const Tape& tape) {
  const std::size_t k = tape.variables.size();
  adjoints_.assign(tape.slots(), 0.0);
  partials_.resize(tape.steps.size());
  adjoints_.back() = 1.0;
  for (std::size_t s = tape.steps.size(); s-- > 0;) {
    const Tape::Step& step = tape.steps[s];
    const double adjoint = adjoints_[k + s];
    const std::int32_t* from = tape.arguments.data() + step.first;
    const auto argument = [&](std::int32_t j) { return static_cast<std::size_t>(from[j]); };
    if (step.op == Op::number) continue;
    if (step.op == Op::sum) {
      const double* factors = tape.coefficients.data() + step.first;
      for (std::int32_t j = 0; j < step.count; ++j)
        adjoints_[argument(j)] += (step.weighted ? factors[j] : 1.0) * adjoint;
      continue;
    }
    if (step.op == Op::minimum || step.op == Op::maximum || step.op == Op::choose) {
      arguments_.resize(static_cast<std::size_t>(step.count));
      for (std::int32_t j = 0; j < step.count; ++j) arguments_[static_cast<std::size_t>(j)] = values_[argument(j)];
      adjoints_[argument(chosen(step, arguments_.data()))] += adjoint;
      continue;
    }
    if (step.count == 0 || step.count > 2) continue;
    const double a = values_[argument(0)], b = step.count == 2 ? values_[argument(1)] : 0.0;
    const Partials& p = partials_[s] = partials(step.op, a, b, values_[k + s]);
    add_share(adjoints_[argument(0)], adjoint, p.a);
    if (step.count == 2) add_share(adjoints_[argument(1)], adjoint, p.b);
  }
  return adjoints_.data();
}

const double* TapeRunner::hessian_times(const Tape& tape, const double* d) {
  const std::size_t k = tape.variables.size();
  dots_.resize(tape.slots());
  std::copy(d, d + k, dots_.begin());
  for (std::size_t s = 0; s < tape.steps.size(); ++s) {
    const Tape::Step& step = tape.steps[s];
    const std::int32_t* from = tape.arguments.data() + step.first;
    const auto argument = [&](std::int32_t j) { return static_cast<std::size_t>(from[j]); };
    double& dot = dots_[k + s];
    dot = 0.0;
    if (step.op == Op::number) continue;
    if (step.op == Op::sum) {
      const double* factors = tape.coefficients.data() + step.first;
      for (std::int32_t j = 0; j < step.count; ++j) dot += (step.weighted ? factors[j] : 1.0) * dots_[argument(j)];
    } else if (step.op == Op::minimum || step.op == Op::maximum || step.op == Op::choose) {
      arguments_.resize(static_cast<std::size_t>(step.count));
      for (std::int32_t j = 0; j < step.count; ++j) arguments_[static_cast<std::size_t>(j)] = values_[argument(j)];
      dot = dots_[argument(chosen(step, arguments_.data()))];
    } else if (step.count <= 2 && step.count > 0) {
      add_share(dot, dots_[argument(0)], partials_[s].a);
      if (step.count == 2) add_share(dot, dots_[argument(1)], partials_[s].b);
    }
  }
  adjoint_dots_.assign(tape.slots(), 0.0);
  for (std::size_t s = tape.steps.size(); s-- > 0;) {
    const Tape::Step& step = tape.steps[s];
    const double adjoint = adjoints_[k + s], adjoint_dot = adjoint_dots_[k + s];
    if ((adjoint == 0.0 && adjoint_dot == 0.0) || step.op == Op::number) continue;
    const std::int32_t* from = tape.arguments.data() + step.first;
    const auto argument = [&](std::int32_t j) { return static_cast<std::size_t>(from[j]); };
    if (step.op == Op::sum) {
      const double* factors = tape.coefficients.data() + step.first;
      for (std::int32_t j = 0; j < step.count; ++j)
        adjoint_dots_[argument(j)] += (step.weighted ? factors[j] : 1.0) * adjoint_dot;
    } else if (step.op == Op::minimum || step.op == Op::maximum || step.op == Op::choose) {
      arguments_.resize(static_cast<std::size_t>(step.count));
      for (std::int32_t j = 0; j < step.count; ++j) arguments_[static_cast<std::size_t>(j)] = values_[argument(j)];
      adjoint_dots_[argument(chosen(step, arguments_.data()))] += adjoint_dot;
    } else if (step.count <= 2 && step.count > 0) {
      const Partials& p = partials_[s];
      const double dot_a = dots_[argument(0)], dot_b = step.count == 2 ? dots_[argument(1)] : 0.0;
      double& a = adjoint_dots_[argument(0)];
      add_share(a, adjoint_dot, p.a);
      add_share(a, adjoint * dot_a, p.aa);
      add_share(a, adjoint * dot_b, p.ab);
      if (step.count == 2) {
        double& b = adjoint_dots_[argument(1)];
        add_share(b, adjoint_dot, p.b);
        add_share(b, adjoint * dot_a, p.ab);
        add_share(b, adjoint * dot_b, p.bb);
      }
    }
  }
  return adjoint_dots_.data();
}

}  // namespace pendec::io::nl
