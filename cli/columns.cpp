#include "cli/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "pendec/core/error.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/io/matrix_file.hpp"
#include "pendec/io/number.hpp"

namespace pendec::cli {

CLI::Validator positive() {
  return CLI::Validator(
      [](std::string& text) {
        const auto number = io::parse_number(text);
        return number && *number > 0.0 ? std::string() : fmt::format("{} is given; expected a positive number", text);
      },
      "POSITIVE");
}

Vector vector_option(const std::string& option, const std::string& path, Index n) {
  if (path.empty()) return Vector::Zero(n);
  Vector v = io::read_vector(path);
  require_dimension(option + ", entries", v.size(), n);
  return v;
}

void require_few_columns(const std::string& file, Index columns) {
  if (columns > max_named_columns)
    throw io::FileError(
        file, fmt::format("{} columns; expected at most {}, and a line for each row", columns, max_named_columns));
}

void require_distinct(const std::string& file, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw io::FileError(file, fmt::format("two columns are named {}; expected distinct names", *twice));
}

Index index_of(const std::string& option, const std::string& text, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return found - names.begin();
  Index position = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error == std::errc() && end == text.data() + text.size() && position >= 0 &&
      position < static_cast<Index>(names.size()))
    return position;
  const std::vector<std::string> some(names.begin(),
                                      names.begin() + static_cast<Index>(std::min<std::size_t>(names.size(), 10)));
  throw InvalidArgument(option, text,
                        fmt::format("a name ({}{}) or a position from 0 to {}", fmt::join(some, ", "),
                                    some.size() < names.size() ? ", ..." : "", names.size() - 1));
}

std::vector<Index> Forced::indices_of(const std::string& option, const std::vector<std::string>& texts,
                                      const std::vector<std::string>& names) {
  std::vector<Index> out;
  for (const std::string& text : texts) out.push_back(index_of(option, text, names));
  return out;
}

void Forced::declare(const SolverCommand& command, const std::string& in_text, const std::string& out_text) {
  command->add_option("--forced-in", in, in_text)->delimiter(',')->allow_extra_args(false);
  command->add_option("--forced-out", out, out_text)->delimiter(',')->allow_extra_args(false);
}

std::vector<std::string> completed_names(const std::string& file, std::vector<std::string> names, Index count,
                                         const std::string& format) {
  for (Index j = std::ssize(names); j < count; ++j) names.push_back(fmt::format(fmt::runtime(format), j));
  require_distinct(file, names);
  return names;
}

}  // namespace pendec::cli
