#include "experiments/reproduce/outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/reproduce/plan.hpp"

namespace pendec::experiments {
namespace {

bool any_of(const std::vector<Row>& rows, const std::string& experiment, const std::string* instance = nullptr) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.experiment == experiment && (!instance || row.instance == *instance);
  });
}

/// "P2(500,5): PD-exact, ALM; P2(500,10)": an instance of which nothing ran needs no list of algorithms.
std::string missing_runs(const Outcome& outcome, const std::string& experiment) {
  std::vector<std::string> instances;
  const std::string* last = nullptr;
  for (const Row& row : outcome.not_run) {
    if (row.experiment != experiment) continue;
    const bool begun = any_of(outcome.rows, experiment, &row.instance);
    const bool same = last && *last == row.instance;
    if (!same) instances.push_back(row.instance);
    if (begun) {
      instances.back() += (same ? ", " : ": ") + row.algorithm;
      if (row.mode == default_mode) instances.back() += " (default)";
    }
    last = &row.instance;
  }
  return fmt::format("{}", fmt::join(instances, "; "));
}

}  // namespace

std::string interruption(const Outcome& outcome) {
  if (outcome.not_run.empty()) return {};
  return fmt::format(
      "Interrupted: {} of {} runs are finished. Everything here is about these alone; what did not run is listed "
      "under "
      "\"Left out\".",
      outcome.rows.size(), outcome.rows.size() + outcome.not_run.size());
}

std::vector<std::string> omissions(const Outcome& outcome) {
  std::vector<std::string> out;
  for (const std::string& name : experiment_names()) {
    if (!any_of(outcome.not_run, name)) continue;
    out.push_back(any_of(outcome.rows, name) ? fmt::format("{}, interrupted: {}", name, missing_runs(outcome, name))
                                             : fmt::format("{}, interrupted: everything", name));
  }
  out.insert(out.end(), outcome.left_out.begin(), outcome.left_out.end());
  return out;
}

}  // namespace pendec::experiments
