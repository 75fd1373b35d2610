// A command of the program: a subcommand that, when chosen, says what to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace pendec::cli {

// Exit codes, documented in docs/command-line.md.
inline constexpr int solved = 0;
inline constexpr int bad_input = 1;
inline constexpr int not_solved = 2;
inline constexpr int interrupted = 130;

/// --confine and --no-confine: whether the data files that a problem file names must lie in its folder or below.
void add_confine(CLI::App& command, bool& confine);

/// What the command line asks for; returns the exit code.
using Run = std::function<int()>;

void add_solve(CLI::App& app, Run& run);
void add_sparse(CLI::App& app, Run& run);
void add_portfolio(CLI::App& app, Run& run);
void add_disjunctive(CLI::App& app, Run& run);
void add_verify(CLI::App& app, Run& run);
void add_generate(CLI::App& app, Run& run);
void add_list(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_correlation(CLI::App& app, Run& run);
void add_multitask(CLI::App& app, Run& run);
void add_complete(CLI::App& app, Run& run);
void add_maxcut(CLI::App& app, Run& run);
void add_reproduce(CLI::App& app, Run& run);
void add_demo(CLI::App& app, Run& run);
void add_version(CLI::App& app, Run& run);
void add_completion(CLI::App& app, Run& run);

}  // namespace pendec::cli
