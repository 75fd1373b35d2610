#include "pendec/solvers/lowrank/maxcut.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/io/graph_file.hpp"

namespace pendec {
namespace {

Graph random_graph(Index n, double density, std::uint64_t seed) {
  Random random(seed);
  Graph g{n, {}};
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j)
      if (random.uniform() < density) g.edges.push_back({i, j, random.uniform(-1.0, 2.0)});
  return g;
}

double heaviest(const Graph& g) {
  double best = 0.0;
  for (int bits = 0; bits < (1 << (g.n - 1)); ++bits) {
    Vector side(g.n);
    for (Index i = 0; i < g.n; ++i) side[i] = (bits >> i) & 1 ? 1.0 : -1.0;
    best = std::max(best, g.cut(side));
  }
  return best;
}

TEST(MaxCut, IsFoundAndBounded) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Graph g = random_graph(13, 0.6, seed);
    const double best = heaviest(g);
    const Result r = max_cut(g);
    EXPECT_TRUE(r.success()) << r.message;
    EXPECT_NEAR(r.cut().cut, best, 1e-12);
    EXPECT_NEAR(g.cut(r.y), r.cut().cut, 0.0);
    EXPECT_GE(r.cut().upper_bound, best - 1e-12);
    EXPECT_NEAR(r.cut().upper_bound, r.cut().relaxation, 1e-4 * std::abs(r.cut().relaxation));  // strong duality
    EXPECT_LE((r.cut().V.rowwise().norm() - Vector::Ones(g.n)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(MaxCut, OfTheFiveCycleHasTheKnownRelaxation) {
  Graph g{5, {}};
  for (Index i = 0; i < 5; ++i) g.edges.push_back({i, (i + 1) % 5, 1.0});
  const Result r = max_cut(g);
  EXPECT_EQ(r.cut().cut, 4.0);
  EXPECT_NEAR(r.cut().relaxation, 5.0 * (5.0 + std::sqrt(5.0)) / 8.0, 1e-6);
  EXPECT_GE(r.cut().upper_bound, r.cut().relaxation - 1e-9);
}

TEST(MaxCut, BipartiteGraphsAreProvedOptimal) {
  Graph g{20, {}};
  for (Index i = 0; i < 10; ++i)
    for (Index j = 10; j < 20; j += 3) g.edges.push_back({i, j, 1.0});
  const Result r = max_cut(g);
  EXPECT_EQ(r.cut().cut, g.total_weight());
  EXPECT_LE(r.cut().upper_bound, r.cut().cut * (1.0 + 1e-6));
}

TEST(MaxCut, RankBoundIsKept) {
  const Graph g = random_graph(30, 0.3, 9);
  MaxCutOptions o;
  o.rank = 2;
  const Result r = max_cut(g, o);
  EXPECT_EQ(r.cut().V.cols(), 2);
  EXPECT_LE(r.cut().relaxation, r.cut().upper_bound + 1e-9);
  EXPECT_GE(r.cut().upper_bound, max_cut(g).cut().relaxation - 1e-6);
}

TEST(MaxCut, DegenerateGraphsAreHandled) {
  EXPECT_EQ(max_cut(Graph{1, {}}).cut().cut, 0.0);
  EXPECT_EQ(max_cut(Graph{3, {}}).cut().cut, 0.0);
  EXPECT_EQ(max_cut(Graph{2, {{0, 1, -1.0}}}).cut().cut, 0.0);
}

TEST(MaxCut, ScaleOfTheWeightsChangesNothing) {
  const Graph g = random_graph(16, 0.7, 3);
  Graph small = g;
  for (Edge& e : small.edges) e.weight *= 1e-9;
  const Result one = max_cut(g), other = max_cut(small);
  EXPECT_TRUE(other.success()) << other.message;
  EXPECT_NEAR(1e9 * other.cut().relaxation, one.cut().relaxation, 1e-5 * one.cut().relaxation);
  EXPECT_NEAR(1e9 * other.cut().cut, one.cut().cut, 1e-9 * one.cut().cut);
  MaxCutOptions hasty;
  hasty.seconds = 0.0;
  EXPECT_EQ(max_cut(small, hasty).status, Status::max_time);
  for (const int exponent :
       {-1000, -600, 600, 1010}) {  // squares underflow or overflow; powers of two change no bits
    Graph scaled = g;
    for (Edge& e : scaled.edges) e.weight = std::ldexp(e.weight, exponent);
    const Result r = max_cut(scaled);
    EXPECT_EQ(r.message, one.message) << exponent;
    EXPECT_EQ(r.counts.outer, one.counts.outer);
    EXPECT_EQ(r.cut().relaxation, std::ldexp(one.cut().relaxation, exponent));
    EXPECT_EQ(r.cut().upper_bound, std::ldexp(one.cut().upper_bound, exponent));
    EXPECT_EQ(r.certificate.relative_stationarity(), one.certificate.relative_stationarity());
  }
}

TEST(MaxCut, SolvedIsSaidOnlyWhereTheBoundAgrees) {
  const Graph g = random_graph(60, 0.3, 9);
  const double best = max_cut(g).cut().relaxation;
  int below = 0;
  for (const Index rank : {2, 3, 4}) {
    MaxCutOptions o;
    o.rank = rank;
    const Result r = max_cut(g, o);
    EXPECT_TRUE(r.success()) << r.message;
    if (r.cut().relaxation > best * (1.0 - 1e-5)) continue;
    ++below;
    EXPECT_EQ(r.message, "stationary for this rank, verified") << rank;
  }
  EXPECT_GT(below, 0);
  EXPECT_EQ(max_cut(g).message, "the semidefinite problem is solved");
}

TEST(MaxCut, BoundHoldsWhereWeightsCancel) {
  const Graph g{3, {{0, 1, 1e17}, {0, 2, 3.0}, {1, 2, 3.0}, {0, 1, -1e17}, {0, 2, 4.0}}};
  const Result r = max_cut(g);
  EXPECT_GE(r.cut().upper_bound, 10.0);
}

TEST(MaxCut, OfRankOneIsACut) {
  MaxCutOptions o;
  o.rank = 1;
  const Graph g = random_graph(14, 0.6, 4);
  const Result r = max_cut(g, o);
  EXPECT_NEAR(r.cut().relaxation, r.cut().cut, 1e-12 * r.cut().cut);
  EXPECT_NEAR(r.cut().cut, heaviest(g), 1e-12);
  const Graph larger = random_graph(80, 0.2, 5);
  const Result any = max_cut(larger), signs = max_cut(larger, o);
  EXPECT_EQ(signs.cut().V.cols(), 1);
  EXPECT_EQ(signs.cut().cut, any.cut().cut);
  EXPECT_EQ(signs.cut().upper_bound, any.cut().upper_bound);
}

TEST(MaxCut, MisuseIsNamed) {
  EXPECT_THROW(max_cut(Graph{0, {}}), InvalidArgument);
  EXPECT_THROW(max_cut(Graph{2, {{0, 0, 1.0}}}), InvalidArgument);
  EXPECT_THROW(max_cut(Graph{2, {{0, 2, 1.0}}}), InvalidArgument);
  EXPECT_THROW(max_cut(Graph{2, {{0, 1, std::nan("")}}}), InvalidArgument);
  EXPECT_THROW(max_cut(Graph{3, {{0, 1, 1e308}, {0, 2, 1e308}}}), InvalidArgument);  // no cut has a finite weight
  MaxCutOptions o;
  o.rank = 3;
  EXPECT_THROW(max_cut(Graph{2, {{0, 1, 1.0}}}, o), InvalidArgument);
}

TEST(GraphFile, IsReadWithAndWithoutWeights) {
  const Graph g = io::parse_graph("# a triangle\n3 3\n1 2 2.5\n2 3\n1 3 -1\n", "g.txt");
  EXPECT_EQ(g.n, 3);
  ASSERT_EQ(g.edges.size(), 3U);
  EXPECT_EQ(g.edges[1].weight, 1.0);
  EXPECT_EQ(g.total_weight(), 2.5);
}

TEST(GraphFile, ErrorsNameTheLine) {
  const auto complaint = [](std::string_view text) {
    try {
      io::parse_graph(text, "g");
    } catch (const io::FileError& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(complaint("3\n"), "g:1: the first line is \"n m\": vertices and edges");
  EXPECT_EQ(complaint("3 1\n1 4 1\n"), "g:2: vertex \"4\"; expected 1 to 3");
  EXPECT_EQ(complaint("3 1\n2 2 1\n"), "g:2: an edge from 2 to itself");
  EXPECT_EQ(complaint("3 1\n1 2 x\n"), "g:2: weight \"x\"; expected a number");
  EXPECT_EQ(complaint("3 2\n1 2 1\n"), "g: 1 edges; the first line says 2");
  EXPECT_EQ(complaint("3 1\n1 2 3 4\n"), "g:2: 4 words; expected \"i j\" or \"i j w\"");
  EXPECT_EQ(complaint(""), "g: no graph: the first line is \"n m\"");
}

}  // namespace
}  // namespace pendec
