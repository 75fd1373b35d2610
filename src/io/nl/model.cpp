#include <fmt/format.h>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <utility>

#include "../text.hpp"
#include "choices.hpp"
#include "file.hpp"
#include "pendec/core/free.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/nl.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/box_switching.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"
#include "pendec/solvers/solve.hpp"
#include "pendec/version.hpp"
#include "presolve.hpp"
#include "smooth.hpp"

namespace pendec::io {
namespace nl {
namespace {

constexpr std::size_t max_nl_bytes = std::size_t{1} << 30U;

/// One name a line, as many as there are variables or rows; else none.
std::vector<std::string> names_beside(std::filesystem::path path, const char* extension, Index count) {
  path.replace_extension(extension);
  std::error_code none;
  std::vector<std::string> names;
  if (!std::filesystem::is_regular_file(path, none)) return names;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line) && std::ssize(names) < count;) names.push_back(line);
  if (std::ssize(names) < count) names.clear();
  return names;
}

NlHeader header_of(const File& file) {
  return {.variables = file.variables,
          .rows = file.rows,
          .objectives = file.objectives,
          .pairs = file.pairs,
          .options = file.options,
          .has_tolerance = file.has_tolerance,
          .tolerance = file.tolerance};
}

Index chosen_objective(const File& file, const NlOptions& options) {
  if (options.objective >= file.objectives)
    throw FileError("the model",
                    fmt::format("objective {} is asked for; there are {}", options.objective + 1, file.objectives));
  if (options.objective == NlOptions::no_objective) return -1;
  return options.objective >= 0 ? options.objective : std::min<Index>(file.objectives, 1) - 1;
}

/// Every function of the variables left and of two more for each mixed pair: its F = p − q with
/// 0 ≤ p ⊥ v − lower ≥ 0 and 0 ≤ q ⊥ upper − v ≥ 0.
struct Assembled {
  Objective f;
  Map G;
  Set C;
  std::vector<PairConstraint> pairs;
  Index extra = 0;
};

Assembled assemble(const Presolved& p) {
  Assembled out;
  const Index n = std::ssize(p.kept), mixed = std::ssize(p.mixed), total = n + 2 * mixed;
  out.extra = 2 * mixed;
  out.f = objective_of(p.maximise ? p.objective_left.scaled(-1.0) : p.objective_left, total);
  std::vector<Function> rows = p.functions;
  Vector lower(std::ssize(rows) + mixed), upper(lower.size());
  std::copy(p.row_lower.begin(), p.row_lower.end(), lower.begin());
  std::copy(p.row_upper.begin(), p.row_upper.end(), upper.begin());
  std::vector<Function> F, H, curved_F, curved_H;
  const auto add_pair = [&](Function a, Function b) {
    const bool affine = a.is_affine() && b.is_affine();
    (affine ? F : curved_F).push_back(std::move(a));
    (affine ? H : curved_H).push_back(std::move(b));
  };
  for (const Pair& pair : p.pairs)
    if (pair.F.is_affine() && pair.H.is_affine()) add_pair(pair.F, pair.H);
  for (Index k = 0; k < mixed; ++k) {
    const MixedPair& pair = p.mixed[at(k)];
    Function row = pair.F;
    row.linear.emplace_back(n + 2 * k, -1.0);
    row.linear.emplace_back(n + 2 * k + 1, 1.0);
    lower[std::ssize(rows)] = upper[std::ssize(rows)] = 0.0;
    rows.push_back(std::move(row));
    Function above, below;
    above.linear = {{n + 2 * k, 1.0}};
    below.linear = {{n + 2 * k + 1, 1.0}};
    add_pair(std::move(above), pair.to_lower);
    add_pair(std::move(below), pair.to_upper);
  }
  for (const Pair& pair : p.pairs)
    if (!(pair.F.is_affine() && pair.H.is_affine())) add_pair(pair.F, pair.H);
  if (!rows.empty()) {
    out.G = map_of(std::move(rows), total);
    out.C = Box(std::move(lower), std::move(upper));
  }
  if (!F.empty())
    out.pairs.push_back({PairKind::complementarity, map_of(std::move(F), total), map_of(std::move(H), total)});
  if (!curved_F.empty())
    out.pairs.push_back(
        {PairKind::complementarity, map_of(std::move(curved_F), total), map_of(std::move(curved_H), total)});
  return out;
}

/// The start in the variables left, and the parts of the rows of mixed pairs.
Vector start_of(const Presolved& p) {
  const Index n = std::ssize(p.kept);
  Vector start(n + 2 * std::ssize(p.mixed));
  for (Index k = 0; k < n; ++k) {
    const Index i = p.kept[at(k)];
    start[k] = std::clamp(p.start[i], p.lower[i], p.upper[i]);
  }
  TapeRunner runner;
  for (Index k = 0; k < std::ssize(p.mixed); ++k) {
    const double value = p.mixed[at(k)].F.value(start, runner);
    start[n + 2 * k] = std::isfinite(value) ? std::max(value, 0.0) : 0.0;
    start[n + 2 * k + 1] = std::isfinite(value) ? std::max(-value, 0.0) : 0.0;
  }
  return start;
}

bool is_finite_at(const Assembled& a, const Vector& x) {
  Vector gradient(x.size());
  if (!std::isfinite(a.f.value_and_gradient(x, gradient)) || !gradient.allFinite()) return false;
  const auto finite = [&](const Map& map) {
    if (!map) return true;
    Vector values(map.output_dimension());
    map.evaluate(x, values);
    return values.allFinite() && map.jacobian(x).row_norms().allFinite();
  };
  return finite(a.G) &&
         std::all_of(a.pairs.begin(), a.pairs.end(), [&](const auto& q) { return finite(q.F) && finite(q.H); });
}

/// Modelling languages start at zero where nobody says more, and log(0) is no number: then away from the bounds.
Vector finite_start(const Presolved& p, const Assembled& a) {
  const Vector given = start_of(p);
  if (is_finite_at(a, given)) return given;
  for (const double step : {1e-2, 1e-1, 1.0}) {
    Vector x = given;
    for (std::size_t k = 0; k < p.kept.size(); ++k) {
      const double lower = p.lower[p.kept[k]], upper = p.upper[p.kept[k]];
      double& value = x[static_cast<Index>(k)];
      if (std::isfinite(lower) && std::isfinite(upper))
        value = std::clamp(value, lower + std::min(step, 0.5) * (upper - lower),
                           upper - std::min(step, 0.5) * (upper - lower));
      else if (std::isfinite(lower))
        value = std::max(value, lower + step);
      else if (std::isfinite(upper))
        value = std::min(value, upper - step);
      else
        value += step;
    }
    if (is_finite_at(a, x)) return x;
  }
  return given;
}

void state_problem(const Presolved& p, const Set& D, ProblemFile& out) {
  Assembled a = assemble(p);
  out.start = finite_start(p, a);
  Set X = D;
  if (a.extra > 0) X = Product(std::vector<Set>{D, Box::nonnegative(a.extra)});
  if (a.pairs.empty()) {
    out.problem = {.f = a.f, .G = a.G, .C = a.C, .D = X};
    return;
  }
  PairProgram program{.f = a.f, .G = a.G, .C = a.C, .X = X, .pairs = std::move(a.pairs)};
  if (X.convex()) {
    out.problem = program.with_slacks();
    out.start = program.with_slacks(out.start);
    out.pairs = std::move(program);
    return;
  }
  program.X = Free(X.dimension());  // pairs and other choices: a problem with all of them in D
  out.problem = program.with_slacks();
  out.start = program.with_slacks(out.start);
  std::vector<NamedSet> blocks = out.problem.D.as<Product>()->blocks;
  blocks.front().set = X;
  out.problem.D = Product(std::move(blocks));
}

// Proofs about few pairs -----

/// A bound that was computed, made wider by more than rounding can do.
double widened(double bound, double sign) { return bound + sign * 1e-7 * (1.0 + std::abs(bound)); }

/// What points with f(x) ≤ `value` are, where f curves upwards in all variables that it depends on: with its
/// minimiser x* there, |x_i − x*_i|² ≤ 2 (value − f(x*)) (Q⁻¹)_ii.
void tighten_by_level(const Objective& f, double value, Vector& lower, Vector& upper) {
  const auto form = f.quadratic_form();
  if (!form) return;
  const Matrix Q = form->Q.dense();
  std::vector<Index> support;
  for (Index i = 0; i < Q.rows(); ++i)
    if (Q.col(i).any() || form->c[i] != 0.0) support.push_back(i);
  if (support.empty()) return;
  const Matrix block = Q(support, support);
  const Eigen::LLT<Matrix> factor(block);
  if (factor.info() != Eigen::Success || !(factor.rcond() > 1e-8)) return;
  const Index k = block.rows();
  const Vector centre = -factor.solve(Vector(form->c(support)));
  const double least = form->constant + 0.5 * centre.dot(Vector(form->c(support)));
  const double above = std::max(0.0, value - least) + 1e-6 * (1.0 + std::abs(value) + std::abs(least));
  const Vector spread = factor.solve(Matrix::Identity(k, k)).diagonal();
  for (Index i = 0; i < k; ++i) {
    const double radius = std::sqrt(2.0 * above * std::max(spread[i], 0.0));
    double &low = lower[support[at(i)]], &high = upper[support[at(i)]];
    low = std::max(low, widened(centre[i] - radius, -1.0));
    high = std::min(high, widened(centre[i] + radius, 1.0));
  }
}

/// The problem with slacks, with bounds for all variables and slacks that follow from the rows, and of points that
/// are no worse than `value`: then a linear or a semidefinite f has bounds, too. Nothing where not everything is
/// affine, pairs are many, or bounds are missing.
std::optional<Problem> bounded_problem(const PairProgram& program, const Problem& with_slacks, double value) {
  constexpr Index most_pairs = 6, most_variables = 300;
  Index pairs = 0;
  for (const PairConstraint& pair : program.pairs) {
    if (pair.kind != PairKind::complementarity) return std::nullopt;
    pairs += pair.F.output_dimension();
  }
  const Index n = program.dimension();
  if (pairs > most_pairs || n > most_variables || !program.f.is_quadratic() || !with_slacks.G.is_affine())
    return std::nullopt;
  const auto X = program.X ? program.X.linear_constraints() : LinearConstraints::none(n);
  const auto C = with_slacks.C.linear_constraints();
  if (!X || X->b.size() + X->d.size() > 0 || !C || C->b.size() + C->d.size() > 0) return std::nullopt;
  Vector x_lower = X->lower, x_upper = X->upper;
  tighten_by_level(program.f, value, x_lower, x_upper);
  Vector lower = Vector::Zero(with_slacks.dimension()), upper = Vector::Constant(lower.size(), infinity);
  lower.head(n) = x_lower;
  upper.head(n) = x_upper;
  for (int round = 0; round < 10; ++round) with_slacks.G.tighten(C->lower, C->upper, lower, upper);
  if (!lower.allFinite() || !upper.allFinite() || (lower.array() > upper.array()).any()) return std::nullopt;
  std::vector<NamedSet> blocks = with_slacks.D.as<Product>()->blocks;
  blocks.front().set = Box(lower.head(n), upper.head(n));
  Index begin = n;
  for (std::size_t k = 0; k < program.pairs.size(); ++k) {
    const Index m = program.pairs[k].F.output_dimension();
    const Vector zero = Vector::Zero(m);
    blocks[k + 1].set = BoxSwitching(zero, upper.segment(begin, m), zero, upper.segment(begin + m, m));
    begin += 2 * m;
  }
  Problem out = with_slacks;
  out.D = Product(std::move(blocks));
  return out;
}

/// f is known to be no more than the bound, up to 1e-6 of it or rounding?
bool is_proved(const Problem& problem, const Result& r) {
  Vector sizes(r.y.size());
  return r.f - r.bound <= std::max(1e-6 * std::abs(r.f), 1e-9 * problem.f.magnitude(r.y, sizes));
}

/// Bounds for every choice of sides; a better point that they come upon is where the pairs are solved again.
void prove_pairs(const PairProgram& program, const Problem& problem, const Options& options, const Hooks& hooks,
                 Result& r) {
  const bool wanted = options.method == Method::automatic && options.driver.route == Route::automatic &&
                      options.driver.proof_seconds > 0.0;
  const double left = options.limits.seconds - r.times.total;
  if (!wanted || !r.success() || r.status == Status::optimal || !(left > 0.0)) return;
  const auto bounded = bounded_problem(program, problem, r.f);
  if (!bounded) return;
  DisjunctiveOptions settings{.method = options};
  settings.method.limits.seconds = std::min(left, options.driver.proof_seconds);
  if (!obstacle_to_proof(*bounded).empty()) return;
  Result proof = solve_disjunctive(*bounded, r.y, settings, {.stop = hooks.stop});
  if (!(proof.bound > -infinity) || proof.status == Status::infeasible) return;
  if (proof.success() && proof.f < r.f - 1e-6 * (1.0 + std::abs(r.f))) {
    Options rest = options;
    rest.limits.seconds = left;
    Result again = solve_pairs(program, proof.y.head(program.dimension()), rest, hooks);
    if (again.success() && again.f < r.f) r = std::move(again);
    r.options = options;
  }
  r.bound = std::min(proof.bound, r.f);
  if (!is_proved(problem, r)) return;
  r.status = Status::optimal;
  r.message = "proved optimal by bounds for every choice of sides; " + r.message;
}

}  // namespace
}  // namespace nl

