// The Python reference of the paper's experiments beside this program, on the same instances in one run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pendec::cli {

struct RivalArguments {
  std::string program;             // the reference program
  std::string python = "python3";  // with numpy and scipy
  std::string data;                // folder with the authors' instances; empty: only what needs none
};

/// Runs both, paper mode here, prints CPU seconds side by side unless `quiet`, and returns the rows. Throws
/// InvalidArgument if the reference cannot be run.
nlohmann::ordered_json run_rival(const RivalArguments& arguments, bool quiet);

}  // namespace pendec::cli
