// Every command that solves writes the same record, and `pendec verify` takes each of them.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "pendec/core/random.hpp"
#include "tests/cli/program.hpp"

namespace pendec {
namespace {

using testing::Ended;
using testing::Folder;
using Json = nlohmann::ordered_json;

std::string table_of(const std::string& header, Index rows, Index columns, std::uint64_t seed, bool labels) {
  Random random(seed);
  std::ostringstream out;
  out << header << '\n';
  for (Index k = 0; k < rows; ++k) {
    if (labels) out << k % 3 << ',' << random.below(2) << ',';
    const Vector x = 0.1 * random.normal_vector(columns);
    for (Index j = 0; j < columns; ++j) out << (j > 0 ? "," : "") << x[j];
    out << '\n';
  }
  return out.str();
}

/// The commands of the issue on small data, by name.
std::vector<std::pair<std::string, std::vector<std::string>>> commands(const Folder& folder) {
  const auto file = [&](const char* name, const std::string& text) {
    testing::write(folder / name, text);
    return folder / name;
  };
  std::string entries = "row,column,value\n";
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 6; ++j)
      if ((i * 5 + j * 3) % 4 != 0) entries += fmt::format("r{},c{},{}\n", i, j, (i + 1) * (j + 2));
  const std::string data = file("data.csv", table_of("a,b,c,d,y", 30, 5, 1, false));
  const std::string returns = file("returns.csv", table_of("AA,BB,CC,DD", 30, 4, 2, false));
  const std::string Q = file("Q.csv", "2,0.1,0\n0.1,1,0\n0,0,4\n"), c = file("c.csv", "-1\n-1\n-1\n");
  const std::string groups = file("groups.csv", "1\n2\n1\n");
  const std::string A = file("A.csv", "1,0.9,0.7\n0.9,1,-0.4\n0.7,-0.4,1\n");
  const std::string holes = file("holes.csv", "1,0.5,\n0.5,1,0.2\n,0.2,1\n");
  const std::string seen = file("entries.csv", entries);
  const std::string tasks = file("tasks.csv", table_of("task,label,f1,f2", 40, 2, 3, true));
  const std::string graph = file("graph.txt", "5 5\n1 2 1\n2 3 1\n3 4 1\n4 5 1\n5 1 1\n");
  return {
      {"solve", {"solve", testing::example("portfolio")}},
      {"regression", {"sparse", data, "-s", "2"}},
      {"regression, ridge", {"sparse", data, "-s", "2", "--ridge", "0.1", "--no-intercept"}},
      {"regression, huber", {"sparse", data, "-s", "1", "--loss", "huber"}},
      {"regression, path", {"sparse", data, "-s", "3", "--path"}},
      {"quadratic", {"sparse", "--quadratic", Q, "--linear", c, "-s", "1"}},
      {"quadratic, not proved", {"sparse", "--quadratic", Q, "--linear", c, "-s", "1", "--no-certify"}},
      {"quadratic, groups",
       {"sparse", "--quadratic", Q, "--linear", c, "-s", "1", "--groups", groups, "--lower", "-1", "--upper", "1"}},
      {"portfolio", {"portfolio", returns, "-s", "2", "--min-weight", "0.1"}},
      {"portfolio, return", {"portfolio", returns, "-s", "2", "--nu", "0.1"}},
      {"frontier", {"portfolio", returns, "-s", "2", "--frontier", "4"}},
      {"disjunctive", {"disjunctive", testing::example("polyhedra")}},
      {"pairs", {"disjunctive", testing::example("vanishing")}},
      {"correlation", {"correlation", A}},
      {"correlation, rank", {"correlation", A, "--rank", "2"}},
      {"correlation, missing", {"correlation", holes}},
      {"correlation, fixed", {"correlation", A, "--fixed", "1,2"}},
      {"complete", {"complete", seen, "--rank", "1", "--ridge", "0.1"}},
      {"complete, box", {"complete", seen, "--rank", "2", "--gamma", "0.1", "--centre", "--box", "1", "40"}},
      {"multitask", {"multitask", tasks, "--kappa", "1"}},
      {"maxcut", {"maxcut", graph}}};
}

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST(CliResults, HaveTheSameKeysFromEveryCommandAndAreVerified) {
  const Folder folder;
  const std::set<std::string> keys{
      "pendec_result", "version", "status", "message", "method",      "route", "why_not", "f",
      "bound",         "gap",     "f_x",    "tau",     "certificate", "pair",  "search",  "counts",
      "seconds",       "x",       "y",      "lambda",  "mu",          "trace", "details", "options",
      "problem",       "digest"};
  for (auto [name, arguments] : commands(folder)) {
    const std::string file = folder / "result.json";
    arguments.insert(arguments.end(), {"-q", "-o", file, "--csv", folder / "table.csv"});
    const Ended ended = testing::pendec(arguments);
    EXPECT_EQ(ended.code, 0) << name << ": " << ended.err;
    EXPECT_GT(testing::contents(folder / "table.csv").size(), 4U) << name;
    const Json written = Json::parse(testing::contents(file));
    const Json results = written.contains("pendec_results") ? written["pendec_results"] : Json::array({written});
    for (const Json& result : results) {
      EXPECT_EQ(keys_of(result), keys) << name;
      EXPECT_TRUE(result["details"].contains("type")) << name;
      EXPECT_EQ(result["problem"]["command"], arguments.front()) << name;
    }
    const Ended verified = testing::pendec({"verify", file, "--no-confine"});
    EXPECT_EQ(verified.code, 0) << name << "\n" << verified.out << verified.err;
    EXPECT_NE(verified.out.find("taken on trust"), std::string::npos) << name;

    Json edited = results.front();
    edited["f"] = edited["f"].get<double>() - 0.1;
    testing::write(file, edited.dump());
    const Ended refused = testing::pendec({"verify", file, "--no-confine"});
    EXPECT_EQ(refused.code, 2) << name;
    EXPECT_NE(refused.out.find("FALSE  f is"), std::string::npos) << name << "\n" << refused.out;
  }
}

TEST(CliResults, OfOthersOpenNoFilesElsewhere) {
  const Folder folder, other;
  const auto all = commands(folder);
  std::vector<std::string> arguments = all[1].second;  // with an absolute path
  const auto with_output = [&](const std::string& path) {
    std::vector<std::string> with = arguments;
    with.insert(with.end(), {"-q", "-o", path});
    return with;
  };
  ASSERT_EQ(testing::pendec(with_output(other / "result.json")).code, 0);
  const Ended refused = testing::pendec({"verify", other / "result.json"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("--no-confine"), std::string::npos) << refused.err;
  EXPECT_EQ(testing::pendec({"verify", arguments[1], other / "result.json"}).code, 0);
  ASSERT_EQ(testing::pendec(with_output(folder / "result.json")).code, 0);
  EXPECT_EQ(testing::pendec({"verify", folder / "result.json"}).code, 0) << "a file beside the result";
}

/// The commands are run in the folder of their files, as people do.
TEST(CliResults, AreVerifiedFromOtherFolders) {
  const Folder folder;
  testing::write(folder / "a.csv", "1,2\n3,4\n");
  testing::write(folder / "p.json",
                 R"({"pendec": 1, "objective": {"type": "least_squares", "A": {"file": "a.csv"}, "b": [1, 1]},
                              "D": {"type": "sparse", "n": 2, "s": 1}})");
  const std::string there = "cd '" + (folder / "") + "' && ";
  const std::string program = std::string("'") + PENDEC_PROGRAM + "' ";
  ASSERT_EQ(std::system((there + program + "solve p.json -q -o r.json").c_str()), 0);
  EXPECT_EQ(std::system((there + program + "verify -q r.json").c_str()), 0);
  EXPECT_EQ(std::system((there + program + "verify -q p.json r.json").c_str()), 0);
  EXPECT_EQ(testing::pendec({"verify", folder / "r.json"}).code, 0) << "what it names is beside it";
  EXPECT_NE(std::system((there + program + "solve p.json -q --csv a.csv 2> /dev/null").c_str()), 0)
      << "data files are inputs";
  EXPECT_EQ(testing::contents(folder / "a.csv"), "1,2\n3,4\n");
}

}  // namespace
}  // namespace pendec
