// Complementarity, vanishing and switching programs of the literature: how many reach the best known value, and is
// what is said about each of them true?
#include "tests/problems/pair_problems.hpp"

#include "pendec/subsolvers/ipopt.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pendec/core/error.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/maps/composition.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/objectives/sum.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/solvers/verify.hpp"
#include "tests/support/patience.hpp"

namespace pendec::testing {

PairProblem PairBuilder::named(std::string name, double best) const {
  PairProblem p{.name = std::move(name), .program = {.f = objective(f)}, .start = {}, .constant = f.c, .best = best};
  std::vector<Expression> g = zero;
  g.insert(g.end(), nonnegative.begin(), nonnegative.end());
  std::vector<Set> C;
  if (!zero.empty()) C.push_back(Singleton(Vector::Zero(std::ssize(zero))));
  if (!nonnegative.empty()) C.push_back(Box::nonnegative(std::ssize(nonnegative)));
  if (!g.empty()) {
    p.program.G = rows(g);
    p.program.C = Product(C);
  }
  const auto vector = [&](const std::vector<double>& v, double otherwise) {
    return v.empty() ? Vector(Vector::Constant(n, otherwise)) : Vector(Eigen::Map<const Vector>(v.data(), n));
  };
  if (!lower.empty() || !upper.empty()) p.program.X = Box(vector(lower, -infinity), vector(upper, infinity));
  p.program.pairs = {{kind, rows(F), rows(H)}};
  p.start = vector(start, 0.0);
  return p;
}

namespace {

constexpr double inf = infinity;

PairProblem bard1() {  // Bard 1991: x, y, three multipliers
  const auto v = variables(5);
  const auto &x = v[0], &y = v[1], &l1 = v[2], &l2 = v[3], &l3 = v[4];
  return PairBuilder{.n = 5,
                     .f = square(x - 5.0) + square(2.0 * y + 1.0),
                     .zero = {2.0 * (y - 1.0) - 1.5 * x + l1 - 0.5 * l2 + l3},
                     .F = {3.0 * x - y - 3.0, -x + 0.5 * y + 4.0, -x - y + 7.0},
                     .H = {l1, l2, l3},
                     .lower = {0.0, 0.0, 0.0, 0.0, 0.0}}
      .named("bard1", 17.0);
}

PairProblem bard3() {  // Bard 1988
  const auto v = variables(6);
  const auto &x1 = v[0], &x2 = v[1], &y1 = v[2], &y2 = v[3], &l1 = v[4], &l2 = v[5];
  return PairBuilder{.n = 6,
                     .f = -square(x1) - 3.0 * x2 - 4.0 * y1 + square(y2),
                     .zero = {2.0 * y1 + 2.0 * l1 - 3.0 * l2, -l1 + 4.0 * l2 - 5.0},
                     .nonnegative = {4.0 - square(x1) - 2.0 * x2},
                     .F = {square(x1) - 2.0 * x1 + square(x2) - 2.0 * y1 + y2 + 3.0, x2 + 3.0 * y1 - 4.0 * y2 - 4.0},
                     .H = {l1, l2},
                     .lower = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}}
      .named("bard3", -12.67871);
}

PairProblem desilva() {
  const auto v = variables(6);
  const auto &x1 = v[0], &x2 = v[1], &y1 = v[2], &y2 = v[3], &l1 = v[4], &l2 = v[5];
  return PairBuilder{.n = 6,
                     .f = square(x1) - 2.0 * x1 + square(x2) - 2.0 * x2 + square(y1) + square(y2),
                     .zero = {y1 - x1 + (y1 - 1.0) * l1, y2 - x2 + (y2 - 1.0) * l2},
                     .F = {0.25 - square(y1 - 1.0), 0.25 - square(y2 - 1.0)},
                     .H = {l1, l2},
                     .lower = {0.0, 0.0, -inf, -inf, 0.0, 0.0},
                     .upper = {2.0, 2.0, inf, inf, inf, inf}}
      .named("desilva", -1.0);
}

PairProblem df1() {
  const auto v = variables(2);
  const auto &x = v[0], &y = v[1];
  return PairBuilder{.n = 2,
                     .f = square(x - 1.0 - y),
                     .nonnegative = {2.0 - square(x), 3.0 - square(x - 1.0) - square(y - 1.0)},
                     .F = {y - square(x) + 1.0},
                     .H = {y},
                     .lower = {-1.0, -inf},
                     .upper = {2.0, inf}}
      .named("df1", 0.0);
}

PairProblem ex911() {  // Clark, Westerberg 1990: −y₁ minimised below
  const auto v = variables(8);
  const auto &x = v[0], &y1 = v[1], &y2 = v[2];
  const auto &l1 = v[3], &l2 = v[4], &l3 = v[5], &l4 = v[6], &l5 = v[7];
  return PairBuilder{.n = 8,
                     .f = -x - 3.0 * y1 + 2.0 * y2,
                     .zero = {l1 + 3.0 * l2 + l3 - l4 + l5 - 1.0},
                     .F = {16.0 + 2.0 * x - y1 - 4.0 * y2, 48.0 - 8.0 * x - 3.0 * y1 + 2.0 * y2,
                           -12.0 + 2.0 * x - y1 + 3.0 * y2, y1, 4.0 - y1},
                     .H = {l1, l2, l3, l4, l5},
                     .lower = {0.0, -inf, 0.0, -inf, -inf, -inf, -inf, -inf}}
      .named("ex9.1.1", -13.0);
}

PairProblem ex912() {  // Liu, Hart 1994: y minimised below
  const auto v = variables(6);
  const auto &x = v[0], &y = v[1], &l1 = v[2], &l2 = v[3], &l3 = v[4], &l4 = v[5];
  return PairBuilder{.n = 6,
                     .f = -x - 3.0 * y,
                     .zero = {1.0 + l1 + 2.0 * l2 - l3 - l4},
                     .F = {3.0 + x - y, 12.0 - x - 2.0 * y, 12.0 - 4.0 * x + y, y},
                     .H = {l1, l2, l3, l4},
                     .lower = {0.0, -inf, -inf, -inf, -inf, -inf}}
      .named("ex9.1.2", -16.0);
}

PairProblem ex914() {  // Clark, Westerberg 1988: y minimised below
  const auto v = variables(5);
  const auto &x = v[0], &y = v[1], &l1 = v[2], &l2 = v[3], &l3 = v[4];
  return PairBuilder{.n = 5,
                     .f = x - 4.0 * y,
                     .zero = {1.0 + l1 + 5.0 * l2 - 3.0 * l3},
                     .F = {2.0 * x - y, 108.0 - 2.0 * x - 5.0 * y, -4.0 - 2.0 * x + 3.0 * y},
                     .H = {l1, l2, l3},
                     .lower = {0.0, 0.0, -inf, -inf, -inf}}
      .named("ex9.1.4", -37.0);
}

PairProblem ex915() {  // Bard 1984: −y₁ − y₂ minimised below
  const auto v = variables(8);
  const auto &x = v[0], &y1 = v[1], &y2 = v[2];
  const auto &l1 = v[3], &l2 = v[4], &l3 = v[5], &l4 = v[6], &l5 = v[7];
  return PairBuilder{.n = 8,
                     .f = -x + 10.0 * y1 - y2,
                     .zero = {l1 + l3 - l4 - 1.0, l2 + l3 - l5 - 1.0},
                     .F = {1.0 - x - y1, 1.0 - x - y2, 1.0 - y1 - y2, y1, y2},
                     .H = {l1, l2, l3, l4, l5},
                     .lower = {0.0, -inf, -inf, -inf, -inf, -inf, -inf, -inf}}
      .named("ex9.1.5", -1.0);
}

PairProblem ex918() {  // Bard, Falk 1982: −4y₁ + y₂ minimised below
  const auto v = variables(8);
  const auto &x1 = v[0], &x2 = v[1], &y1 = v[2], &y2 = v[3];
  const auto &l1 = v[4], &l2 = v[5], &l3 = v[6], &l4 = v[7];
  return PairBuilder{.n = 8,
                     .f = -2.0 * x1 + x2 + 0.5 * y1,
                     .zero = {l1 - l3 - 4.0, -l1 + l2 - l4 + 1.0},
                     .nonnegative = {2.0 - x1 - x2},
                     .F = {-2.5 + 2.0 * x1 - y1 + y2, 2.0 - x1 + 3.0 * x2 - y2, y1, y2},
                     .H = {l1, l2, l3, l4},
                     .lower = {0.0, 0.0, -inf, -inf, -inf, -inf, -inf, -inf}}
      .named("ex9.1.8", -3.25);
}

PairProblem ex922() {  // Shimizu, Aiyoshi 1981: (x + 2y − 30)² minimised below
  const auto v = variables(5);
  const auto &x = v[0], &y = v[1], &l1 = v[2], &l2 = v[3], &l3 = v[4];
  return PairBuilder{.n = 5,
                     .f = square(x) + square(y - 10.0),
                     .zero = {4.0 * (x + 2.0 * y - 30.0) + l1 - l2 + l3},
                     .nonnegative = {x - y},
                     .F = {20.0 - x - y, y, 20.0 - y},
                     .H = {l1, l2, l3},
                     .lower = {0.0, -inf, -inf, -inf, -inf},
                     .upper = {15.0, inf, inf, inf, inf}}
      .named("ex9.2.2", 100.0);
}

PairProblem ex923() {  // Shimizu, Aiyoshi 1981
  const auto v = variables(10);
  const auto &x1 = v[0], &x2 = v[1], &y1 = v[2], &y2 = v[3];
  return PairBuilder{
      .n = 10,
      .f = 2.0 * x1 + 2.0 * x2 - 3.0 * y1 - 3.0 * y2 - 60.0,
      .zero = {2.0 * (y1 - x1 + 20.0) + 2.0 * v[4] - v[6] + v[7], 2.0 * (y2 - x2 + 20.0) + 2.0 * v[5] - v[8] + v[9]},
      .nonnegative = {40.0 - x1 - x2 - y1 + 2.0 * y2},
      .F = {x1 - 2.0 * y1 - 10.0, x2 - 2.0 * y2 - 10.0, y1 + 10.0, 20.0 - y1, y2 + 10.0, 20.0 - y2},
      .H = {v[4], v[5], v[6], v[7], v[8], v[9]},
      .lower = {0.0, 0.0, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf},
      .upper = {50.0, 50.0, inf, inf, inf, inf, inf, inf, inf, inf}}
      .named("ex9.2.3", 0.0);
}

PairProblem ex924() {
  const auto v = variables(6);
  const auto &x = v[0], &y1 = v[1], &y2 = v[2], &nu = v[3], &s1 = v[4], &s2 = v[5];
  return PairBuilder{.n = 6,
                     .f = 0.5 * (square(y1 - 2.0) + square(y2 - 2.0)),
                     .zero = {y1 + nu - s1, 1.0 + nu - s2, y1 + y2 - x},
                     .F = {y1, y2},
                     .H = {s1, s2},
                     .lower = {0.0, -inf, -inf, -inf, -inf, -inf}}
      .named("ex9.2.4", 0.5);
}

PairProblem ex925() {  // Bard 1988: (y − 5)² minimised below
  const auto v = variables(5);
  const auto &x = v[0], &y = v[1], &l1 = v[2], &l2 = v[3], &l3 = v[4];
  return PairBuilder{.n = 5,
                     .f = square(x - 3.0) + square(y - 2.0),
                     .zero = {2.0 * (y - 5.0) + l1 - 2.0 * l2 + 2.0 * l3},
                     .F = {1.0 + 2.0 * x - y, -2.0 - x + 2.0 * y, 14.0 - x - 2.0 * y},
                     .H = {l1, l2, l3},
                     .lower = {0.0, -inf, -inf, -inf, -inf},
                     .upper = {8.0, inf, inf, inf, inf}}
      .named("ex9.2.5", 5.0);
}

PairProblem ex926() {
  const auto v = variables(8);
  const auto &x1 = v[0], &x2 = v[1], &y1 = v[2], &y2 = v[3];
  return PairBuilder{.n = 8,
                     .f = square(x1) - 2.0 * x1 + square(x2) - 2.0 * x2 + square(y1) + square(y2),
                     .zero = {2.0 * (y1 - x1) - v[4] + v[5], 2.0 * (y2 - x2) - v[6] + v[7]},
                     .F = {y1 - 0.5, 1.5 - y1, y2 - 0.5, 1.5 - y2},
                     .H = {v[4], v[5], v[6], v[7]},
                     .lower = {0.0, 0.0, -inf, -inf, -inf, -inf, -inf, -inf}}
      .named("ex9.2.6", -1.0);
}

PairProblem ex928() {  // Yezza 1996
  const auto v = variables(4);
  const auto &x = v[0], &y = v[1], &l1 = v[2], &l2 = v[3];
  return PairBuilder{.n = 4,
                     .f = -4.0 * (x * y) + 3.0 * y + 2.0 * x + 1.0,
                     .zero = {4.0 * x - 1.0 - l1 + l2},
                     .F = {y, 1.0 - y},
                     .H = {l1, l2},
                     .lower = {0.0, -inf, -inf, -inf},
                     .upper = {1.0, inf, inf, inf}}
      .named("ex9.2.8", 1.5);
}

PairProblem gauvin() {
  const auto v = variables(4);
  const auto &x = v[0], &y = v[1], &l1 = v[2], &l2 = v[3];
  return PairBuilder{.n = 4,
                     .f = square(x) + square(y - 10.0),
                     .zero = {4.0 * (x + 2.0 * y - 30.0) + l1 - l2},
                     .F = {20.0 - x - y, y},
                     .H = {l1, l2},
                     .lower = {0.0, -inf, -inf, -inf},
                     .upper = {15.0, inf, inf, inf}}
      .named("gauvin", 20.0);
}

PairProblem jr(int which) {  // Jiang, Ralph
  const auto z = variables(2);
  return PairBuilder{.n = 2,
                     .f = which == 1 ? square(z[0] - 1.0) + square(z[1]) : square(z[1] - 1.0) + square(z[0]),
                     .F = {z[1] - z[0]},
                     .H = {z[1]}}
      .named(fmt::format("jr{}", which), 0.5);
}

PairProblem kth(int which) {  // two variables that are complementary
  const auto z = variables(2);
  const Expression f = which == 1   ? z[0] + z[1]
                       : which == 2 ? z[0] + square(z[1] - 1.0)
                                    : 0.5 * square(z[0] - 1.0) + square(z[1] - 1.0);
  return PairBuilder{.n = 2, .f = f, .F = {z[0]}, .H = {z[1]}}.named(fmt::format("kth{}", which),
                                                                     which == 3 ? 0.5 : 0);
}

PairProblem nash1() {  // Facchinei, Jiang, Qi 1999, problem 9
  const auto v = variables(6);
  const auto &x1 = v[0], &x2 = v[1], &y1 = v[2], &y2 = v[3], &l1 = v[4], &l2 = v[5];
  return PairBuilder{.n = 6,
                     .f = 0.5 * (square(x1 - y1) + square(x2 - y2)),
                     .zero = {2.0 * y1 + 8.0 / 3.0 * y2 + l1 - 34.0, 1.25 * y1 + 2.0 * y2 + l2 - 24.25},
                     .F = {15.0 - x2 - y1, 15.0 - x1 - y2},
                     .H = {l1, l2},
                     .lower = {0.0, 0.0, -inf, -inf, -inf, -inf},
                     .upper = {10.0, 10.0, inf, inf, inf, inf}}
      .named("nash1", 0.0);
}

PairProblem outrata(int which) {  // Outrata 1994
  const auto v = variables(5);
  const auto &x1 = v[0], &x2 = v[1], &x3 = v[2], &x4 = v[3], &y = v[4];
  Expression f = 0.5 * (square(x1 - 3.0) + square(x2 - 4.0));
  if (which == 32) f = f + 0.5 * square(x3 - 1.0);
  if (which == 33) f = f + 5.0 * square(x4);
  return PairBuilder{.n = 5,
                     .f = f,
                     .F = {x1 + 0.2 * (y * x1) - 1.333 * y - 3.0 - 0.333 * x3 + 2.0 * (x1 * x4),
                           x2 + 0.1 * (y * x2) - y + x3 + 2.0 * (x2 * x4), 0.333 * x1 - x2 + 1.0 - 0.1 * y,
                           9.0 + 0.1 * y - square(x1) - square(x2)},
                     .H = {x1, x2, x3, x4},
                     .lower = {0.0, 0.0, 0.0, 0.0, 0.0},
                     .upper = {inf, inf, inf, inf, 10.0}}
      .named(fmt::format("outrata{}", which), which == 31   ? 3.2077
                                              : which == 32 ? 3.4494
                                                            : 4.60425);
}

PairProblem qpec1() {
  const Index pairs = 20;
  const auto v = variables(2 * pairs);
  PairBuilder b{.n = 2 * pairs, .f = 0.0 * v[0]};
  for (Index i = 0; i < pairs; ++i) {
    const auto &x = v[static_cast<std::size_t>(i)], &y = v[static_cast<std::size_t>(pairs + i)];
    b.f = b.f + square(x + 1.0) + square(y - 2.0);
    b.F.push_back(y - x);
    b.H.push_back(y);
  }
  return b.named("qpec1", 80.0);
}

PairProblem ralph1() {
  const auto v = variables(2);
  return PairBuilder{.n = 2, .f = 2.0 * v[0] - v[1], .F = {v[1] - v[0]}, .H = {v[1]}, .lower = {0.0, -inf}}.named(
      "ralph1", 0.0);
}

PairProblem ralph2() {
  const auto v = variables(2);
  return PairBuilder{
      .n = 2, .f = square(v[0]) + square(v[1]) - 4.0 * (v[0] * v[1]), .F = {v[0]}, .H = {v[1]}, .start = {1.0, 1.0}}
      .named("ralph2", 0.0);
}

PairProblem scholtes3() {
  const auto v = variables(2);
  return PairBuilder{.n = 2, .f = 0.5 * (square(v[0] - 1.0) + square(v[1] - 1.0)), .F = {v[0]}, .H = {v[1]}}.named(
      "scholtes3", 0.5);
}

PairProblem scholtes4() {
  const auto v = variables(3);
  return PairBuilder{.n = 3,
                     .f = v[0] + v[1] - v[2],
                     .nonnegative = {4.0 * v[0] - v[2], 4.0 * v[1] - v[2]},
                     .F = {v[0]},
                     .H = {v[1]},
                     .start = {0.0, 1.0, 0.0}}
      .named("scholtes4", 0.0);
}

PairProblem stackelberg1() {
  const auto v = variables(2);
  const auto &x = v[0], &y = v[1];
  return PairBuilder{.n = 2,
                     .f = 0.5 * square(x) + 0.5 * (x * y) - 95.0 * x,
                     .F = {2.0 * y + 0.5 * x - 100.0},
                     .H = {y},
                     .lower = {0.0, -inf},
                     .upper = {200.0, inf}}
      .named("stackelberg1", -9800.0 / 3.0);
}

/// F ≤ 0 where H > 0.
PairBuilder vanishing(Index n, Expression f, std::vector<Expression> F, std::vector<Expression> H) {
  return {.n = n, .f = std::move(f), .F = std::move(F), .H = std::move(H), .kind = PairKind::vanishing};
}

PairBuilder switching(Index n, Expression f, std::vector<Expression> F, std::vector<Expression> H) {
  return {.n = n, .f = std::move(f), .F = std::move(F), .H = std::move(H), .kind = PairKind::switching};
}

}  // namespace

