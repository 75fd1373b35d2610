// pendec multitask FILE: logistic models of several tasks that share a subspace of low dimension.
#include "pendec/solvers/lowrank/multitask.hpp"

#include "cli/report.hpp"
#include "cli/solver_command.hpp"
#include "pendec/io/tasks_file.hpp"

namespace pendec::cli {
namespace {

struct MultitaskArguments {
  std::string file;
  MultitaskProblem problem{.tasks = {}, .kappa = 2};  // without its tasks
  MultitaskOptions options;
};

struct TasksData {
  MultitaskProblem problem;
  std::vector<std::string> features;
};

TasksData read_tasks(const MultitaskArguments& a) {
  TasksData data{a.problem, {}};
  data.problem.tasks = io::read_tasks(a.file, &data.features);
  return data;
}

}  // namespace

void add_multitask(CLI::App& app, Job& job) {
  const auto a = std::make_shared<MultitaskArguments>();
  SolverCommand command(app, "multitask", "Fit logistic models that share a subspace of low dimension");
  command.input("FILE", a->file, "CSV file with the columns task,label,f1,...")->required();
  command.fields(a->problem);
  command.fields(a->options, {{"random_starts", ",--starts"}});
  command.outputs("the weights W, a line a task, with names,");
  command.solves(
      job, [a] { return read_tasks(*a); },
      [a](const TasksData& data, Run& run) {
        Result r = multitask_logistic(data.problem, run.with_stop(a->options));
        auto& d = std::get<MultitaskDetails>(r.details);
        d.features = data.features;
        const auto print = [&] {
          print_row("data", fmt::format("{}, {} tasks, {} features", a->file, d.tasks.size(), d.features.size()));
          print_result(r);
        };
        return run.report(
            r, [&] { return csv_of(d.W, d.features, csv_cells(d.tasks), "task"); }, print);
      },
      [](const TasksData& data, const Result& claimed) { return verify(data.problem, claimed); });
}

}  // namespace pendec::cli
