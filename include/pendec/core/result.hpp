// What a solve hands back.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "pendec/core/certificate.hpp"
#include "pendec/core/details.hpp"
#include "pendec/core/options.hpp"
#include "pendec/core/status.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// How often each part of the problem was called, and the iterations.
struct PENDEC_EXPORT Counts {
  Index f = 0;          // values, with or without gradient
  Index gradient = 0;   // ∇f
  Index G = 0;          // G(x)
  Index adjoint = 0;    // G'(x)* w
  Index project_C = 0;  // P_C
  Index project_D = 0;  // Π_D
  Index outer = 0;      // outer iterations (k); those of the solver of a class
  Index inner = 0;      // inner iterations (ℓ), one projection onto D each for PD
  Index x_steps = 0;    // steps of the x-update
  Index fallbacks = 0;  // directions that broke the bounded-eigenvalue condition and became −∇q
  Index starts = 0;     // points that solvers of classes began at
  Index products = 0;   // of a matrix with a block of vectors
  Index nodes = 0;      // of branch and bound
  Index supports = 0;   // supports on which the convex problem was solved
  Counts& operator+=(const Counts& other);

  static constexpr auto members() {
    using C = Counts;
    using detail::member;
    return std::tuple{member("f", &C::f),
                      member("gradient", &C::gradient),
                      member("G", &C::G),
                      member("adjoint", &C::adjoint),
                      member("project_C", &C::project_C),
                      member("project_D", &C::project_D),
                      member("outer", &C::outer),
                      member("inner", &C::inner),
                      member("x_steps", &C::x_steps),
                      member("fallbacks", &C::fallbacks),
                      member("starts", &C::starts),
                      member("products", &C::products),
                      member("nodes", &C::nodes),
                      member("supports", &C::supports)};
  }
};

/// Wall-clock seconds.
struct Times {
  double total = 0.0;
  double project_D = 0.0;
  double polish = 0.0;

  static constexpr auto members() {
    using T = Times;
    using detail::member;
    return std::tuple{member("total", &T::total), member("project_D", &T::project_D), member("polish", &T::polish)};
  }
};

/// What a search among the branches of D did; see search/local_search.hpp.
struct BranchSearch {
  std::string branch = {};        // the one y lies on, for people
  Index solved = 0;               // branches solved
  Index neighbours = 0;           // branches one exchange away from that of y
  bool exchange_optimal = false;  // there are some, all were solved or excluded, and none gives a better point

  static constexpr auto members() {
    using S = BranchSearch;
    using detail::member;
    return std::tuple{member("branch", &S::branch), member("solved", &S::solved),
                      member("neighbours", &S::neighbours), member("exchange_optimal", &S::exchange_optimal)};
  }
};

/// One row per outer iteration; what an observer sees and what a trace records. f is in the user's units, the other
/// quantities are those of the method: with driver.normalise, of the normalised problem.
struct Progress {
  Index outer = 0;
  Index inner = 0;        // so far
  Index projections = 0;  // so far
  double tau = 0.0;
  double f = 0.0;          // f(x)
  double coupling = 0.0;   // ‖x − y‖
  double violation = 0.0;  // dist_C(G(x))
  double gradient = 0.0;   // ‖∇ₓq‖ at the end of the subproblem; NaN where it was not computed
  double seconds = 0.0;

  static constexpr auto members() {
    using P = Progress;
    using detail::member;
    return std::tuple{member("outer", &P::outer),
                      member("inner", &P::inner),
                      member("projections", &P::projections),
                      member("tau", &P::tau),
                      member("f", &P::f),
                      member("coupling", &P::coupling),
                      member("violation", &P::violation),
                      member("gradient", &P::gradient),
                      member("seconds", &P::seconds)};
  }
};

/// A route that was not taken, and why.
struct RouteRefused {
  std::string route, reason;

  static constexpr auto members() {
    using R = RouteRefused;
    using detail::member;
    return std::tuple{member("route", &R::route), member("reason", &R::reason)};
  }
};

/// What to run to have the problem again: a command of the program, its file and its other arguments. Empty: unknown.
struct ProblemRecord {
  std::string command = {}, file = {};
  std::vector<std::string> arguments = {};

