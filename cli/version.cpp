#include "pendec/version.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"

namespace pendec::cli {

void add_version(CLI::App& app, Job& job) {
  app.add_subcommand("version", "Print the version")->callback([&job] {
    job.run = [] {
      fmt::print("pendec {}\n", version);
      return solved;
    };
  });
}

}  // namespace pendec::cli
