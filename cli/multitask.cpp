// pendec multitask FILE: logistic models of several tasks that share a subspace of low dimension.
#include "pendec/solvers/lowrank/multitask.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/fields.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/report.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/tasks_file.hpp"

namespace pendec::cli {
namespace {

struct MultitaskArguments {
  std::string file, algorithm = "subspace";
  double eta = 1.0;
  Index kappa = 2;
  MultitaskOptions options;
  Outputs outputs;
};

/// One line a task: its name, then its weights, under the names of the features.
std::string weights_csv(const MultitaskDetails& d) {
  std::string text = "task";
  for (const std::string& name : d.features) text += ',' + csv_cell(name);
  text += '\n';
  for (Index t = 0; t < d.W.rows(); ++t) {
    text += csv_cell(d.tasks[static_cast<std::size_t>(t)]);
    for (Index j = 0; j < d.W.cols(); ++j) text += ',' + to_text(d.W(t, j));
    text += '\n';
  }
  return text;
}

void print_multitask(const MultitaskArguments& a, const MultitaskProblem& problem, const Result& r) {
  const std::vector<double>& values = r.multitask().stationary_values;
  print_row("data", fmt::format("{}, {} tasks, {} features", a.file, problem.tasks.size(), problem.features()));
  print_status(r);
  print_row("algorithm", a.algorithm);
  print_row("objective", fmt::format("{:.12g}", r.f));
  if (values.size() > 1) print_row("values", fmt::format("{:.10g} (stationary)", fmt::join(values, ", ")));
  print_row("infeasibility", fmt::format("{:.1e}", r.certificate.distance_C));
  print_row("stationarity", fmt::format("{:.1e} (relative)", r.certificate.relative_stationarity()));
  print_work(r);
}

int multitask(const MultitaskArguments& a, const ProblemRecord& record) {
  require_outputs({{"--output", a.outputs.output}, {"--csv", a.outputs.csv}}, {a.file});
  MultitaskOptions options = a.options;
  options.algorithm = multitask_algorithm(a.algorithm);
  std::vector<std::string> features;
  const MultitaskProblem problem{io::read_tasks(a.file, &features), a.eta, a.kappa};
  const Interrupt interrupt;
  options.stop = interrupt.token();
  Result r = multitask_logistic(problem, options);
  std::get<MultitaskDetails>(r.details).features = std::move(features);
  return Report{a.outputs, record, [&] { return weights_csv(r.multitask()); },
                [&] { print_multitask(a, problem, r); }}(r);
}

}  // namespace

void add_multitask(CLI::App& app, Job& job) {
  const auto a = std::make_shared<MultitaskArguments>();
  auto* command = app.add_subcommand("multitask", "Fit logistic models that share a subspace of low dimension");
  command->add_option("FILE", a->file, "CSV file with the columns task,label,f1,...")->required();
  command->add_option("--eta", a->eta, "Weight of what leaves the shared subspace (1)");
  command->add_option("--kappa", a->kappa, "Dimension of the shared subspace (2)");
  command->add_option("--algorithm", a->algorithm,
                      "subspace, or one of the paper's: pd_inaccurate, pd_mid, pd_accurate, alm_fast, alm_accurate");
  add_fields(*command, a->options, {{"random_starts", ",--starts"}, {"seconds", ",--time-limit"}});
  add_outputs(*command, a->outputs, "the weights W, a line a task, with names,");
  command->callback([&job, a, command] {
    job.run = [a, command] { return multitask(*a, record_of(*command)); };
    job.verify = [a](const Result& claimed) {
      return verify(MultitaskProblem{io::read_tasks(a->file), a->eta, a->kappa}, claimed);
    };
  });
}

}  // namespace pendec::cli
