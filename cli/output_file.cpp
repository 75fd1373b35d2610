#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/interrupt.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"

namespace pendec::cli {
namespace {

namespace fs = std::filesystem;

/// Where a path leads that is yet to be made: links are followed when it is written.
fs::path place(fs::path path) {
  std::error_code none;
  constexpr int most_links = 40;
  for (int k = 0; k < most_links && fs::is_symlink(fs::symlink_status(path, none)); ++k)
    path = path.parent_path() / fs::read_symlink(path, none);
  return fs::weakly_canonical(fs::absolute(path, none), none);
}

/// One file, under whatever names, also if it is yet to be made. What is no regular file has nothing to lose.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code none;
  if (fs::exists(a, none)) return fs::is_regular_file(a, none) && fs::equivalent(a, b, none);
  return !fs::exists(b, none) && place(a) == place(b);
}

}  // namespace

CLI::Option* add_output(CLI::App& command, const std::string& names, std::string& path, const std::string& text) {
  return command.add_option(names, path, text)
      ->check(CLI::Validator(
          [](std::string& given) {
            return given.empty() ? std::string("is empty; expected the name of a file") : std::string();
          },
          ""));
}

void require_outputs(const std::vector<Output>& outputs, const std::vector<fs::path>& inputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const auto& [option, path] = outputs[k];
    if (path.empty()) continue;
    io::require_writable(path);
    for (const fs::path& input : inputs)
      if (!input.empty() && same_file(input, path))
        throw InvalidArgument(option, path, fmt::format("another file than the input {}", input.string()));
    for (std::size_t other = 0; other < k; ++other)
      if (!outputs[other].path.empty() && same_file(outputs[other].path, path))
        throw InvalidArgument(option, path, fmt::format("another file than {}", outputs[other].option));
  }
}

bool may_wait(const std::string& path) {
  std::error_code none;
  return fs::exists(path, none) && !fs::is_regular_file(path, none);
}

void write_output(const std::string& path, std::string_view text) {
  const Impatience impatience(may_wait(path));
  io::write_atomically(path, text);
}

}  // namespace pendec::cli
