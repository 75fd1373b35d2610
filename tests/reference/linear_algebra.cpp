#include "tests/reference/linear_algebra.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace pendec::reference {

Vector singular_values(MatrixIn A) { return Eigen::JacobiSVD<Matrix>(A).singularValues(); }

Matrix pseudo_inverse(MatrixIn A) { return Eigen::CompleteOrthogonalDecomposition<Matrix>(A).pseudoInverse(); }

Matrix random_orthogonal(Index n, Random& random) {
  return Eigen::HouseholderQR<Matrix>(random.normal_matrix(n, n)).householderQ();
}

SymmetricEigen symmetric_eigen(MatrixIn A) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

}  // namespace pendec::reference
