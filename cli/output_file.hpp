// Files that a command is to write.
#pragma once

#include <initializer_list>
#include <string>

namespace pendec::cli {

/// A file asked for by an option; an empty path asks for none.
struct Output {
  std::string option, path;
};

/// Before the work begins: an output that cannot be written, or that would replace an input or another output, is
/// refused. Empty inputs are none.
void require_outputs(std::initializer_list<Output> outputs, std::initializer_list<std::string> inputs);

/// The same for the only output of a command, --output.
void require_output(const std::string& output, std::initializer_list<std::string> inputs);

}  // namespace pendec::cli
