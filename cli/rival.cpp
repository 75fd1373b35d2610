#include "cli/rival.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "cli/show.hpp"
#include "experiments/instances.hpp"
#include "experiments/reproduce/plan.hpp"
#include "pendec/core/error.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"

namespace pendec::cli {
namespace {

/// One call of the reference, and the same runs here.
struct Contest {
  std::vector<std::string> arguments;
  std::string experiment;
  std::vector<std::string> algorithms, instances;
  bool needs_data = false;
};

std::vector<Contest> contests(const std::string& data) {
  return {{{"correlation", "--problem", "P1", "--n", "200", "--kappa", "5", "--algs", "PD-exact-lower-level"},
           "table-6.4",
           {"PD-exact-lower-level"},
           {"P1(200,5)"}},
          {{"table-inner", "--authors", data, "--algs", "PD_lbfgs-scipy", "PDLM_lbfgs-scipy"},
           "table-6.1",
           {"PD_lbfgs-scipy", "PDLM_lbfgs-scipy"},
           {},
           true},
          {{"portfolio-real", "--authors", data, "--algs", "PD", "PDLM"}, "table-6.3", {"PD", "PDLM"}, {}, true}};
}

/// A word that the shell takes as it is.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<nlohmann::ordered_json> reference_rows(const RivalArguments& a, const Contest& contest) {
  std::string command = fmt::format("OPENBLAS_NUM_THREADS=1 {} {}", quoted(a.python), quoted(a.program));
  for (const std::string& word : contest.arguments) command += ' ' + quoted(word);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char buffer[4096];
  while (const std::size_t count = pipe ? std::fread(buffer, 1, sizeof buffer, pipe.get()) : 0)
    text.append(buffer, count);
  if (!pipe || pclose(pipe.release()) != 0)
    throw InvalidArgument("--reference", a.program, fmt::format("a program that {} runs with success", a.python));
  std::vector<nlohmann::ordered_json> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::ordered_json::parse(line));
  return rows;
}

void print_rival_head() {
  show("{:<26} {:<22} {:>14} {:>14} {:>11} {:>11} {:>8}\n{:-<112}\n", "instance", "algorithm", "reference f",
       "pendec f", "ref. cpu s", "cpu s", "ratio", "");
}

void add_rival_row(nlohmann::ordered_json& out, const nlohmann::ordered_json& theirs, double f, double seconds,
                   bool quiet) {
  const std::string instance = theirs.at("instance"), algorithm = theirs.at("algorithm");
  const auto& value = theirs.at("f_val");  // null: nothing feasible was found
  const double reference_f = value.is_number() ? value.get<double>() : infinity, reference = theirs.at("cpu_s");
  out.push_back({{"instance", instance},
                 {"algorithm", algorithm},
                 {"reference_f", value},
                 {"f", f},
                 {"reference_cpu_seconds", reference},
                 {"cpu_seconds", seconds},
                 {"ratio", reference / seconds}});
  if (quiet) return;
  show("{:<26} {:<22} {:>14.8g} {:>14.8g} {:>11.4g} {:>11.4g} {:>8.1f}\n", instance, algorithm, reference_f, f,
       reference, seconds, reference / seconds);
  std::fflush(stdout);
}

/// scipy's SLSQP on every part, against the certified optimum, on instances that the reference draws and writes down.
void compare_with_enumeration(const RivalArguments& a, nlohmann::ordered_json& out, bool quiet) {
  std::string folder = (std::filesystem::temp_directory_path() / "pendec-XXXXXX").string();
  if (!mkdtemp(folder.data())) throw InvalidArgument("temporary folder", folder, "a place that can be written to");
  const std::unique_ptr<std::string, void (*)(std::string*)> remove(&folder, [](std::string* path) {
    std::error_code ignored;
    std::filesystem::remove_all(*path, ignored);
  });
  const Contest contest{
      {"disjunctive", "--N", "20", "100", "--algs", "Enumeration+SLSQP", "--dump", folder}, "", {}, {}};
  for (const nlohmann::ordered_json& theirs : reference_rows(a, contest)) {
    const std::filesystem::path file = std::filesystem::path(folder) / (theirs.value("instance", "") + ".json");
    if (!std::filesystem::exists(file)) continue;  // another program, which writes nothing down
    const experiments::Disjunctive d = experiments::read_disjunctive(file);
    const std::clock_t begin = std::clock();
    const Result result = solve_disjunctive(d.problem, d.start);
    add_rival_row(out, theirs, result.f, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, quiet);
  }
}

}  // namespace

nlohmann::ordered_json run_rival(const RivalArguments& a, bool quiet) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  if (!quiet) print_rival_head();
  for (const Contest& contest : contests(a.data)) {
    if (contest.needs_data && a.data.empty()) continue;
    experiments::Selection selection{
        .experiments = {contest.experiment}, .algorithms = contest.algorithms, .instances = contest.instances};
    if (!a.data.empty()) selection.data = a.data;
    experiments::Plan plan = experiments::plan(selection);
    for (const nlohmann::ordered_json& theirs : reference_rows(a, contest))
      for (experiments::Run& run : plan.runs) {
        if (run.row.instance != theirs.value("instance", "") || run.row.algorithm != theirs.value("algorithm", ""))
          continue;
        run.measure(run.row, {});
        add_rival_row(out, theirs, run.row.f, run.row.cpu_seconds, quiet);
      }
  }
  compare_with_enumeration(a, out, quiet);
  return out;
}

}  // namespace pendec::cli
