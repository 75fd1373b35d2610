// What the tests of the sets share.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "pendec/certificates/check.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"

namespace pendec::testing {

inline void expect_axioms(const Set& set, CheckOptions options = {}) {
  const CheckReport report = check_set(set, options);
  EXPECT_TRUE(report.ok) << set.name() << " in dimension " << set.dimension() << ", scale " << options.scale
                         << ":\n  " << fmt::format("{}", fmt::join(report.failures, "\n  "));
  EXPECT_GT(report.checks, 0);
}

template <class Make>
void expect_invalid(const std::string& field, const Make& make) {
  try {
    make();
    FAIL() << "nothing thrown for " << field;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.field(), field) << error.what();
  }
}

/// Compares normal_residual(x, v) with the definition of the limiting normal cone: the rays z − Π(z) for many z near
/// x. The distance of v to the nearest ray is at least the residual, up to O(radius), and not much more.
inline void expect_limiting_normals(const Set& set, const Vector& x, double slack = 0.15, Index rays = 20000,
                                    bool symmetric = false) {
  Random random(7);
  const Index n = x.size();
  const double radius = 1e-5;
  const auto noise = [&] {
    Vector d = random.normal_vector(n);
    if (symmetric) {
      const auto k = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n))));
      const Matrix D = ConstMatrixView(d.data(), k, k);
      d = (0.5 * (D + D.transpose())).reshaped();
    }
    return d;
  };
  Matrix normals(n, rays);
  for (Index k = 0; k < rays; ++k) {
    const Vector z = x + radius * noise();
    const Vector v = z - set.projection(z);
    normals.col(k) = v.norm() > 1e-3 * radius ? Vector(v.normalized()) : Vector::Zero(n);
  }
  for (int trial = 0; trial < 40; ++trial) {
    const Vector v = noise().normalized();
    // dist²(v, ray u) = 1 − max(⟨v, u⟩, 0)²
    const double cosine = std::max((normals.transpose() * v).maxCoeff(), 0.0);
    const double sampled = std::sqrt(std::max(1.0 - cosine * cosine, 0.0));
    const auto residual = set.normal_residual(x, v);
    ASSERT_TRUE(residual.has_value());
    EXPECT_LE(*residual, sampled + 1e-3) << "v = " << v.transpose();
    EXPECT_GE(*residual, sampled - slack) << "v = " << v.transpose();
  }
}

}  // namespace pendec::testing