std::vector<PairProblem> macmpec() {
  return {bard1(),     bard3(), desilva(), df1(),    ex911(),     ex912(),     ex914(),       ex915(),
          ex918(),     ex922(), ex923(),   ex924(),  ex925(),     ex926(),     ex928(),       gauvin(),
          jr(1),       jr(2),   kth(1),    kth(2),   kth(3),      nash1(),     outrata(31),   outrata(32),
          outrata(33), qpec1(), ralph1(),  ralph2(), scholtes3(), scholtes4(), stackelberg1()};
}

std::vector<PairProblem> vanishing_problems() {
  const auto v = variables(2);
  const auto w = variables(3);
  const auto &x = v[0], &y = v[1];
  std::vector<PairProblem> all;
  // Achtziger, Kanzow 2008, the academic example: 4x₁ + 2x₂ with 5√2 − x₁ − x₂ and 5 − x₁ − x₂, all pairs with x ≥ 0
  const double r = 5.0 * std::sqrt(2.0);
  {
    auto p = vanishing(2, 4.0 * x + 2.0 * y, {r - x - y, 5.0 - x - y}, {x, y});
    p.lower = {0.0, 0.0};
    p.start = {6.0, 6.0};
    all.push_back(p.named("academic, small load", 0.0));  // everything vanishes at the origin
    p.nonnegative = {x + y - 3.0};
    all.push_back(p.named("academic, loaded", 10.0));  // x = 0 and y = 5
  }
  // a truss of two bars: the stress bound of a bar is dropped with the bar
  {
    auto p = vanishing(2, 2.0 * x + 3.0 * y, {2.0 - x, 1.0 - y}, {x, y});
    p.lower = {0.0, 0.0};
    p.nonnegative = {x + 2.0 * y - 3.0};
    p.start = {1.0, 1.0};
    all.push_back(p.named("two bars", 4.5));  // y = 3/2 alone; both cost 2·2 + 3·1 = 7, x = 3 alone 6
  }
  {
    auto p = vanishing(2, square(x + 1.0) + square(y - 1.0), {y - 0.5}, {x});
    p.lower = {0.0, -inf};
    p.start = {2.0, 2.0};
    all.push_back(p.named("half plane", 1.0));  // (0, 1), where the bound has vanished
  }
  {
    auto p = vanishing(2, square(x - 1.0) + square(y - 1.0), {y - 0.5}, {x});
    p.start = {0.0, 2.0};
    all.push_back(p.named("pays to keep", 0.25));  // (1, ½) against 1 at (0, 1)
  }
  {
    auto p = vanishing(3, square(w[0] - 1.0) + square(w[1] - 1.0) + square(w[2] - 2.0),
                       {w[2] - 1.0, w[2] + w[0] - 4.0}, {w[0], w[1]});
    p.start = {1.0, 1.0, 3.0};
    all.push_back(p.named("two switches", 1.0));  // (1, 1, 1) or (0, 1, 2)
  }
  return all;
}

