// JSON of results: structs by the members that they list. The reader is io/result_file.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "pendec/core/details.hpp"
#include "pendec/core/members.hpp"
#include "pendec/core/options.hpp"

namespace pendec {

/// In its own type; JSON has no infinity, so that it becomes "inf".
nlohmann::ordered_json option_json(const OptionText& option);

/// JSON has no infinities and no NaN: they become null.
nlohmann::ordered_json json_of(double value);
nlohmann::ordered_json json_of(const Vector& v);
nlohmann::ordered_json json_of(const Matrix& rows);  // an array of rows

template <class T>
nlohmann::ordered_json json_of(const std::optional<T>& value);
template <class T>
nlohmann::ordered_json json_of(const std::vector<T>& values);
nlohmann::ordered_json json_of(const Details& details);

template <class T>
requires(detail::Listed<T> || std::is_enum_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Index> ||
         std::is_same_v<T, bool>) nlohmann::ordered_json json_of(const T& value) {
  if constexpr (detail::Listed<T>) {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    detail::for_each_member(value,
                            [&](std::string_view name, const auto& v) { out[std::string(name)] = json_of(v); });
    return out;
  } else if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else {
    return value;
  }
}

template <class T>
nlohmann::ordered_json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : nlohmann::ordered_json();
}

template <class T>
nlohmann::ordered_json json_of(const std::vector<T>& values) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const T& value : values) out.push_back(json_of(value));
  return out;
}

inline nlohmann::ordered_json json_of(const Details& details) {
  return std::visit(
      [](const auto& known) {
        nlohmann::ordered_json out{{"type", known.type}};
        out.update(json_of(known));
        return out;
      },
      details);
}

/// The checksum of everything in the JSON of a result but its digest.
/// Other ways to write the same numbers make no difference.
std::string digest(const nlohmann::ordered_json& result);

}  // namespace pendec
