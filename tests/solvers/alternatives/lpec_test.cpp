// B-stationarity: what linear programs over sides are said to have shown, against all sides one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "pendec/core/random.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/solvers/alternatives/pair_program.hpp"
#include "pendec/solvers/verify.hpp"
#include "pendec/subsolvers/clp.hpp"
#include "pendec/subsolvers/sqp.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

#define NEEDS_CLP() \
  if (!has_clp()) GTEST_SKIP() << "built without Clp"

/// Integers of small size: points where many rows and sides meet.
Matrix integers(Random& random, Index rows, Index cols) {
  return (2.0 * random.normal_matrix(rows, cols)).array().round();
}

/// min ½‖x − p‖² or pᵀx s.t. rows through the origin and pairs x_i, x_{i+1}, …, of which many vanish at the solution,
/// in other units where there are slopes.
PairProgram degenerate(std::uint64_t seed, double slope_F = 1.0, double slope_H = 1.0) {
  Random random(seed);
  const Index pairs = 1 + static_cast<Index>(seed % 4), n = 2 * pairs + 1;
  const Vector p = integers(random, n, 1);
  PairProgram program{.f = seed % 3 == 0 ? Objective(Linear(p)) : Objective(SquaredDistance(p)),
                      .G = Affine(integers(random, 2, n)),
                      .C = Box::nonpositive(2),
                      .X = Box(Vector::Constant(n, -3.0), Vector::Constant(n, 3.0))};
  Matrix F = Matrix::Zero(pairs, n), H = F;
  for (Index i = 0; i < pairs; ++i) F(i, 2 * i) = slope_F, H(i, 2 * i + 1) = slope_H;
  program.pairs = {{static_cast<PairKind>(seed / 3 % 4), Affine(F), Affine(H)}};
  return program;
}

/// The least ∇f(x)ᵀd of directions into any choice of sides, one linear program each.
double steepest(const PairProgram& program, const Vector& x) {
  const Problem slacks = program.with_slacks();
  const Index n = x.size(), pairs = program.pairs[0].F.output_dimension();
  Vector gradient(n), G(2);
  program.f.value_and_gradient(x, gradient);
  program.G.evaluate(x, G);
  double least = 0.0;
  for (Index choice = 0; choice < Index{1} << pairs; ++choice) {
    Vector lower = (Vector::Constant(n, -3.0) - x).cwiseMin(0.0),
           upper = (Vector::Constant(n, 3.0) - x).cwiseMax(0.0);
    bool is_on = true;
    for (Index i = 0; i < pairs; ++i) {
      const bool second = (choice >> i & 1) != 0;
      double low[2] = {-infinity, -infinity}, high[2] = {infinity, infinity};  // of both sides
      switch (program.pairs[0].kind) {
        case PairKind::complementarity:
          low[0] = low[1] = 0.0;
          high[second] = 0.0;
          break;
        case PairKind::switching:
          low[second] = high[second] = 0.0;
          break;
        case PairKind::vanishing:
          low[1] = 0.0;
          high[second ? 0 : 1] = 0.0;
          break;
        case PairKind::either:
          low[second] = 0.0;
          break;
      }
      for (const Index k : {Index{0}, Index{1}}) {
        const Index j = 2 * i + k;
        is_on = is_on && x[j] >= low[k] - 1e-7 && x[j] <= high[k] + 1e-7;
        lower[j] = std::max(lower[j], std::min(low[k] - x[j], 0.0));
        upper[j] = std::min(upper[j], std::max(high[k] - x[j], 0.0));
      }
    }
    if (!is_on) continue;
    const Problem lp{.f = Linear(gradient),
                     .G = program.G,
                     .C = Box(Vector::Constant(2, -infinity), (-G).cwiseMax(0.0)),
                     .D = Box(lower, upper)};
    const NlpResult r = sqp(lp, Vector::Zero(n));
    EXPECT_LE(r.kkt_error, 1e-6);
    least = std::min(least, r.f);
  }
  return least / std::max(1.0, 3.0 * gradient.lpNorm<Eigen::Infinity>());
}

