// Disjunctive programs: certified optima against enumeration by NLopt's SLSQP on the same instances, and projections
// onto unions along a run of PD against projecting onto all parts.
//   disjunctive_programs [seeds = 20] [largest N = 10000]
// Prints medians of milliseconds over the seeds; the last column of each table is what the project asks for.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "experiments/enumeration.hpp"
#include "experiments/instances.hpp"

namespace {

using namespace pendec;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/// Milliseconds of one call; the best of `repeats`, which other programs disturb least.
template <class Call>
double milliseconds(int repeats, const Call& call) {
  double best = infinity;
  for (int k = 0; k < repeats; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    best =
        std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

struct Size {
  const char* name;
  Index n, parts, rows, m;
  double asked;  // ratio
};

/// Of the instances drawn: empty polyhedra are left out, so there may be fewer parts than were asked for.
struct PartRange {
  Index least = std::numeric_limits<Index>::max(), most = 0;
  void add(const Problem& problem) {
    const Index parts = std::ssize(problem.D.as<UnionOf>()->parts);
    least = std::min(least, parts);
    most = std::max(most, parts);
  }
  std::string text() const { return least == most ? fmt::format("{}", most) : fmt::format("{}-{}", least, most); }
};

void certified(const Size& size, int seeds) {
  std::vector<double> ours, theirs;
  int agree = 0, agree_restarted = 0, searched_right = 0, proved = 0;
  PartRange parts;
  double solved = 0.0, opened = 0.0, search_time = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto instance = experiments::feasible_disjunctive(size.n, size.parts, size.rows, size.m, random);
    const Vector centre = instance.problem.G.as<Quartic>()->p.col(0);
    parts.add(instance.problem);
    Result r;
    ours.push_back(milliseconds(5, [&] { r = solve_disjunctive(instance.problem, instance.start); }));
    experiments::Enumeration e;
    theirs.push_back(
        milliseconds(size.parts <= 100 ? 3 : 1, [&] { e = experiments::enumerate_parts(instance.problem, centre); }));
    proved += r.status == Status::optimal;
    const auto same = [&] { return std::abs(r.f - e.f) <= 1e-6 * (1.0 + std::abs(e.f)); };
    agree += same();
    if (!same()) {  // SLSQP may end early: it gets more chances, outside of the time
      const double first = e.f;
      e = experiments::enumerate_parts(instance.problem, centre, 20);
      agree_restarted += same();
      fmt::print("  seed {}: f = {:.9g} (part {}, {}), enumeration {:.9g}, restarted {:.9g} (part {})\n", seed, r.f,
                 r.parts().part, to_string(r.status), first, e.f, e.part);
    }
    solved += static_cast<double>(r.parts().counts.solved);
    opened += static_cast<double>(r.parts().counts.solved + r.parts().counts.bounded + r.parts().counts.infeasible);
    if (size.parts > 1000) continue;
    Result s;
    search_time +=
        milliseconds(1, [&] { s = solve_disjunctive(instance.problem, instance.start, {.certificate = false}); });
    searched_right += s.f <= r.f + 1e-6 * (1.0 + std::abs(r.f)) && s.certificate.distance_C <= 1e-7;
  }
  fmt::print("{:<22} {:>9} {:>6}/{} {:>4}+{}/{} {:>7.2f} {:>7.2f} {:>9.3f} {:>10.2f} {:>7.0f} x {:>6.0f}   {}\n",
             size.name, parts.text(), proved, seeds, agree, agree_restarted, seeds, solved / seeds, opened / seeds,
             median(ours), median(theirs), median(theirs) / median(ours), size.asked,
             size.parts > 1000 ? "" : fmt::format("{}/{}, {:.1f} ms", searched_right, seeds, search_time / seeds));
  std::fflush(stdout);
}

/// Remembers what it is asked to project.
struct Recorder {
  UnionOf set;
  std::shared_ptr<std::vector<Vector>> seen;
  Index dimension() const { return set.dimension(); }
  void project(In z, Out y) const {
    seen->push_back(z);
    set.project(z, y);
  }
};

void projections(const Size& size, int seeds) {
  std::vector<double> all, pruned, shares;
  PartRange range;
  double worst = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    auto instance = experiments::feasible_disjunctive(size.n, size.parts, size.rows, size.m, random);
    range.add(instance.problem);
    const UnionOf parts = *instance.problem.D.as<UnionOf>();
    const auto seen = std::make_shared<std::vector<Vector>>();
    instance.problem.D = Recorder{parts, seen};
    Options options = paper_preset(Method::pdlm);
    options.penalty.tau0 = 0.1;
    options.penalty.alpha_tau = 1.2;
    options.inner.eps_in = 0.01;
    solve(instance.problem, instance.start, options);
    if (seen->size() > 300) seen->resize(300);
    Vector y(size.n), z(size.n);
    all.push_back(milliseconds(size.parts <= 100 ? 3 : 1, [&] {
      for (const Vector& point : *seen) parts.project(point, y);
    }));
    UnionProjector::Work work;
    pruned.push_back(milliseconds(3, [&] {
      UnionProjector projector(parts.parts);
      for (const Vector& point : *seen) projector.project(point, y);
      work = projector.work();
    }));
    shares.push_back(static_cast<double>(work.projections) /
                     static_cast<double>(work.calls * std::ssize(parts.parts)));
    UnionProjector projector(parts.parts);
    for (const Vector& point : *seen) {
      projector.project(point, y);
      parts.project(point, z);
      worst = std::max(worst, std::abs((point - y).norm() - (point - z).norm()) / (1.0 + point.norm()));
    }
  }
  fmt::print("{:<22} {:>9} {:>10.3f} {:>9.3f} {:>7.0f} x {:>6.0f} {:>9.3f} % {:>12.1e}\n", size.name, range.text(),
             median(all), median(pruned), median(all) / median(pruned), size.asked, 100.0 * median(shares), worst);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const int seeds = count > 1 ? pendec::bench::positive(arguments[1]) : 20;
  const int largest = count > 2 ? pendec::bench::positive(arguments[2]) : 10000;
  if (seeds == 0 || largest == 0 || count > 3) {
    fmt::print(stderr, "usage: disjunctive_programs [seeds] [largest number of parts]\n");
    return 2;
  }
  const Size sizes[] = {{"Table 6.7", 10, 2, 12, 1, 0},
                        {"Table 6.7", 10, 5, 12, 1, 0},
                        {"Table 6.7", 10, 10, 12, 1, 0},
                        {"Table 6.7", 10, 20, 12, 1, 0},
                        {"Table 6.7", 10, 50, 12, 1, 0},
                        {"Table 6.7", 10, 100, 12, 1, 80},
                        {"Figure 6.3", 5, 50, 7, 80, 50},
                        {"n = 10, 20 rows", 10, 1000, 20, 1, 120},
                        {"n = 20, 30 rows", 20, 1000, 30, 1, 200},
                        {"n = 10, 20 rows", 10, 10000, 20, 1, 800}};
  fmt::print("{:<22} {:>9} {:>9} {:>9} {:>7} {:>7} {:>9} {:>10} {:>9} {:>6}   {}\n", "certified optima", "parts",
             "proved", "agree", "solved", "opened", "ours ms", "SLSQP ms", "ratio", "asked", "search alone");
  for (const Size& size : sizes)
    if (size.parts <= largest) certified(size, seeds);
  const Size unions[] = {{"n = 10, 12 rows", 10, 100, 12, 1, 40},
                         {"n = 10, 20 rows", 10, 1000, 20, 1, 0},
                         {"n = 10, 20 rows", 10, 10000, 20, 1, 100}};
  fmt::print("\n{:<22} {:>9} {:>10} {:>9} {:>9} {:>6} {:>11} {:>12}\n", "union projections", "parts", "all ms",
             "pruned ms", "ratio", "asked", "touched", "difference");
  for (const Size& size : unions)
    if (size.parts <= largest) projections(size, std::min(seeds, 5));
}
