// pendec list: what problem files and options may name.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>

#include "cli/command.hpp"
#include "pendec/core/options.hpp"
#include "pendec/io/catalogue.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"

namespace pendec::cli {
namespace {

void list_entries(std::string_view title, const std::vector<io::Entry>& entries) {
  fmt::print("{}\n\n", title);
  for (const io::Entry& entry : entries) {
    fmt::print("  {:<18}{}\n", entry.name, entry.text);
    for (const io::Parameter& p : entry.parameters)
      fmt::print("    {:<16}{}{}: {}\n", p.name, to_string(p.kind), p.required ? "" : ", optional", p.text);
    fmt::print("    {:<16}{}\n\n", "example", entry.example);
  }
}

void list_methods() {
  static constexpr std::array<std::pair<Method, std::string_view>, 4> methods{
      {{Method::automatic, "the solver of the problem's class where there is one; else PDLM, ALM, the best of them"},
       {Method::pd, "penalty decomposition (Algorithm 3.1 without multipliers)"},
       {Method::pdlm, "penalty decomposition with safeguarded multipliers"},
       {Method::alm, "augmented Lagrangian method with a spectral gradient method"}}};
  fmt::print("methods\n\n");
  for (const auto& [method, text] : methods) fmt::print("  {:<18}{}\n", to_string(method), text);
  fmt::print("\n");
}

void list_options() {
  fmt::print("options (name, default, meaning)\n\n");
  for (const OptionText& o : describe(Options{})) fmt::print("  {:<28}{:<22}{}\n", o.name, o.value, o.text);
  fmt::print("\n");
}

template <class T>
std::string default_of(const T& value) {
  if constexpr (detail::is_optional<T>)
    return value ? default_of(*value) : "none";
  else if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (Named<T>)
    return std::string(to_string(value));
  else if constexpr (std::is_arithmetic_v<T>)
    return value < std::numeric_limits<T>::max() ? fmt::format("{}", value) : "inf";
  else
    return "none";
}

template <class O>
void list_fields(const std::string& solver) {
  const O options;
  detail::for_each_option(options, solver + ".", [](const std::string& name, const auto& value, const auto& field) {
    fmt::print("  {:<34}{:<10}{}\n", name, default_of(value), field.text);
  });
}

void list_ready() {
  fmt::print("options of the ready solvers (solver and name, default, meaning)\n\n");
  list_fields<SparseQp>("sparse_qp");
  list_fields<SparseQpOptions>("sparse_qp");
  list_fields<SparseRegressionOptions>("sparse_regression");
  list_fields<PortfolioOptions>("portfolio");
  list_fields<DisjunctiveOptions>("disjunctive");
  list_fields<CorrelationOptions>("nearest_correlation");
  list_fields<CompletionProblem>("complete");
  list_fields<CompletionOptions>("complete");
  list_fields<MultitaskProblem>("multitask_logistic");
  list_fields<MultitaskOptions>("multitask_logistic");
  list_fields<MaxCutOptions>("maxcut");
  fmt::print("\n");
}

int list(const std::string& what) {
  const bool all = what == "all";
  if (what == "schema") {
    fmt::print("{}", io::problem_schema());
    return solved;
  }
  if (all || what == "methods") list_methods();
  if (all || what == "sets") list_entries("sets", io::sets());
  if (all || what == "objectives") list_entries("objectives", io::objectives());
  if (all || what == "maps") list_entries("maps", io::maps());
  if (all || what == "options") list_options();
  if (all || what == "ready") list_ready();
  return solved;
}

}  // namespace

void add_list(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("list", "Show what problem files and options may name");
  const auto what = std::make_shared<std::string>("all");
  command->add_option("WHAT", *what, "methods, sets, objectives, maps, options, ready, schema or all")
      ->check(CLI::IsMember({"methods", "sets", "objectives", "maps", "options", "ready", "schema", "all"}));
  command->callback([&job, what] { job.run = [what] { return list(*what); }; });
}

}  // namespace pendec::cli
