// pendec multitask FILE: logistic models of several tasks that share a subspace of low dimension.
#include "pendec/solvers/multitask.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/report.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/tasks_file.hpp"

namespace pendec::cli {
namespace {

struct MultitaskArguments {
  std::string file, output, algorithm = "subspace";
  double eta = 1.0, seconds = infinity;
  Index kappa = 2, random_starts = MultitaskOptions{}.random_starts;
  bool json = false, quiet = false;
};

/// One line a task: its name, then its weights, under the names of the features.
void write_weights(const std::string& path, const std::vector<Task>& tasks, const std::vector<std::string>& features,
                   const Matrix& W) {
  std::string text = "task";
  for (const std::string& name : features) text += ',' + csv_cell(name);
  text += '\n';
  for (Index t = 0; t < W.rows(); ++t) {
    text += csv_cell(tasks[static_cast<std::size_t>(t)].name);
    for (Index j = 0; j < W.cols(); ++j) text += ',' + to_text(W(t, j));
    text += '\n';
  }
  write_output(path, text);
}

void print_multitask_json(const MultitaskArguments& a, const MultitaskProblem& problem,
                          const std::vector<std::string>& features, const MultitaskResult& r) {
  Json names = Json::array();
  for (const Task& task : problem.tasks) names.push_back(task.name);
  const Json all{{"status", to_string(r.status)},
                 {"message", r.message},
                 {"algorithm", a.algorithm},
                 {"eta", problem.eta},
                 {"kappa", problem.kappa},
                 {"f", to_json(r.f)},
                 {"stationary_values", r.stationary_values},
                 {"feasibility", r.feasibility},
                 {"certificate", to_json(r.certificate)},
                 {"iterations", r.iterations},
                 {"seconds", r.seconds},
                 {"tasks", names},
                 {"features", features},
                 {"W", to_json(r.W)},
                 {"U", to_json(r.U)},
                 {"V", to_json(r.V)}};
  fmt::print("{}\n", json_text(all));
}

void print_multitask_table(const MultitaskArguments& a, const MultitaskProblem& problem, const MultitaskResult& r) {
  print_row("data", fmt::format("{}, {} tasks, {} features", a.file, problem.tasks.size(), problem.features()));
  print_row("status", fmt::format("{}: {}", to_string(r.status), r.message));
  print_row("algorithm", a.algorithm);
  print_row("objective", fmt::format("{:.12g}", r.f));
  if (r.stationary_values.size() > 1)
    print_row("values", fmt::format("{:.10g} (stationary)", fmt::join(r.stationary_values, ", ")));
  print_row("infeasibility", fmt::format("{:.1e}", r.feasibility));
  print_row("stationarity", fmt::format("{:.1e} (relative)", r.certificate.relative_stationarity()));
  print_row("work", fmt::format("{} iterations, {:.3g} s", r.iterations, r.seconds));
}

int multitask(const MultitaskArguments& a) {
  require_output(a.output, {a.file});
  MultitaskOptions options;
  options.algorithm = multitask_algorithm(a.algorithm);
  options.random_starts = a.random_starts;
  options.seconds = a.seconds;
  std::vector<std::string> features;
  const MultitaskProblem problem{io::read_tasks(a.file, &features), a.eta, a.kappa};
  const Interrupt interrupt;
  options.stop = interrupt.token();
  const MultitaskResult r = multitask_logistic(problem, options);
  if (!a.output.empty()) write_weights(a.output, problem.tasks, features, r.W);
  if (a.json)
    print_multitask_json(a, problem, features, r);
  else if (!a.quiet)
    print_multitask_table(a, problem, r);
  return exit_code(r.status);
}

}  // namespace

void add_multitask(CLI::App& app, Run& run) {
  const auto a = std::make_shared<MultitaskArguments>();
  auto* command = app.add_subcommand("multitask", "Fit logistic models that share a subspace of low dimension");
  command->add_option("FILE", a->file, "CSV file with the columns task,label,f1,...")->required();
  command->add_option("--eta", a->eta, "Weight of what leaves the shared subspace (1)");
  command->add_option("--kappa", a->kappa, "Dimension of the shared subspace (2)");
  command->add_option("--algorithm", a->algorithm,
                      "subspace, or one of the paper's: pd_inaccurate, pd_mid, pd_accurate, alm_fast, alm_accurate");
  command->add_option("--starts", a->random_starts, "Random starts besides the two from single tasks (1)");
  command->add_option("--time-limit", a->seconds, "Give up after this many seconds")->type_name("SECONDS");
  add_output(*command, "-o,--output", a->output, "Write the weights W, a line a task, with names, to this CSV file");
  auto* json = command->add_flag("--json", a->json, "Print the result as one JSON object instead of the table");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors")->excludes(json);
  command->callback([&run, a] { run = [a] { return multitask(*a); }; });
}

}  // namespace pendec::cli
