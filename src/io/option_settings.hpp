// Options by name, to and from JSON: {"method": "pdlm", "penalty": {"tau0": 1}} or {"penalty.tau0": 1}.
#pragma once

#include <vector>

#include "../core/json.hpp"
#include "node.hpp"
#include "pendec/io/problem_file.hpp"

namespace pendec::io {

/// Refuses unknown names and values of another type or out of range.
std::vector<Setting> read_settings(const Node& node);

Json settings_json(const std::vector<Setting>& settings);

}  // namespace pendec::io