std::vector<PairProblem> switching_problems() {
  const auto v = variables(2);
  const auto w = variables(3);
  const auto u = variables(4);
  const auto &x = v[0], &y = v[1];
  std::vector<PairProblem> all;
  {
    auto p = switching(2, square(x - 2.0) + square(y - 1.0), {x}, {y});
    p.start = {0.5, 1.0};
    all.push_back(p.named("axes", 1.0));
  }
  {
    auto p = switching(2, square(x - 8.0) + square(y + 3.0), {x - y}, {2.0 - x - y});
    p.start = {0.0, 0.0};
    all.push_back(p.named("two lines", 4.5));  // the line x + y = 2: (8 − 3 − 2)²/2; the other one 121/2
  }
  {
    auto p = switching(2, square(x) + square(y), {x - 1.0}, {y - 2.0});
    p.start = {0.0, 2.0};
    all.push_back(p.named("cross", 1.0));
  }
  {
    auto p = switching(3, square(w[0] - 1.0) + square(w[1] - 2.0) + square(w[2] - 3.0), {w[0], w[1]}, {w[1], w[2]});
    p.start = {1.0, 2.0, 0.0};
    all.push_back(p.named("chain of three", 4.0));  // the middle one is given up
  }
  {
    // on/off with a fixed demand: u₀ + u₁ = 3, only one of them runs; the third is free to help at a price
    auto p = switching(3, square(w[0]) + 2.0 * square(w[1]) + 4.0 * square(w[2]), {w[0]}, {w[1]});
    p.zero = {w[0] + w[1] + w[2] - 3.0};
    p.start = {0.0, 3.0, 0.0};
    all.push_back(p.named("one of two machines", 7.2));  // 9/(1 + ¼)
  }
  {
    auto p = switching(4, square(u[0] - 1.0) + square(u[1] - 1.0) + square(u[2] - 3.0) + square(u[3] - 2.0),
                       {u[0], u[1]}, {u[2], u[3]});
    p.nonnegative = {4.0 - u[2] - u[3]};
    p.start = {1.0, 1.0, 0.0, 0.0};
    all.push_back(p.named("two pairs", 2.5));  // (0, 0, 5/2, 3/2): 1 + 1 + ¼ + ¼
  }
  return all;
}

