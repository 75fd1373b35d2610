// Tables 6.1–6.3 and Figure 6.1: few nonzeros.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "experiments/instances.hpp"
#include "experiments/reproduce/measure.hpp"
#include "experiments/reproduce/plan.hpp"
#include "experiments/reproduce/printed.hpp"
#include "experiments/settings.hpp"
#include "pendec/solvers/solve.hpp"
#include "pendec/solvers/sparse/portfolio.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"

namespace pendec::experiments {
namespace {

struct NamedOptions {
  const char* name;
  Options options;
};

/// Table 6.1, by the names of the paper.
std::vector<NamedOptions> x_updates() {
  return {{"PD_gd", pd_with(XStep::gradient)},
          {"PD_bfgs-scipy", pd_with(XStep::bfgs)},
          {"PD_lbfgs-scipy", pd_with(XStep::lbfgs)},
          {"PDLM_lbfgs-scipy", paper_preset(Method::pdlm)},
          {"SGM", paper_preset(Method::alm)}};
}

std::vector<NamedOptions> three_methods(Options (*options)(Method)) {
  return {{"PD", options(Method::pd)}, {"PDLM", options(Method::pdlm)}, {"ALM", options(Method::alm)}};
}

/// The certified optimum, whose printed companion is Gurobi's, then the methods of the paper.
void add_runs(Row names, const SparseQp& qp, const std::vector<NamedOptions>& methods, const Setting& setting,
              double seconds, bool trace, Plan& plan) {
  const auto printed_instance = names.instance;
  Row best = names;
  best.algorithm = "sparse_qp";
  best.mode = default_mode;
  best.paper = printed(best.experiment, printed_instance, "Gurobi");
  plan.runs.push_back({best, 0.2, [qp](Row& row, std::stop_token stop) {
                         const auto problem = qp.simplex ? pendec::SparseQp::on_simplex(qp.Q, qp.nu * qp.c, qp.s)
                                                         : pendec::SparseQp{.Q = qp.Q, .c = qp.nu * qp.c, .s = qp.s};
                         Result result;
                         timed(row, [&] { result = solve_sparse_qp(problem, {.stop = stop}); });
                         take_over(row, result);
                       }});
  for (const NamedOptions& method : methods) {
    Row row = names;
    row.algorithm = method.name;
    row.mode = paper_mode;
    row.paper = printed(row.experiment, printed_instance, method.name);
    Options options = method.options;
    options.limits.seconds = setting.limit();
    plan.runs.push_back({row, seconds, [qp, options, trace](Row& r, std::stop_token stop) {
                           run_method(r, qp.problem(), qp.start(), options, stop, trace);
                         }});
  }
}

constexpr Index starts_6_2 = 1000;

/// Beck and Eldar's example from random starts: calls `run(start)`, which adds its work to the row and returns f, and
/// counts where the runs end.
void tally_ends(Row& row, std::stop_token stop, const std::function<double(const Vector&)>& run) {
  constexpr double minima[] = {-124.0 / 3.0, -39.0, -109.0 / 3.0};
  Random random(22);
  row.ends.assign(4, 0);
  row.f = infinity;
  row.stationarity = row.infeasibility = row.explained = row.projection_seconds = 0.0;
  row.outer = row.inner = row.projections = 0;
  for (Index k = 0; k < starts_6_2 && !stop.stop_requested(); ++k) {
    const double f = run(random.uniform_vector(5, -10.0, 10.0));
    std::size_t end = 0;
    while (end < 3 && std::abs(f - minima[end]) > 1e-2) ++end;  // as the authors count
    ++row.ends[end];
    row.f = std::min(row.f, f);
  }
}

/// The worst certificate and status of all runs, their work in sum.
void tally_method(Row& row, const Options& options, std::stop_token stop) {
  const Problem problem = beck_eldar().problem();
  tally_ends(row, stop, [&](const Vector& start) {
    const Result result = solve(problem, start, options, {.stop = stop});
    row.stationarity = std::max(row.stationarity, result.certificate.relative_stationarity());
    row.infeasibility = std::max(row.infeasibility, result.certificate.distance_D);
    if (row.status.empty() || !result.success()) row.status = to_string(result.status);
    row.outer += result.counts.outer;
    row.inner += result.counts.inner;
    row.projections += result.counts.project_D;
    row.projection_seconds += result.times.project_D;
    return result.f;
  });
}

/// The certified solver, told the support nearest to the start.
void tally_certified(Row& row, std::stop_token stop) {
  const SparseQp qp = beck_eldar();
  const pendec::SparseQp problem{.Q = qp.Q, .c = qp.nu * qp.c, .s = qp.s};
  const Set D = problem.problem().D;
  tally_ends(row, stop, [&](const Vector& start) {
    Vector nearest(start.size());
    D.project(start, nearest);
    std::vector<Index> support;
    for (Index i = 0; i < nearest.size(); ++i)
      if (nearest[i] != 0.0) support.push_back(i);
    const Result result = solve_sparse_qp(problem, {.start = support, .stop = stop});
    row.stationarity = std::max(row.stationarity, result.certificate.relative_stationarity());
    row.lower_bound = std::fmax(row.lower_bound, result.bound);  // unknown at first
    if (row.status.empty() || !result.success()) row.status = to_string(result.status);
    row.outer += result.counts.nodes;
    row.inner += result.counts.supports;
    return result.f;
  });
}

/// Returns of n assets with one common factor, in the size of monthly ones: a covariance matrix as real ones are.
SparseQp random_portfolio(std::string name, Index n, Index s, double nu, std::uint64_t seed) {
  constexpr Index months = 300;
  Random random(seed);
  const Vector market = 0.04 * random.normal_vector(months), beta = random.uniform_vector(n, 0.4, 1.4);
  const Vector mean = random.uniform_vector(n, 0.005, 0.015), noise = random.uniform_vector(n, 0.01, 0.04);
  Matrix returns = random.normal_matrix(months, n) * noise.asDiagonal() + market * beta.transpose();
  returns.rowwise() += mean.transpose();
  const Moments moments = sample_moments(std::vector<std::string>(static_cast<std::size_t>(n)), returns);
  return {std::move(name), moments.covariance, -moments.mean, nu, s, true};
}

}  // namespace

void table_6_1(const Setting& setting, Plan& plan) {
  for (const Index n : {10, 25, 50}) {
    const std::string name = fmt::format("QP_{}_10_0", n);
    Random random(static_cast<std::uint64_t>(n));
    SparseQp qp = setting.data ? read_sparse_qp(*setting.data, name) : random_sparse_qp(n, 10.0, random);
    qp.s = 3;
    qp.nu = 5.0;
    add_runs({.experiment = "table-6.1", .instance = name, .same_instance = setting.data.has_value()}, qp,
             x_updates(), setting, 0.05, true, plan);
  }
}

void table_6_2(const Setting&, Plan& plan) {
  const auto add = [&](std::string instance, std::string algorithm, std::string_view mode,
                       std::vector<Index> paper_ends, std::function<void(Row&, std::stop_token)> tally) {
    Row row{.experiment = "table-6.2", .instance = std::move(instance), .algorithm = std::move(algorithm)};
    row.mode = mode;
    if (!paper_ends.empty()) row.paper.f = -41.33;
    row.paper_ends = std::move(paper_ends);
    plan.runs.push_back(
        {row, 1.0, [tally = std::move(tally)](Row& r, std::stop_token stop) { timed(r, [&] { tally(r, stop); }); }});
  };
  const auto method_of = [](Options options) {
    return [options](Row& row, std::stop_token stop) { tally_method(row, options, stop); };
  };
  add("any tau0", "sparse_qp", default_mode, {}, tally_certified);
  add("any tau0", "automatic", default_mode, {}, method_of(default_preset(Method::automatic)));
  for (const double tau0 : {0.01, 0.1, 1.0, 10.0, 100.0})
    for (const Method method : {Method::pd, Method::pdlm}) {
      Options options = paper_preset(method);
      options.penalty.tau0 = tau0;
      const auto ends = printed_ends(tau0, method == Method::pdlm);
      add(fmt::format("tau0={}", tau0), method == Method::pd ? "PD" : "PDLM", paper_mode, {ends.begin(), ends.end()},
          method_of(options));
    }
}

void figure_6_1(const Setting& setting, Plan& plan) {
  for (const Index n : {20, 40, 60}) {
    for (const int condition : {10, 100, 500})
      for (int k = 0; k < 10; ++k) {
        const std::string name = fmt::format("QP_{}_{}_{}", n, condition, k);
        Random random(static_cast<std::uint64_t>(100000 * n + 100 * condition + k));
        SparseQp qp = setting.data ? read_sparse_qp(*setting.data, name) : random_sparse_qp(n, condition, random);
        qp.s = n / 7 + 1;  // what the authors' program runs: 3, 6, 9; the paper prints 4, 7, 9
        qp.simplex = true;
        add_runs({.experiment = "figure-6.1", .instance = name, .same_instance = setting.data.has_value()}, qp,
                 three_methods(figure_6_1_options), setting, 0.1, false, plan);
      }
  }
}

void table_6_3(const Setting& setting, Plan& plan) {
  struct Size63 {
    const char* name;
    Index n, s;
    double nu;
  };
  std::uint64_t seed = 63;
  for (const auto& [name, n, s, nu] : {Size63{"DTS1", 12, 2, 1e-3},
                                       {"DTS2", 24, 4, 1e-3},
                                       {"DTS3", 48, 6, 1e-3},
                                       {"FF10", 10, 2, 0.05},
                                       {"FF17", 17, 2, 0.05},
                                       {"FF48", 48, 5, 0.05}}) {
    const SparseQp qp = setting.data ? read_portfolio(*setting.data, name) : random_portfolio(name, n, s, nu, ++seed);
    add_runs({.experiment = "table-6.3", .instance = name, .same_instance = setting.data.has_value()}, qp,
             three_methods(table_6_3_options), setting, 0.5, true, plan);
  }
}

}  // namespace pendec::experiments
