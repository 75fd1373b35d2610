// Options: aggregates with one table of fields each. The table (name, member, text, range) drives validation, reading
// by name, listing and JSON; a new option is one member and one line of its table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "pendec/core/fields.hpp"
#include "pendec/core/names.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// Which method solves the problem; `automatic` chooses and says in the result what it chose and why.
enum class Method { automatic, pd, pdlm, alm };
template <>
struct Names<Method> {
  static constexpr std::array values{std::pair{Method::automatic, "automatic"}, std::pair{Method::pd, "pd"},
                                     std::pair{Method::pdlm, "pdlm"}, std::pair{Method::alm, "alm"}};
};

/// How the penalty subproblem is minimised.
enum class Inner {
  alternating,  // Algorithm 4.1: x-update, then projection
  reduced,      // L-BFGS on the reduced penalty, Algorithm 4.1 as its safeguard
  projected     // ALM on a convex D: L-BFGS on D itself, instead of the spectral gradient method
};
template <>
struct Names<Inner> {
  static constexpr std::array values{std::pair{Inner::alternating, "alternating"},
                                     std::pair{Inner::reduced, "reduced"}, std::pair{Inner::projected, "projected"}};
};

/// When the subproblem counts as solved.
enum class InnerTest {
  gradient,  // ‖∇ₓq_τ(u, v)‖ ≤ δ_k, what Theorem 3.3 needs
  decrease   // q(u^ℓ, v^ℓ) − q(u^{ℓ+1}, v^{ℓ+1}) < ε_in, what the paper's experiments use
};
template <>
struct Names<InnerTest> {
  static constexpr std::array values{std::pair{InnerTest::gradient, "gradient"},
                                     std::pair{InnerTest::decrease, "decrease"}};
};

/// Which constraints carry safeguarded multipliers.
enum class Multipliers { none, constraints, all };
template <>
struct Names<Multipliers> {
  static constexpr std::array values{std::pair{Multipliers::none, "none"},
                                     std::pair{Multipliers::constraints, "constraints"},
                                     std::pair{Multipliers::all, "all"}};
};

/// The map H_ℓ behind the x-step, or an exact minimisation.
enum class XStep { gradient, cg, bfgs, lbfgs, newton, preconditioner, exact };
template <>
struct Names<XStep> {
  static constexpr std::array values{
      std::pair{XStep::gradient, "gradient"}, std::pair{XStep::cg, "cg"},
      std::pair{XStep::bfgs, "bfgs"},         std::pair{XStep::lbfgs, "lbfgs"},
      std::pair{XStep::newton, "newton"},     std::pair{XStep::preconditioner, "preconditioner"},
      std::pair{XStep::exact, "exact"}};
};

enum class LineSearchKind { armijo, wolfe };
template <>
struct Names<LineSearchKind> {
  static constexpr std::array values{std::pair{LineSearchKind::armijo, "armijo"},
                                     std::pair{LineSearchKind::wolfe, "wolfe"}};
};

/// Norm of the gradient in the x-update's own test.
enum class GradientNorm { euclidean, maximum };
template <>
struct Names<GradientNorm> {
  static constexpr std::array values{std::pair{GradientNorm::euclidean, "euclidean"},
                                     std::pair{GradientNorm::maximum, "maximum"}};
};

/// How the infeasibility measure V that steers τ is taken.
enum class Measure {
  residual,  // max(‖x − y‖, ‖G(x) − P_C(G(x) + λ/τ)‖) with the multipliers used in the subproblem
  published  // ‖G(x) − P_C(G(x) + λ⁺/τ)‖ + ‖x − y + μ⁺/τ‖ with the updated ones, as in the authors' program
};
template <>
struct Names<Measure> {
  static constexpr std::array values{std::pair{Measure::residual, "residual"},
                                     std::pair{Measure::published, "published"}};
};