  static constexpr auto members() {
    using P = ProblemRecord;
    using detail::member;
    return std::tuple{member("command", &P::command), member("file", &P::file), member("arguments", &P::arguments)};
  }
};

/// What every solver returns. Those of a class leave empty what they do not have: x, mu, the pair of certificates,
/// the trace. Where forming the point would cost too much (matrices of low rank) y is empty as well, and the details
/// hold factors.
struct PENDEC_EXPORT Result {
  Status status = Status::stalled;
  std::string message;            // one sentence for people: why it ended, what was picked
  std::string method;             // what ran: "pdlm", "alm + polish", "branch and bound"
  std::string route = "general";  // the solver that the problem was given to
  std::vector<RouteRefused> why_not;
  Vector x;                  // the x-block; equal to y after a polish
  Vector y;                  // the point in D: the solution; empty if no feasible point is known
  Vector lambda;             // multiplier of G(x) ∈ C
  Vector mu;                 // multiplier of x = y; −∇f − G'*lambda where x and y are the same point
  double f = infinity;       // f(y)
  double f_x = 0.0;          // f(x)
  double bound = -infinity;  // proven lower bound of the optimal value; −∞: none was sought or found
  double tau = 0.0;          // last penalty parameter of the run that led to y
  Certificate certificate;   // at y
  PairCertificate pair;      // at (x, y) with lambda and mu; lambda of the certificate where the result has none
  BranchSearch search;       // with driver.branch_search
  Counts counts;
  Times times;
  std::vector<Progress> trace;
  Details details;        // what the class has
  Options options;        // as used; a solver of a class knows limits.seconds and driver.tolerance alone
  ProblemRecord problem;  // of the program's commands
  std::string version;    // of the library

  /// What the solver of a class begins with: nothing is known yet.
  static Result of_class(std::string route, std::string method, double seconds, Details details);

  bool success() const { return succeeded(status); }
  bool has_point() const { return f < infinity; }

  /// (f − bound)/|f|; 0 where f is optimal and rounding explains the difference, ∞ without a point or a bound.
  double gap() const;

  // The details of a class; std::bad_variant_access for another one.
  const SparseDetails& sparse() const { return std::get<SparseDetails>(details); }
  const PartsDetails& parts() const { return std::get<PartsDetails>(details); }
  const PairsDetails& pairs() const { return std::get<PairsDetails>(details); }
  const CorrelationDetails& correlation() const { return std::get<CorrelationDetails>(details); }
  const CompletionDetails& completion() const { return std::get<CompletionDetails>(details); }
  const MultitaskDetails& multitask() const { return std::get<MultitaskDetails>(details); }
  const CutDetails& cut() const { return std::get<CutDetails>(details); }

  static constexpr auto members() {  // options aside, which have a table of their own
    using R = Result;
    using detail::member;
    return std::tuple{member("version", &R::version),
                      member("status", &R::status),
                      member("message", &R::message),
                      member("method", &R::method),
                      member("route", &R::route),
                      member("why_not", &R::why_not),
                      member("f", &R::f),
                      member("bound", &R::bound),
                      member("f_x", &R::f_x),
                      member("tau", &R::tau),
                      member("certificate", &R::certificate),
                      member("pair", &R::pair),
                      member("search", &R::search),
                      member("counts", &R::counts),
                      member("seconds", &R::times),
                      member("x", &R::x),
                      member("y", &R::y),
                      member("lambda", &R::lambda),
                      member("mu", &R::mu),
                      member("trace", &R::trace),
                      member("details", &R::details),
                      member("problem", &R::problem)};
  }
};

/// A few lines for people; the counts that are not zero, and the seconds.
PENDEC_EXPORT std::string summary(const Result& result);
PENDEC_EXPORT std::string work_of(const Result& result);

/// The one JSON form of a result, the same keys from every solver. Numbers that are not finite are null. Its last
/// entry, `digest`, is a checksum of all others: an edit by accident or by hand shows. It is no protection against
/// forgery; what a result claims about a problem is checked by verify().
PENDEC_EXPORT std::string to_json(const Result& result);

/// Several results, of a path or a frontier: {"pendec_results": [...], "chosen": k}, null if none is.
PENDEC_EXPORT std::string to_json(const std::vector<Result>& results, std::optional<std::size_t> chosen = {});

}  // namespace pendec
