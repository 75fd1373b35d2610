// One run of one algorithm on one instance of the paper's experiments, beside what the paper prints.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "pendec/core/result.hpp"
#include "pendec/core/types.hpp"

namespace pendec::experiments {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// What a table of the paper prints for a run; NaN and −1: nothing.
struct Printed {
  double f = unknown;
  double seconds = unknown;  // on an Intel Xeon E5-2430 v2, in Python
  Index iterations = -1;     // inner ones
};

inline constexpr std::string_view paper_mode = "paper", default_mode = "default";

struct Row {
  std::string experiment = {};  // table-6.1 … figure-6.3
  std::string instance = {};    // the authors' name where there is one
  std::string algorithm = {};   // the paper's name, or ours
  std::string mode = {};        // paper_mode: its settings; default_mode: ours
  Printed paper = {};
  bool same_instance = true;  // false: the paper's figure belongs to another draw of the same kind

  double f = unknown;              // at the point in D
  double infeasibility = unknown;  // dist_C(G(y)), absolute
  double explained = unknown;  // |⟨λ, G(y) − P_C(G(y))⟩|: what the infeasibility is worth in f, to first order
  double stationarity = unknown;  // relative residual of the certificate
  double lower_bound = unknown;   // proved, for the instance
  double gap = unknown;           // (f − certified optimum)/|certified optimum|; infeasible points may be below it
  std::string status = {};
  Index outer = 0, inner = 0, projections = 0;
  double seconds = 0.0, cpu_seconds = 0.0;
  double projection_seconds = 0.0;  // part of `seconds`

  std::vector<Index> ends = {}, paper_ends = {};  // Table 6.2: runs that end at −41.33, −39, −36.33, elsewhere
  std::vector<Progress> trace = {};               // thinned; empty where the run has none

  /// Two rows with the same key are the same run.
  std::string key() const { return experiment + '/' + instance + '/' + algorithm + '/' + mode; }
};

}  // namespace pendec::experiments
