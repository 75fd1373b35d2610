#include "pendec/io/csv.hpp"

#include <cmath>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "tests/io/io_testing.hpp"

namespace pendec::io {
namespace {

using testing::file_error;
using testing::TemporaryFolder;

CsvTable parse(std::string_view text, const CsvOptions& options = {}) { return parse_csv(text, "t.csv", options); }

std::string numbers_error(std::string_view text, const CsvOptions& options = {}) {
  return file_error([&] { parse(text, options).numbers(); });
}

TEST(Csv, ReadsNumbersRowByRow) {
  const Matrix expected{{1.0, 2.5}, {-3e-7, 4.0}};
  EXPECT_EQ(parse("1,2.5\n-3e-7,4\n").numbers(), expected);
  EXPECT_EQ(parse("1,2.5\n-3e-7,4").numbers(), expected);
  EXPECT_EQ(parse("1,2.5\r\n-3e-7,4\r\n").numbers(), expected);
  EXPECT_EQ(parse("1,2.5\r-3e-7,4\r").numbers(), expected);
  EXPECT_EQ(parse("\xEF\xBB\xBF"
                  "1,2.5\n-3e-7,4\n")
                .numbers(),
            expected);
  EXPECT_EQ(parse("\n  \n 1 ,\t2.5\n\n\"-3e-7\" , \"4\" \n\n", {.separator = ','}).numbers(), expected);
}

TEST(Csv, ReadsBackWhatWasWrittenToTheLastBit) {
  Random random(4);
  const Matrix values = random.normal_vector(600).reshaped(30, 20);
  std::string text;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j) text += to_text(values(i, j)) + (j + 1 < values.cols() ? "," : "\n");
  EXPECT_EQ(parse(text).numbers(), values);
}

TEST(Csv, DetectsTheSeparatorOutsideQuotes) {
  EXPECT_EQ(parse("1;2;3\n").columns(), 3);
  EXPECT_EQ(parse("1\t2\t3\n").columns(), 3);
  EXPECT_EQ(parse("\"a;b\tc\",2\n").columns(), 2);
  EXPECT_EQ(parse("1,5;2,5\n").text(0, 1), "2,5");
  EXPECT_EQ(parse("1;2,3\n", {.separator = ','}).text(0, 0), "1;2");
  EXPECT_EQ(parse("1\t\t3\n", {.allow = {.missing = true}}).columns(), 3);
  EXPECT_THROW(parse("1 2", {.separator = ' '}), InvalidArgument);
}

TEST(Csv, QuotedCellsHoldQuotesSeparatorsAndLineEnds) {
  const CsvTable table = parse("\"a \"\"b\"\", c\",\"\",\"two\r\nlines\"\nx,y,\"\"\"\"\n", {.header = Header::no});
  EXPECT_EQ(table.text(0, 0), "a \"b\", c");
  EXPECT_EQ(table.text(0, 1), "");
  EXPECT_EQ(table.text(0, 2), "two\r\nlines");
  EXPECT_EQ(table.text(1, 2), "\"");
  EXPECT_EQ(table.line(1), 3);
}

TEST(Csv, TheHeaderIsARowWithoutNumbersAboveNumbers) {
  const CsvTable named = parse("date,\"close, adjusted\"\n2020-01-02,3.5\n2020-01-03,NA\n");
  EXPECT_TRUE(named.has_header());
  EXPECT_EQ(named.rows(), 2);
  EXPECT_EQ(named.names(), (std::vector<std::string>{"date", "close, adjusted"}));
  EXPECT_EQ(named.column("close, adjusted"), 1);
  EXPECT_EQ(named.number(0, 1), 3.5);
  EXPECT_EQ(named.text(1, 0), "2020-01-03");
  EXPECT_TRUE(named.is_missing(1, 1));

  EXPECT_FALSE(parse("1,2\n3,4\n").has_header());
  EXPECT_FALSE(parse("AAPL\nMSFT\n").has_header());
  EXPECT_FALSE(parse("2020-01-02,3.5\n").has_header());
  EXPECT_TRUE(parse("1,2\n3,4\n", {.header = Header::yes}).has_header());
  EXPECT_FALSE(parse("a,b\n3,4\n", {.header = Header::no}).has_header());
  EXPECT_EQ(parse("a,b\n", {.header = Header::yes}).numbers().rows(), 0);
}

TEST(Csv, ColumnsAreChosenByNameAndOrder) {
  const CsvTable table = parse("date,a,b\nmonday,1,2\ntuesday,3,4\n");
  const std::vector<Index> columns{table.column("b"), table.column("a")};
  EXPECT_EQ(table.numbers(columns), (Matrix{{2.0, 1.0}, {4.0, 3.0}}));
  EXPECT_EQ(file_error([&] { table.column("c"); }), "t.csv: no column \"c\"; there are date, a, b");
  EXPECT_EQ(file_error([] { parse("1,2\n").column("c"); }), "t.csv: no column \"c\": the file has no header");
  EXPECT_EQ(file_error([] { parse("a,a\n1,2\n").column("a"); }), "t.csv:1: more than one column \"a\"");
  EXPECT_THROW(table.numbers(std::vector<Index>{3}), InvalidArgument);
}

TEST(Csv, MissingCellsAreRefusedOrNaNAsAsked) {
  for (const char* cell : {"", "NA", "nan", "NaN", "null", "\"\"", "  "}) {
    const std::string text = "1," + std::string(cell) + "\n3,4\n";
    const Matrix values = parse(text, {.allow = {.missing = true}}).numbers();
    EXPECT_TRUE(std::isnan(values(0, 1)) && values(1, 1) == 4.0) << text;
    EXPECT_THROW(parse(text).numbers(), FileError) << text;
  }
  EXPECT_EQ(numbers_error("1,\n3,4\n"), "t.csv:1:2: an empty cell");
  EXPECT_EQ(numbers_error("1,2\n3,NA\n"), "t.csv:2:2: \"NA\" is a missing number");
}

TEST(Csv, InfinitiesAreReadOnlyWhereAskedFor) {
  EXPECT_EQ(parse("-inf,Infinity\n", {.allow = {.infinite = true}}).numbers(), (Matrix{{-infinity, infinity}}));
  EXPECT_EQ(numbers_error("1,-inf\n"), "t.csv:1:2: \"-inf\" is not a finite number");
  EXPECT_EQ(numbers_error("1,-inf\n", {.allow = {.missing = true}}), "t.csv:1:2: \"-inf\" is not a finite number");
}

TEST(Csv, ErrorsNameLineAndColumn) {
  EXPECT_EQ(numbers_error("a,b,c\n1,2,3\n\n4,5,abc\n"), "t.csv:4:3: \"abc\" is not a number");
  EXPECT_EQ(numbers_error("a,b\r\n\"1\",2\r\n3,1e999\r\n"), "t.csv:3:2: \"1e999\" is not a number");
  EXPECT_EQ(numbers_error("1,2\n3\n"), "t.csv:2: 1 cells, but 2 in the first row");
  EXPECT_EQ(numbers_error("1,2\n3,4,5\n"), "t.csv:2: 3 cells, but 2 in the first row");
  EXPECT_EQ(numbers_error("1,2\n3,\"4\n5,6\n"), "t.csv:2:2: this quote is never closed");
  EXPECT_EQ(numbers_error("1,\"2\"3\n"), "t.csv:1:2: text after a quoted cell");
  EXPECT_EQ(numbers_error("1,\"2\" \"3\"\n"), "t.csv:1:2: text after a quoted cell");
  EXPECT_EQ(numbers_error("5\" disk,2\n"),
            "t.csv:1:1: a quote within a cell: quote the whole cell and double this quote");
  EXPECT_EQ(numbers_error({"1,2\n3,\0", 7}), "t.csv:2: has a NUL byte: not text in UTF-8");
  EXPECT_EQ(numbers_error(""), "t.csv: has no rows");
  EXPECT_EQ(numbers_error("\n \r\n"), "t.csv: has no rows");
  EXPECT_EQ(numbers_error("1,a\tb\x01" + std::string(50, 'z') + "\n", {.separator = ','}),
            "t.csv:1:2: \"a?b?" + std::string(36, 'z') + "…\" is not a number");
}

TEST(Csv, LinesAreCountedThroughQuotedLineEnds) {
  const CsvTable table = parse("\"a\nb\",\"c\n\nd\",x\n1,2,y\n", {.header = Header::no});
  EXPECT_EQ(table.line(0, 0), 1);
  EXPECT_EQ(table.line(0, 1), 2);
  EXPECT_EQ(table.line(0, 2), 4);
  EXPECT_EQ(table.line(1, 2), 5);
  EXPECT_STREQ(table.error(0, 2, "is odd").what(), "t.csv:4:3: is odd");
}

TEST(Csv, CopiesOfATableOutliveIt) {
  CsvTable copy;
  {
    const CsvTable table = parse("a\n1\n");  // short enough to lie inside a string object
    copy = table;
  }
  EXPECT_EQ(copy.text(0, 0), "1");
}

TEST(Csv, ManyColumnsAndManyBlankLinesTakeNoMemory) {
  std::string text(200000, ',');
  text.append(200000, '\n');
  EXPECT_EQ(parse(text).columns(), 200001);
}

TEST(Csv, ReadsFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_csv(folder.file("a.csv", "x;y\n1;2\n")).numbers(), (Matrix{{1.0, 2.0}}));
  const auto bad = folder.file("b.csv", "1;2\n3;z\n");
  EXPECT_EQ(file_error([&] { read_csv(bad).numbers(); }), bad.string() + ":2:2: \"z\" is not a number");
}

}  // namespace
}  // namespace pendec::io
