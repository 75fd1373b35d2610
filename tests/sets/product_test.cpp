#include "pendec/sets/product.hpp"

#include "pendec/core/free.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/psd_low_rank.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/sets/sparse.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;

TEST(Product, SatisfiesTheAxioms) {
  expect_axioms(Product({Set(Free(2))}));
  expect_axioms(Product({Sparse(5, 2), Box::nonnegative(3), Free(2)}));
  expect_axioms(Product({Simplex(3), Box::nonpositive(1)}));
  expect_axioms(Product({PsdLowRank(6, 1), Sparse(4, 1)}));
}

TEST(Product, ProjectsBlockByBlock) {
  const Set set = Product({{"x", Sparse(2, 1)}, {"slack", Box::nonnegative(2)}});
  EXPECT_EQ(set.projection(Vector{{3.0, 4.0, -1.0, 1.0}}), (Vector{{0.0, 4.0, 0.0, 1.0}}));
  EXPECT_EQ(set.name(), "Product(Sparse, Box)");
  EXPECT_EQ(set.as<Product>()->range("slack"), (Range{2, 2}));
  expect_invalid("block name", [&] { set.as<Product>()->range("y"); });
}

TEST(Product, IsConvexIfAllPartsAre) {
  EXPECT_TRUE(Product({Simplex(3), Free(1)}).convex());
  EXPECT_FALSE(Product({Simplex(3), Sparse(2, 1)}).convex());
}

TEST(Product, NormalResidualIsTheRootOfTheSumOfSquares) {
  const Product set({Free(1), Free(1)});
  EXPECT_DOUBLE_EQ(set.normal_residual(Vector::Zero(2), Vector{{3.0, 4.0}}).value(), 5.0);
  const Set unknown = make_set(1, [](In z, Out y) { y = z; });
  EXPECT_FALSE(Product({Set(Free(1)), unknown}).normal_residual(Vector::Zero(2), Vector::Ones(2)).has_value());
}

TEST(Product, FreeRangesAreMergedAcrossParts) {
  const Vector lower{{0.0, -infinity}}, upper{{1.0, infinity}};
  EXPECT_EQ(Product({Box(lower, upper), Free(3), Sparse(2, 1), Free(1)}).free_ranges(),
            (std::vector<Range>{{1, 4}, {7, 1}}));
}

TEST(Product, LinearConstraintsAreBlockDiagonal) {
  const auto constraints = Product({Simplex(2), Box::nonnegative(1), Simplex(3, 5.0)}).linear_constraints().value();
  EXPECT_EQ(constraints.E.dense(), (Matrix{{1, 1, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1}}));
  EXPECT_EQ(constraints.d, (Vector{{1.0, 5.0}}));
  EXPECT_EQ(constraints.A.rows(), 0);
  EXPECT_FALSE(Product({Simplex(2), Sparse(2, 1)}).linear_constraints().has_value());
}

TEST(Product, BranchIsTheProductOfBranches) {
  const Product set({{"x", Sparse(3, 1)}, {"X", PsdLowRank(2, 1)}, {"s", Box::nonnegative(1)}});
  const Vector y{{0.0, 5.0, 0.0, 4.0, 2.0, 2.0, 1.0, 7.0}};
  const Branch branch = set.branch(y, y).value();
  EXPECT_EQ(branch.key, (std::vector<Index>{1, 1, 1, 1, 0}));
  EXPECT_EQ(branch.label, "x: support {1}; X: rank 1; s: everything");
  EXPECT_EQ(branch.t.size(), 1 + 2 + 1);
  const CheckReport report = check_map(branch.chart, branch.t);
  EXPECT_TRUE(report.ok) << fmt::format("{}", fmt::join(report.failures, "\n"));
  EXPECT_FALSE(branch.chart.is_affine());
  Vector out(4);
  EXPECT_TRUE(branch.chart.has_hessian());
  branch.chart.hessian_times(branch.t, y, branch.t, out);
}

TEST(Product, ChartOfAffineBranchesIsAffine) {
  const Product set({Sparse(3, 1), Free(2)});
  const Vector y{{0.0, 5.0, 0.0, 4.0, 2.0}};
  EXPECT_TRUE(set.branch(y, y)->chart.is_affine());
}

TEST(Product, RefusesNoPartsAndRepeatedNames) {
  expect_invalid("Product.blocks.size()", [] { Product(std::vector<Set>{}); });
  expect_invalid("Product.blocks[1].set", [] { Product({Set(Free(1)), Set()}); });
  expect_invalid("Product.blocks[1].name", [] { Product({{"x", Free(1)}, {"x", Free(2)}}); });
}

}  // namespace
}  // namespace pendec
