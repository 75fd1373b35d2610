// A command of the program: a subcommand that, when chosen, says what to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "pendec/solvers/verify.hpp"

namespace pendec::cli {

// Exit codes, documented in docs/command-line.md.
inline constexpr int solved = 0;
inline constexpr int bad_input = 1;
inline constexpr int not_solved = 2;
inline constexpr int interrupted = 130;

/// --confine and --no-confine: whether the data files that a problem file names must lie in its folder or below.
void add_confine(CLI::App& command, bool& confine);

/// What the command line asks for.
struct Job {
  std::function<int()> run;                                 // returns the exit code
  std::function<std::vector<Claim>(const Result&)> verify;  // of a result of the same arguments; for those that solve
};

void add_solve(CLI::App& app, Job& job);
void add_sparse(CLI::App& app, Job& job);
void add_portfolio(CLI::App& app, Job& job);
void add_disjunctive(CLI::App& app, Job& job);
void add_correlation(CLI::App& app, Job& job);
void add_multitask(CLI::App& app, Job& job);
void add_complete(CLI::App& app, Job& job);
void add_maxcut(CLI::App& app, Job& job);
void add_solvers(CLI::App& app, Job& job);  // all of these

void add_verify(CLI::App& app, Job& job);
void add_generate(CLI::App& app, Job& job);
void add_list(CLI::App& app, Job& job);
void add_bench(CLI::App& app, Job& job);
void add_reproduce(CLI::App& app, Job& job);
void add_demo(CLI::App& app, Job& job);
void add_version(CLI::App& app, Job& job);
void add_completion(CLI::App& app, Job& job);

}  // namespace pendec::cli
