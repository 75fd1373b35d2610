#include "pendec/io/matrix_market.hpp"

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "tests/io/io_testing.hpp"

namespace pendec::io {
namespace {

using testing::file_error;
using testing::TemporaryFolder;

const std::string banner = "%%MatrixMarket matrix ";

Matrix sparse(const std::string& text, Allow allow = {}) {
  return std::get<SparseMatrix>(parse_matrix_market(banner + text, "t.mtx", allow));
}
Matrix dense(const std::string& text, Allow allow = {}) {
  return std::get<Matrix>(parse_matrix_market(banner + text, "t.mtx", allow));
}
std::string mtx_error(const std::string& text) {
  return file_error([&] { parse_matrix_market(banner + text, "t.mtx"); });
}

TEST(MatrixMarket, CoordinatesAreSparse) {
  const Matrix expected{{0.0, 1.5, 0.0}, {-2.0, 0.0, 0.0}};
  EXPECT_EQ(sparse("coordinate real general\n% a comment\n\n2 3 2\n1 2 1.5\n% another\n2 1 -2\n"), expected);
  EXPECT_EQ(sparse("coordinate real general\r\n2 3 2\r\n 1\t2  1.5\r\n2 1 -2"), expected);
  EXPECT_EQ(sparse("COORDINATE Real General\n2 3 2\n1 2 1.5\n2 1 -2\n"), expected);
  EXPECT_EQ(sparse("coordinate real general\n0 0 0\n").size(), 0);
}

TEST(MatrixMarket, ArraysAreDenseColumnByColumn) {
  EXPECT_EQ(dense("array real general\n2 3\n1\n2\n3\n4\n5\n6\n"), (Matrix{{1.0, 3.0, 5.0}, {2.0, 4.0, 6.0}}));
  EXPECT_EQ(dense("array integer general\n1 1\n-7"), (Matrix{{-7.0}}));
}

TEST(MatrixMarket, PatternsAreOnes) {
  EXPECT_EQ(sparse("coordinate pattern general\n2 2 2\n1 1\n2 1\n"), (Matrix{{1.0, 0.0}, {1.0, 0.0}}));
}

TEST(MatrixMarket, SymmetricMatricesAreStoredFull) {
  EXPECT_EQ(sparse("coordinate real symmetric\n2 2 2\n1 1 5\n2 1 3\n"), (Matrix{{5.0, 3.0}, {3.0, 0.0}}));
  EXPECT_EQ(sparse("coordinate real skew-symmetric\n2 2 1\n2 1 3\n"), (Matrix{{0.0, -3.0}, {3.0, 0.0}}));
  EXPECT_EQ(dense("array real symmetric\n2 2\n1\n2\n3\n"), (Matrix{{1.0, 2.0}, {2.0, 3.0}}));
  EXPECT_EQ(dense("array real skew-symmetric\n3 3\n1\n2\n3\n"),
            (Matrix{{0.0, -1.0, -2.0}, {1.0, 0.0, -3.0}, {2.0, 3.0, 0.0}}));
}

TEST(MatrixMarket, EntriesGivenTwiceAreSummed) {
  EXPECT_EQ(sparse("coordinate real symmetric\n2 2 3\n2 1 1\n2 1 0.5\n1 1 -1\n"), (Matrix{{-1.0, 1.5}, {1.5, 0.0}}));
  EXPECT_EQ(mtx_error("coordinate real general\n1 1 2\n1 1 1e308\n1 1 1e308\n"),
            "t.mtx: the values of entry (1, 1) add up to inf");
}

TEST(MatrixMarket, ReadsBackWhatWasWrittenToTheLastBit) {
  Random random(2);
  const Matrix values = random.normal_vector(35).reshaped(7, 5);
  std::string array = "array real general\n7 5\n", coordinates = "coordinate real general\n7 5 35\n";
  for (Index j = 0; j < 5; ++j) {
    for (Index i = 0; i < 7; ++i) {
      array += to_text(values(i, j)) + "\n";
      coordinates += to_text(i + 1) + " " + to_text(j + 1) + " " + to_text(values(i, j)) + "\n";
    }
  }
  EXPECT_EQ(dense(array), values);
  EXPECT_EQ(sparse(coordinates), values);
}

TEST(MatrixMarket, SizesThatTheFileCannotHoldAreRefusedBeforeAnythingIsAllocated) {
  EXPECT_EQ(mtx_error("array real general\n1000000000000 1000000000000\n1\n"),
            "t.mtx:2:1: the number of rows is 1000000000000; expected 0 to 1048576");
  EXPECT_EQ(mtx_error("array real general\n1000000 1000000\n1\n"),
            "t.mtx: is too short for a matrix of 1000000 × 1000000");
  EXPECT_EQ(mtx_error("array real general\n0 9223372036854775807\n"),
            "t.mtx:2:3: the number of columns is 9223372036854775807; expected 0 to 1048576");
  EXPECT_EQ(mtx_error("array real skew-symmetric\n4 4\n1\n1\n1\n1\n"), "t.mtx: is too short for a matrix of 4 × 4");
  EXPECT_EQ(mtx_error("coordinate real general\n1000000000000 1 1\n1 1 1\n"),
            "t.mtx:2:1: the number of rows is 1000000000000; expected 0 to 1048576");
  EXPECT_EQ(mtx_error("coordinate real general\n10 10 1000000000\n1 1 1\n"),
            "t.mtx: is too short for 1000000000 entries");
  EXPECT_EQ(mtx_error("coordinate real general\n10 10 99999999999999999999\n"),
            "t.mtx:2:7: the number of entries is \"99999999999999999999\"; expected an integer");
}

TEST(MatrixMarket, ErrorsNameLineAndColumn) {
  EXPECT_EQ(mtx_error("coordinate real general\n2 2 1\n% c\n3 1 1\n"), "t.mtx:4:1: the row is 3; expected 1 to 2");
  EXPECT_EQ(mtx_error("coordinate real general\n2 2 1\n1 0 1\n"), "t.mtx:3:3: the column is 0; expected 1 to 2");
  EXPECT_EQ(mtx_error("coordinate real general\n2 2 1\n1 1 x1\n"), "t.mtx:3:5: \"x1\" is not a number");
  EXPECT_EQ(mtx_error("coordinate real general\n2 2 1\n1 1\n   "), "t.mtx:3:4: the number is missing");
  EXPECT_EQ(mtx_error("coordinate real general\n2 2 1\n1 1 nan\n"), "t.mtx:3:5: \"nan\" is not a finite number");
  EXPECT_EQ(mtx_error("coordinate real general\n2 2 1\n1 1 1 1\n"),
            "t.mtx:3:7: \"1\" is more than the line should have");
  EXPECT_EQ(mtx_error("coordinate integer general\n2 2 1\n1 1 1.5\n"), "t.mtx:3:5: \"1.5\" is not an integer");
  EXPECT_EQ(mtx_error("coordinate real general\n2 2 2\n1 1 1000000\n"), "t.mtx: ends after 1 of 2 entries");
  EXPECT_EQ(mtx_error("coordinate real general\n2 2 1\n1 1 1\n2 2 2\n"),
            "t.mtx:4:1: more than the 1 entries declared");
  EXPECT_EQ(mtx_error("array real general\n1 1\n1\n2\n"), "t.mtx:4:1: more than the 1 entries declared");
  EXPECT_EQ(mtx_error("array real general\n2 1\n1.50000\n"), "t.mtx: ends after 1 of 2 entries");
  EXPECT_EQ(mtx_error("coordinate real symmetric\n2 2 1\n1 2 1\n"),
            "t.mtx:3:3: entry (1, 2) is above the diagonal of a symmetric matrix");
  EXPECT_EQ(mtx_error("coordinate real skew-symmetric\n2 2 1\n1 1 1\n"),
            "t.mtx:3:3: entry (1, 1) is on the diagonal of a skew-symmetric matrix");
  EXPECT_EQ(mtx_error("array real symmetric\n2 3\n1\n"), "t.mtx:2:3: a matrix of 2 × 3 cannot be symmetric");
  EXPECT_EQ(mtx_error("array real general\n2 -3\n1\n").substr(0, 50),
            "t.mtx:2:3: the number of columns is -3; expected 0");
  EXPECT_EQ(mtx_error("array pattern general\n1 1\n1\n"), "t.mtx:1:29: an array has values, not a pattern");
  EXPECT_EQ(mtx_error("coordinate complex general\n"),
            "t.mtx:1:34: the field is \"complex\"; known are real, double, integer, pattern");
  EXPECT_EQ(mtx_error("coordinate real hermitian\n"),
            "t.mtx:1:39: the symmetry is \"hermitian\"; known are general, symmetric, skew-symmetric");
  EXPECT_EQ(mtx_error("coordinate real general\n"), "t.mtx: ends before the line of sizes");
  EXPECT_EQ(file_error([] { parse_matrix_market("1,2\n", "t.mtx"); }),
            "t.mtx: does not begin with \"%%MatrixMarket matrix\"");
  EXPECT_EQ(file_error([] { parse_matrix_market("", "t.mtx"); }),
            "t.mtx: does not begin with \"%%MatrixMarket matrix\"");
}

TEST(MatrixMarket, InfinitiesAreReadOnlyWhereAskedFor) {
  EXPECT_EQ(dense("array real general\n1 2\n-inf\ninf\n", {.infinite = true}), (Matrix{{-infinity, infinity}}));
  EXPECT_EQ(mtx_error("array real general\n1 1\ninf\n"), "t.mtx:3:1: \"inf\" is not a finite number");
}

TEST(MatrixMarket, ReadsFiles) {
  const TemporaryFolder folder;
  const auto file = folder.file("a.mtx", banner + "array real general\n1 1\n2\n");
  EXPECT_EQ(std::get<Matrix>(read_matrix_market(file)), (Matrix{{2.0}}));
}

}  // namespace
}  // namespace pendec::io
