// The command line program.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "cli/ampl.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/report.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/version.hpp"

namespace {

/// Usage errors are bad input; help is not.
int exit_code(CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? pendec::cli::solved : pendec::cli::bad_input;
}

/// Output that could not be written (a full disk, a closed pipe) must not look like success.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "pendec: standard output: {}\n", std::strerror(errno));
  return pendec::cli::bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  pendec::cli::handle_signals();
  CLI::App app{"Optimization with geometric constraints: min f(x) s.t. G(x) in C, x in D", "pendec"};
  app.set_version_flag("--version", pendec::version);
  app.require_subcommand(1);
  pendec::cli::Job job;
  pendec::cli::add_solvers(app, job);
  pendec::cli::add_verify(app, job);
  pendec::cli::add_generate(app, job);
  pendec::cli::add_list(app, job);
  pendec::cli::add_bench(app, job);
  pendec::cli::add_reproduce(app, job);
  pendec::cli::add_demo(app, job);
  pendec::cli::add_version(app, job);
  pendec::cli::add_completion(app, job);
  try {
    const bool is_command =
        argc > 1 && !app.get_subcommands([&](const CLI::App* c) { return c->check_name(argv[1]); }).empty();
    if (const std::vector<std::string> arguments(argv + 1, argv + argc);
        pendec::cli::is_ampl_call(arguments, is_command))
      return flushed(pendec::cli::run_ampl(arguments));
    if (argc > 1 && argv[1][0] != '-' && !is_command)
      throw pendec::InvalidArgument("the command", argv[1], "one of those that pendec --help lists");
    app.parse(argc, argv);
    return flushed(job.run());
  } catch (const CLI::ParseError& error) {
    return flushed(exit_code(app, error));
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "pendec: out of memory: the problem is too large for this machine\n");
    return pendec::cli::bad_input;
  } catch (const pendec::InvalidArgument& error) {
    pendec::cli::show(stderr, "pendec: {}\n", pendec::cli::in_words_of_the_command_line(error));
    return pendec::cli::bad_input;
  } catch (const std::exception& error) {
    pendec::cli::show(stderr, "pendec: {}\n", error.what());
    return pendec::cli::bad_input;
  }
}
