#include "pendec/report/global_status.hpp"

namespace pendec {

std::string_view to_string(GlobalStatus status) {
  switch (status) {
    case GlobalStatus::optimal:
      return "optimal";
    case GlobalStatus::gap_limit:
      return "gap_limit";
    case GlobalStatus::node_limit:
      return "node_limit";
    case GlobalStatus::time_limit:
      return "time_limit";
    case GlobalStatus::interrupted:
      return "interrupted";
    case GlobalStatus::uncertified:
      return "uncertified";
    case GlobalStatus::infeasible:
      return "infeasible";
    case GlobalStatus::unbounded:
      return "unbounded";
  }
  return "unknown";
}

}  // namespace pendec