namespace {

struct Tally {
  int reached = 0, total = 0;
  std::string failures;
};

/// Solves all with the defaults. What a status claims must hold whether or not the value is the best known.
Tally tally(const std::vector<PairProblem>& problems) {
  Tally t;
  for (const PairProblem& p : problems) {
    const Result r = solve_pairs(p.program, p.start);
    const double f = r.f + p.constant;
    ++t.total;
    const bool reached = r.success() && std::abs(f - p.best) <= 1e-5 * (1.0 + std::abs(p.best));
    t.reached += reached;
    if (!reached)
      t.failures += fmt::format("{}: f = {:.8g}, best known {:.8g}, {}; ", p.name, f, p.best, to_string(r.status));
    if (!r.success()) continue;
    EXPECT_LE(r.certificate.distance_C, 1e-7) << p.name;
    EXPECT_GE(f, p.best - 1e-4 * (1.0 + std::abs(p.best))) << p.name << ": better than the best known value";
    Vector F(p.program.pairs[0].F.output_dimension()), H(F.size());
    p.program.pairs[0].F.evaluate(r.pairs().x, F);
    p.program.pairs[0].H.evaluate(r.pairs().x, H);
    for (Index i = 0; i < F.size(); ++i) {
      const PairReport& pair = r.pairs().table[static_cast<std::size_t>(i)];
      EXPECT_NEAR(pair.F, F[i], 1e-6 * (1.0 + std::abs(F[i]))) << p.name;
      EXPECT_NEAR(pair.H, H[i], 1e-6 * (1.0 + std::abs(H[i]))) << p.name;
    }
  }
  return t;
}

TEST(PairProblems, MacMpecReachesTheBestKnownValues) {
  const Tally t = tally(macmpec());
  EXPECT_GE(t.total, 25);
  EXPECT_GE(10 * t.reached, 9 * t.total) << t.failures;
  RecordProperty("reached", fmt::format("{} of {}: {}", t.reached, t.total, t.failures));
  fmt::print("MacMPEC: {} of {} at the best known value. {}\n", t.reached, t.total, t.failures);
}

TEST(PairProblems, VanishingProgramsReachTheirMinima) {
  const Tally t = tally(vanishing_problems());
  EXPECT_EQ(t.reached, t.total) << t.failures;
  EXPECT_EQ(t.total, 6);
}

TEST(PairProblems, SwitchingProgramsReachTheirMinima) {
  const Tally t = tally(switching_problems());
  EXPECT_EQ(t.reached, t.total) << t.failures;
  EXPECT_EQ(t.total, 6);
}

/// The same program with the sides of its pairs, and f, in other units.
PairProblem in_units(PairProblem p, double of_F, double of_H, double of_f) {
  const auto scaled = [](const Map& map, double unit) -> Map {
    return Composition(Affine(Operator::diagonal(Vector::Constant(map.output_dimension(), unit))), map);
  };
  for (PairConstraint& pair : p.program.pairs) pair.F = scaled(pair.F, of_F), pair.H = scaled(pair.H, of_H);
  p.program.f = Sum({{of_f, p.program.f}});
  return p;
}

TEST(PairProblems, UnitsOfPairsAndObjectiveDoNotMatter) {
  for (const auto& [of_F, of_H, of_f] :
       {std::array{1e4, 1.0, 1.0}, std::array{1.0, 1e-4, 1.0}, std::array{1e-4, 1e4, 1.0}, std::array{1.0, 1.0, 1e6},
        std::array{1.0, 1.0, 1e-6}}) {
    int reached = 0, total = 0;
    std::string failures;
    for (const auto& all : {macmpec(), vanishing_problems(), switching_problems()})
      for (const PairProblem& given : all) {
        const PairProblem p = in_units(given, of_F, of_H, of_f);
        const Result r = solve_pairs(p.program, p.start);
        const double f = r.f / of_f + p.constant;
        ++total;
        if (r.success() && f <= p.best + 1e-5 * (1.0 + std::abs(p.best)))
          ++reached;
        else
          failures += fmt::format("{} {:.6g} ({:.6g}), {}; ", p.name, f, p.best, to_string(r.status));
      }
    fmt::print("{:g} {:g} {:g}: {} of {}: {}\n", of_F, of_H, of_f, reached, total, failures);
    EXPECT_GE(10 * reached, 9 * total) << of_F << " " << of_H << " " << of_f << ": " << failures;
  }
}

TEST(PairProblems, SqpAndIpoptReachTheSameValues) {
  if (!has_ipopt()) GTEST_SKIP() << "built without Ipopt";
  for (const auto& all : {macmpec(), vanishing_problems(), switching_problems()})
    for (const PairProblem& p : all) {
      Options options;
      options.driver.nlp = Nlp::sqp;
      const Result a = solve_pairs(p.program, p.start, options);
      options.driver.nlp = Nlp::ipopt;
      const Result b = solve_pairs(p.program, p.start, options);
      EXPECT_EQ(a.success(), b.success()) << p.name << ": " << summary(a) << summary(b);
      EXPECT_NEAR(a.f, b.f, 1e-6 * (1.0 + std::abs(a.f))) << p.name;
    }
}

/// The least material of a truss of ten bars between six nodes, two of them fixed, under two loads: areas a, and
/// displacements u of each load with Σ aᵢ/ℓᵢ (bᵢᵀu) bᵢ = load; the stress of a bar is bounded as long as it is there.
PairProblem truss(double bound) {
  struct Bar {
    int from, to;
  };
  const std::vector<Bar> bars = {{0, 2}, {1, 3}, {2, 4}, {3, 5}, {0, 3}, {1, 2}, {2, 5}, {3, 4}, {2, 3}, {4, 5}};
  const auto x_of = [](int node) { return static_cast<double>(node / 2); };
  const auto y_of = [](int node) { return static_cast<double>(node % 2); };
  constexpr std::size_t m = 10, free = 8, loads = 2;  // nodes 0 and 1 are fixed
  const auto v = variables(static_cast<Index>(m + loads * free));
  PairBuilder b{.n = static_cast<Index>(v.size()), .f = 0.0 * v[0], .kind = PairKind::vanishing};
  std::vector<Expression> stiffness(loads * free, 0.0 * v[0]);
  for (std::size_t i = 0; i < m; ++i) {
    const auto [from, to] = bars[i];
    const double dx = x_of(to) - x_of(from), dy = y_of(to) - y_of(from), length = std::hypot(dx, dy);
    b.f = b.f + length * v[i];
    for (std::size_t load = 0; load < loads; ++load) {
      Expression elongation = 0.0 * v[0];
      const auto add = [&](int node, double c_x, double c_y) {
        if (node < 2) return;
        const std::size_t at = m + load * free + 2 * static_cast<std::size_t>(node - 2);
        elongation = elongation + c_x * v[at] + c_y * v[at + 1];
      };
      add(to, dx / length, dy / length);
      add(from, -dx / length, -dy / length);
      const Expression force = (1.0 / length) * (v[i] * elongation);
      for (const auto& [node, sign] : {std::pair{to, 1.0}, std::pair{from, -1.0}}) {
        if (node < 2) continue;
        const std::size_t at = load * free + 2 * static_cast<std::size_t>(node - 2);
        stiffness[at] = stiffness[at] + (sign * dx / length) * force;
        stiffness[at + 1] = stiffness[at + 1] + (sign * dy / length) * force;
      }
      b.F.push_back(square((1.0 / length) * elongation) - bound * bound);
      b.H.push_back(v[i]);
    }
  }
  stiffness[5] = stiffness[5] + 1.0;          // downwards at node 4
  stiffness[8 + 7] = stiffness[8 + 7] + 0.5;  // and, the other load, at node 5
  b.zero = stiffness;
  b.lower.assign(v.size(), -inf);
  b.upper.assign(v.size(), inf);
  for (std::size_t i = 0; i < m; ++i) b.lower[i] = 0.0, b.upper[i] = 100.0;
  b.start.assign(v.size(), 0.0);
  for (std::size_t i = 0; i < m; ++i) b.start[i] = 1.0;
  return b.named("truss", 0.0);
}

TEST(PairProblems, TrussesOfTenBarsTakeSeconds) {
  for (const double bound : {0.5, 1.0, 2.0}) {
    const PairProblem p = truss(bound);
    Options options;
    options.limits.seconds = 60.0;
    const Result r = solve_pairs(p.program, p.start, options);
    EXPECT_TRUE(r.success()) << summary(r);
    EXPECT_GE(r.pairs().stationarity, PairStationarity::M) << summary(r);
    EXPECT_LE(r.times.total, 5.0 * testing::patience);
    double least = infinity;
    for (Index i = 0; i < 10; ++i) least = std::min(least, r.pairs().x[i]);
    EXPECT_LE(least, 1e-6) << "some bar vanishes";
    EXPECT_LE(r.f, 20.0 / bound);
  }
}

TEST(PairProblems, MixedComplementarityHasTheSignsOfItsBounds) {
  // min ½‖x − p‖² with F = x₂ and −1 ≤ x₁ ≤ 1 ⊥ F
  for (const Vector& p : {Vector{{3.0, -2.0}}, Vector{{-3.0, 2.0}}, Vector{{0.25, 0.1}}, Vector{{2.0, 2.0}}}) {
    const PairProgram program{
        .f = SquaredDistance(p),
        .pairs = mixed_complementarity(Selection(2, {1}), Selection(2, {0}), Vector{{-1.0}}, Vector{{1.0}})};
    const Result r = solve_pairs(program, Vector::Zero(2));
    const Vector x = r.pairs().x;
    EXPECT_NEAR(x[0], std::clamp(x[0] - x[1], -1.0, 1.0), 1e-7) << summary(r);
    double best = infinity;
    for (const Vector& y : {Vector{{-1.0, std::max(p[1], 0.0)}}, Vector{{1.0, std::min(p[1], 0.0)}},
                            Vector{{std::clamp(p[0], -1.0, 1.0), 0.0}}})
      best = std::min(best, 0.5 * (y - p).squaredNorm());
    EXPECT_NEAR(r.f, best, 1e-7);
    EXPECT_EQ(r.status, Status::optimal) << summary(r);
  }
}

TEST(PairProblems, AHundredThousandPairsEnd) {
  const Index pairs = testing::patience > 1.0 ? 10'000 : 100'000;
  std::vector<Index> first, second;
  for (Index i = 0; i < pairs; ++i) first.push_back(i), second.push_back(pairs + i);
  Vector p(2 * pairs);
  p.head(pairs).setConstant(1.0);
  p.tail(pairs).setConstant(2.0);
  const PairProgram program{
      .f = SquaredDistance(p),
      .pairs = {{PairKind::complementarity, Selection(2 * pairs, first), Selection(2 * pairs, second)}}};
  Options options;
  options.limits.seconds = 4.0;
  const Result r = solve_pairs(program, Vector::Constant(2 * pairs, 0.5), options);
  EXPECT_TRUE(r.has_point());
  EXPECT_LE(r.certificate.distance_D, 1e-6);
  EXPECT_LE(r.times.total, 1.1 * options.limits.seconds + 0.5 * testing::patience);
}

TEST(PairProblems, ContradictoryBoundsAreInfeasible) {
  const PairProgram program{.f = SquaredDistance(Vector{{1.0, 2.0}}),
                            .X = Box(Vector{{1.0, 1.0}}, Vector{{2.0, 2.0}}),
                            .pairs = {{PairKind::complementarity, Selection(2, {0}), Selection(2, {1})}}};
  const Result r = solve_pairs(program, Vector::Ones(2));
  EXPECT_FALSE(r.success()) << summary(r);
  EXPECT_GE(r.certificate.distance_C + r.certificate.distance_D, 0.5);
}

TEST(PairProblems, AVariableElsewhereExcusesNoPair) {
  for (const double other : {1.0, 1e8, 1e12}) {  // no x₁, x₂ ≥ 1/2 have x₁ x₂ = 0
    const PairProgram program{.f = SquaredDistance(Vector{{1.0, 2.0, other}}),
                              .X = Box(Vector{{0.5, 0.5, -infinity}}, Vector{{2.0, 2.0, infinity}}),
                              .pairs = {{PairKind::switching, Selection(3, {0}), Selection(3, {1})}}};
    const Result r = solve_pairs(program, Vector{{1.0, 1.0, other}});
    EXPECT_FALSE(r.success()) << summary(r);
    EXPECT_EQ(r.pairs().stationarity, PairStationarity::none) << summary(r);
  }
}

TEST(PairProblems, BiactiveIsAMatterOfThePairAlone) {
  // (F, H) = (0.05, 0) with ν_H = −0.01, whatever the first variable is
  for (const double other : {1.0, 1e6}) {
    const PairProgram program{.f = SquaredDistance(Vector{{other, 0.05, -0.01}}),
                              .pairs = {{PairKind::switching, Selection(3, {1}), Selection(3, {2})}}};
    const Result r = solve_pairs(program, Vector::Zero(3));
    ASSERT_EQ(r.pairs().table.size(), 1U);
    EXPECT_FALSE(r.pairs().table[0].biactive) << other;
    EXPECT_EQ(r.pairs().stationarity, PairStationarity::S) << other;
    EXPECT_NEAR(r.pairs().table[0].nu_H, -0.01, 1e-8) << other;
    EXPECT_NEAR(r.pairs().table[0].nu_F, 0.0, 1e-8) << other;
  }
}

TEST(PairProblems, AConvexSetThatIsNoPolyhedronMayHaveAStronglyStationaryPoint) {
  const PairProgram program{.f = SquaredDistance(Vector{{3.0, 2.0}}),
                            .X = ball(2, 1.0),
                            .pairs = {{PairKind::switching, Selection(2, {0}), Selection(2, {1})}}};
  const Result r = solve_pairs(program, Vector::Ones(2));
  EXPECT_NEAR(r.pairs().x[0], 1.0, 1e-6);
  EXPECT_EQ(r.pairs().stationarity, PairStationarity::S) << r.message;
}

TEST(PairProblems, SidesThatBoundsAndRowsSettleNeedNoChoice) {
  // x₀ + x₁ ≥ 3 with x₁ ≤ 1 leaves x₀ ≥ 2, so that 0 ≤ x₀ ⊥ x₂ ≥ 0 says x₂ = 0; x₃ ≤ 0 says x₃ = 0 in 0 ≤ x₃ ⊥ x₁ ≥ 0
  const PairProgram program{.f = SquaredDistance(Vector{{1.0, 0.5, 4.0, 2.0}}),
                            .G = Affine(Matrix{{1.0, 1.0, 0.0, 0.0}}),
                            .C = Box(Vector{{3.0}}, Vector{{infinity}}),
                            .X = Box(Vector::Constant(4, -infinity), Vector{{infinity, 1.0, infinity, 0.0}}),
                            .pairs = {{PairKind::complementarity, Selection(4, {0, 3}), Selection(4, {2, 1})}}};
  const Result r = solve_pairs(program, Vector::Zero(4));
  EXPECT_EQ(r.method, "branch");
  EXPECT_EQ(r.counts.outer, 1) << summary(r);
  EXPECT_EQ(r.pairs().stationarity, PairStationarity::S) << summary(r);
  EXPECT_LE((r.pairs().x - Vector{{2.0, 1.0, 0.0, 0.0}}).norm(), 1e-6) << r.pairs().x.transpose();
  for (const Claim& c : verify(program, r)) EXPECT_TRUE(c.holds) << c.name << " " << c.found;
}

TEST(PairProblems, APairWithoutRowsIsNamed) {
  const PairProgram program{.f = SquaredDistance(Vector::Ones(2)),
                            .pairs = {{PairKind::switching, Selection(2, {0}), Selection(2, {1})},
                                      {PairKind::either, Affine(Matrix(0, 2)), Affine(Matrix(0, 2))}}};
  try {
    program.with_slacks();
    FAIL() << "no complaint";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.field(), "PairProgram.pairs[1].F.output_dimension()");
  }
}

