// Vocabulary types. Every space of the library is R^N: a point is a coordinate vector, matrices are
// column-major views of it, products are concatenated blocks (see space.hpp).
#pragma once

#include <Eigen/Core>
#include <limits>

// Vectors are allocated on one side of the library's boundary and freed on the other.
static_assert(EIGEN_DEFAULT_ALIGN_BYTES == 64,
              "compile with the flags of pendec::pendec (CMake) or pendec.pc (pkg-config)");

namespace pendec {

using Index = Eigen::Index;  // 64-bit
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

using In = const Eigen::Ref<const Vector>&;  // a point a function reads
using Out = Eigen::Ref<Vector>;              // a buffer of the caller's that a function fills

using MatrixIn = const Eigen::Ref<const Matrix>&;
using MatrixOut = Eigen::Ref<Matrix>;

using MatrixView = Eigen::Map<Matrix>;
using ConstMatrixView = Eigen::Map<const Matrix>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// A sum of so many terms, each with a few roundings of its own, is wrong by at most this times the sum of their
/// sizes, in whatever order it is taken.
constexpr double rounding_unit(Index summands) { return 2.0 * epsilon * static_cast<double>(summands + 16); }

}  // namespace pendec
