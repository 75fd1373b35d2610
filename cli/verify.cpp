// pendec verify [FILE] RESULT: recomputes what a result claims about its points.
#include "pendec/solvers/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/result_file.hpp"

namespace pendec::cli {
namespace {

struct VerifyArguments {
  std::vector<std::string> files;  // [FILE] RESULT
  bool confine = true, json = false, quiet = false;
};

constexpr const char* not_recomputed =
    "proofs of bounds and of `infeasible`, which are taken on trust (but for parts of unions, whose least bound is "
    "taken "
    "again), and how the point was found: message, method, search, counts, seconds, tau, trace, options";

void print_claims(const std::vector<Claim>& claims) {
  for (const Claim& c : claims)
    if (!c.holds)
      show("FALSE  {} is {}; found {}\n", c.name, c.claimed, c.found);
    else
      show("true   {} is {}\n", c.name, c.claimed);
}

void print_verdict_json(const std::vector<Claim>& claims, bool holds) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Claim& c : claims)
    rows.push_back({{"claim", c.name}, {"claimed", c.claimed}, {"found", c.found}, {"holds", c.holds}});
  fmt::print("{}\n",
             nlohmann::ordered_json{{"holds", holds}, {"claims", rows}, {"not_recomputed", not_recomputed}}.dump(2));
}

/// A file that an argument "--name=path" names, or "path": as the command was given it, or beside the result.
void look_beside(const std::filesystem::path& folder, std::string& argument) {
  const std::size_t begin = argument.find('=') + 1;
  const std::filesystem::path path = argument.substr(begin);
  std::error_code none;
  if (!path.empty() && path.is_relative() && !exists(path, none) && exists(folder / path, none))
    argument.replace(begin, std::string::npos, (folder / path).string());
}

/// A result names what it was computed from; one that comes from others is not to open any file.
void require_inside(const std::filesystem::path& folder, const std::string& argument) {
  const std::filesystem::path path = argument.substr(argument.find('=') + 1);
  if (!io::lies_below(".", path) && !io::lies_below(folder, path))
    throw InvalidArgument("the result: problem", argument,
                          "files in this folder, in that of the result or below; FILE before RESULT names another "
                          "one, --no-confine allows it");
}

/// What the command that the result is of says about it, with the same arguments.
std::vector<Claim> claims_of(const VerifyArguments& a, const Result& result) {
  ProblemRecord record = result.problem;
  const bool given = a.files.size() > 1;
  if (given) record.file = a.files.front();
  if (record.command.empty()) {                 // of the library: any problem file
    const bool of_solve = result.x.size() > 0;  // ready functions have none
    if (!given || !of_solve)
      throw InvalidArgument("the result: problem.command", "missing",
                            of_solve
                                ? "the problem file as FILE before RESULT"
                                : "one that the program wrote with -o: results of ready functions do not say what "
                                  "they were computed from; verify() of the library takes their data");
    record.command = "solve";
  }
  const std::filesystem::path folder = std::filesystem::path(a.files.back()).parent_path();
  if (!given) look_beside(folder, record.file);
  for (std::string& argument : record.arguments) look_beside(folder, argument);
  if (a.confine && !given) require_inside(folder, record.file);
  if (a.confine)
    for (const std::string& argument : record.arguments) require_inside(folder, argument);
  Job job;
  CLI::App app;
  add_solvers(app, job);
  std::vector<std::string> arguments{record.command};
  if (!record.file.empty()) arguments.push_back(record.file);
  arguments.insert(arguments.end(), record.arguments.begin(), record.arguments.end());
  arguments.emplace_back("--quiet");
  if (record.command == "solve" || record.command == "disjunctive")
    arguments.emplace_back(a.confine ? "--confine" : "--no-confine");
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    throw InvalidArgument("the result: problem", error.what(),
                          "a command with its arguments, as the program writes them, or FILE before RESULT");
  }
  try {
    return job.verify(result);
  } catch (const std::bad_variant_access&) {
    throw InvalidArgument("the result: details", result.route, fmt::format("those of `pendec {}`", record.command));
  }
}

int verify_files(const VerifyArguments& a) {
  std::vector<Claim> claims;
  const std::vector<io::ResultFile> results = io::read_results(a.files.back());
  for (std::size_t k = 0; k < results.size(); ++k) {
    const io::ResultFile& claimed = results[k];
    std::vector<Claim> some = claims_of(a, claimed.result);
    some.push_back({"digest", claimed.digest, "another one: the file was edited after it was written",
                    claimed.digest == claimed.expected_digest});
    for (Claim& c : some) {
      if (results.size() > 1) c.name = fmt::format("[{}] {}", k, c.name);
      claims.push_back(std::move(c));
    }
  }
  const auto broken = std::count_if(claims.begin(), claims.end(), [](const Claim& c) { return !c.holds; });
  if (a.json) {
    print_verdict_json(claims, broken == 0);
  } else if (!a.quiet) {
    print_claims(claims);
    show("\n{}: {} of {} claims hold\nnot recomputed: {}\n", broken == 0 ? "verified" : "NOT verified",
         static_cast<std::ptrdiff_t>(claims.size()) - broken, claims.size(), not_recomputed);
  }
  return broken == 0 ? solved : not_solved;
}

}  // namespace

void add_verify(CLI::App& app, Job& job) {
  const auto a = std::make_shared<VerifyArguments>();
  auto* command = app.add_subcommand("verify", "Recompute what a result claims about its points");
  command
      ->add_option("FILES", a->files,
                   "[FILE] RESULT: what --output of a command wrote, and before it the problem file or table, unless "
                   "the one that the result names is there")
      ->required()
      ->expected(1, 2);
  add_confine(*command, a->confine);
  auto* json = command->add_flag("--json", a->json, "Print one JSON object instead of the table");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing; the exit code tells")->excludes(json);
  command->callback([&job, a] { job.run = [a] { return verify_files(*a); }; });
}

}  // namespace pendec::cli
