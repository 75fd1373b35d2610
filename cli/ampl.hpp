// The customs of AMPL's solvers: pendec model.nl -AMPL key=value …
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pendec/core/options.hpp"

namespace pendec::cli {

/// Is the program called as a modelling language calls it: with an .nl file, or its name without .nl, with -AMPL, or
/// with one of the flags -v, -=, -?, -!, -s, -e, -o…, -- first? Where the first is a command, only -AMPL tells.
bool is_ampl_call(const std::vector<std::string>& arguments, bool is_command);

/// Returns the exit code: 0 whenever a .sol was written.
int run_ampl(const std::vector<std::string>& arguments);

/// "key=value", "key value", "version" and "timing" alone, with quotes around values, in either place that options
/// come from.
std::vector<std::pair<std::string, std::string>> ampl_settings(const std::vector<std::string>& words);
std::vector<std::string> ampl_words(std::string_view text);

/// Of two words: how many letters have to be put in, left out or replaced.
std::size_t letters_apart(std::string_view a, std::string_view b);

}  // namespace pendec::cli
