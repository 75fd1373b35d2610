// One option as a JSON value.
#pragma once

#include <nlohmann/json.hpp>

#include "pendec/report/options.hpp"

namespace pendec {

/// In its own type; JSON has no infinity, so that it becomes "inf".
nlohmann::ordered_json option_json(const OptionText& option);

}  // namespace pendec
