// What the general method needs on a problem of low rank when it knows f, G, C and D only.
#include <gtest/gtest.h>

#include <memory>

#include "experiments/instances.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"
#include "pendec/solvers/solve.hpp"

namespace pendec {
namespace {

/// PsdLowRank that counts its projections, those of its projectors included. The polish on factors needs none.
struct CountedPsdLowRank {
  struct Counted final : Projector {
    Counted(std::unique_ptr<Projector> p, std::shared_ptr<Index> c) : inner(std::move(p)), count(std::move(c)) {}
    using Projector::project;
    void project(In z, Out y) override {
      ++*count;
      inner->project(z, y);
      EXPECT_LE(inner->error(), 1.5e-12 * z.norm());  // what the projector promises of its inexact projections
    }
    std::unique_ptr<Projector> inner;
    std::shared_ptr<Index> count;
  };

  Index dimension() const { return set.dimension(); }
  std::string name() const { return set.name(); }
  void project(In z, Out y) const {
    ++*count;
    set.project(z, y);
  }
  std::unique_ptr<Projector> projector() const { return std::make_unique<Counted>(set.projector(), count); }
  double normal_residual(In x, In v) const { return set.normal_residual(x, v); }
  std::optional<Branch> branch(In y, In z) const { return set.branch(y, z); }
  std::optional<Set> scaled(In row) const {
    if (row.minCoeff() != row.maxCoeff()) return std::nullopt;
    return Set(*this);
  }

  PsdLowRank set;
  std::shared_ptr<Index> count = std::make_shared<Index>(0);
};

TEST(GeneralRoute, NeedsAtMost400ProjectionsOnP1) {
  const Matrix A = experiments::correlation_matrix(1, 200);
  const CountedPsdLowRank D{PsdLowRank(200, 5)};
  Problem problem = correlation_problem(A, 5);
  problem.D = D;
  const Result r = solve(problem, Matrix(Matrix::Identity(200, 200)).reshaped(), default_preset(Method::pdlm));
  EXPECT_EQ(r.status, Status::converged) << r.message;
  EXPECT_LE(*D.count, 400);
  EXPECT_NEAR(r.f, 183.7038211, 1e-6 * 183.7038211);
  RecordProperty("projections", static_cast<int>(*D.count));
}

}  // namespace
}  // namespace pendec
