#include "pendec/io/matrix_file.hpp"

#include "pendec/io/npy.hpp"
#include "tests/io/io_testing.hpp"

namespace pendec::io {
namespace {

using testing::file_error;
using testing::TemporaryFolder;
namespace fs = std::filesystem;

TEST(MatrixFile, EveryFormatGivesTheSameMatrix) {
  const TemporaryFolder folder;
  const Matrix expected{{1.0, 0.0}, {2.0, 0.1}};
  write_npy(folder.path() / "a.npy", expected);
  EXPECT_EQ(read_matrix(folder.path() / "a.npy").dense(), expected);
  EXPECT_EQ(read_matrix(folder.file("a.csv", "1,0\n2,0.1\n")).dense(), expected);
  EXPECT_EQ(read_matrix(folder.file("a.CSV", "a,b\n1,0\n2,0.1\n")).dense(), expected);
  EXPECT_EQ(read_matrix(folder.file("a.tsv", "1\t0\n2\t0.1\n")).dense(), expected);
  EXPECT_EQ(read_matrix(folder.file("a.txt", "1;0\n2;0.1\n")).dense(), expected);
  EXPECT_EQ(
      read_matrix(folder.file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n0\n0.1\n")).dense(),
      expected);
  EXPECT_EQ(read_matrix(
                folder.file("b.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 2\n2 2 0.1\n"))
                .dense(),
            expected);
}

TEST(MatrixFile, AFirstColumnWithoutNumbersHasTheNamesOfTheRows) {
  const TemporaryFolder folder;
  const auto file = folder.file("a.csv", ",x,y\np,1,0\nq,2,0.1\n");
  EXPECT_EQ(read_matrix(file).dense(), (Matrix{{1.0, 0.0}, {2.0, 0.1}}));
  EXPECT_EQ(read_labels(file).columns, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(read_labels(file).rows, (std::vector<std::string>{"p", "q"}));
  EXPECT_TRUE(read_labels(folder.file("b.csv", "1,0\n2,0.1\n")).columns.empty());
  EXPECT_EQ(read_matrix(folder.file("d.csv", ",0\np,1\nq,2\n")).dense(), (Matrix{{1.0}, {2.0}}))
      << "a series of pandas";
  for (const char* slip : {"x,y\n1..0,0\n2,0.1\n", "x,y\nO.5,0\n", "O.5,2\n", "\"1,5\",2\n", "1e999,2\n3,4\n"})
    EXPECT_NE(file_error([&] { read_matrix(folder.file("c.csv", slip)); }), "") << slip;
}

TEST(MatrixFile, UnknownExtensionsAreRefused) {
  EXPECT_EQ(file_error([] { read_matrix("a.xlsx"); }),
            "a.xlsx: the extension is \".xlsx\"; known are .csv, .tsv, .txt, .mtx and .npy");
  EXPECT_EQ(file_error([] { read_matrix("a"); }),
            "a: the extension is \"\"; known are .csv, .tsv, .txt, .mtx and .npy");
}

TEST(MatrixFile, SparseMatricesTooLargeToBeDenseAreRefused) {
  const TemporaryFolder folder;
  const fs::path file =
      folder.file("a.mtx", "%%MatrixMarket matrix coordinate real general\n1000000 1000000 1\n1 1 1\n");
  EXPECT_EQ(file_error([&] { read_dense_matrix(file); }),
            file.string() + ": is too large for a dense matrix: 1000000 × 1000000");
}

TEST(MatrixFile, SparseMatricesStaySparse) {
  const TemporaryFolder folder;
  const fs::path file =
      folder.file("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1000000 1000000 2\n1 1 3\n2 1 2\n");
  for (const Operator& A : {read_matrix(file), read_symmetric_matrix(file)}) {
    EXPECT_EQ(A.rows(), 1'000'000);
    EXPECT_EQ(A.stored_entries(), 3);
  }
  const fs::path asymmetric =
      folder.file("b.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n1 3 2\n3 1 2.5\n");
  EXPECT_EQ(file_error([&] { read_symmetric_matrix(asymmetric); }),
            asymmetric.string() + ": is not symmetric: entry [2, 0] is 2.5, but [0, 2] is 2");
}

TEST(MatrixFile, WhatIsAllowedIsPassedToEveryReader) {
  const TemporaryFolder folder;
  const Matrix infinite{{infinity}};
  write_npy(folder.path() / "a.npy", infinite);
  for (const fs::path& file : {folder.path() / "a.npy", folder.file("a.csv", "inf\n"), folder.file("a.tsv", "inf\n"),
                               folder.file("a.mtx", "%%MatrixMarket matrix array real general\n1 1\ninf\n")}) {
    EXPECT_EQ(read_matrix(file, {.infinite = true}).dense(), infinite) << file;
    EXPECT_EQ(read_vector(file, {.infinite = true}), infinite.reshaped()) << file;
    EXPECT_THROW(read_matrix(file), FileError) << file;
    EXPECT_THROW(read_vector(file), FileError) << file;
    EXPECT_THROW(read_symmetric_matrix(file), FileError) << file;
  }
}

TEST(VectorFile, IsOneRowOrOneColumn) {
  const TemporaryFolder folder;
  const Vector expected{{1.0, 2.0, 3.0}};
  EXPECT_EQ(read_vector(folder.file("a.csv", "1,2,3\n")), expected);
  EXPECT_EQ(read_vector(folder.file("b.csv", "weight\n1\n2\n3\n")), expected);
  const fs::path matrix = folder.file("c.csv", "1,2\n3,4\n");
  EXPECT_EQ(file_error([&] { read_vector(matrix); }),
            matrix.string() + ": is a matrix of 2 × 2; expected one row or one column");
}

TEST(SymmetricMatrixFile, ReturnsSymmetricMatrices) {
  const TemporaryFolder folder;
  const Matrix expected{{1.0, 2.0}, {2.0, 5.0}};
  EXPECT_EQ(read_symmetric_matrix(folder.file("a.csv", "1,2\n2,5\n")).dense(), expected);
  EXPECT_EQ(read_symmetric_matrix(folder.file("b.csv", "1,2\n2.00000000001,5\n")).dense(),
            (Matrix{{1.0, 2.0}, {2.00000000001, 5.0}}));  // up to rounding, as stored
  write_npy(folder.path() / "a.npy", expected);
  EXPECT_EQ(read_symmetric_matrix(folder.path() / "a.npy").dense(), expected);
  write_npy(folder.path() / "empty.npy", Matrix(0, 0));
  EXPECT_EQ(read_symmetric_matrix(folder.path() / "empty.npy").rows(), 0);
}

TEST(SymmetricMatrixFile, TheWorstPairOfEntriesIsNamedWithBothValues) {
  const TemporaryFolder folder;
  const fs::path csv = folder.file("a.csv", "1,2,3\n2,5,6\n3.5,6.25,7\n");
  EXPECT_EQ(file_error([&] { read_symmetric_matrix(csv); }),
            csv.string() + ": is not symmetric: entry [2, 0] is 3.5, but [0, 2] is 3");
  const fs::path wide = folder.file("b.csv", "1,2,3\n2,5,6\n");
  EXPECT_EQ(file_error([&] { read_symmetric_matrix(wide); }),
            wide.string() + ": is not square, so not symmetric: 2 and 3 rows and columns");
}

TEST(SymmetricMatrixFile, EveryEntryOfALargeMatrixIsCompared) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "a.npy";
  for (const auto& [i, j] : {std::pair<Index, Index>{0, 70}, {70, 0}, {33, 31}, {31, 33}, {70, 69}, {64, 66}}) {
    Matrix matrix = Matrix::Ones(71, 71);
    matrix(i, j) = 1.5;
    write_npy(file, matrix);
    const std::string message = file_error([&] { read_symmetric_matrix(file); });
    EXPECT_NE(message.find("[" + std::to_string(i) + ", " + std::to_string(j) + "] is 1.5"), std::string::npos)
        << message;
  }
}

TEST(SymmetricMatrixFile, RowMajorArraysAreNamedAsTheyAre) {
  const TemporaryFolder folder;
  std::string content = "\x93NUMPY\1";
  std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }\n";
  content += std::string{'\0', static_cast<char>(header.size()), '\0'} + header + "\1\2\3\4";
  const fs::path file = folder.file("a.npy", content);
  EXPECT_EQ(file_error([&] { read_symmetric_matrix(file); }),
            file.string() + ": is not symmetric: entry [1, 0] is 3, but [0, 1] is 2");
}

}  // namespace
}  // namespace pendec::io
