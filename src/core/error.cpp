#include "pendec/core/error.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pendec/core/printable.hpp"

namespace pendec {

InvalidArgument::InvalidArgument(std::string_view field, std::string_view value, std::string_view expected)
    : std::invalid_argument(printable(fmt::format("{} is {}; expected {}", field, value, expected))),
      field_(field),
      value_(value),
      expected_(expected) {}

std::string to_text(double value) { return fmt::format("{}", value); }
std::string to_text(Index value) { return fmt::format("{}", value); }

void require_dimension(std::string_view field, Index actual, Index expected) {
  if (actual != expected) throw InvalidArgument(field, to_text(actual), fmt::format("{}", expected));
}

void require_finite(std::string_view field, MatrixIn values) {
  for (Index j = 0; j < values.cols(); ++j)
    for (Index i = 0; i < values.rows(); ++i)
      if (!std::isfinite(values(i, j)))
        throw InvalidArgument(
            values.cols() == 1 ? fmt::format("{}[{}]", field, i) : fmt::format("{}[{}, {}]", field, i, j),
            to_text(values(i, j)), "a finite number");
}

}  // namespace pendec
