// The command line program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "cli/demo.hpp"
#include "pendec/version.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Optimization with geometric constraints: min f(x) s.t. G(x) in C, x in D", "pendec"};
  app.set_version_flag("--version", pendec::version);
  app.require_subcommand(1);
  auto* demo = app.add_subcommand("demo", "Solve one problem of each class with PD, PDLM and ALM");
  bool json = false;
  demo->add_flag("--json", json, "One JSON object per run instead of the table");
  auto* version = app.add_subcommand("version", "Print the version");
  CLI11_PARSE(app, argc, argv);
  try {
    if (*version) fmt::print("pendec {}\n", pendec::version);
    if (*demo) return pendec::cli::demo(json);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "pendec: {}\n", e.what());
    return 1;
  }
}
