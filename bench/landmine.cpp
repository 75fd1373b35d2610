// Solves the landmine problem by default and prints one JSON object per η, as the reference program names them:
//   landmine_solves LANDMINE.CSV KAPPA ETA...
// cpu_s is the process time of one solve, its starts and its certificate included; reading the file is not timed.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include "bench/arguments.hpp"
#include "pendec/io/tasks_file.hpp"

int main(int argc, char** argv) try {
  using namespace pendec;
  const Index kappa = argc > 3 ? bench::positive(argv[2]) : 0;
  if (kappa == 0) {
    fmt::print(stderr, "usage: landmine_solves LANDMINE.CSV KAPPA ETA...\n");
    return 2;
  }
  MultitaskProblem problem{io::read_tasks(argv[1]), 1.0, kappa};
  for (int i = 3; i < argc; ++i) {
    problem.eta = std::atof(argv[i]);
    const std::clock_t begin = std::clock();
    const Result r = multitask_logistic(problem);
    const double cpu = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    fmt::print(
        R"({{"instance": "landmine_eta{}", "f": {:.17g}, "feasibility": {:.3g}, "status": "{}", "cpu_s": {:.6g}}})"
        "\n",
        argv[i], r.f, r.certificate.distance_C, to_string(r.status), cpu);
    std::fflush(stdout);
  }
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "landmine_solves: {}\n", e.what());
  return 1;
}
