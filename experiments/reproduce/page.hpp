// The report: one HTML page that needs nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/reproduce/row.hpp"

namespace pendec::experiments {

/// A summary in words, all tables, and drawings where Chart.js was there at build time. `left_out` are sentences.
std::string page(const nlohmann::ordered_json& header, const std::vector<Row>& rows,
                 const std::vector<std::string>& left_out);

}  // namespace pendec::experiments
