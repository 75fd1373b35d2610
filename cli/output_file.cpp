#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"

namespace pendec::cli {
namespace {

namespace fs = std::filesystem;

/// One file, under whatever names, also if it is yet to be made. What is no regular file has nothing to lose.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  if (fs::exists(a, none)) return fs::is_regular_file(a, none) && fs::equivalent(a, b, none);
  return !fs::exists(b, none) && fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
}

}  // namespace

void require_outputs(std::initializer_list<Output> outputs, std::initializer_list<std::string> inputs) {
  for (const Output* output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->path.empty()) continue;
    io::require_writable(output->path);
    for (const std::string& input : inputs)
      if (!input.empty() && same_file(input, output->path))
        throw InvalidArgument(output->option, output->path, "another file than the input");
    for (const Output* other = outputs.begin(); other != output; ++other)
      if (!other->path.empty() && same_file(other->path, output->path))
        throw InvalidArgument(output->option, output->path, fmt::format("another file than {}", other->option));
  }
}

void require_output(const std::string& output, std::initializer_list<std::string> inputs) {
  require_outputs({{"--output", output}}, inputs);
}

}  // namespace pendec::cli
