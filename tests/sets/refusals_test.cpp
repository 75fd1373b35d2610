// What sets refuse, and whether the message says what is wrong.
#include "pendec/pendec.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_invalid;

template <class Make>
void expect_message(const std::string& message, const Make& make) {
  try {
    make();
    FAIL() << "nothing thrown; expected: " << message;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(Refusals, NegativeSizesAreNamed) {
  for (const Index n : {Index{-1}, Index{0}}) {
    expect_invalid("Box.n", [=] { Box::nonnegative(n); });
    expect_invalid("Box.n", [=] { Box::nonpositive(n); });
    expect_invalid("SparseBox.n", [=] { SparseBox::nonnegative(n, 0); });
    expect_invalid("Integer.n", [=] { Integer::binary(n); });
    expect_invalid("BoxSwitching.n", [=] { BoxSwitching::switching(n); });
    expect_invalid("BoxSwitching.n", [=] { BoxSwitching::complementarity(n); });
    expect_invalid("BoxSwitching.n", [=] { BoxSwitching::relaxed_sparsity(n); });
    expect_invalid("PairUnion.pairs", [=] { PairUnion::vanishing(n); });
    expect_invalid("max_norm_ball.n", [=] { max_norm_ball(n); });
    expect_invalid("nuclear_ball.rows", [=] { nuclear_ball(n, 2, 1.0); });
    expect_invalid("nuclear_ball.cols", [=] { nuclear_ball(2, n, 1.0); });
    expect_invalid("spectral_ball.rows", [=] { spectral_ball(n, 2, 1.0); });
  }
}

TEST(Refusals, RadiiAreNamedByTheSetThatWasAskedFor) {
  expect_message("L1Ball.radius is inf; expected a positive finite number", [] { L1Ball(2, infinity); });
  expect_message("nuclear_ball.radius is 0; expected a positive finite number", [] { nuclear_ball(2, 2, 0.0); });
  expect_message("nuclear_ball.radius is inf; expected a positive finite number",
                 [] { nuclear_ball(2, 2, infinity); });
  expect_message("spectral_ball.radius is 0; expected a positive number", [] { spectral_ball(2, 2, 0.0); });
  expect_message("sphere.radius is inf; expected a positive finite number", [] { sphere(2, infinity); });
  expect_message("SparseSimplex.radius is inf; expected a positive finite number",
                 [] { SparseSimplex(2, 1, infinity); });
}

TEST(Refusals, InfinityIsSaidToBeTheTrouble) {
  expect_message("PairUnion.rectangles[0].lower_a is inf; expected a number or -inf",
                 [] { PairUnion(1, {{.lower_a = infinity}}); });
  expect_message("PairUnion.rectangles[0].upper_b is -inf; expected a number or inf",
                 [] { PairUnion(1, {{.upper_b = -infinity}}); });
  expect_message("PairUnion.rectangles[0].lower_b is 2; expected at most upper_b = 1", [] {
    PairUnion(1, {{0.0, 1.0, 2.0, 1.0}});
  });
  expect_message("Shell.inner is inf; expected a finite number, at least 0", [] { annulus(2, infinity, infinity); });
}

TEST(Refusals, FactorsMustHaveAFiniteInverse) {
  const std::string expected = "; expected a finite number other than 0 whose inverse is finite too";
  expect_message("Similarity.factor is inf" + expected, [] { magnified(Sparse(2, 1), infinity); });
  expect_message("Similarity.factor is 1e-310" + expected, [] { magnified(Sparse(2, 1), 1e-310); });
}

TEST(Refusals, EquationsWithoutSolutionAreSaidToHaveNone) {
  const Matrix E{{1.0, 1.0}, {2.0, 2.0}};
  expect_message("AffineSubspace.d is outside the range of E; expected equations E x = d with a solution", [&] {
    AffineSubspace(E, Vector{{1.0, 3.0}});
  });
}

TEST(Refusals, ExtremeValuesOverABoxAreThoseOfTheBox) {
  expect_message("BoxSlab.least is 3; expected at most 1, the largest a'x in the box",
                 [] { BoxSlab(Vector::Zero(1), Vector::Ones(1), Vector::Ones(1), 3.0, 4.0); });
  expect_message("BoxSlab.most is -1; expected at least 0, the smallest a'x in the box",
                 [] { BoxSlab(Vector::Zero(2), Vector::Ones(2), Vector::Ones(2), -3.0, -1.0); });
}

}  // namespace
}  // namespace pendec
