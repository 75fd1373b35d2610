#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <utility>

#include "../text.hpp"
#include "choices.hpp"
#include "file.hpp"
#include "pendec/core/free.hpp"
#include "pendec/core/random.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/nl.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/product.hpp"
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

/// Notes where the multipliers of rows and pairs will be.
Assembled assemble(Presolved& p) {
  Assembled out;
  const Index n = std::ssize(p.kept), mixed = std::ssize(p.mixed);
  out.extra = 2 * mixed;
  const Commons& z = p.commons_left;
  out.f = objective_of(p.maximise ? p.objective_left.scaled(-1.0) : p.objective_left, z);
  std::vector<Function> rows = p.functions;
  Vector lower(std::ssize(rows) + mixed), upper(lower.size());
  std::copy(p.row_lower.begin(), p.row_lower.end(), lower.begin());
  std::copy(p.row_upper.begin(), p.row_upper.end(), upper.begin());
  struct StatedPair {
    Function F, H;
    Index *F_multiplier, *H_multiplier;
  };
  std::vector<StatedPair> stated;
  for (Pair& pair : p.pairs) stated.push_back({pair.F, pair.H, &pair.F_multiplier, &pair.H_multiplier});
  Index of_bounds = -1;  // p ≥ 0 and q ≥ 0 are nobody's rows
  for (Index k = 0; k < mixed; ++k) {
    MixedPair& pair = p.mixed[at(k)];
    Function row = pair.F;
    row.linear.emplace_back(n + 2 * k, -1.0);
    row.linear.emplace_back(n + 2 * k + 1, 1.0);
    pair.row_multiplier = std::ssize(rows);
    lower[pair.row_multiplier] = upper[pair.row_multiplier] = 0.0;
    rows.push_back(std::move(row));
    Function above, below;
    above.linear = {{n + 2 * k, 1.0}};
    below.linear = {{n + 2 * k + 1, 1.0}};
    stated.push_back({std::move(above), pair.to_lower, &of_bounds, &pair.lower_multiplier});
    stated.push_back({std::move(below), pair.to_upper, &of_bounds, &pair.upper_multiplier});
  }
  p.multipliers = std::ssize(rows);
  if (!rows.empty()) {
    out.G = map_of(std::move(rows), z);
    out.C = Box(std::move(lower), std::move(upper));
  }
  const auto curved = std::stable_partition(
      stated.begin(), stated.end(), [](const StatedPair& pair) { return pair.F.is_affine() && pair.H.is_affine(); });
  for (const auto& [begin, end] : {std::pair{stated.begin(), curved}, std::pair{curved, stated.end()}}) {
    if (begin == end) continue;
    std::vector<Function> F, H;
    for (auto pair = begin; pair != end; ++pair) {
      *pair->F_multiplier = p.multipliers + (pair - begin);
      *pair->H_multiplier = p.multipliers + (end - begin) + (pair - begin);
      F.push_back(std::move(pair->F));
      H.push_back(std::move(pair->H));
    }
    p.multipliers += 2 * (end - begin);
    out.pairs.push_back({PairKind::complementarity, map_of(std::move(F), z), map_of(std::move(H), z)});
  }
  return out;
}

/// The start in the variables left, and the parts of the rows of mixed pairs.
Vector start_of(const Presolved& p) {
  const Index n = std::ssize(p.kept);
  Vector start = Vector::Zero(n + 2 * std::ssize(p.mixed));
  for (Index k = 0; k < n; ++k) {
    const Index i = p.kept[at(k)];
    start[k] = std::clamp(p.start[i], p.lower[i], p.upper[i]);
  }
  TapeRunner runner;
  const Vector all = p.commons_left.values(start, runner);
  for (Index k = 0; k < std::ssize(p.mixed); ++k) {
    const double value = p.mixed[at(k)].F.value(all, runner);
    start[n + 2 * k] = std::isfinite(value) ? std::max(value, 0.0) : 0.0;
    start[n + 2 * k + 1] = std::isfinite(value) ? std::max(-value, 0.0) : 0.0;
  }
  return start;
}

