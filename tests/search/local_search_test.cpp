#include "pendec/search/local_search.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/instances.hpp"

namespace pendec {
namespace {

/// ½‖x − a‖² on {‖x‖₀ ≤ s}: every support is a local minimum, the largest entries are the global one.
Problem nearest_sparse(const Vector& a, Index s) { return {.f = SquaredDistance(a), .D = Sparse(a.size(), s)}; }

TEST(LocalSearch, ExchangesAWrongSupportForTheRightOne) {
  Vector a(6), start = Vector::Zero(6);
  a << 1.0, -5.0, 2.0, 4.0, -3.0, 0.5;
  start[0] = start[5] = 1.0;
  const auto found = local_search(nearest_sparse(a, 2), start, {.budget = 40});
  EXPECT_NEAR(found.best.f, 0.5 * (1.0 + 4.0 + 9.0 + 0.25), 1e-10);
  EXPECT_EQ(found.search.branch, "support {1, 3}");
  EXPECT_EQ(found.search.neighbours, 2 * 4);
  EXPECT_TRUE(found.search.exchange_optimal);
}

TEST(LocalSearch, ClaimsNoOptimalityThatTheBudgetDidNotAllowToVerify) {
  Vector a(6);
  a << 1.0, -5.0, 2.0, 4.0, -3.0, 0.5;
  const auto found = local_search(nearest_sparse(a, 2), a, {.budget = 8});  // starts at the optimum: 1 + 8 branches
  EXPECT_EQ(found.search.solved, 8);
  EXPECT_FALSE(found.search.exchange_optimal);
  EXPECT_TRUE(local_search(nearest_sparse(a, 2), a, {.budget = 9}).search.exchange_optimal);
}

TEST(LocalSearch, LeavesABranchThatCannotMeetTheConstraints) {
  // a − b = −2 needs b > 0, the other side of the pair
  Matrix A(1, 2);
  A << 1.0, -1.0;
  const Problem problem{.f = SquaredDistance(Vector::Zero(2)),
                        .G = Affine(A),
                        .C = Singleton(Vector::Constant(1, -2.0)),
                        .D = BoxSwitching::complementarity(1)};
  Vector start(2);
  start << 5.0, 0.0;
  const auto found = local_search(problem, start);
  EXPECT_LE(found.best.violation, 1e-9);
  EXPECT_NEAR(found.best.f, 2.0, 1e-9);
  EXPECT_TRUE(found.search.exchange_optimal);
}

TEST(LocalSearch, MakesTwoExchangesAtOnceWhereOneDoesNotHelp) {
  Matrix Q(4, 4);
  Q.setZero();
  Q.diagonal().setConstant(1.0);
  Q(2, 3) = Q(3, 2) = -0.9;
  Vector c(4);
  c << -0.6, -0.6, -0.4, -0.4;
  // sides (x, x): −0.18·2 = −0.36; one flipped: −0.18 − 0.08; both: −0.4²·2/(1 − 0.9)/2 = −1.6
  const Problem problem{.f = Quadratic(Q, c), .D = BoxSwitching::switching(2)};
  Vector start(4);
  start << 1.0, 1.0, 0.0, 0.0;
  EXPECT_NEAR(local_search(problem, start, {.exchanges = 1}).best.f, -0.36, 1e-9);
  const auto both = local_search(problem, start);
  EXPECT_NEAR(both.best.f, -1.6, 1e-9);
  EXPECT_TRUE(both.search.exchange_optimal);
}

TEST(LocalSearch, FindsTheBestOfAllPartsOfAUnion) {
  std::vector<Set> parts;
  for (int k = 0; k < 5; ++k)
    parts.push_back(Box(Vector::Constant(2, 10.0 - 2.0 * k), Vector::Constant(2, 11.0 - 2.0 * k)));
  const Problem problem{.f = SquaredDistance(Vector::Zero(2)), .D = UnionOf(parts)};
  const auto found = local_search(problem, Vector::Constant(2, 20.0));
  EXPECT_EQ(found.search.branch, "part 4");
  EXPECT_NEAR(found.best.f, 4.0, 1e-12);
  EXPECT_TRUE(found.search.exchange_optimal);
}

TEST(LocalSearch, HasNothingToSearchOnAConvexSet) {
  const auto found = local_search({.f = SquaredDistance(Vector::Ones(3)), .D = Box::nonpositive(3)}, Vector::Ones(3));
  EXPECT_NEAR(found.best.f, 1.5, 1e-10);
  EXPECT_EQ(found.search.neighbours, 0);
  EXPECT_FALSE(found.search.exchange_optimal);
}

TEST(LocalSearch, FindsTheGlobalMinimumOfSmallComplementarityProblems) {
  int solved = 0;
  for (int seed = 0; seed < 20; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto instance = experiments::random_complementarity(6, 2, random);
    double best = infinity;
    for (int mask = 0; mask < 64; ++mask) {
      std::vector<Index> key;
      for (int i = 0; i < 6; ++i) key.push_back(mask >> i & 1);
      LinearConstraints rows = LinearConstraints::none(12);
      rows.E = instance.problem.G.jacobian(Vector::Zero(12)).dense();
      rows.d = instance.problem.C.projection(Vector::Zero(2));
      rows.lower.setZero();
      for (int i = 0; i < 6; ++i) rows.upper[key[static_cast<std::size_t>(i)] == 0 ? 6 + i : i] = 0.0;
      Vector y(12);
      const Vector a = instance.problem.f.as<SquaredDistance>()->a;
      if (DualActiveSet(rows).project(a, y) == QpStatus::optimal) best = std::min(best, 0.5 * (y - a).squaredNorm());
    }
    const Result r = solve(instance.problem, instance.start, {.driver = {.route = Route::general}});
    solved += r.status == Status::converged && std::abs(r.f - best) <= 1e-6 * (1.0 + std::abs(best));
    EXPECT_GE(r.f, best - 1e-6) << seed;
  }
  EXPECT_EQ(solved, 20);
}

TEST(LocalSearch, RefusesMeaninglessOptions) {
  const Problem problem = nearest_sparse(Vector::Ones(3), 1);
  EXPECT_THROW(local_search(problem, Vector::Ones(3), {.budget = 0}), InvalidArgument);
  EXPECT_THROW(local_search(problem, Vector::Ones(3), {.exchanges = 3}), InvalidArgument);
  EXPECT_THROW(local_search(problem, Vector::Ones(2)), InvalidArgument);
  EXPECT_THROW(local_search(problem, Vector::Constant(3, NAN)), InvalidArgument);
}

TEST(LocalSearch, EndsWhenItIsStopped) {
  std::stop_source source;
  source.request_stop();
  const auto found = local_search(nearest_sparse(Vector::Ones(5), 2), Vector::Ones(5), {}, source.get_token());
  EXPECT_LE(found.search.solved, 1);
  EXPECT_FALSE(found.search.exchange_optimal);
}

/// A point of the line that counts the projections onto it and its like, and asks for the end at the 400th.
struct Watched {
  double at;
  std::shared_ptr<std::stop_source> stop;
  std::shared_ptr<int> count;

