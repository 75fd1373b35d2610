#include "pendec/io/npy.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "pendec/core/random.hpp"
#include "tests/io/io_testing.hpp"

namespace pendec::io {
namespace {

using testing::file_error;
using testing::TemporaryFolder;

/// A file of version `major` with this dictionary and these data.
std::string npy(std::string header, std::string_view data, int major = 1) {
  const std::size_t before = major == 1 ? 10 : 12;
  header.append(63 - (before + header.size()) % 64, ' ').push_back('\n');
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(major), '\0', static_cast<char>(header.size() & 255U),
           static_cast<char>(header.size() >> 8U)};
  if (major > 1) file += std::string(2, '\0');
  return file + header + std::string(data);
}

std::string dictionary(const std::string& type, bool fortran, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes(std::initializer_list<T> values, bool swapped = false) {
  std::string out;
  for (const T value : values) {
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), &value, sizeof(T));
    if (swapped) std::ranges::reverse(raw);
    out.append(raw.data(), raw.size());
  }
  return out;
}

Matrix npy_matrix(const std::string& file, const NpyOptions& options = {}) {
  return parse_npy(file, "t.npy", options).dense();
}
std::string npy_error(const std::string& file) {
  return file_error([&] { parse_npy(file, "t.npy"); });
}

const Matrix two_by_three{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};