/// Which solver a problem is given to when the method is automatic.
enum class Route {
  automatic,    // the first that the problem fits, else general
  general,      // the methods for every set
  sparse_qp,    // a convex quadratic f, few nonzeros, linear constraints: branch and bound
  sparse_loss,  // another convex f, few nonzeros: the general methods, also in units of curvature
  disjunctive,  // a convex f on a union of polyhedra: bounds for all parts
  pairs,        // pairs of coordinates, second derivatives: nonlinear programming on their sides
  correlation,  // the nearest correlation matrix of low rank
  completion,   // a matrix of low rank from some of its entries
  smooth,       // a convex polyhedral D, G(x) in a polyhedron, second derivatives: nonlinear programming
  convex        // a convex D: no branches to find, L-BFGS on D itself
};
template <>
struct Names<Route> {
  static constexpr std::array values{
      std::pair{Route::automatic, "automatic"},     std::pair{Route::general, "general"},
      std::pair{Route::sparse_qp, "sparse_qp"},     std::pair{Route::sparse_loss, "sparse_loss"},
      std::pair{Route::disjunctive, "disjunctive"}, std::pair{Route::pairs, "pairs"},
      std::pair{Route::correlation, "correlation"}, std::pair{Route::completion, "completion"},
      std::pair{Route::smooth, "smooth"},           std::pair{Route::convex, "convex"}};
};

/// Who solves the smooth problem on a branch.
enum class Nlp {
  automatic,  // by its size
  sqp,        // dense SQP
  ipopt       // Ipopt, with sparse derivatives
};
template <>
struct Names<Nlp> {
  static constexpr std::array values{std::pair{Nlp::automatic, "automatic"}, std::pair{Nlp::sqp, "sqp"},
                                     std::pair{Nlp::ipopt, "ipopt"}};
};

/// The way down for programs with pairs, before the nonlinear program on the sides that it ends at.
enum class PairWay {
  automatic,   // several, the cheap ones first
  penalty,     // f + ρ Σ a b, for complementarity
  relaxation,  // a b ≤ σ → 0
  general      // the methods for every set, on the pairs themselves
};
template <>
struct Names<PairWay> {
  static constexpr std::array values{
      std::pair{PairWay::automatic, "automatic"}, std::pair{PairWay::penalty, "penalty"},
      std::pair{PairWay::relaxation, "relaxation"}, std::pair{PairWay::general, "general"}};
};

/// Algorithm 3.1: penalty, tolerances, multipliers.
struct PenaltyOptions {
  double tau0 = 0.01;
  double alpha_tau = 2.0;
  double tau_max = 1e12;
  double progress = 0.9;
  bool always_increase = false;
  Multipliers multipliers = Multipliers::all;
  double multiplier_bound = 1e6;
  Measure measure = Measure::residual;
  double eps_out = 1e-7;
  Index bound_iterations = 3;
  bool project_start = true;
  bool duplicate_free = false;
  bool lower_level = false;

  static constexpr auto fields() {
    using O = PenaltyOptions;
    using detail::field;
    return std::tuple{
        field("tau0", &O::tau0, "first penalty parameter", 0, infinity, true),
        field("alpha_tau", &O::alpha_tau, "growth factor of the penalty parameter", 1, infinity, true),
        field("tau_max", &O::tau_max, "upper bound of the penalty parameter", 0, infinity, true),
        field("progress", &O::progress, "tau grows unless the infeasibility V falls below progress * previous V", 0,
              1),
        field("always_increase", &O::always_increase, "tau grows in every outer iteration"),
        field("multipliers", &O::multipliers, "safeguarded multipliers: none (PD), constraints (G only), all (PDLM)"),
        field("multiplier_bound", &O::multiplier_bound, "multipliers are clipped to [-bound, bound]", 0),
        field("measure", &O::measure, "infeasibility measure V: residual, or published (the authors' program)"),
        field("eps_out", &O::eps_out,
              "stop when |x - y| and dist_C(G(x)) are below (with the gradient test also dist_C(G(y)), and the "
              "gradient below delta_min)",
              0),
        field("bound_iterations", &O::bound_iterations, "outer iterations granted with tau at its bound", 0),
        field("project_start", &O::project_start,
              "start in D: y0 (ALM: x0) is projected; off: taken as it is (the paper)"),
        field("duplicate_free", &O::duplicate_free, "duplicate also the blocks that D leaves free"),
        field("lower_level", &O::lower_level, "keep G(x) in C inside the x-update (exact x-updates only)")};
  }
};

/// Algorithm 4.1 and its accelerated form: how the subproblem is solved.
struct InnerOptions {
  Inner method = Inner::reduced;
  InnerTest test = InnerTest::gradient;
  double eps_in = 1e-5;
  double delta0 = 0.1;
  double delta_factor = 0.3;
  double delta_min = 1e-7;
  Index max_iterations = 1000;

