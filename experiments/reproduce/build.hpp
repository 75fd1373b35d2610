// What CMake knows when it makes the build: where the program comes from, and the files that the report is made of.
#pragma once

#include <string_view>

namespace pendec::experiments {

extern const std::string_view build_commit, build_compiler;

extern const std::string_view page_template, page_style, page_script;
/// Chart.js, from the package of the distribution; empty where it was not installed.
extern const std::string_view chart_library;

}  // namespace pendec::experiments
