// Printing for people: what comes from files is shown, never obeyed by the terminal.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "pendec/core/printable.hpp"

namespace pendec::cli {

template <class T>
inline constexpr bool is_text = std::is_convertible_v<const T&, std::string_view>;

template <class T>
using Shown = std::conditional_t<is_text<T>, std::string, T>;

template <class T>
decltype(auto) made_printable(const T& value) {
  if constexpr (is_text<T>)
    return printable(value);
  else
    return (value);
}

/// As fmt::print, with every text among the values made printable. Ranges of texts are to be joined first.
template <class... T>
void show(std::FILE* to, fmt::format_string<Shown<T>...> format, const T&... values) {
  const auto print = [&](const Shown<T>&... made) { fmt::vprint(to, format, fmt::make_format_args(made...)); };
  print(made_printable(values)...);
}

template <class... T>
void show(fmt::format_string<Shown<T>...> format, const T&... values) {
  show<T...>(stdout, format, values...);
}

}  // namespace pendec::cli
