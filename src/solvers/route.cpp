#include "route.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "../search/linear_rows.hpp"
#include "../search/part_bounds.hpp"
#include "../search/parts.hpp"
#include "../search/pieces.hpp"
#include "../search/proof.hpp"
#include "alternatives/pair_ways.hpp"
#include "alternatives/pairs_of_set.hpp"
#include "pendec/core/error.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"
#include "pendec/solvers/lowrank/completion.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"
#include "pendec/subsolvers/nlp.hpp"

namespace pendec::detail {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Proofs factorise dense matrices of this size.
constexpr Index most_variables = 1000;

std::string too_many() { return fmt::format("more than {} variables", most_variables); }

/// The limit for a proof, within that for everything.
double seconds_for_proof(const RouteCall& call) {
  const double most = call.options.driver.proof_seconds;
  return most > 0.0 ? std::min(call.deadline.left(), most) : call.deadline.left();
}

// sparse_qp -----

/// The choice that D leaves, with its bounds and the rows that hold whatever is chosen.
struct SparseChoice {
  std::string contradiction = {};  // why nothing can be chosen; empty: something may be
  Index s = 0;
  std::vector<std::vector<Index>> groups = {};  // empty: every variable is its own
  std::vector<Budget> budgets = {};             // besides s
  std::vector<Index> forced_in = {};
  LinearRows rows;  // its bounds are those of chosen variables
};

/// Bounds of the one piece an atom has besides {0}; nothing if that is no box.
std::optional<LinearConstraints> box_of(const Atom& atom) {
  if (!atom.zero || atom.pieces.size() != 1) return std::nullopt;
  auto bounds = atom.pieces.front().linear_constraints();
  if (!bounds || bounds->b.size() > 0 || bounds->d.size() > 0) return std::nullopt;
  return bounds;
}

std::string choice_of(const Problem& problem, SparseChoice& choice) {
  const auto alternatives = problem.D.alternatives();
  if (!alternatives) return fmt::format("D ({}) does not tell its convex pieces", problem.D.name());
  const Index n = problem.dimension(), count = std::ssize(alternatives->atoms);
  if (count == 0) return "D does not limit the number of nonzeros";
  for (const Atom& common : alternatives->common) {
    const auto rows = common.pieces.front().linear_constraints();
    if (!rows) return fmt::format("{}, which is part of D, is no polyhedron", common.pieces.front().name());
    choice.rows.add(common.coordinates, *rows);
  }
  if (problem.has_G())
    if (const std::string why = choice.rows.add(problem.G, problem.C); !why.empty()) return why;
  const bool all_single = count == n;
  for (const Atom& atom : alternatives->atoms) {
    const auto box = box_of(atom);
    if (!box) return "D offers other choices than to vanish or to lie in a box";
    LinearConstraints& held = choice.rows.constraints;
    for (std::size_t k = 0; k < atom.coordinates.size(); ++k) {
      const Index i = atom.coordinates[k], own = static_cast<Index>(k);
      const bool vanishes = held.lower[i] <= 0.0 && held.upper[i] >= 0.0;
      held.lower[i] = std::max(held.lower[i], box->lower[own]);
      held.upper[i] = std::min(held.upper[i], box->upper[own]);
      if (atom.coordinates.size() > 1 && (held.lower[i] > 0.0 || held.upper[i] < 0.0))
        return fmt::format("x[{}], in a group, has bounds without 0", i);
      if (!vanishes) choice.forced_in.push_back(i);
    }
    if (!all_single) choice.groups.push_back(atom.coordinates);
  }
  for (Index i = 0; i < n; ++i)
    if (!(choice.rows.constraints.lower[i] <= choice.rows.constraints.upper[i]))
      choice.contradiction = fmt::format("the bounds of x[{}] contradict each other", i);
  choice.rows.finish();
  choice.s = count;
  std::vector<char> counted(at(count), 0);
  for (const Budget& budget : alternatives->budgets) {
    if (std::ssize(budget.atoms) == count) {
      choice.s = std::min(choice.s, budget.most);
      continue;
    }
    for (const Index k : budget.atoms)
      if (std::exchange(counted[at(k)], 1)) return "D counts some of its atoms more than twice";
    choice.budgets.push_back(budget);
  }
  const auto single = [](const Atom& atom) { return atom.coordinates.size() == 1; };
  if (!choice.budgets.empty() && !std::all_of(alternatives->atoms.begin(), alternatives->atoms.end(), single))
    return "D has several counts of groups of variables";
  const auto forced = [&](Index k) {
    const Index i = alternatives->atoms[at(k)].coordinates.front();
    return std::find(choice.forced_in.begin(), choice.forced_in.end(), i) != choice.forced_in.end();
  };
  bool too_many = std::ssize(choice.forced_in) > choice.s;
  for (const Budget& budget : choice.budgets)
    too_many = too_many || std::count_if(budget.atoms.begin(), budget.atoms.end(), forced) > budget.most;
  if (too_many) choice.contradiction = "bounds without 0 ask for more nonzeros than D allows";
  if (all_single)  // budgets count variables then, in whatever order D tells its atoms
    for (Budget& budget : choice.budgets)
      for (Index& k : budget.atoms) k = alternatives->atoms[at(k)].coordinates.front();
  return "";
}

/// What is not proved may still be certified, with a bound.
Status proved_or_stalled(Status status) {
  const bool proved = status == Status::optimal || status == Status::gap_limit || status == Status::infeasible;
  return proved ? status : Status::stalled;
}

std::string gap_text(const Result& r) {
  return r.bound > -infinity ? fmt::format("f - bound = {:.1e}", r.f - r.bound) : "no bound";
}

std::optional<Found> solve_sparse(const RouteCall& call, const SparseChoice& choice, std::string& reason) {
  if (!choice.contradiction.empty())
    return Found{
        .status = Status::infeasible, .message = choice.contradiction, .method = "bounds", .bound = infinity};
  auto form = call.problem.f.quadratic_form();
  if (!form) return reason = "f is no convex quadratic", std::nullopt;
  SparseQp qp{.Q = form->Q,
              .c = std::move(form->c),
              .s = choice.s,
              .constraints = choice.rows.constraints,
              .groups = choice.groups,
              .budgets = choice.budgets,
              .forced_in = choice.forced_in,
              .constant = form->constant,
              .error = {form->Q_error, std::move(form->c_error), form->constant_error}};
  SparseQpOptions settings{.certify = call.options.driver.proof_seconds > 0.0,
                           .seconds = seconds_for_proof(call),
                           .stop = call.deadline.token()};
  if (call.options.driver.gap > optimal_gap) settings.gap = call.options.driver.gap;
  if (call.start.y)
    for (Index i = 0; i < call.start.y->size(); ++i)
      if ((*call.start.y)[i] != 0.0) settings.start.push_back(i);
  Result r;
  try {
    r = solve_sparse_qp(qp, settings);
  } catch (const InvalidArgument& error) {
    if (error.field() != "SparseQp.Q") throw;
    return reason = "f is quadratic, but not convex", std::nullopt;
  }
  if (r.status == Status::unbounded) return reason = "f seems unbounded below", std::nullopt;
  if (r.status == Status::infeasible && !choice.rows.proves())
    return reason = "the constraints contradict each other, perhaps by rounding", std::nullopt;
  Found found{.status = proved_or_stalled(r.status), .message = r.message, .method = r.method, .bound = r.bound};
  found.search = r.search;
  found.counts = r.counts;
  found.details = r.details;
  if (r.status == Status::infeasible)  // rows and columns here are not the user's
    found.message = "the constraints contradict each other, whatever is chosen";
  if (!r.has_point()) return found;
  found.y = std::move(r.y);
  if (!choice.rows.proves()) {
    found.status = Status::stalled;
    found.bound = -infinity;
    found.message = "coefficients had to be computed, and nothing bounds the variables they belong to";
  }
  found.search.branch = fmt::format("support {{{}}}", fmt::join(r.sparse().support, ", "));
  if (r.status == Status::max_time && !call.deadline.passed())
    found.message = fmt::format("no proof within driver.proof_seconds = {:g}", call.options.driver.proof_seconds);
  if (found.status == Status::stalled) found.message += "; " + gap_text(r);
  if (call.problem.has_G()) {
    Vector gradient(call.problem.dimension());
    call.problem.f.value_and_gradient(found.y, gradient);
    found.lambda = choice.rows.multipliers(found.y, gradient, r.lambda);
  }
  return found;
}

Recognised recognise_sparse_qp(const Problem& problem, const Options&) {
  if (!problem.f.has_quadratic_form()) return "f is not known to be quadratic";
  if (problem.D.convex()) return "D is convex";
  if (problem.dimension() > most_variables) return too_many();
  SparseChoice choice{.rows = LinearRows(problem.dimension())};
  if (std::string why = choice_of(problem, choice); !why.empty()) return why;
  return ClassSolver([choice = std::move(choice)](const RouteCall& call, std::string& reason) {
    return solve_sparse(call, choice, reason);
  });
}

// sparse_loss -----

/// Losses of few features. Which entries are largest is a question of units; those of curvature are what
/// sparse_regression scales features to.
Recognised recognise_sparse_loss(const Problem& problem, const Options&) {
  if (problem.D.convex()) return "D is convex";
  if (problem.f.has_quadratic_form()) return "f is quadratic";
  if (!problem.f.convex()) return "f is not known to be convex";
  if (problem.has_G()) return "there are other constraints";
  const auto alternatives = problem.D.alternatives();
  if (!alternatives) return fmt::format("D ({}) does not tell its convex pieces", problem.D.name());
  const auto vanishes_or_not = [](const Atom& atom) { return box_of(atom).has_value(); };
  if (!std::all_of(alternatives->atoms.begin(), alternatives->atoms.end(), vanishes_or_not))
    return "D offers other choices than to vanish or to lie in a box";
  const Index n = problem.dimension();
  if (!problem.f.has_hessian()) return "f does not tell its curvature";
  if (n > most_variables && !problem.f.hessian(problem.D.projection(Vector::Zero(n))).has_entries())
    return too_many();
  if (!problem.D.scaled(Vector::LinSpaced(n, 1.0, 2.0)))
    return fmt::format("D ({}) has no other units", problem.D.name());
  return UnitsOfCurvature{};
}

// disjunctive -----

std::optional<Found> solve_parts(const RouteCall& call, const std::vector<Set>& parts, std::string& reason) {
  const Problem& problem = call.problem;
  reason = obstacle_to_proof(problem);
  if (!reason.empty()) return std::nullopt;
  DisjunctiveOptions settings{.gap = std::max(call.options.driver.gap, optimal_gap), .method = call.options};
  settings.method.driver.route = Route::general;
  settings.method.limits.seconds = seconds_for_proof(call);
  Result r = solve_disjunctive(problem, call.start.x, settings, {.stop = call.deadline.token()});
  const Index part = r.parts().part;
  Found found{.status = r.status,
              .message = r.message,
              .method = r.method,
              .bound = r.bound,
              .proof_only = true,
              .search = r.search,
              .counts = r.counts,
              .details = r.details};
  if (r.status == Status::infeasible || part < 0) return found;
  if (parts_of_union(problem.D))
    found.piece = parts[at(part)];  // normals of other sets cost less than those of a union
  found.y = std::move(r.y);
  if (r.lambda.size() > 0) found.lambda = std::move(r.lambda);
  return found;
}

Recognised recognise_disjunctive(const Problem& problem, const Options& options) {
  if (problem.D.convex()) return "D is convex";
  if (!problem.f.convex() && !problem.f.is_quadratic()) return "f is not known to be convex";
  if (problem.dimension() > most_variables) return too_many();
  if (options.driver.proof_seconds == 0.0) return "no proof is asked for: driver.proof_seconds is 0";
  auto parts = convex_pieces(problem.D);
  if (!parts) return fmt::format("D ({}) is not known to be a union of few convex sets", problem.D.name());
  return ClassSolver([parts = std::move(*parts)](const RouteCall& call, std::string& reason) {
    return solve_parts(call, parts, reason);
  });
}

// pairs -----

std::optional<Found> solve_pairs_of_set(const RouteCall& call, const PairProgram& program, std::string& reason) {
  Options options = call.options;
  options.limits.seconds = call.deadline.left();
  auto found =
      pairs_by_nonlinear_programs(program, call.start.x, options, {.observer = {}, .stop = call.deadline.token()});
  if (!found) return reason = "C is no polyhedron, or derivatives have too many entries", std::nullopt;
  if (!found->settled)
    return reason = "nonlinear programming found no point that is known to be stationary", std::nullopt;
  const Result& r = found->result;
  Found out{
      .message = r.message, .method = r.method, .y = call.problem.D.projection(r.pairs().x), .counts = r.counts};
  if (call.problem.has_G()) out.lambda = r.lambda.head(call.problem.G.output_dimension());
  return out;
}

Recognised recognise_pairs(const Problem& problem, const Options& options) {
  if (problem.D.convex()) return "D is convex";
  if (options.driver.pairs == PairWay::general) return "the general methods are asked for: driver.pairs is general";
  if (!problem.f.has_hessian() || (problem.has_G() && !problem.G.is_affine() && !problem.G.has_hessian()))
    return "second derivatives are not known";
  PairProgram program;
  if (std::string why = pairs_of_set(problem, program); !why.empty()) return why;
  return ClassSolver([program = std::move(program)](const RouteCall& call, std::string& reason) {
    return solve_pairs_of_set(call, program, reason);
  });
}

// correlation -----

/// ½‖X − A‖² · weight + constant on n × n matrices.
struct Distance {
  Matrix A;
  double weight = 1.0;
};

/// f as the distance to a symmetric matrix, if its Hessian is a multiple of the identity. The skew part of A changes
/// f by a constant on symmetric matrices.
std::optional<Distance> distance_of(const Objective& f, Index n) {
  const Vector h = f.constant_hessian()->diagonal();
  if (!(h[0] > 0.0) || h.minCoeff() != h.maxCoeff()) return std::nullopt;
  Vector gradient(f.dimension());
  f.value_and_gradient(Vector::Zero(f.dimension()), gradient);
  const ConstMatrixView g(gradient.data(), n, n);
  return Distance{-(g + g.transpose()) / (2.0 * h[0]), h[0]};
}

/// G(x) = diag(X), each entry once?
bool selects_diagonal(const Map& G, Index n) {
  const auto& jacobian = G.constant_jacobian();
  if (!jacobian || !jacobian->selected()) return false;
  std::vector<Index> selected = *jacobian->selected();
  std::sort(selected.begin(), selected.end());
  if (std::ssize(selected) != n) return false;
  for (Index i = 0; i < n; ++i)
    if (selected[at(i)] != i * (n + 1)) return false;
  return true;
}

/// C = {point}, and G(x) ∈ C says that the selected entries are one?
bool asks_for_ones(const Map& G, const Set& C) {
  const auto rows = C.linear_constraints();
  if (!rows || rows->b.size() > 0 || rows->d.size() > 0) return false;
  Vector shift(G.output_dimension());
  G.evaluate(Vector::Zero(G.input_dimension()), shift);
  return rows->lower == rows->upper && rows->lower - shift == Vector::Ones(shift.size());
}

std::optional<Found> solve_correlation(const RouteCall& call, Index rank, std::string& reason) {
  const Problem& p = call.problem;
  const Index n = p.G.output_dimension();
  const auto distance = distance_of(p.f, n);
  if (!distance) return reason = "f weighs the entries differently", std::nullopt;
  const Result r =
      nearest_correlation(distance->A, rank, {.seconds = call.deadline.left(), .stop = call.deadline.token()});
  if (r.correlation().V.size() == 0) return reason = "stopped before there was a point", std::nullopt;
  const Matrix X = r.correlation().X();
  Found found{.status = proved_or_stalled(r.status),
              .message = r.message,
              .method = "unit rows of a factor",
              .y = X.reshaped()};
  found.search.branch = fmt::format("rank {}", r.correlation().rank());
  found.counts = r.counts;
  found.details = r.details;
  // What f is apart from the distance is a constant on symmetric matrices.
  const double f = p.f.value(found.y), own = distance->weight * r.f;
  const double margin = 2.0 * epsilon * static_cast<double>(n * n + 16);
  found.bound = distance->weight * r.bound + (f - own) - margin * (std::abs(f) + own);
  Vector lambda(n);
  const std::vector<Index>& places = *p.G.constant_jacobian()->selected();
  for (Index k = 0; k < n; ++k) lambda[k] = distance->weight * r.lambda[places[at(k)] / (n + 1)];
  found.lambda = std::move(lambda);
  return found;
}

Recognised recognise_correlation(const Problem& problem, const Options&) {
  const auto bound = problem.D.rank_bound();
  if (!bound || !bound->semidefinite) return "D is no set of positive semidefinite matrices";
  const auto& hessian = problem.f.constant_hessian();
  if (!hessian || !hessian->is_diagonal()) return "f is no distance of single entries";
  if (!problem.has_G() || !selects_diagonal(problem.G, bound->rows) || !asks_for_ones(problem.G, problem.C))
    return "the constraint is not that the diagonal is one";
  return ClassSolver([rank = bound->rank](const RouteCall& call, std::string& reason) {
    return solve_correlation(call, rank, reason);
  });
}

// completion -----

/// f = ½ Σ_seen (x − a)² + γ/2 ‖X‖² + constant, times a weight: two curvatures, and no slope at 0 where nothing is
/// seen.
std::optional<CompletionProblem> completion_of(const Problem& problem, const RankBound& set, double& weight) {
  const Vector h = problem.f.constant_hessian()->diagonal();
  const double low = h.minCoeff(), high = h.maxCoeff();
  if (!(low >= 0.0) || !(high > low)) return std::nullopt;
  weight = high - low;
  CompletionProblem out{.rows = set.rows, .cols = set.cols, .seen = {}, .kappa = set.rank, .gamma = low / weight};
  Vector gradient(h.size());
  problem.f.value_and_gradient(Vector::Zero(h.size()), gradient);
  for (Index e = 0; e < h.size(); ++e) {
    if (h[e] != low && h[e] != high) return std::nullopt;
    if (h[e] == high)
      out.seen.push_back({e % set.rows, e / set.rows, -gradient[e] / weight});
    else if (gradient[e] != 0.0)
      return std::nullopt;
  }
  return out;
}

std::optional<Found> solve_completion(const RouteCall& call, const RankBound& set, std::string& reason) {
  double weight = 1.0;
  const auto completion = completion_of(call.problem, set, weight);
  if (!completion) return reason = "f is no sum over entries that are seen", std::nullopt;
  const Result r = complete_matrix(*completion, {.seconds = call.deadline.left(), .stop = call.deadline.token()});
  if (r.completion().B.size() == 0) return reason = "stopped before there was a point", std::nullopt;
  const Matrix X = r.completion().B * r.completion().C.transpose();
  return Found{.status = Status::stalled,
               .message = r.message,
               .method = "variable projection",
               .y = X.reshaped(),
               .search = {.branch = fmt::format("rank {}", set.rank)},
               .counts = r.counts,
               .details = r.details};
}

Recognised recognise_completion(const Problem& problem, const Options&) {
  const auto bound = problem.D.rank_bound();
  if (!bound || bound->semidefinite || problem.D.convex()) return "D is no set of matrices of low rank";
  if (problem.has_G()) return "there are other constraints";
  const auto& hessian = problem.f.constant_hessian();
  if (!hessian || !hessian->is_diagonal()) return "f is no distance of single entries";
  return ClassSolver(
      [set = *bound](const RouteCall& call, std::string& reason) { return solve_completion(call, set, reason); });
}

// smooth -----

/// Where second derivatives are known, nonlinear programming uses them.
std::optional<Found> solve_smooth(const RouteCall& call, std::string& reason) {
  constexpr double solved = 1e-8;
  if (!suits_nlp(call.problem, call.start.x))
    return reason = "C or D is no polyhedron, or derivatives have no entries", std::nullopt;
  if (!has_curvature(call.problem, call.start.x))
    return reason = "second derivatives have too many entries", std::nullopt;
  const Deadline& deadline = call.deadline;
  NlpOptions options{
      .solver = call.options.driver.nlp, .max_iterations = 1000, .stop = [&] { return deadline.passed(); }};
  if (call.start.lambda) options.lambda = *call.start.lambda;
  NlpResult r = nlp(call.problem, call.start.x, options);
  if (!(r.kkt_error <= solved) && !deadline.passed())
    return reason = fmt::format("the nonlinear program ended {}", to_string(r.status)), std::nullopt;
  if (!r.x.allFinite()) return reason = "the nonlinear program left finite numbers", std::nullopt;
  return Found{.message = "solved as a nonlinear program",
               .method = nlp_solver_for(call.problem) == Nlp::sqp ? "sequential quadratic programming" : "Ipopt",
               .y = std::move(r.x),
               .lambda = std::move(r.lambda),
               .counts = r.counts};
}

Recognised recognise_smooth(const Problem& problem, const Options&) {
  if (!problem.D.convex()) return fmt::format("D ({}) is not convex", problem.D.name());
  if (!problem.has_G()) return "there are no constraints besides D";
  if (!problem.f.has_hessian() || !(problem.G.is_affine() || problem.G.has_hessian()))
    return "second derivatives are not known";
  return ClassSolver(solve_smooth);
}

// convex -----

/// A convex D has no branches to find: L-BFGS on D itself, inside the augmented Lagrangian method for G.
Recognised recognise_convex(const Problem& problem, const Options& options) {
  if (!problem.D.convex()) return fmt::format("D ({}) is not convex", problem.D.name());
  if (options.x_update.step != XStep::lbfgs) return "x_update.step is not lbfgs";
  Options alm = options;
  alm.method = Method::alm;
  alm.driver.route = Route::general;
  alm.inner.method = Inner::projected;
  alm.inner.max_iterations = std::max<Index>(alm.inner.max_iterations, 20'000);  // an evaluation each
  if (!problem.has_G()) alm.inner.delta0 = alm.inner.delta_min;  // the first subproblem is the problem
  alm.penalty.tau0 = 1.0;
  alm.penalty.alpha_tau = 5.0;
  alm.penalty.progress = 0.7;
  alm.driver.polish = false;
  return alm;
}

constexpr std::array table{
    RouteEntry{Route::sparse_qp, recognise_sparse_qp},     RouteEntry{Route::sparse_loss, recognise_sparse_loss},
    RouteEntry{Route::disjunctive, recognise_disjunctive}, RouteEntry{Route::pairs, recognise_pairs},
    RouteEntry{Route::correlation, recognise_correlation}, RouteEntry{Route::completion, recognise_completion},
    RouteEntry{Route::smooth, recognise_smooth},           RouteEntry{Route::convex, recognise_convex}};

}  // namespace

std::span<const RouteEntry> routes() { return table; }

}  // namespace pendec::detail