NlModel parse_with_names(std::string_view text, std::string_view source, const NlOptions& options,
                         const std::filesystem::path* path) {
  const nl::File file = nl::parse(text, source);
  NlModel model{.header = nl::header_of(file)};
  if (path) {
    model.variables = nl::names_beside(*path, ".col", file.variables);
    model.rows = nl::names_beside(*path, ".row", file.rows);
  }
  model.objective = nl::chosen_objective(file, options);
  const nl::Choices choices = nl::choices_of(file, model.variables);
  nl::Presolved presolved = nl::presolve(file, model.objective, choices.touched(file.variables), model.variables);
  model.maximise = presolved.maximise;
  model.contradiction = presolved.contradiction;
  if (model.contradiction.empty())
    nl::state_problem(presolved, nl::domain_of(choices, presolved, model.variables), model.file);
  model.presolved = std::make_shared<const nl::Presolved>(std::move(presolved));
  return model;
}

NlModel parse_nl(std::string_view text, std::string_view source, const NlOptions& options) {
  return parse_with_names(text, source, options, nullptr);
}

NlModel read_nl(const std::filesystem::path& path, const NlOptions& options) {
  const std::string text = read_text(path, nl::max_nl_bytes);
  try {
    NlModel model = parse_with_names(text, path.string(), options, &path);
    model.file.name = path.stem().string();
    return model;
  } catch (const FileError& error) {
    if (error.file() == path.string()) throw;
    const std::string what = error.what();  // said of "the model", before its file was known
    throw FileError(path.string(), what.substr(std::min(what.size(), error.file().size() + 2)));
  }
}

