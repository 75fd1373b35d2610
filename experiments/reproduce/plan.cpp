#include "experiments/reproduce/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pendec/core/error.hpp"

namespace pendec::experiments {
namespace {

struct Experiment {
  std::string_view name, title;
  std::function<void(const Setting&, Plan&)> add;
};

const std::vector<Experiment>& all_experiments() {
  static const std::vector<Experiment> all{
      {"table-6.1", "Table 6.1: x-updates on sparse quadratic problems", table_6_1},
      {"table-6.2", "Table 6.2: where runs end, by tau0 (Beck and Eldar's example)", table_6_2},
      {"figure-6.1", "Figure 6.1: random sparse portfolios", figure_6_1},
      {"table-6.3", "Table 6.3: real sparse portfolios", table_6_3},
      {"table-6.4", "Table 6.4: nearest correlation matrices, P1",
       [](const Setting& s, Plan& p) { correlation_table(1, s, p); }},
      {"table-6.5", "Table 6.5: nearest correlation matrices, P2",
       [](const Setting& s, Plan& p) { correlation_table(2, s, p); }},
      {"table-6.6", "Table 6.6: nearest correlation matrices, P3",
       [](const Setting& s, Plan& p) { correlation_table(3, s, p); }},
      {"figure-6.2", "Figure 6.2: multitask logistic regression, time against quality", figure_6_2},
      {"table-6.7", "Table 6.7: disjunctive programs", table_6_7},
      {"figure-6.3", "Figure 6.3: disjunctive programs with many nonlinear constraints", figure_6_3}};
  return all;
}

bool chosen(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// Every name of a filter must be that of something, or it is a mistake.
void require_known(const char* option, const std::vector<std::string>& names, const std::vector<Run>& runs,
                   std::string Row::*member) {
  std::vector<std::string> known;
  for (const Run& run : runs)
    if (!std::count(known.begin(), known.end(), run.row.*member)) known.push_back(run.row.*member);
  for (const std::string& name : names) {
    if (std::count(known.begin(), known.end(), name)) continue;
    constexpr std::size_t most = 40;
    const std::size_t more = known.size() - std::min(known.size(), most);
    known.resize(known.size() - more);
    throw InvalidArgument(option, fmt::format("\"{}\"", name),
                          fmt::format("one of {}{}", fmt::join(known, "; "),
                                      more > 0 ? fmt::format(" and {} more", more) : std::string()));
  }
}

}  // namespace

std::string_view to_string(Size size) {
  return size == Size::quick ? "quick" : size == Size::normal ? "normal" : "full";
}

const std::vector<std::string>& experiment_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Experiment& e : all_experiments()) out.emplace_back(e.name);
    return out;
  }();
  return names;
}

std::string_view experiment_title(std::string_view name) {
  for (const Experiment& e : all_experiments())
    if (e.name == name) return e.title;
  return name;
}

Plan plan(const Selection& selection) {
  for (const std::string& name : selection.experiments)
    if (!std::count(experiment_names().begin(), experiment_names().end(), name))
      throw InvalidArgument("experiment", name, fmt::format("one of {}", fmt::join(experiment_names(), ", ")));
  if (selection.data && !std::filesystem::is_directory(*selection.data))
    throw InvalidArgument("--data", selection.data->string(), "a folder");
  const Setting setting{selection.data, selection.size};
  Plan out;
  for (const Experiment& e : all_experiments())
    if (chosen(selection.experiments, e.name)) e.add(setting, out);
  require_known("--algorithms", selection.algorithms, out.runs, &Row::algorithm);
  require_known("--instances", selection.instances, out.runs, &Row::instance);
  std::erase_if(out.runs, [&](const Run& run) {
    if (chosen(selection.algorithms, run.row.algorithm) && chosen(selection.instances, run.row.instance))
      return false;
    out.unnamed.push_back(run.row);
    return true;
  });
  return out;
}

bool is_certified(const Row& row) {
  return row.mode == default_mode && row.status == "optimal" && std::isfinite(row.lower_bound);
}

bool reaches_optimum(const Row& row) {
  constexpr double tolerance = 1e-4;
  return std::isfinite(row.gap) && row.gap <= tolerance && row.infeasibility <= tolerance;
}

void relate(std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, const Row*> reference;
  for (const Row& row : rows)
    if (is_certified(row)) reference[{row.experiment, row.instance}] = &row;
  for (Row& row : rows) {
    const auto found = reference.find({row.experiment, row.instance});
    if (found == reference.end()) continue;
    const double optimum = found->second->f;
    row.lower_bound = found->second->lower_bound;
    row.gap = (row.f - (&row == found->second ? row.lower_bound : optimum)) / std::abs(optimum);
  }
}

}  // namespace pendec::experiments
