// Parts of the JSON of results that its writer and its reader share.
#pragma once

#include <nlohmann/json.hpp>

#include "pendec/report/options.hpp"

namespace pendec {

/// In its own type; JSON has no infinity, so that it becomes "inf".
nlohmann::ordered_json option_json(const OptionText& option);

/// JSON has no infinities and no NaN: they become null.
nlohmann::ordered_json json_number(double value);
nlohmann::ordered_json json_array(const Vector& v);

/// The checksum of everything in the JSON of a result but its digest.
/// Other ways to write the same numbers make no difference.
std::string digest(const nlohmann::ordered_json& result);

}  // namespace pendec
