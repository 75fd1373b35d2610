// Every form of an operator against the matrix it stands for.
#include "pendec/core/operator.hpp"

#include <gtest/gtest.h>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "tests/support/allocations.hpp"

namespace pendec {
namespace {

struct Form {
  std::string name;
  Operator A;
  Matrix dense;
};

Matrix selecting(Index n, const std::vector<Index>& indices) {
  return Matrix(Matrix::Identity(n, n)(indices, Eigen::all));
}

Operator by_functions(const Matrix& M) {
  return Operator::functions(
      M.rows(), M.cols(), [M](In x, Out out) { out = M * x; }, [M](In w, Out out) { out = M.transpose() * w; });
}

std::vector<Form> plain_forms() {
  Random random(3);
  const Matrix M = random.normal_matrix(4, 6), N = random.normal_matrix(6, 5);
  Matrix holes = random.normal_matrix(4, 6);
  holes(0, 1) = holes(2, 2) = holes(3, 5) = holes(1, 0) = 0.0;
  const Vector d = random.normal_vector(6), w = random.normal_vector(4).cwiseAbs();
  const std::vector<Index> picks{4, 0, 2};
  const Matrix S = selecting(6, picks);
  Matrix pile(7, 6), blocks = Matrix::Zero(10, 9);
  pile << M, S;
  blocks.topLeftCorner(4, 6) = M;
  blocks.bottomRightCorner(6, 3) = S.transpose();
  Matrix embeddings = Matrix::Zero(12, 6);
  embeddings.topLeftCorner(6, 3) = embeddings.bottomRightCorner(6, 3) = S.transpose();
  const Operator E = Operator::embedding(6, picks);
  Matrix ones(4, 7), centred(4, 7);
  ones << holes, Vector::Ones(4);
  centred << M.rowwise() - d.transpose(), Vector::Ones(4);
  return {
      {"dense", M, M},
      {"sparse", SparseMatrix(holes.sparseView()), holes},
      {"zero", Operator::zero(3, 5), Matrix::Zero(3, 5)},
      {"diagonal", Operator::diagonal(d), d.asDiagonal()},
      {"selection", Operator::selection(6, picks), S},
      {"embedding", E, S.transpose()},
      {"gram", Operator(M).gram(), M.transpose() * M},
      {"weighted gram", Operator(M).gram(w), M.transpose() * w.asDiagonal() * M},
      {"sparse gram", Operator(SparseMatrix(holes.sparseView())).gram(w), holes.transpose() * w.asDiagonal() * holes},
      {"low rank plus diagonal", Operator(M).gram(w, d),
       Matrix(M.transpose() * w.asDiagonal() * M) + Matrix(d.asDiagonal())},
      {"gram of a selection", Operator::selection(6, picks).gram(w.head(3)),
       S.transpose() * w.head(3).asDiagonal() * S},
      {"intercept", Operator(SparseMatrix(holes.sparseView())).with_intercept(), ones},
      {"centred, with intercept", Operator(M).with_intercept(d), centred},
      {"functions", by_functions(M), M},
      {"wide functions", by_functions(M.transpose()), M.transpose()},
      {"product", Operator(M) * Operator(N), M * N},
      {"product with a selection", Operator(N) * Operator::selection(6, {1, 5, 0, 3, 2}),
       N * selecting(6, {1, 5, 0, 3, 2})},
      {"columns", Operator(M) * E, M * S.transpose()},
      {"rows", Operator::selection(6, picks) * Operator(N), S * N},
      {"embedded product", E * (Operator(Matrix(N.topRows(3))) * Operator(Matrix(N.leftCols(4).topRows(5)))),
       S.transpose() * (N.topRows(3) * N.leftCols(4).topRows(5))},
      {"pile", Operator::stacked({M, Operator::selection(6, picks)}), pile},
      {"pile of selections", Operator::stacked({Operator::selection(6, picks), Operator::selection(6, {1, 3})}),
       selecting(6, {4, 0, 2, 1, 3})},
      {"pile of overlapping selections",
       Operator::stacked({Operator::selection(6, picks), Operator::selection(6, {0, 3})}),
       selecting(6, {4, 0, 2, 0, 3})},
      {"blocks", Operator::block_diagonal({M, E}), blocks},
      {"blocks of embeddings", Operator::block_diagonal({E, E}), embeddings},
  };
}

/// Each form, its transpose, and both with factors.
std::vector<Form> forms() {
  std::vector<Form> all;
  Random random(4);
  for (const Form& f : plain_forms()) {
    all.push_back(f);
    all.push_back({f.name + ", transposed", f.A.transposed(), f.dense.transpose()});
  }
  const std::size_t plain = all.size();
  for (std::size_t k = 0; k < plain; ++k) {
    const Form f = all[k];
    const Vector l = random.normal_vector(f.dense.rows()), r = random.normal_vector(f.dense.cols());
    all.push_back(
        {f.name + ", scaled", f.A.scaled(l, r).scaled(-2.0), -2.0 * (l.asDiagonal() * f.dense * r.asDiagonal())});
    all.push_back({f.name + ", rows scaled", f.A.scaled(l, {}), l.asDiagonal() * f.dense});
    all.push_back({f.name + ", scaled and transposed", f.A.scaled(l, r).transposed(),
                   (l.asDiagonal() * f.dense * r.asDiagonal()).transpose()});
  }
  return all;
}

double distance(const Matrix& a, const Matrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return a.rows() == b.rows() && a.cols() == b.cols() ? (a - b).norm() / (1.0 + b.norm()) : infinity;
}

std::vector<Index> some_of(Index n) {
  std::vector<Index> indices;
  for (Index i = n - 1; i >= 0; i -= 2) indices.push_back(i);
  return indices;
}

TEST(Operator, IsItsMatrixInEveryForm) {
  Random random(5);
  for (const Form& f : forms()) {
    SCOPED_TRACE(f.name);
    const Operator& A = f.A;
    const Matrix& M = f.dense;
    ASSERT_EQ(A.rows(), M.rows());
    ASSERT_EQ(A.cols(), M.cols());
    const Vector x = random.normal_vector(M.cols()), w = random.normal_vector(M.rows());
    Vector Ax = Vector::Constant(M.rows(), NAN), Aw = Vector::Constant(M.cols(), NAN);
    A.times(x, Ax);
    A.transpose_times(w, Aw);
    EXPECT_LE(distance(Ax, M * x), 1e-14);
    EXPECT_LE(distance(Aw, M.transpose() * w), 1e-14);
    A.magnitude_times(x, Ax);
    A.magnitude_transpose_times(w, Aw);
    const Vector size = M.cwiseAbs() * x.cwiseAbs(), transposed_size = M.cwiseAbs().transpose() * w.cwiseAbs();
    const auto computed = [&](const char* kind) { return f.name.find(kind) != std::string::npos; };
    if (computed("centred") || computed("gram") || computed("low rank") || computed("product")) {
      EXPECT_GE((Ax - size).minCoeff(), -1e-13);  // what cancels in the entries counts as well
      EXPECT_GE((Aw - transposed_size).minCoeff(), -1e-13);
    } else {
      EXPECT_LE(distance(Ax, size), 1e-14);
      EXPECT_LE(distance(Aw, transposed_size), 1e-14);
    }
    EXPECT_EQ(A.has_entries(), f.name.find("functions") == std::string::npos);
    EXPECT_LE(distance(A.dense(), M), 1e-14);
    EXPECT_LE(distance(Matrix(A.sparse()), M), 1e-14);
    EXPECT_LE(distance(A.column(1), M.col(1)), 1e-14);
    EXPECT_LE(distance(A.columns(some_of(M.cols())).dense(), M(Eigen::all, some_of(M.cols()))), 1e-14);
    EXPECT_LE(distance(A.rows_at(some_of(M.rows())).dense(), M(some_of(M.rows()), Eigen::all)), 1e-14);
    EXPECT_LE(distance(A.row_norms(), M.rowwise().norm()), 1e-14);
    const Vector weights = random.normal_vector(M.rows()), diagonal = random.normal_vector(M.cols());
    EXPECT_LE(distance(A.gram(weights, diagonal).dense(),
                       Matrix(M.transpose() * weights.asDiagonal() * M) + Matrix(diagonal.asDiagonal())),
              1e-13);
    if (M.rows() == M.cols()) {
      EXPECT_LE(distance(A.diagonal(), M.diagonal()), 1e-14);
      EXPECT_LE(distance(A.block(some_of(M.rows())).dense(), M(some_of(M.rows()), some_of(M.rows()))), 1e-14);
    }
    for (const Form& J : forms())
      if (J.dense.rows() == M.cols()) {
        EXPECT_LE(distance((A * J.A).dense(), M * J.dense), 1e-13) << J.name;
        if (M.rows() == M.cols()) {
          EXPECT_LE(distance(A.within(J.A).dense(), J.dense.transpose() * M * J.dense), 1e-13) << J.name;
        }
      }
  }
}

TEST(Operator, NeitherCopiesNorMovesWhatItIsGiven) {
  const Matrix data = Matrix::Identity(3, 3);
  const Operator borrowed = Operator::borrow(ConstMatrixView(data.data(), 3, 3));
  EXPECT_EQ(borrowed.view()->data(), data.data());
  EXPECT_EQ(Operator(borrowed).view()->data(), data.data());
  EXPECT_EQ(borrowed.columns({0, 1, 2}).view()->data(), data.data()) << "all columns are the matrix itself";
  EXPECT_EQ(Quadratic(borrowed, Vector::Zero(3)).Q.view()->data(), data.data());
  Matrix moved = Matrix::Identity(3, 3);
  const double* address = moved.data();
  EXPECT_EQ(Operator(std::move(moved)).view()->data(), address);
  const auto sparse = std::make_shared<const SparseMatrix>(data.sparseView());
  EXPECT_EQ(Operator(sparse).sparse_view(), sparse.get());
  EXPECT_EQ(Operator(sparse).scaled(2.0).stored_entries(), 3) << "factors are kept apart";
}

TEST(Operator, KeepsItsForm) {
  const Operator S = Operator::selection(5, {3, 1}), E = Operator::embedding(5, {3, 1});
  EXPECT_EQ(*S.transposed().embedded(), (std::vector<Index>{3, 1}));
  EXPECT_EQ(*E.transposed().selected(), (std::vector<Index>{3, 1}));
  EXPECT_EQ(S.scaled(2.0).selected(), nullptr) << "an entry of 2 is no selection";
  EXPECT_TRUE(S.scaled(2.0).gram().is_diagonal());
  EXPECT_TRUE(Operator::diagonal(Vector::Ones(5)).within(E).is_diagonal());
  EXPECT_TRUE(Operator::diagonal(Vector::Ones(5)).scaled(Vector::Ones(5), Vector::Ones(5)).is_diagonal());
  EXPECT_EQ(*Operator::block_diagonal({E, E}).embedded(), (std::vector<Index>{3, 1, 8, 6}));
  EXPECT_EQ(Operator(Matrix::Identity(100, 100)).gram().stored_entries(), 10'000) << "formed when asked for";
}

TEST(Operator, NamesAnEntryThatIsNotFinite) {
  Matrix M = Matrix::Identity(2, 2);
  M(1, 0) = infinity;
  for (const Operator& A : {Operator(M), Operator(SparseMatrix(M.sparseView()))}) {
    try {
      A.require_finite("A");
      ADD_FAILURE() << "not noticed";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.field(), "A[1, 0]");
    }
  }
}

TEST(Operator, DoesNotAllocateInProducts) {
  if (!testing_support::can_count_allocations()) GTEST_SKIP() << "malloc belongs to a sanitizer";
  for (const Form& f : forms()) {
    if (f.name.find("functions") != std::string::npos) continue;  // which do as they like
    const Vector x = Vector::Ones(f.dense.cols()), w = Vector::Ones(f.dense.rows());
    Vector Ax(w.size()), Aw(x.size());
    long before = 0;
    for (int round = 0; round < 2; ++round) {
      before = testing_support::allocations();
      f.A.times(x, Ax);
      f.A.transpose_times(w, Aw);
    }
    EXPECT_EQ(testing_support::allocations(), before) << f.name;
  }
}

}  // namespace
}  // namespace pendec