  Index dimension() const { return 1; }
  bool convex() const { return true; }
  void project(In, Out y) const {
    if (++*count == 400) stop->request_stop();
    y[0] = at;
  }
  std::optional<LinearConstraints> linear_constraints() const {
    return Set(Singleton(Vector{{at}})).linear_constraints();
  }
};

UnionOf watched(int parts, const std::shared_ptr<std::stop_source>& stop, const std::shared_ptr<int>& count) {
  std::vector<Set> all;
  for (int k = 0; k < parts; ++k) all.emplace_back(Watched{1.0 + k, stop, count});
  return UnionOf(std::move(all));
}

TEST(LocalSearch, EndsWhenItIsStoppedAmongPairsOfExchanges) {
  const auto stop = std::make_shared<std::stop_source>();
  const auto count = std::make_shared<int>(0);
  const Product both({watched(20, stop, count), watched(20, stop, count)});
  local_search({.f = SquaredDistance(Vector::Zero(2)), .D = both}, Vector::Ones(2), {}, stop->get_token());
  EXPECT_GE(*count, 400);
  EXPECT_LE(*count, 500);  // all pairs would take more than 1600
}

TEST(LocalSearch, TriesNoPairsOfExchangesAmongConvexPartsOfAUnion) {
  const auto projections = [](Index exchanges) {
    const auto count = std::make_shared<int>(-1000000);  // never stopped
    const auto found = local_search(
        {.f = SquaredDistance(Vector::Zero(1)), .D = watched(40, std::make_shared<std::stop_source>(), count)},
        Vector::Constant(1, 7.0), {.exchanges = exchanges});
    EXPECT_DOUBLE_EQ(found.best.y[0], 1.0);
    EXPECT_TRUE(found.search.exchange_optimal);
    return *count;
  };
  EXPECT_EQ(projections(2), projections(1));
}

TEST(LocalSearch, ClaimsNothingAboutExchangesOnARankWhichHasNone) {
  const Vector a = Random(3).normal_vector(12);
  const auto found = local_search({.f = SquaredDistance(a), .D = LowRank(4, 3, 1)}, a);
  EXPECT_EQ(found.search.neighbours, 0);
  EXPECT_FALSE(found.search.exchange_optimal);
  const Result r = solve({.f = SquaredDistance(a), .D = LowRank(4, 3, 1)}, a);
  EXPECT_EQ(r.status, Status::converged);
  EXPECT_FALSE(r.search.exchange_optimal);
}

}  // namespace
}  // namespace pendec
