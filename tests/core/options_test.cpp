#include "pendec/core/options.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

TEST(Options, EveryOptionIsDocumentedOnceAndReadsBackByName) {
  const Options defaults;
  std::set<std::string> names;
  for (const OptionText& row : describe(defaults)) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.text.empty()) << row.name;
    Options o = paper_preset(Method::pd);
    EXPECT_NO_THROW(set_option(o, row.name, row.value)) << row.name << " = " << row.value;
  }
  EXPECT_GE(names.size(), 50U);
}

TEST(Options, ReadingAllValuesBackGivesTheSameOptions) {
  const Options paper = paper_preset(Method::pdlm);
  Options copy;
  for (const OptionText& row : describe(paper)) set_option(copy, row.name, row.value);
  const auto a = describe(paper), b = describe(copy);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].value, b[i].value) << a[i].name;
}

TEST(Options, NoLimitIsWrittenAsInf) {
  Options o;
  set_option(o, "limits.outer", "inf");
  EXPECT_EQ(o.limits.outer, std::numeric_limits<Index>::max());
  for (const OptionText& row : describe(o))
    EXPECT_EQ(row.name.starts_with("limits."), row.value == "inf") << row.name;
}

TEST(Options, ValuesThatDoNotReadAreRefused) {
  Options o;
  EXPECT_THROW(set_option(o, "penalty.tau0", "1x"), InvalidArgument);
  EXPECT_THROW(set_option(o, "penalty.tau0", "-1"), InvalidArgument);
  EXPECT_THROW(set_option(o, "penalty.tau00", "1"), InvalidArgument);
  EXPECT_THROW(set_option(o, "inner.test", "both"), InvalidArgument);
  EXPECT_THROW(set_option(o, "trace", "maybe"), InvalidArgument);
}

TEST(Options, ThePageOfOptionsNamesEachWithItsDefault) {
  std::ifstream file(std::string(PENDEC_SOURCE_DIR) + "/docs/options.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const OptionText& row : describe(Options{}))
    EXPECT_NE(page.find("| `" + row.name + "` | " + row.value + " |"), std::string::npos)
        << row.name << " = " << row.value;
}

TEST(Options, PresetsAreValid) {
  for (const Method m : {Method::automatic, Method::pd, Method::pdlm, Method::alm}) {
    EXPECT_NO_THROW(validate(default_preset(m)));
    EXPECT_NO_THROW(validate(paper_preset(m)));
  }
}

}  // namespace
}  // namespace pendec
