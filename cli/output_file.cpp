#include "cli/output_file.hpp"

#include <filesystem>
#include <system_error>

#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"

namespace pendec::cli {

void require_output(const std::string& output, std::initializer_list<std::string> inputs) {
  if (output.empty()) return;
  io::require_writable(output);
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!input.empty() && std::filesystem::is_regular_file(output, none) &&
        std::filesystem::equivalent(input, output, none))
      throw InvalidArgument("output", output, "another file than the input");
  }
}

}  // namespace pendec::cli
