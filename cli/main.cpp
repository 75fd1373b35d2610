// The command line program.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/version.hpp"

namespace {

/// Usage errors are bad input; help is not.
int exit_code(CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? pendec::cli::solved : pendec::cli::bad_input;
}

/// The library's names of what the user gave by options.
std::string in_words_of_the_command_line(const pendec::InvalidArgument& error) {
  static constexpr std::pair<std::string_view, std::string_view> options[] = {
      {"PortfolioOptions.s", "--assets"},
      {"PortfolioOptions.least", "--min-weight"},
      {"PortfolioOptions.most", "--max-weight"},
      {"PortfolioOptions.nu", "--nu"},
      {"PortfolioOptions.target", "--min-return"},
      {"SparseQpOptions.gap", "--gap"},
      {"SparseQpOptions.seconds", "--time-limit"},
      {"SparseRegressionOptions.folds", "--folds"},
      {"SparseRegressionOptions.gap", "--gap"},
      {"SparseRegressionOptions.seconds", "--time-limit"},
      {"DisjunctiveOptions.gap", "--gap"},
      {"CompletionProblem.gamma", "--ridge"},
      {"CompletionProblem.kappa", "--rank"},
      {"CompletionOptions.seconds", "--time-limit"},
      {"MultitaskProblem.eta", "--eta"},
      {"MultitaskProblem.kappa", "--kappa"},
      {"MultitaskOptions.algorithm", "--algorithm"},
      {"MultitaskOptions.random_starts", "--starts"},
      {"MultitaskOptions.seconds", "--time-limit"},
      {"MaxCutOptions.rank", "--rank"},
      {"MaxCutOptions.roundings", "--roundings"},
      {"MaxCutOptions.seconds", "--time-limit"},
      {"LinearModel.ridge", "--ridge"},
      {"LinearModel.b", "--target, row "},
      {"SparseQp.s", "--size"},
      {"SparseQp.forced_in", "--forced-in"},
      {"SparseQp.forced_out", "--forced-out"},
      {"SparseQp.constraints.lower", "--lower"},
      {"SparseQp.constraints.upper", "--upper"},
      {"SparseQp.Q", "the matrix"},
  };
  for (const auto& [field, option] : options)
    if (error.field() == field || error.field().starts_with(fmt::format("{}[", field)))
      return fmt::format("{}{} is {}; expected {}", option, error.field().substr(field.size()), error.value(),
                         error.expected());
  return error.what();
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
  pendec::cli::Run run;
  pendec::cli::add_solve(app, run);
  pendec::cli::add_sparse(app, run);
  pendec::cli::add_portfolio(app, run);
  pendec::cli::add_disjunctive(app, run);
  pendec::cli::add_verify(app, run);
  pendec::cli::add_generate(app, run);
  pendec::cli::add_list(app, run);
  pendec::cli::add_bench(app, run);
  pendec::cli::add_correlation(app, run);
  pendec::cli::add_multitask(app, run);
  pendec::cli::add_complete(app, run);
  pendec::cli::add_maxcut(app, run);
  pendec::cli::add_reproduce(app, run);
  pendec::cli::add_demo(app, run);
  pendec::cli::add_version(app, run);
  pendec::cli::add_completion(app, run);
  try {
    if (argc > 1 && argv[1][0] != '-' &&
        app.get_subcommands([&](const CLI::App* c) { return c->check_name(argv[1]); }).empty())
      throw pendec::InvalidArgument("the command", argv[1], "one of those that pendec --help lists");
    app.parse(argc, argv);
    return flushed(run());
  } catch (const CLI::ParseError& error) {
    return flushed(exit_code(app, error));
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "pendec: out of memory: the problem is too large for this machine\n");
    return pendec::cli::bad_input;
  } catch (const pendec::InvalidArgument& error) {
    pendec::cli::show(stderr, "pendec: {}\n", in_words_of_the_command_line(error));
    return pendec::cli::bad_input;
  } catch (const std::exception& error) {
    pendec::cli::show(stderr, "pendec: {}\n", error.what());
    return pendec::cli::bad_input;
  }
}