TEST(Npy, ReadsRowMajorAndColumnMajorArrays) {
  EXPECT_EQ(npy_matrix(npy(dictionary("<f8", false, "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}))), two_by_three);
  EXPECT_EQ(npy_matrix(npy(dictionary("<f8", true, "(2, 3)"), bytes<double>({1, 4, 2, 5, 3, 6}))), two_by_three);
}

TEST(Npy, ReadsVersions1To3) {
  for (const int major : {1, 2, 3})
    EXPECT_EQ(npy_matrix(npy(dictionary("<f8", false, "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}), major)),
              two_by_three);
  EXPECT_EQ(npy_error(npy(dictionary("<f8", false, "()"), bytes({1.0}), 4)),
            "t.npy: has version 4; known are 1, 2 and 3");
}

TEST(Npy, ScalarsAndVectorsAreColumns) {
  EXPECT_EQ(npy_matrix(npy(dictionary("<f8", false, "()"), bytes({2.5}))), (Matrix{{2.5}}));
  EXPECT_EQ(npy_matrix(npy(dictionary("<f8", false, "(2,)"), bytes({1.0, 2.0}))), (Matrix{{1.0}, {2.0}}));
  EXPECT_EQ(npy_matrix(npy(dictionary("<f8", false, "(1L, 2L)"), bytes({1.0, 2.0}))), (Matrix{{1.0, 2.0}}));
  EXPECT_EQ(npy_matrix(npy(dictionary("<f8", false, "(0, 3)"), "")).cols(), 3);
}

template <class T>
void expect_type(const std::string& type) {
  const T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::lowest();
  const Matrix expected{{static_cast<double>(most)}, {static_cast<double>(least)}, {3.0}};
  EXPECT_EQ(npy_matrix(npy(dictionary("<" + type, false, "(3,)"), bytes<T>({most, least, T{3}}))), expected) << type;
  EXPECT_EQ(npy_matrix(npy(dictionary(">" + type, false, "(3,)"), bytes<T>({most, least, T{3}}, true))), expected)
      << type;
}

TEST(Npy, EveryTypeAndByteOrderBecomesDouble) {
  static_assert(std::endian::native == std::endian::little);
  expect_type<double>("f8");
  expect_type<float>("f4");
  expect_type<std::int8_t>("i1");
  expect_type<std::int16_t>("i2");
  expect_type<std::int32_t>("i4");
  expect_type<std::int64_t>("i8");
  expect_type<std::uint8_t>("u1");
  expect_type<std::uint16_t>("u2");
  expect_type<std::uint32_t>("u4");
  expect_type<std::uint64_t>("u8");
  EXPECT_EQ(npy_matrix(npy(dictionary("|b1", false, "(2,)"), {"\1\0", 2})), (Matrix{{1.0}, {0.0}}));
}

TEST(Npy, LargeRowMajorArraysAreTransposedTileByTile) {
  constexpr Index rows = 67, columns = 41;
  std::string data;
  for (Index k = 0; k < rows * columns; ++k) data += bytes<std::int32_t>({static_cast<std::int32_t>(k)});
  const Matrix read = npy_matrix(npy(dictionary("<i4", false, "(67, 41)"), data));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) ASSERT_EQ(read(i, j), static_cast<double>(i * columns + j));
}

TEST(Npy, WritesWhatItReadsBackToTheLastBit) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.npy";
  Random random(6);
  const Matrix values = random.normal_vector(77).reshaped(11, 7);
  write_npy(file, values);
  EXPECT_EQ(read_npy(file).dense(), values);
  EXPECT_EQ(testing::content(file).size() % 64, (77 * sizeof(double)) % 64);  // the data begin at a multiple of 64
  write_npy(file, values.topLeftCorner(5, 3));                                // not contiguous
  EXPECT_EQ(read_npy(file).dense(), values.topLeftCorner(5, 3));
  write_npy(file, values.col(0));
  EXPECT_EQ(read_npy(file).dense(), values.col(0));
  write_npy(file, Matrix(0, 4));
  EXPECT_EQ(read_npy(file).cols(), 4);
  const Matrix special{{-0.0, 4.9406564584124654e-324, infinity, std::nan("")}};
  write_npy(file, special);
  const Operator back = read_npy(file, {.allow = {.infinite = true, .missing = true}});
  EXPECT_EQ(std::memcmp(back.view()->data(), special.data(), 4 * sizeof(double)), 0);
}

TEST(Npy, MappedMatricesOutliveTheNameOfTheirFile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.npy";
  write_npy(file, two_by_three);
  const Operator mapped = read_npy(file);
  write_npy(file, 2.0 * two_by_three);  // replaces the file, not its bytes
  EXPECT_EQ(*mapped.view(), two_by_three);
  std::filesystem::remove(file);
  EXPECT_EQ(*mapped.view(), two_by_three);
}

/// Does the matrix see what is written into its file? Then it is mapped.
bool is_mapped(const std::string& content, const NpyOptions& options = {}) {
  const TemporaryFolder folder;
  const auto file = folder.file("a.npy", content);
  const Operator matrix = read_npy(file, options);
  const double before = matrix.view()->data()[0];
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(content.find('\n')) + 1);
  const double other = before + 1.0;
  out.write(reinterpret_cast<const char*>(&other), sizeof(other)).flush();
  return matrix.view()->data()[0] == other;
}

TEST(Npy, ContiguousDoublesAreMappedAndOthersCopied) {
  const std::string six = bytes<double>({1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(is_mapped(npy(dictionary("<f8", true, "(2, 3)"), six)));
  EXPECT_TRUE(is_mapped(npy(dictionary("<f8", false, "(6,)"), six)));
  EXPECT_TRUE(is_mapped(npy(dictionary("<f8", false, "(1, 6)"), six)));
  EXPECT_TRUE(is_mapped(npy(dictionary("<f8", false, "(2, 3)"), six), {.or_transpose = true}));
  EXPECT_FALSE(is_mapped(npy(dictionary("<f8", false, "(2, 3)"), six)));
  EXPECT_FALSE(is_mapped(npy(dictionary(">f8", true, "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}, true))));
}

TEST(Npy, DataThatAreNotAlignedAreCopied) {
  const TemporaryFolder folder;
  std::string header = dictionary("<f8", true, "(2,)");
  while ((10 + header.size() + 1) % 8 != 3) header += ' ';
  header += '\n';
  const std::string file =
      "\x93NUMPY\1" + std::string{'\0', static_cast<char>(header.size()), '\0'} + header + bytes({1.5, 2.5});
  EXPECT_EQ(read_npy(folder.file("a.npy", file)).dense(), (Matrix{{1.5}, {2.5}}));
}

TEST(Npy, TheTransposeWillDoForSymmetricMatrices) {
  const std::string file = npy(dictionary("<f4", false, "(2, 3)"), bytes<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(npy_matrix(file, {.or_transpose = true}), two_by_three.transpose());
}

TEST(Npy, ShapesThatTheFileCannotHoldAreRefusedBeforeAnythingIsAllocated) {
  EXPECT_EQ(npy_error(npy(dictionary("<f8", false, "(1000000000000, 1000000000000)"), "12345678")),
            "t.npy: is too short for 1000000000000 × 1000000000000 entries of 8 bytes: 8 bytes of data");
  EXPECT_EQ(npy_error(npy(dictionary("<f8", false, "(4294967296, 4294967296)"), "")),  // 2⁶⁴ entries overflow to none
            "t.npy: is too short for 4294967296 × 4294967296 entries of 8 bytes: 0 bytes of data");
  EXPECT_EQ(npy_error(npy(dictionary("<f8", false, "(2305843009213693952,)"), "")),  // 2⁶¹ · 8 bytes too
            "t.npy: is too short for 2305843009213693952 × 1 entries of 8 bytes: 0 bytes of data");
  EXPECT_EQ(npy_error(npy(dictionary("<f8", false, "(0, 9223372036854775807)"), "")),
            "t.npy: is too short for 0 × 9223372036854775807 entries of 8 bytes: 0 bytes of data");
  EXPECT_EQ(npy_error(npy(dictionary("<f8", false, "(99999999999999999999,)"), "")),
            "t.npy: in the header: \"99999999999999999999,), }               …\" is no length");
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::string file = npy(dictionary("<f8", false, "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}));
  for (std::size_t length = 0; length < file.size(); ++length)
    EXPECT_THROW(parse_npy(file.substr(0, length), "t.npy"), FileError) << length;
  EXPECT_EQ(npy_error(file + "x"), "t.npy: goes on after the 2 × 3 entries of its shape");
}

TEST(Npy, OtherTypesAndHeadersAreRefusedByName) {
  EXPECT_EQ(npy_error("1,2\n"), "t.npy: is not an .npy file: it does not begin with \"\\x93NUMPY\"");
  EXPECT_EQ(npy_error(npy(dictionary("<c16", false, "(1,)"), std::string(16, '\0'))).substr(0, 47),
            "t.npy: entries of type \"<c16\" are not supported");
  EXPECT_THROW(npy_matrix(npy(dictionary("<f2", false, "(1,)"), "12")), FileError);
  EXPECT_THROW(npy_matrix(npy(dictionary("|O", false, "(1,)"), "12345678")), FileError);
  EXPECT_EQ(npy_error(npy(dictionary("<f8", false, "(1, 1, 1)"), "12345678")),
            "t.npy: has 3 dimensions, more than 2");
  EXPECT_EQ(npy_error(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", "12345678")),
            "t.npy: in the header: arrays of records are not supported");
  for (const char* header :
       {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '<f8, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}"})
    EXPECT_EQ(npy_error(npy(header, "12345678")).substr(0, 22), "t.npy: in the header: ") << header;
}

TEST(Npy, NonFiniteEntriesAreReadOnlyWhereAskedFor) {
  const std::string file = npy(dictionary("<f8", true, "(2, 2)"), bytes<double>({1, 2, infinity, 4}));
  EXPECT_EQ(npy_error(file), "t.npy: entry [0, 1] is inf; expected a finite number");
  EXPECT_EQ(npy_matrix(file, {.allow = {.infinite = true}})(0, 1), infinity);
  EXPECT_THROW(npy_matrix(file, {.allow = {.missing = true}}), FileError);
  const std::string nan = npy(dictionary("<f4", true, "(1,)"), bytes<float>({std::nanf("")}));
  EXPECT_EQ(npy_error(nan), "t.npy: entry [0, 0] is nan; expected a finite number");
  EXPECT_TRUE(std::isnan(npy_matrix(nan, {.allow = {.missing = true}})(0, 0)));
}

TEST(Npy, FilesThatAreNoneAreRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(file_error([&] { read_npy(folder.path()); }), folder.path().string() + ": is a directory");
  const auto empty = folder.file("empty.npy", "");
  EXPECT_EQ(file_error([&] { read_npy(empty); }),
            empty.string() + ": is not an .npy file: it does not begin with \"\\x93NUMPY\"");
}

}  // namespace
}  // namespace pendec::io