bool is_finite_at(const Objective& f, const Map& G, const std::vector<PairConstraint>& pairs, const Vector& x) {
  Vector gradient(x.size());
  if (!std::isfinite(f.value_and_gradient(x, gradient)) || !gradient.allFinite()) return false;
  const auto finite = [&](const Map& map) {
    if (!map) return true;
    Vector values(map.output_dimension());
    map.evaluate(x, values);
    return values.allFinite() && map.jacobian(x).row_norms().allFinite();
  };
  return finite(G) &&
         std::all_of(pairs.begin(), pairs.end(), [&](const auto& q) { return finite(q.F) && finite(q.H); });
}

/// Modelling languages start at zero where nobody says more, and log(0) is no number: then away from the bounds, or
/// anywhere between them, farther and farther.
Vector finite_start(const Presolved& p, const Assembled& a) {
  const Vector given = start_of(p);
  const auto is_finite = [&](const Vector& x) { return is_finite_at(a.f, a.G, a.pairs, x); };
  if (is_finite(given)) return given;
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
    if (is_finite(x)) return x;
  }
  Random random(1);
  constexpr int draws = 8;
  for (const double size : {1e-2, 1e-1, 1.0, 10.0, 100.0})
    for (int draw = 0; draw < draws; ++draw) {
      Vector x = given;
      for (std::size_t k = 0; k < p.kept.size(); ++k) {
        const double lower = p.lower[p.kept[k]], upper = p.upper[p.kept[k]];
        double& value = x[static_cast<Index>(k)];
        const double low = std::max(lower, value - size), high = std::min(upper, value + size);
        value = random.uniform(low, high);
      }
      if (is_finite(x)) return x;
    }
  return given;
}

void state_problem(Presolved& p, const Set& D, ProblemFile& out) {
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

// Kinks -----

/// Which pieces of abs, min, max, less and if the objective and the active rows take at x.
std::vector<int> pieces_at(const Presolved& p, const Vector& x, const std::vector<char>& active) {
  TapeRunner runner;
  const Vector all = p.commons.values(x, runner);
  std::vector<int> out;
  p.objective.add_pieces(all, out, runner);
  for (std::size_t r = 0; r < p.rows.size(); ++r)
    if (active[r]) p.rows[r].add_pieces(all, out, runner);
  for (const Commons::Definition& z : p.commons.definitions) z.function.add_pieces(all, out, runner);
  return out;
}

std::vector<char> active_rows(const Presolved& p, const Vector& x) {
  constexpr double near = 1e-6;
  TapeRunner runner;
  const Vector all = p.commons.values(x, runner);
  std::vector<char> active(p.rows.size());
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    const Row& row = p.row_bounds[r];
    const double value = p.rows[r].value(all, runner), slack = near * (1.0 + std::abs(value));
    active[r] = row.variable >= 0 || value <= row.lower + slack || value >= row.upper - slack;
  }
  return active;
}

/// y, in the variables left, moved by this share of its size along d, as far as bounds allow.
Vector moved(const Presolved& p, const Vector& y, const Vector& d, double share) {
  Vector out = y;
  for (std::size_t k = 0; k < p.kept.size(); ++k) {
    double& value = out[static_cast<Index>(k)];
    value = std::clamp(value + share * (1.0 + std::abs(value)) * d[static_cast<Index>(k)], p.lower[p.kept[k]],
                       p.upper[p.kept[k]]);
  }
  return out;
}

/// Derivatives at y are those of one piece; is another one beside it?
bool is_at_kink(const Presolved& p, const Vector& y) {
  constexpr double beside = 1e-6;
  constexpr int directions = 8;
  const Vector x = p.restored(y);
  const std::vector<char> active = active_rows(p, x);
  const std::vector<int> here = pieces_at(p, x, active);
  if (here.empty()) return false;
  Random random(1);
  for (int k = 0; k < directions; ++k) {
    const Vector d = random.uniform_vector(y.size(), -1.0, 1.0);
    for (const double share : {beside, -beside})
      if (pieces_at(p, p.restored(moved(p, y, d, share)), active) != here) return true;
  }
  return false;
}