NlHeader parse_nl_header(std::string_view text, std::string_view source) {
  return nl::header_of(nl::parse_header(text, source));
}

double NlModel::objective_value(In x) const {
  nl::TapeRunner runner;
  return presolved->objective.value(x, runner);
}

Vector NlModel::row_values(In x) const {
  nl::TapeRunner runner;
  Vector out(std::ssize(presolved->rows));
  for (Index r = 0; r < out.size(); ++r) out[r] = presolved->rows[static_cast<std::size_t>(r)].value(x, runner);
  return out;
}

Vector NlModel::start() const { return presolved->start; }

Result solve_nl(const NlModel& model, const Options& options, const Hooks& hooks) {
  if (!model.contradiction.empty()) {
    Result r;
    r.status = Status::infeasible;
    r.message = model.contradiction;
    r.method = "presolve";
    r.bound = infinity;
    r.options = options;
    r.version = version;
    return r;
  }
  const ProblemFile& file = model.file;
  if (file.pairs) {
    Result r = solve_pairs(*file.pairs, file.start.head(file.pairs->dimension()), options, hooks);
    nl::prove_pairs(*file.pairs, file.problem, options, hooks, r);
    return r;
  }
  return solve(file.problem, file.start, options, hooks);
}

}  // namespace pendec::io
