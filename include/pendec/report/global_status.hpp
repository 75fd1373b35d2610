// How a solve with a lower bound ended.
#pragma once

#include <string_view>

#include "pendec/export.hpp"

namespace pendec {

/// In every case the lower bound handed back is valid, and the point, if there is one, is feasible.
enum class GlobalStatus {
  optimal,      // the gap is closed: no feasible point is better, up to the tolerance
  gap_limit,    // the gap asked for, wider than that, was reached
  node_limit,   // stopped by a limit with the gap open …
  time_limit,   // …
  interrupted,  // … or by the observer or the stop token
  uncertified,  // the search ended, but rounding or missing bounds on the variables leave the gap open
  infeasible,   // no point satisfies the constraints; the message says which
  unbounded     // f falls without limit on a support that was found, up to rounding in the data
};

PENDEC_EXPORT std::string_view to_string(GlobalStatus status);

}  // namespace pendec
