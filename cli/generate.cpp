// pendec generate NAME: instances of the paper's experiments as problem files.
#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "experiments/instances.hpp"
#include "experiments/showcase.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"

namespace pendec::cli {
namespace {

/// The parameters of all generators; each uses some.
struct GenerateArguments {
  Index n = 20, s = 3, kappa = 5, parts = 20, rows = 12, constraints = 1, pairs = 8, equations = 4;
  double condition = 10.0, nu = 1.0;
  int which = 1;
  std::uint64_t seed = 1;
  std::string showcase, output;
};

using Make = io::ProblemFile (*)(const GenerateArguments&);

io::ProblemFile from(std::string name, const experiments::SparseQp& qp, std::uint64_t seed) {
  return {.name = std::move(name), .problem = qp.problem(), .start = qp.start(), .seed = seed};
}

template <bool simplex>
io::ProblemFile sparse_qp(const GenerateArguments& a) {
  Random random(a.seed);
  experiments::SparseQp qp = experiments::random_sparse_qp(a.n, a.condition, random);
  qp.s = a.s;
  qp.nu = a.nu;
  qp.simplex = simplex;
  return from(fmt::format("sparse {} (n={}, s={})", simplex ? "portfolio" : "QP", a.n, a.s), qp, a.seed);
}

io::ProblemFile beck_eldar(const GenerateArguments&) {
  return from("Beck and Eldar, Example 2.2", experiments::beck_eldar(), 0);
}

io::ProblemFile correlation(const GenerateArguments& a) {
  return {.name = fmt::format("nearest correlation P{}({},{})", a.which, a.n, a.kappa),
          .problem = correlation_problem(experiments::correlation_matrix(a.which, a.n), a.kappa),
          .start = Matrix(Matrix::Identity(a.n, a.n)).reshaped()};
}

io::ProblemFile disjunctive(const GenerateArguments& a) {
  Random random(a.seed);
  auto d = experiments::feasible_disjunctive(a.n, a.parts, a.rows, a.constraints, random);
  return {.name = fmt::format("union of {} polyhedra (n={})", a.parts, a.n),
          .problem = std::move(d.problem),
          .start = std::move(d.start),
          .seed = a.seed};
}

io::ProblemFile complementarity(const GenerateArguments& a) {
  Random random(a.seed);
  auto c = experiments::random_complementarity(a.pairs, a.equations, random);
  return {.name = fmt::format("complementarity ({} pairs)", a.pairs),
          .problem = std::move(c.problem),
          .start = std::move(c.start),
          .seed = a.seed};
}

io::ProblemFile showcase(const GenerateArguments& a) {
  std::string names;
  for (const experiments::Showcase& s : experiments::showcases()) {
    if (s.id == a.showcase) return {.name = s.name, .problem = s.problem, .start = s.start};
    names += (names.empty() ? "" : ", ") + s.id;
  }
  throw InvalidArgument("NAME", a.showcase, "one of " + names);
}

int generate(Make make, const GenerateArguments& a) {
  require_outputs({{"--output", a.output}}, {});
  const std::string text = io::to_json(make(a));
  if (a.output.empty()) {
    fmt::print("{}", text);
    return solved;
  }
  const Interrupt interrupt;  // no half-written file stays behind
  write_output(a.output, text);
  return interrupt.requested() ? interrupted : solved;
}

}  // namespace

void add_generate(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("generate", "Write an instance of the paper's experiments as a problem file");
  command->require_subcommand(1);

  const auto generator = [&](const std::string& name, const std::string& text, Make make, auto&& add_options) {
    const auto a = std::make_shared<GenerateArguments>();
    auto* sub = command->add_subcommand(name, text);
    add_options(*sub, *a);
    add_output(*sub, "-o,--output", a->output, "Write to this file instead of standard output");
    sub->callback([&job, make, a] { job.run = [make, a] { return generate(make, *a); }; });
  };
  const auto seed = [](CLI::App& sub, GenerateArguments& a) {
    sub.add_option("--seed", a.seed, "Seed of the random numbers")->capture_default_str();
  };
  const auto size = [](CLI::App& sub, Index& value, const std::string& name, const std::string& text,
                       Index least = 1) {
    constexpr Index most = 10'000;
    sub.add_option(name, value, text)->capture_default_str()->check(CLI::Range(least, most));
  };
  const auto qp = [&](CLI::App& sub, GenerateArguments& a) {
    size(sub, a.n, "--n", "Variables", 2);
    size(sub, a.s, "--s", "Nonzeros at most");
    sub.add_option("--condition", a.condition, "Condition number of Q")->capture_default_str();
    sub.add_option("--nu", a.nu, "Factor of the linear term")->capture_default_str();
    seed(sub, a);
  };
  generator("sparse-qp", "Sparse quadratic program with a random matrix (Section 6.1)", sparse_qp<false>, qp);
  generator("portfolio", "The same over the unit simplex", sparse_qp<true>, qp);
  generator("beck-eldar", "Example 2.2 of Beck and Eldar (Table 6.2)", beck_eldar,
            [](CLI::App&, GenerateArguments&) {});
  generator(
      "correlation", "Nearest correlation matrix of low rank (P1 to P3)", correlation,
      [&](CLI::App& sub, GenerateArguments& a) {
        a.n = 200;
        sub.add_option("--which", a.which, "Matrix P1, P2 or P3")->capture_default_str()->check(CLI::Range(1, 3));
        size(sub, a.n, "--n", "Rows of the matrix");
        size(sub, a.kappa, "--kappa", "Largest rank");
      });
  generator("disjunctive", "Logistic loss over a union of random polyhedra, feasible (Section 6.3)", disjunctive,
            [&](CLI::App& sub, GenerateArguments& a) {
              a.n = 10;
              size(sub, a.n, "--n", "Variables");
              size(sub, a.parts, "--parts", "Polyhedra");
              size(sub, a.rows, "--rows", "Inequalities of each");
              size(sub, a.constraints, "--constraints", "Quartic constraints");
              seed(sub, a);
            });
  generator("complementarity", "Quadratic program with complementarity constraints", complementarity,
            [&](CLI::App& sub, GenerateArguments& a) {
              size(sub, a.pairs, "--pairs", "Complementary pairs");
              size(sub, a.equations, "--equations", "Linear equations");
              seed(sub, a);
            });
  generator("showcase", "A problem of `pendec demo`", showcase, [](CLI::App& sub, GenerateArguments& a) {
    sub.add_option("NAME", a.showcase, "sparse_qp, portfolio, correlation, polyhedra or complementarity")->required();
  });
}

}  // namespace pendec::cli
