// Parts of the JSON of results that its writer and its reader share.
#pragma once

#include <nlohmann/json.hpp>

#include "pendec/report/options.hpp"

namespace pendec {

/// In its own type; JSON has no infinity, so that it becomes "inf".
nlohmann::ordered_json option_json(const OptionText& option);

/// The checksum of everything in the JSON of a result but its digest.
std::string digest(const nlohmann::ordered_json& result);

}  // namespace pendec