TEST(PairProblems, APositiveDefiniteObjectiveIsNeverUnbounded) {
  for (Index trial = 0; trial < 120; ++trial) {
    Random random(static_cast<std::uint64_t>(trial));
    const Index n = 1 + trial % 3;
    const Matrix B = random.normal_matrix(n, n);
    const Vector at_zero = 1e-4 * random.normal_vector(1).cwiseAbs();  // so that x = 0 is feasible
    const PairProgram program{
        .f = Quadratic(Matrix(B.transpose() * B + Matrix::Identity(n, n)), random.normal_vector(n)),
        .pairs = {{static_cast<PairKind>(trial % 4), Affine(random.normal_matrix(1, n)),
                   Affine(Matrix(1e-4 * random.normal_matrix(1, n)), at_zero)}}};
    const Result r = solve_pairs(program, Vector::Zero(n));
    EXPECT_TRUE(r.status == Status::optimal || r.status == Status::converged) << trial << ": " << summary(r);
  }
}

TEST(PairProblems, WhatIsCalledUnboundedIsShownByAFeasiblePoint) {
  for (const double scale : {1e-4, 1.0, 1e4}) {  // 0 ≤ x₁ ⊥ scale · x₂ ≥ 0, and f falls along x₁
    const PairProgram program{
        .f = Linear(Vector{{-1.0, 2.0}}),
        .pairs = {{PairKind::complementarity, Selection(2, {0}), Affine((Matrix(1, 2) << 0.0, scale).finished())}}};
    const Result r = solve_pairs(program, Vector::Ones(2));
    EXPECT_EQ(r.status, Status::unbounded) << scale << ": " << summary(r);
    EXPECT_LT(r.f, -1e12);
    EXPECT_NEAR(r.pairs().x[1] / r.pairs().x[0], 0.0, 1e-10);
  }
}

}  // namespace
}  // namespace pendec::testing