TEST(BStationarity, IsClaimedOnlyWhereNoSideFalls) {
  Index claimed = 0, biactive = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const PairProgram program = degenerate(seed);
    const Result r = solve_pairs(program, Vector::Zero(program.dimension()));
    ASSERT_TRUE(r.has_point()) << seed;
    for (const Claim& c : verify(program, r)) EXPECT_TRUE(c.holds) << seed << ": " << c.name << " " << c.found;
    const PairsDetails& p = r.pairs();
    for (const PairReport& pair : p.table) biactive += pair.biactive ? 1 : 0;
    if (p.stationarity < PairStationarity::B) continue;
    ++claimed;
    EXPECT_GE(steepest(program, p.x), -1e-5) << seed << " " << to_string(p.stationarity);
  }
  EXPECT_GE(claimed, has_clp() ? 380 : 200);
  EXPECT_GE(biactive, 100);
}

TEST(BStationarity, IsClaimedOfNoneWhoseUnitsHideWhatFalls) {
  for (const auto& [slope_F, slope_H] : {std::pair{1e6, 1.0}, {1.0, 1e-6}, {1e-9, 1e-3}, {1e5, 1e7}})
    for (std::uint64_t seed = 0; seed < (testing::patience > 1.0 ? 20U : 100U); ++seed) {
      const PairProgram program = degenerate(seed, slope_F, slope_H);
      const Result r = solve_pairs(program, Vector::Zero(program.dimension()));
      ASSERT_TRUE(r.has_point()) << seed;
      const PairsDetails& p = r.pairs();
      for (const PairReport& pair : p.table)
        EXPECT_TRUE(!r.success() || pair.violation <= 2e-6 * std::max(slope_F, slope_H)) << seed;
      if (p.stationarity < PairStationarity::B) continue;
      EXPECT_GE(steepest(program, p.x), -1e-5) << seed << " " << to_string(p.stationarity) << " " << slope_F;
    }
}

/// MacMPEC's ralph1, min 2x − y s.t. 0 ≤ y ⊥ y − x ≥ 0, x ≥ 0: at the origin no side falls, and no multipliers have
/// the right signs.
PairProgram ralph1() {
  return {.f = Linear(Vector{{2.0, -1.0}}),
          .X = Box(Vector{{0.0, 0.0}}, Vector::Constant(2, infinity)),
          .pairs = {{PairKind::complementarity, Selection(2, {1}), Affine((Matrix(1, 2) << -1.0, 1.0).finished())}}};
}

TEST(BStationarity, IsRefusedWhereASideFalls) {
  NEEDS_CLP();
  // −x₁ falls along the side x₂ = 0 from the origin, which is M-stationary with ν = (1, 0)
  const PairProgram falls{.f = Linear(Vector{{-1.0, 0.0}}),
                          .pairs = {{PairKind::complementarity, Selection(2, {0}), Selection(2, {1})}}};
  const PairProgram holds = ralph1();
  for (const PairProgram* program : {&falls, &holds}) {
    const Index n = program->dimension();
    const Problem slacks = program->with_slacks();
    Result r;
    r.x = r.y = Vector::Zero(slacks.dimension());
    r.lambda = Vector::Zero(slacks.G.output_dimension());
    r.mu = Vector::Zero(slacks.dimension());
    r.certificate = certify(slacks, r.y, r.lambda);
    r.details =
        PairsDetails{.x = Vector::Zero(n), .stationarity = PairStationarity::B, .table = {{.biactive = true}}};
    EXPECT_EQ(verify(*program, r).back().holds, program == &holds);
  }
}

TEST(BStationarity, IsShownWhereMultipliersDoNot) {
  NEEDS_CLP();
  const Result r = solve_pairs(ralph1(), Vector::Ones(2));
  EXPECT_LE(r.pairs().x.lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_EQ(r.pairs().stationarity, PairStationarity::B);
  EXPECT_GE(r.pairs().linear_programs, 1);
}

}  // namespace
}  // namespace pendec
