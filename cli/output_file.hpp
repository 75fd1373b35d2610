// Files that a command is to write.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pendec::cli {

/// An option that names a file to write. Left out it asks for none, and `path` stays empty; an empty name is refused.
CLI::Option* add_output(CLI::App& command, const std::string& names, std::string& path, const std::string& text);

/// A file asked for by an option; an empty path asks for none.
struct Output {
  std::string option, path;
};

/// Before the work begins: an output that cannot be written, or that would replace an input or another output, is
/// refused. Empty inputs are none.
void require_outputs(const std::vector<Output>& outputs, const std::vector<std::filesystem::path>& inputs);

/// Is it a pipe, or another thing that takes what is written when it likes?
bool may_wait(const std::string& path);

/// Writes a file as a whole or not at all. Signals end the program while it waits for the reader of a pipe.
void write_output(const std::string& path, std::string_view text);

}  // namespace pendec::cli
