// Options as aggregates with one table of fields each: validation, reading by name, listing, the program's options
// and the keywords of Python go through the table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "pendec/core/error.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// One row of a field table.
template <class Owner, class T>
struct Field {
  std::string_view name;
  T Owner::*member;
  std::string_view text;
  double min = -infinity;
  double max = infinity;
  bool open = false;  // min itself is excluded
};

template <class Owner, class T>
constexpr Field<Owner, T> field(std::string_view name, T Owner::*member, std::string_view text,
                                double min = -infinity, double max = infinity, bool open = false) {
  return {name, member, text, min, max, open};
}

template <class T>
concept Group = requires {
  T::fields();
};

/// Calls visit(dotted name, value, field) for every option, groups unfolded.
template <class O, class Visit>
void for_each_option(O& options, const std::string& prefix, Visit&& visit) {
  std::apply(
      [&](const auto&... field) {
        const auto one = [&](const auto& f) {
          auto& value = options.*(f.member);
          const std::string name = prefix + std::string(f.name);
          if constexpr (Group<std::remove_cvref_t<decltype(value)>>) {
            for_each_option(value, name + ".", visit);
          } else {
            visit(name, value, f);
          }
        };
        (one(field), ...);
      },
      std::remove_cvref_t<O>::fields());
}

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Throws InvalidArgument unless a number is in the range of its field; not so is NaN.
template <class T, class F>
void check_range(const std::string& name, const T& value, const F& field) {
  if constexpr (is_optional<T>) {
    if (value) check_range(name, *value, field);
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    const auto v = static_cast<double>(value);
    if ((field.open ? v > field.min : v >= field.min) && v <= field.max) return;
    std::string expected = (field.open ? "> " : ">= ") + pendec::to_text(field.min);
    if (field.max < infinity) expected += " and <= " + pendec::to_text(field.max);
    if constexpr (std::is_integral_v<T>)
      throw InvalidArgument(name, pendec::to_text(static_cast<Index>(value)), expected);
    else
      throw InvalidArgument(name, pendec::to_text(value), expected);
  }
}

/// The same for all fields of a struct, which the message calls `prefix` and its name.
template <class O>
void check_ranges(const O& options, const std::string& prefix) {
  for_each_option(options, prefix,
                  [](const std::string& name, const auto& value, const auto& f) { check_range(name, value, f); });
}

}  // namespace pendec::detail
