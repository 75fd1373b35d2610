// What a solve hands back.
#pragma once

#include <string>
#include <vector>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/report/options.hpp"
#include "pendec/report/status.hpp"

namespace pendec {

/// How often each part of the problem was called, and the iterations.
struct PENDEC_EXPORT Counts {
  Index f = 0;          // values, with or without gradient
  Index gradient = 0;   // ∇f
  Index G = 0;          // G(x)
  Index adjoint = 0;    // G'(x)* w
  Index project_C = 0;  // P_C
  Index project_D = 0;  // Π_D
  Index outer = 0;      // outer iterations (k)
  Index inner = 0;      // inner iterations (ℓ), one projection onto D each for PD
  Index x_steps = 0;    // steps of the x-update
  Index fallbacks = 0;  // directions that broke the bounded-eigenvalue condition and became −∇q
  Counts& operator+=(const Counts& other);
};

/// Wall-clock seconds.
struct Times {
  double total = 0.0;
  double project_D = 0.0;
  double polish = 0.0;
};

/// What a search among the branches of D did; see search/local_search.hpp.
struct BranchSearch {
  std::string branch;             // the one y lies on, for people
  Index solved = 0;               // branches solved
  Index neighbours = 0;           // branches one exchange away from that of y
  bool exchange_optimal = false;  // there are some, all were solved, and none gives a better point
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
};

struct PENDEC_EXPORT Result {
  Status status = Status::stalled;
  std::string message;       // one sentence for people: why it ended, what was picked
  std::string method;        // what ran: "pdlm", "alm + polish"
  Vector x;                  // the x-block; equal to y after a polish
  Vector y;                  // the point in D: the solution
  Vector lambda;             // multiplier of G(x) ∈ C
  Vector mu;                 // multiplier of x = y; −∇f − G'*lambda where x and y are the same point
  double f = 0.0;            // f(y)
  double f_x = 0.0;          // f(x)
  double tau = 0.0;          // last penalty parameter of the run that led to y
  Certificate certificate;   // at y
  PairCertificate pair;      // at (x, y) with lambda and mu; lambda of the certificate where the result has none
  BranchSearch search;       // with driver.branch_search
  double bound = -infinity;  // proven lower bound of the optimal value; −∞: none was sought or found
  Counts counts;
  Times times;
  std::vector<Progress> trace;
  Options options;      // as used
  std::string version;  // of the library

  bool success() const { return succeeded(status); }
};

/// A few lines for people.
PENDEC_EXPORT std::string summary(const Result& result);

/// The one JSON form of a result. Its last entry, `digest`, is a checksum of all others: an edit by accident or by
/// hand shows. It is no protection against forgery; what a result claims about a problem is checked by verify().
PENDEC_EXPORT std::string to_json(const Result& result);

}  // namespace pendec
