#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "experiments/showcase.hpp"

namespace pendec::cli {
namespace {

void print_demo_row(const experiments::Showcase& s, const Result& r) {
  fmt::print("{:<30} {:<5} {:>15.8g} {:>15.8g} {:>9.1e} {:>9.1e} {:>8} {:>8.3f}  {}\n", s.name,
             to_string(r.options.method), r.f, s.reference, r.certificate.relative_infeasibility(),
             r.certificate.relative_stationarity(), r.counts.project_D, r.times.total, to_string(r.status));
}

void print_demo_json(const experiments::Showcase& s, const Result& r) {
  const nlohmann::ordered_json row = {{"problem", s.name},
                                      {"method", to_string(r.options.method)},
                                      {"objective", r.f},
                                      {"reference", s.reference},
                                      {"infeasibility", r.certificate.relative_infeasibility()},
                                      {"stationarity", r.certificate.relative_stationarity()},
                                      {"projections", r.counts.project_D},
                                      {"seconds", r.times.total},
                                      {"status", to_string(r.status)}};
  fmt::print("{}\n", row.dump());
}

/// Solves the showcase problems with PD, PDLM and ALM and prints a table (or one JSON object a line). Exit code 0 if
/// every run converged, 2 otherwise.
int demo(bool json) {
  if (!json)
    fmt::print("{:<30} {:<5} {:>15} {:>15} {:>9} {:>9} {:>8} {:>8}  {}\n{:-<124}\n", "problem", "", "objective",
               "reference", "infeas.", "station.", "proj.", "seconds", "status", "");
  int runs = 0, converged = 0, global = 0;
  for (const experiments::Showcase& s : experiments::showcases()) {
    for (const Method method : {Method::pd, Method::pdlm, Method::alm}) {
      const Result r = solve(s.problem, s.start, default_preset(method));
      json ? print_demo_json(s, r) : print_demo_row(s, r);
      std::fflush(stdout);
      ++runs;
      converged += r.success();
      global += r.success() && r.f <= s.reference + 1e-6 * std::max(1.0, std::abs(s.reference));
    }
  }
  if (!json)
    fmt::print(
        "\n{} runs: {} converged (feasible and stationary, verified), {} of them at the global minimum.\n"
        "reference: the global minimum. infeas., station.: relative residuals of the certificate.\n",
        runs, converged, global);
  return converged == runs ? solved : not_solved;
}

}  // namespace

void add_demo(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("demo", "Solve one problem of each class with PD, PDLM and ALM");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object per run instead of the table");
  command->callback([&job, json] { job.run = [json] { return demo(*json); }; });
}

}  // namespace pendec::cli
