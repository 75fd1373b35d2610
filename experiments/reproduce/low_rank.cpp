// Tables 6.4–6.6 and Figure 6.2: low rank.
#include <fmt/format.h>

#include <cmath>

#include "experiments/instances.hpp"
#include "experiments/reproduce/measure.hpp"
#include "experiments/reproduce/plan.hpp"
#include "experiments/reproduce/printed.hpp"
#include "experiments/settings.hpp"
#include "pendec/io/tasks_file.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"
#include "pendec/solvers/lowrank/multitask.hpp"

namespace pendec::experiments {
namespace {

struct CorrelationSize {
  Index n, kappa;
  std::string name(int which) const { return fmt::format("P{}({},{})", which, n, kappa); }
};

/// Seconds of so many inner iterations with a partial eigenvalue problem each.
double expected(const CorrelationSize& size, double iterations) {
  const auto n = static_cast<double>(size.n);
  return iterations * (3e-8 * n * n * static_cast<double>(size.kappa) + 1e-5);
}

void add_correlation_run(int which, const CorrelationSize& size, std::string algorithm, std::string_view mode,
                         Options options, const Setting& setting, Plan& plan) {
  Row row{.experiment = fmt::format("table-6.{}", 3 + which),
          .instance = size.name(which),
          .algorithm = std::move(algorithm)};
  row.mode = mode;
  if (mode == paper_mode) row.paper = printed(row.experiment, row.instance, row.algorithm);
  options.limits.seconds = setting.limit();
  const double iterations = row.paper.iterations > 0 ? static_cast<double>(row.paper.iterations) : 1000.0;
  plan.runs.push_back({row, expected(size, iterations), [=](Row& r, std::stop_token stop) {
                         run_method(r, correlation_problem(correlation_matrix(which, size.n), size.kappa),
                                    Matrix(Matrix::Identity(size.n, size.n)).reshaped(), options, stop, true);
                       }});
}

void add_nearest_correlation(int which, const CorrelationSize& size, Plan& plan) {
  Row row{.experiment = fmt::format("table-6.{}", 3 + which),
          .instance = size.name(which),
          .algorithm = "nearest_correlation"};
  row.mode = default_mode;
  row.paper = printed(row.experiment, row.instance, "PD-exact-lower-level");  // the paper's best value
  row.paper.seconds = unknown;
  row.paper.iterations = -1;
  plan.runs.push_back({row, expected(size, 20.0), [=](Row& r, std::stop_token stop) {
                         const Matrix A = correlation_matrix(which, size.n);
                         Result result;
                         timed(r, [&] { result = nearest_correlation(A, size.kappa, {.stop = stop}); });
                         r.f = result.f;
                         r.infeasibility = std::max(result.certificate.distance_C, result.certificate.distance_D);
                         r.explained = std::abs(result.lambda.lpNorm<1>()) * r.infeasibility;
                         r.stationarity = result.certificate.relative_stationarity();
                         r.lower_bound = result.bound;
                         r.status = to_string(result.status);
                         r.outer = result.counts.starts;
                         r.inner = result.counts.outer;
                       }});
}

/// Tasks in two groups, as the landmine fields are: the weights of a group differ little, labels are rare.
std::vector<Task> random_tasks(Index tasks, Index features, Index examples, std::uint64_t seed) {
  Random random(seed);
  const Matrix centres = random.normal_matrix(2, features);
  std::vector<Task> all;
  for (Index t = 0; t < tasks; ++t) {
    Task task{fmt::format("{}", t + 1), random.normal_matrix(examples, features), Vector(examples)};
    const Vector w = centres.row(t % 2).transpose() + 0.3 * random.normal_vector(features);
    for (Index i = 0; i < examples; ++i) {
      const double probability = 1.0 / (1.0 + std::exp(2.0 - task.X.row(i).dot(w)));
      task.labels[i] = random.uniform() < probability ? 1.0 : -1.0;
    }
    all.push_back(std::move(task));
  }
  return all;
}

/// [W; U; V] with W = U and V = 0. From the weights of each task alone the paper's runs start.
Vector without_shared_part(const Matrix& W) {
  Vector x = Vector::Zero(3 * W.size());
  x.head(2 * W.size()) << W.reshaped(), W.reshaped();
  return x;
}

}  // namespace

void correlation_table(int which, const Setting& setting, Plan& plan) {
  using enum CorrelationAlgorithm;
  const bool quick = setting.size == Size::quick, full = setting.size == Size::full;
  std::vector<CorrelationSize> sizes{{200, 5}, {200, 10}, {200, 20}, {500, 5}, {500, 10}, {500, 20}};
  if (quick) sizes = {{50, 5}, {200, 20}};
  for (const CorrelationSize& size : sizes) {
    add_nearest_correlation(which, size, plan);
    add_correlation_run(which, size, "ALM", default_mode, true_alm_options(), setting, plan);
    for (const CorrelationAlgorithm algorithm :
         {pd_cg_inaccurate, pd_cg_accurate, pd_exact, pd_exact_lower_level, alm}) {
      if (!full && size.n == 500 && algorithm != pd_exact_lower_level) continue;
      if (!full && size.n > 50 && algorithm == alm) continue;
      if (quick && algorithm == pd_cg_accurate) continue;
      add_correlation_run(which, size, std::string(to_string(algorithm)), paper_mode, correlation_options(algorithm),
                          setting, plan);
    }
    if (which == 1 && size.kappa == 5 && size.n <= 200) {  // the text: multipliers for X = Y are not helpful
      Options all = correlation_options(pd_exact);
      all.penalty.multipliers = Multipliers::all;
      add_correlation_run(which, size, "PD-exact+mu", paper_mode, all, setting, plan);
    }
  }
  const std::string name = fmt::format("table-6.{}", 3 + which);
  if (quick)
    plan.left_out.push_back(name + ": all sizes of the paper but (200,20); PD-cg-accurate; ALM but for n = 50");
  if (!quick && !full)
    plan.left_out.push_back(name +
                            ": ALM, and for n = 500 all of the paper's but PD-exact-lower-level (--full: hours)");
}

void figure_6_2(const Setting& setting, Plan& plan) {
  using enum MultitaskAlgorithm;
  const bool quick = setting.size == Size::quick;
  const auto tasks = made_once<std::vector<Task>>([=] {
    if (setting.data) return io::read_tasks(*setting.data / "landmine" / "landmine.csv");
    return quick ? random_tasks(10, 5, 100, 62) : random_tasks(29, 9, 500, 62);
  });
  if (setting.data) tasks();  // a file that is missing is noticed now, not after the hours before its turn
  for (const double eta : {2.0, 0.5, 0.1, 0.01}) {
    const auto problem = [=] { return MultitaskProblem{tasks(), eta, 2}; };
    const Row names{.experiment = "figure-6.2",
                    .instance = fmt::format("{} eta={}", setting.data ? "landmine" : "generated", eta),
                    .same_instance = setting.data.has_value()};
    const auto add = [&](std::string algorithm, std::string_view mode, double seconds,
                         std::function<void(Row&, std::stop_token)> measure) {
      Row row = names;
      row.algorithm = std::move(algorithm);
      row.mode = mode;
      plan.runs.push_back({row, seconds, std::move(measure)});
    };
    add("multitask_logistic", default_mode, 2.0, [=](Row& row, std::stop_token stop) {
      const MultitaskProblem p = problem();
      Result result;
      timed(row, [&] { result = multitask_logistic(p, {.stop = stop}); });
      row.f = result.f;
      row.infeasibility = result.certificate.distance_C;
      row.explained = 0.0;
      row.stationarity = result.certificate.relative_stationarity();
      row.status = to_string(result.status);
      row.inner = result.counts.outer;
    });
    add("single-task", paper_mode, 0.2,
        [=](Row& row, std::stop_token) {  // V = 0: the best weights of each task alone
          const MultitaskProblem p = problem();
          Vector x;
          timed(row, [&] { x = without_shared_part(p.single_task(p.eta)); });
          row.f = p.problem().f.value(x);
          row.infeasibility = row.explained = 0.0;
          row.status = "each task alone";
        });
    for (const MultitaskAlgorithm algorithm : {pd_inaccurate, pd_mid, pd_accurate, alm_fast, alm_accurate}) {
      Options options = multitask_options(algorithm);
      options.limits.seconds = setting.limit();
      add(std::string(to_string(algorithm)), paper_mode, quick ? 0.5 : 5.0, [=](Row& row, std::stop_token stop) {
        const MultitaskProblem p = problem();
        run_method(row, p.problem(), without_shared_part(p.single_task()), options, stop, true);
      });
    }
  }
}

}  // namespace pendec::experiments
