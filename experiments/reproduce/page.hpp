// The report: one HTML page that needs nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/reproduce/outcome.hpp"

namespace pendec::experiments {

/// A summary in words, all tables, and drawings where Chart.js was there at build time; first of all, whether
/// something was interrupted.
std::string page(const nlohmann::ordered_json& header, const Outcome& outcome);

}  // namespace pendec::experiments
