// Enumerations whose values have names: one table each, for messages, files, the program and Python alike.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

/// Specialised beside the enumeration: `values`, an array of pairs (value, name).
template <class E>
struct Names;

template <class E>
concept Named = requires {
  Names<E>::values;
};

template <Named E>
constexpr std::string_view to_string(E value) {
  for (const auto& [known, name] : Names<E>::values)
    if (known == value) return name;
  return "unknown";
}

/// The value of this name; throws InvalidArgument, which lists all of them.
template <Named E>
E by_name(std::string_view field, std::string_view text) {
  std::string all;
  for (const auto& [value, name] : Names<E>::values) {
    if (name == text) return value;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw InvalidArgument(field, text, "one of " + all);
}

}  // namespace pendec
