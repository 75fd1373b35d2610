// Options of a command from the tables of options that the library has.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/fields.hpp"

namespace pendec::cli {

/// How an option is typed: "--min-weight", "-s".
std::string typed(std::string_view field);

/// A field under another name too, or left out: what the command sets by itself.
struct Spelling {
  std::string_view field;
  std::string also;  // ",--time-limit"; empty: not offered
};

/// One option for each field, with the text of its table and its default.
template <class O>
std::vector<CLI::Option*> add_fields(CLI::App& command, O& options, const std::vector<Spelling>& spellings = {}) {
  std::vector<CLI::Option*> added;
  detail::for_each_option(options, "", [&](const std::string& name, auto& value, const auto& field) {
    std::string names = typed(name);
    for (const Spelling& s : spellings) {
      if (s.field != name) continue;
      if (s.also.empty()) return;
      names += s.also;
    }
    using T = std::remove_cvref_t<decltype(value)>;
    std::string text(field.text);
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    if constexpr (std::is_same_v<T, bool>) {
      if (value) names += ",!--no-" + typed(name).substr(2);
      added.push_back(command.add_flag(names, value, text));
    } else {
      if constexpr (std::is_arithmetic_v<T>)
        if (value < std::numeric_limits<T>::max()) text += fmt::format(" ({})", value);
      added.push_back(command.add_option(names, value, text));
    }
  });
  return added;
}

}  // namespace pendec::cli
