// pendec verify FILE RESULT: recomputes what a result claims about its points.
#include "pendec/solvers/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/show.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/io/result_file.hpp"

namespace pendec::cli {
namespace {

struct VerifyArguments {
  std::string problem, result;
  bool confine = true, json = false, quiet = false;
};

constexpr const char* not_recomputed =
    "proofs of bounds and of `infeasible` (but for parts of unions, whose least bound is taken again), and how the "
    "point was found: message, method, search, counts, seconds, tau, trace, options";

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

std::vector<Claim> claims_of(const io::ProblemFile& file, const io::ResultFile& claimed) {
  if (file.pairs && claimed.pairs)
    return verify(*file.pairs, file.start.head(file.pairs->dimension()), *claimed.pairs);
  if (claimed.disjunctive) return verify(file.problem, file.start, *claimed.disjunctive);
  return verify(file.problem, file.start, claimed.result);
}

int verify_files(const VerifyArguments& a) {
  const io::ProblemFile file = io::read_problem(a.problem, a.confine);
  const io::ResultFile claimed = io::read_result(a.result);
  std::vector<Claim> claims = claims_of(file, claimed);
  claims.push_back({"digest", claimed.digest, "another one: the file was edited after it was written",
                    claimed.digest == claimed.expected_digest});
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

void add_verify(CLI::App& app, Run& run) {
  const auto a = std::make_shared<VerifyArguments>();
  auto* command = app.add_subcommand("verify", "Recompute what a result claims about its points");
  command->add_option("FILE", a->problem, "Problem file")->required();
  command
      ->add_option("RESULT", a->result,
                   "Result file, as `--output` of `pendec solve` or `pendec disjunctive` writes it")
      ->required();
  add_confine(*command, a->confine);
  auto* json = command->add_flag("--json", a->json, "Print one JSON object instead of the table");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing; the exit code tells")->excludes(json);
  command->callback([&run, a] { run = [a] { return verify_files(*a); }; });
}

}  // namespace pendec::cli
