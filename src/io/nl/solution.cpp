// What a result says in the user's variables, and the text of a .sol.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "pendec/io/nl.hpp"
#include "presolve.hpp"

namespace pendec::io {
namespace nl {
namespace {

/// ∂L/∂body of each row, L = f + Σ, of the problem that is minimised.
Vector row_multipliers(const NlModel& model, const Result& r) {
  const Presolved& p = *model.presolved;
  Vector nu = Vector::Zero(std::ssize(p.rows));
  for (std::size_t k = 0; k < p.kept_rows.size() && static_cast<Index>(k) < r.lambda.size(); ++k)
    nu[p.kept_rows[k]] = r.lambda[static_cast<Index>(k)];
  for (const MixedPair& pair : p.mixed)
    if (pair.row_multiplier < r.lambda.size()) nu[pair.row] = r.lambda[pair.row_multiplier];
  std::vector<double> of_H(p.place.size(), 0.0);  // ν_H ∂H/∂variable
  if (r.lambda.size() == p.multipliers) {
    for (const Pair& pair : p.pairs) {
      nu[pair.row] = pair.sign * r.lambda[pair.F_multiplier];
      of_H[at(pair.variable)] += pair.H_slope * r.lambda[pair.H_multiplier];
    }
    for (const MixedPair& pair : p.mixed)
      of_H[at(pair.variable)] += r.lambda[pair.lower_multiplier] - r.lambda[pair.upper_multiplier];
  }
  // Of what was left out: the derivative of L by a copy is zero where nothing else holds it.
  for (const Copy& copy : p.copies) {
    double of_variable = of_H[at(copy.variable)];
    if (copy.pair_row >= 0) of_variable += nu[copy.pair_row] * p.rows[at(copy.pair_row)].coefficient(copy.variable);
    nu[copy.row] = -of_variable / copy.coefficient;
  }
  return nu;
}

Vector gradient_of_lagrangian(const Presolved& p, In x, const Vector& nu) {
  TapeRunner runner;
  const Vector all = p.commons.values(x, runner);
  Vector gradient = Vector::Zero(all.size());
  p.objective.add_gradient(all, p.maximise ? -1.0 : 1.0, gradient, runner);
  for (std::size_t r = 0; r < p.rows.size(); ++r)
    if (nu[static_cast<Index>(r)] != 0.0) p.rows[r].add_gradient(all, nu[static_cast<Index>(r)], gradient, runner);
  p.commons.pull_back(all, gradient, runner);
  return gradient.head(x.size());
}

/// 17 digits, and no words where readers know numbers alone.
void append_number(std::string& text, double value) {
  fmt::format_to(std::back_inserter(text), "{:.17g}\n", std::isnan(value) ? 0.0 : std::clamp(value, -1e300, 1e300));
}

void append_suffix(std::string& text, int kind, std::string_view name,
                   const std::vector<std::pair<Index, double>>& values) {
  constexpr int real = 4;
  fmt::format_to(std::back_inserter(text), "suffix {} {} {} 0 0\n{}\n", kind + real, values.size(), name.size() + 1,
                 name);
  for (const auto& [i, value] : values) fmt::format_to(std::back_inserter(text), "{} {:.17g}\n", i, value);
}

/// Readers take lines to have a meaning: none may be empty, or be the word that ends the message.
std::string safe_message(std::string_view message) {
  std::string out;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    std::string line(message.substr(0, end));
    for (char& c : line)
      if (static_cast<unsigned char>(c) < 32) c = ' ';
    if (line.starts_with("Options")) out += ' ';
    if (line.find_first_not_of(' ') != std::string::npos) out += line + '\n';
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return out;
}

std::string sol_head(const NlHeader& h, std::string_view message, Index duals, Index primals) {
  std::string text = safe_message(message) + "\nOptions\n";
  const std::vector<int> options = h.options.size() >= 3 ? h.options : std::vector<int>{1, 1, 0};
  const bool tolerance = h.has_tolerance && h.options.size() >= 3;
  text += fmt::format("{}\n", options.size() + (tolerance ? 2 : 0));
  for (const int option : options) text += fmt::format("{}\n", option);
  text += fmt::format("{}\n{}\n{}\n{}\n", h.rows, duals, h.variables, primals);
  if (tolerance) text += fmt::format("{:.17g}\n", h.tolerance);
  return text;
}

}  // namespace
}  // namespace nl

NlSolution nl_solution(const NlModel& model, const Result& r) {
  const nl::Presolved& p = *model.presolved;
  const double sense = model.maximise ? -1.0 : 1.0;
  NlSolution out;
  out.bound = sense * r.bound;
  const Index n = std::ssize(p.kept);
  if (r.y.size() < n || !r.y.head(n).allFinite()) {
    out.x = p.start;
    out.f = model.objective_value(out.x);
    out.duals = Vector::Zero(model.header.rows);
    out.reduced_costs = Vector::Zero(model.header.variables);
    return out;
  }
  out.x = p.restored(r.y.head(n));
  out.f = model.objective_value(out.x);
  Vector nu = nl::row_multipliers(model, r);
  Vector left = nl::gradient_of_lagrangian(p, out.x, nu);
  for (Index i = 0; i < left.size(); ++i)
    if (!std::isfinite(left[i])) left[i] = 0.0;
  // What bounds hold that came from rows is held by the rows; the last one that gave a bound gave the one that
  // counts. Its other variables were fixed before, by earlier rows or their bounds, which hold them against it, too.
  for (auto row = p.singletons.rbegin(); row != p.singletons.rend(); ++row) {
    const double rest = left[row->variable];
    if (!(rest > 0.0 ? row->at_lower : row->at_upper) || rest == 0.0) continue;
    nu[row->row] = -rest / row->coefficient;
    for (const auto& [i, c] : p.rows[nl::at(row->row)].linear) left[i] += nu[row->row] * c;
    left[row->variable] = 0.0;
  }
  out.duals = -sense * nu;
  out.reduced_costs = sense * left;
  return out;
}

int solve_result_num(const Result& r) {
  const bool feasible = r.has_point() && r.certificate.relative_infeasibility() <= r.options.driver.tolerance;
  switch (r.status) {
    case Status::optimal:
      return 0;
    case Status::gap_limit:
      return 1;
    case Status::converged:
      return 2;
    case Status::tests_met_uncertified:
      return feasible ? 100 : 501;
    case Status::stalled:
      return feasible ? 101 : 501;
    case Status::infeasible:
      return 200;
    case Status::stationary_infeasible:
      return 201;
    case Status::unbounded:
      return 300;
    case Status::max_time:
      return 400;
    case Status::max_iterations:
      return 401;
    case Status::node_limit:
      return 402;
    case Status::penalty_limit:
      return 403;
    case Status::interrupted:
      return 404;
    case Status::not_finite:
      return 502;
  }
  return 500;
}

std::string nl_message(const NlModel& model, const Result& r) {
  std::string text = fmt::format("pendec {}: {}", r.version, to_string(r.status));
  if (!r.has_point() || r.status == Status::infeasible) return text + "; " + r.message;
  const NlSolution s = nl_solution(model, r);
  if (model.objective >= 0) text += fmt::format("; objective {:.10g}", s.f);
  if (model.header.objectives > 1)
    text += fmt::format(" (number {} of {}: objno chooses)", model.objective + 1, model.header.objectives);
  if (std::isfinite(s.bound)) text += fmt::format(", bound {:.10g}, gap {:.1e}", s.bound, r.gap());
  text += fmt::format("\nroute {}, {}; infeasibility {:.1e}, stationarity {:.1e}", r.route, r.method,
                      r.certificate.relative_infeasibility(), r.certificate.relative_stationarity());
  if (const auto* pairs = std::get_if<PairsDetails>(&r.details);
      pairs && pairs->stationarity != PairStationarity::none)
    text += fmt::format(" ({})", to_string(pairs->stationarity));
  return text;
}

std::string to_sol(const NlModel& model, const Result& r) {
  const NlSolution s = nl_solution(model, r);
  std::string text = nl::sol_head(model.header, nl_message(model, r), s.duals.size(), s.x.size());
  for (const double value : s.duals) nl::append_number(text, value);
  for (const double value : s.x) nl::append_number(text, value);
  text += fmt::format("objno {} {}\n", std::max<Index>(model.objective, 0), solve_result_num(r));
  std::vector<std::pair<Index, double>> costs;
  for (Index i = 0; i < s.reduced_costs.size(); ++i)
    if (s.reduced_costs[i] != 0.0) costs.emplace_back(i, s.reduced_costs[i]);
  if (!costs.empty()) nl::append_suffix(text, 0, "rc", costs);
  if (model.objective < 0) return text;
  if (std::isfinite(s.bound)) nl::append_suffix(text, 2, "bound", {{model.objective, s.bound}});
  if (std::isfinite(r.gap()) && std::isfinite(s.bound))
    nl::append_suffix(text, 2, "gap", {{model.objective, r.gap()}});
  if (const double residual = r.certificate.relative_stationarity(); std::isfinite(residual))
    nl::append_suffix(text, 2, "stationarity", {{model.objective, residual}});
  return text;
}

std::string to_sol(const NlHeader& header, std::string_view message, int solve_result_num) {
  return nl::sol_head(header, message, 0, 0) + fmt::format("objno 0 {}\n", solve_result_num);
}

}  // namespace pendec::io
