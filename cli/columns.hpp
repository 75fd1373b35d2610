// Tables whose columns have names, and options that speak of them.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/solver_command.hpp"
#include "pendec/core/types.hpp"

namespace pendec::cli {

/// A check of options, with a message for people.
CLI::Validator positive();

/// Some of the columns, by name or position: --forced-in and --forced-out.
struct Forced {
  std::vector<std::string> in, out;

  void declare(const SolverCommand& command, const std::string& in_text, const std::string& out_text);

  /// Into the problem or the options that have such lists.
  template <class O>
  void apply(const std::vector<std::string>& names, O& to) const {
    to.forced_in = indices_of("--forced-in", in, names);
    to.forced_out = indices_of("--forced-out", out, names);
  }

 private:
  static std::vector<Index> indices_of(const std::string& option, const std::vector<std::string>& texts,
                                       const std::vector<std::string>& names);
};

/// "AAPL" or a position from 0, one of `names`; throws InvalidArgument that lists what there is.
Index index_of(const std::string& option, const std::string& text, const std::vector<std::string>& names);

/// The vector in a file, or zeros where none is named; `option` is blamed for a wrong length.
Vector vector_option(const std::string& option, const std::string& path, Index n);

/// Beyond that a table is more likely to have lost its line breaks.
inline constexpr Index max_named_columns = 1'000'000;

/// Throws FileError if a table has more columns than can be named and compared.
void require_few_columns(const std::string& file, Index columns);

/// Columns are spoken of by name: throws FileError if two have the same.
void require_distinct(const std::string& file, std::vector<std::string> names);

/// Names as far as there are some, positions in this format for the others; throws FileError if two are the same.
std::vector<std::string> completed_names(const std::string& file, std::vector<std::string> names, Index count,
                                         const std::string& format);

}  // namespace pendec::cli
