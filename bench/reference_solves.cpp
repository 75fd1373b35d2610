// Solves in paper mode what the reference program solves too, and prints one JSON object per solve:
//   reference_solves DATA_DIR [--repeat N]
// cpu_s is the process time of one solve: the mean over N solves (100 unless given) of the small problems of
// Table 6.1, a single solve of P1(200,5). Reading or making the instance is not timed, the certificate is.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <functional>
#include <string_view>

#include "bench/arguments.hpp"
#include "experiments/instances.hpp"
#include "tests/support/correlation.hpp"

namespace {

using namespace pendec;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void report(std::string_view instance, std::string_view algorithm, int repeats,
            const std::function<Result()>& solve_once) {
  Result r;
  const double begin = cpu_seconds();
  for (int i = 0; i < repeats; ++i) r = solve_once();
  const double cpu = (cpu_seconds() - begin) / repeats;
  fmt::print(R"({{"instance": "{}", "algorithm": "{}", "f": {:.17g}, "outer": {}, "inner": {}, "projections": {}, )"
             R"("cpu_s": {:.6g}, "repeats": {}}})"
             "\n",
             instance, algorithm, r.f, r.counts.outer, r.counts.inner, r.counts.project_D, cpu, repeats);
  std::fflush(stdout);
}

void table_6_1(const std::filesystem::path& data, int repeats) {
  for (const char* name : {"QP_10_10_0", "QP_25_10_0", "QP_50_10_0"}) {
    auto qp = experiments::read_sparse_qp(data, name);
    qp.s = 3;
    qp.nu = 5.0;
    Options options = paper_preset(Method::pd);
    options.x_update.step = XStep::lbfgs;
    const Problem problem = qp.problem();
    report(name, "PD_lbfgs", repeats, [&] { return solve(problem, qp.start(), options); });
  }
}

void correlation() {
  const Index n = 200, kappa = 5;
  const Problem problem = correlation_problem(experiments::correlation_matrix(1, n), kappa);
  const Vector start = Matrix(Matrix::Identity(n, n)).reshaped();
  report("P1(200,5)", "PD-exact-lower-level", 1,
         [&] { return solve(problem, start, testing_support::exact_lower_level()); });
}

}  // namespace

int main(int argc, char** argv) try {
  int repeats = 100;
  const bool given = argc == 4 && std::string_view(argv[2]) == "--repeat";
  if (given) repeats = bench::positive(argv[3]);
  if ((argc != 2 && !given) || repeats == 0) {
    fmt::print(stderr, "usage: reference_solves DATA_DIR [--repeat N]\n");
    return 2;
  }
  table_6_1(argv[1], repeats);
  correlation();
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "reference_solves: {}\n", e.what());
  return 1;
}