  static constexpr auto fields() {
    using O = InnerOptions;
    using detail::field;
    return std::tuple{
        field("method", &O::method,
              "alternating (Algorithm 4.1), reduced (on the reduced penalty; needs x_update.step = lbfgs, else "
              "alternating), or projected (ALM on a convex D: L-BFGS on D itself)"),
        field("test", &O::test, "gradient (what the theory needs) or decrease (the paper's experiments)"),
        field("eps_in", &O::eps_in, "decrease test: stop when q falls by less", 0),
        field("delta0", &O::delta0, "gradient test: first tolerance delta_0", 0),
        field("delta_factor", &O::delta_factor, "gradient test: delta_{k+1} = factor * delta_k", 0, 1),
        field("delta_min", &O::delta_min, "gradient test: smallest delta_k", 0),
        field("max_iterations", &O::max_iterations, "inner iterations of one subproblem at most", 1)};
  }
};

/// The x-update: direction, line search, accuracy.
struct XUpdateOptions {
  XStep step = XStep::lbfgs;
  Index steps = 1;
  double eps_solv = 0.0;
  GradientNorm norm = GradientNorm::euclidean;
  LineSearchKind line_search = LineSearchKind::armijo;
  double gamma = 1e-4;
  double beta = 0.5;
  double sigma = 0.9;
  double min_step = 1e-12;
  Index memory = 10;
  double c1 = 1e-12;
  double c2 = 1e12;

  static constexpr auto fields() {
    using O = XUpdateOptions;
    using detail::field;
    return std::tuple{
        field("step", &O::step, "gradient, cg, bfgs, lbfgs, newton, preconditioner (yours) or exact"),
        field("steps", &O::steps, "x-steps before a projection at most (Remark 4.6); 1 is Algorithm 4.1", 1),
        field("eps_solv", &O::eps_solv, "the x-update ends early when the gradient norm is below", 0),
        field("norm", &O::norm, "norm of that gradient: euclidean or maximum"),
        field("line_search", &O::line_search, "armijo (Algorithm 4.1) or wolfe"),
        field("gamma", &O::gamma, "sufficient decrease", 0, 1, true),
        field("beta", &O::beta, "backtracking factor", 0, 1, true),
        field("sigma", &O::sigma, "wolfe: required reduction of the slope", 0, 1, true),
        field("min_step", &O::min_step, "smallest step size", 0),
        field("memory", &O::memory, "L-BFGS pairs", 1),
        field("c1", &O::c1, "Section 4: a direction needs -<g, d> >= c1 |g|^2, else d = -g", 0, infinity, true),
        field("c2", &O::c2, "Section 4: a direction needs |d| <= c2 |g|, else d = -g", 0, infinity, true)};
  }
};

/// Spectral gradient method of Jia, Kanzow, Mehlitz, Wachsmuth, inside the augmented Lagrangian method.
struct SpectralOptions {
  bool barzilai_borwein = true;
  bool restart = false;
  double gamma0 = 1.0;
  double gamma_min = 1e-12;
  double gamma_max = 1e12;
  double growth = 2.0;
  double sigma = 1e-5;
  Index memory = 10;
  Index max_iterations = 5000;

  static constexpr auto fields() {
    using O = SpectralOptions;
    using detail::field;
    return std::tuple{
        field("barzilai_borwein", &O::barzilai_borwein,
              "safeguarded Barzilai-Borwein steps; off: gamma0 at every iteration"),
        field("restart", &O::restart,
              "repeat the whole method while it still decreases q by eps_in (the authors' program)"),
        field("gamma0", &O::gamma0, "first gamma (inverse step length)", 0, infinity, true),
        field("gamma_min", &O::gamma_min, "smallest gamma", 0, infinity, true),
        field("gamma_max", &O::gamma_max, "largest gamma", 0, infinity, true),
        field("growth", &O::growth, "factor of gamma while a trial point is refused", 1, infinity, true),
        field("sigma", &O::sigma, "sufficient decrease", 0, 1, true),
        field("memory", &O::memory, "non-monotone window m", 1),
        field("max_iterations", &O::max_iterations, "iterations of one call at most", 1)};
  }
};