Result solve_from(const ProblemFile& file, const Vector& start, const Options& options, const Hooks& hooks) {
  if (file.pairs) return solve_pairs(*file.pairs, start.head(file.pairs->dimension()), options, hooks);
  return solve(file.problem, start, options, hooks);
}

/// At a kink a slope of zero, or of one piece, certifies nothing: the search goes on from both sides of it, and what
/// still ends there is feasible, not more.
void leave_kink(const ProblemFile& file, const Presolved& p, const Options& options, const Hooks& hooks, Result& r) {
  constexpr double step = 1e-2;
  const Index n = std::ssize(p.kept);
  const auto is_in_doubt = [&](const Result& of) {
    return (of.status == Status::converged || of.status == Status::stalled ||
            of.status == Status::tests_met_uncertified) &&
           of.y.size() >= n && of.y.head(n).allFinite() && is_at_kink(p, of.y.head(n));
  };
  if (!is_in_doubt(r)) return;
  const Vector d = Random(2).uniform_vector(n, -1.0, 1.0), kink = r.y.head(n);
  double seconds = r.times.total;
  for (const double share : {step, -step}) {
    Options rest = options;
    rest.limits.seconds = options.limits.seconds - seconds;
    if (!(rest.limits.seconds > 0.0) || hooks.stop.stop_requested()) break;
    Vector start = file.start;
    start.head(n) = moved(p, kink, d, share);
    Result other = solve_from(file, start, rest, hooks);
    seconds += other.times.total;
    const bool feasible = other.certificate.relative_infeasibility() <= options.driver.tolerance;
    if (feasible && other.f < r.f - 1e-6 * (1.0 + std::abs(r.f))) r = std::move(other);
  }
  r.options = options;
  r.times.total = seconds;
  if (r.status != Status::converged || !is_in_doubt(r)) return;
  r.status = Status::stalled;
  r.message = "feasible, not certified: abs, min, max, less or if has a kink at the point; " + r.message;
}

}  // namespace
}  // namespace nl

NlModel parse_with_names(std::string_view text, std::string_view source, const NlOptions& options,
                         const std::filesystem::path* path) {
  nl::File file = nl::parse(text, source);
  nl::round_bounds_of_integers(file);
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
  if (model.contradiction.empty()) model.contradiction = nl::contradiction_of(choices, presolved, model.variables);
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
  return presolved->objective.value(presolved->commons.values(x, runner), runner);
}

Vector NlModel::row_values(In x) const {
  nl::TapeRunner runner;
  const Vector all = presolved->commons.values(x, runner);
  Vector out(std::ssize(presolved->rows));
  for (Index r = 0; r < out.size(); ++r) out[r] = presolved->rows[static_cast<std::size_t>(r)].value(all, runner);
  return out;
}

Vector NlModel::start() const { return presolved->start; }

Result solve_nl(const NlModel& model, const Options& options, const Hooks& hooks) {
  const auto unsolved = [&](Status status, const std::string& message, double bound) {
    Result r;
    r.status = status;
    r.message = message;
    r.method = "presolve";
    r.bound = bound;
    r.options = options;
    r.version = version;
    return r;
  };
  if (!model.contradiction.empty()) return unsolved(Status::infeasible, model.contradiction, infinity);
  const Problem& problem = model.file.problem;
  if (!nl::is_finite_at(problem.f, problem.G, {}, model.file.start))
    return unsolved(Status::not_finite, "no start was found where all functions and derivatives are finite",
                    -infinity);
  Result r = nl::solve_from(model.file, model.file.start, options, hooks);
  nl::leave_kink(model.file, *model.presolved, options, hooks, r);
  return r;
}

}  // namespace pendec::io
