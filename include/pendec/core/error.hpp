// Misuse is reported before iteration 0, by an exception that names the field, its value and what was expected.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

class PENDEC_EXPORT InvalidArgument : public std::invalid_argument {
 public:
  InvalidArgument(std::string_view field, std::string_view value, std::string_view expected);

  const std::string& field() const noexcept { return field_; }
  const std::string& value() const noexcept { return value_; }
  const std::string& expected() const noexcept { return expected_; }

 private:
  std::string field_, value_, expected_;
};

/// Shortest decimal that reads back as the same double.
PENDEC_EXPORT std::string to_text(double value);
PENDEC_EXPORT std::string to_text(Index value);
inline std::string to_text(std::string_view value) { return std::string(value); }

/// Throws InvalidArgument unless `ok`: "Sparse.s is 12; expected 0 <= s <= n = 10".
template <class T>
void require(bool ok, std::string_view field, const T& value, std::string_view expected) {
  if (!ok) throw InvalidArgument(field, to_text(value), expected);
}

/// Both dimensions must agree.
PENDEC_EXPORT void require_dimension(std::string_view field, Index actual, Index expected);

/// Every entry of a vector or matrix must be finite; the message names the first that is not.
PENDEC_EXPORT void require_finite(std::string_view field, MatrixIn values);

}  // namespace pendec