/// What surrounds the method: scaling, starts, polish, accuracy asked of the certificate.
struct DriverOptions {
  bool normalise = true;
  bool several_starts = true;
  bool polish = true;
  bool stop_on_branch = true;
  Index branch_search = 60;
  double tolerance = 1e-6;
  Nlp nlp = Nlp::automatic;
  PairWay pairs = PairWay::automatic;
  Route route = Route::automatic;
  double proof_seconds = 10.0;
  double gap = 1e-6;

  static constexpr auto fields() {
    using O = DriverOptions;
    using detail::field;
    return std::tuple{
        field("normalise", &O::normalise, "scale f, G and x so that the defaults fit"),
        field("several_starts", &O::several_starts,
              "method automatic: also start from a feasible point, by polish and by ALM"),
        field("polish", &O::polish, "solve the smooth problem on the branch of D that was found"),
        field("stop_on_branch", &O::stop_on_branch, "with polish: stop once the branch repeats near feasibility"),
        field(
            "branch_search", &O::branch_search,
            "branches of D that are solved at most in search of a better point, within as many seconds as the solve "
            "took before, and at least one; 0: none",
            0),
        field("tolerance", &O::tolerance,
              "status converged needs a certificate below this, relative to the problem's scale", 0),
        field("nlp", &O::nlp, "what polishes: sqp (dense, small problems), ipopt (sparse), or automatic (by size)"),
        field("pairs", &O::pairs,
              "pairs of constraints, method automatic: the way down to a branch: penalty (for complementarity), "
              "relaxation, general (the methods for every set), or automatic (several)"),
        field("route", &O::route,
              "method automatic: the solver for the problem's class, general for none, or automatic (the first that "
              "applies)"),
        field("proof_seconds", &O::proof_seconds,
              "seconds that a route may spend on the proof that its point is optimal; 0: none", 0),
        field("gap", &O::gap,
              "a proof ends where f - bound is within this share of |f|: status gap_limit where it is above 1e-6",
              0)};
  }
};

/// When to give up. Infinite or huge means no limit.
struct LimitOptions {
  double seconds = infinity;
  Index outer = 10000;
  Index projections = std::numeric_limits<Index>::max();

  static constexpr auto fields() {
    using O = LimitOptions;
    using detail::field;
    return std::tuple{field("seconds", &O::seconds, "wall-clock seconds", 0),
                      field("outer", &O::outer, "outer iterations", 0),
                      field("projections", &O::projections, "projections onto D", 0)};
  }
};

/// solve(problem, x0, {.method = Method::pdlm}). Method pd means no multipliers, whatever penalty.multipliers says.
/// paper_preset() and default_preset() have the settings of each method.
struct Options {
  Method method = Method::automatic;
  PenaltyOptions penalty = {};
  InnerOptions inner = {};
  XUpdateOptions x_update = {};
  SpectralOptions spectral = {};
  DriverOptions driver = {};
  LimitOptions limits = {};
  bool trace = false;

  static constexpr auto fields() {
    using O = Options;
    using detail::field;
    return std::tuple{field("method", &O::method, "automatic, pd, pdlm or alm"),
                      field("penalty", &O::penalty, "penalty parameter and multipliers"),
                      field("inner", &O::inner, "the penalty subproblem"),
                      field("x_update", &O::x_update, "the x-update"),
                      field("spectral", &O::spectral, "spectral gradient method (ALM)"),
                      field("driver", &O::driver, "scaling, starts, polish"),
                      field("limits", &O::limits, "when to give up"),
                      field("trace", &O::trace, "record one row per outer iteration in the result")};
  }
};

/// Throws InvalidArgument naming the option, its value and its range.
PENDEC_EXPORT void validate(const Options& options);

/// Sets one option by its dotted name: set_option(o, "penalty.alpha_tau", "1.1"). Throws InvalidArgument.
PENDEC_EXPORT void set_option(Options& options, std::string_view name, std::string_view value);

/// An option's value in its own type; enumerations by name.
using OptionValue = std::variant<bool, Index, double, std::string>;

/// One row per option, in the order of the tables.
struct OptionText {
  std::string name, value, text;
  OptionValue typed;
};
PENDEC_EXPORT std::vector<OptionText> describe(const Options& options);

/// The paper's settings for a method (Section 6), and ours. `docs/presets.md` says how they differ.
PENDEC_EXPORT Options paper_preset(Method method);
PENDEC_EXPORT Options default_preset(Method method);

}  // namespace pendec
