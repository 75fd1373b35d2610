// Files that a command is to write.
#pragma once

#include <initializer_list>
#include <string>

namespace pendec::cli {

/// Before the work begins: an output that cannot be written, or that would replace an input, is refused. Empty: none.
void require_output(const std::string& output, std::initializer_list<std::string> inputs);

}  // namespace pendec::cli
