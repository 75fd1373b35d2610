// The commands of the problems of low rank.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.hpp"

namespace pendec {
namespace {

using Json = nlohmann::ordered_json;
using testing::Ended;
using testing::Folder;

std::string written(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

void expect_refused(const std::vector<std::string>& arguments, const std::string& words) {
  const Ended ended = testing::pendec(arguments);
  EXPECT_EQ(ended.code, 1) << ::testing::PrintToString(arguments);
  EXPECT_NE(ended.err.find(words), std::string::npos) << ended.err;
}

TEST(CliCorrelation, WritesACorrelationMatrix) {
  const Folder folder;
  const std::string a = written(folder / "a.csv", "1,0.9,0.7\n0.9,1,-0.4\n0.7,-0.4,1\n");
  const Ended ended =
      testing::pendec({"correlation", a, "--json", "--csv", folder / "x.csv", "--factor", folder / "v.csv"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const Json r = Json::parse(ended.out);
  EXPECT_EQ(r["status"], "optimal");
  EXPECT_EQ(r["details"]["global"], true);
  EXPECT_EQ(testing::contents(folder / "x.csv").substr(0, 2), "1,");  // a diagonal of ones
  EXPECT_EQ(testing::pendec({"correlation", a, "--rank", "1"}).code, 2);
  const std::string hole = written(folder / "hole.csv", "1,0.5,\n0.5,1,0.2\n,0.2,1\n");
  EXPECT_EQ(testing::pendec({"correlation", hole, "-q", "--fix", "1,2"}).code, 0);
}

TEST(CliCorrelation, WrongInputLeavesNothingBehind) {
  const Folder folder;
  const std::string a = written(folder / "a.csv", "1,0.9\n0.2,1\n"), wide = written(folder / "w.csv", "1,0\n");
  expect_refused({"correlation", a, "--csv", folder / "x.csv"},
                 "A(2, 1) is 0.2; expected A(1, 2) = 0.9: a symmetric matrix");  // from one, as --fix
  expect_refused({"correlation", wide}, "a square matrix");
  EXPECT_FALSE(std::filesystem::exists(folder / "x.csv"));
  const std::string good = written(folder / "g.csv", "1,0\n0,1\n");
  expect_refused({"correlation", good, "--rank", "0"}, "rank is 0");
  expect_refused({"correlation", good, "--fix", "1"}, "I,J");
  expect_refused({"correlation", good, "--fix", "2,2"}, "a row and another column, from 1 to 2");
  expect_refused({"correlation", good, "--algorithm", "magic"}, "algorithm is magic");
  expect_refused({"correlation", written(folder / "bad.csv", "1,x\nx,1\n")}, "bad.csv:1:2");
  expect_refused({"correlation", good, "--weights", written(folder / "z.csv", "1,0\n0,1\n")}, "weights(2, 1) is 0");
}

TEST(CliCorrelation, ErrorsNameTheOptionsAsTyped) {
  const Folder folder;
  const std::string a = written(folder / "a.csv", "1,0.9\n0.9,1\n");
  expect_refused({"correlation", a, "--rank", "3"}, "pendec: --rank is 3");
  expect_refused({"correlation", a, "--algorithm", "magic"}, "pendec: --algorithm is magic");
  expect_refused({"correlation", a, "--time-limit", "-1"}, "pendec: --seconds is -1");
  expect_refused({"correlation", a, "--weights", written(folder / "w.csv", "1\n")}, "pendec: --weights is 1 x 1");
  expect_refused({"correlation", written(folder / "b.csv", "1,2\n2,1\n"), "--fix", "1,2"}, "pendec: --fixed is");
  expect_refused({"correlation", folder.path().string()}, "is a directory");
}

TEST(CliCorrelation, OutputsAreDifferentFiles) {
  const Folder folder;
  const std::string a = written(folder / "a.csv", "1,0.9\n0.9,1\n"), same = folder / "same.csv";
  expect_refused({"correlation", a, "-o", same, "--factor", same}, "expected another file than --output");
  EXPECT_FALSE(std::filesystem::exists(same));
  std::filesystem::create_symlink(written(folder / "old.csv", "kept"), folder / "link.csv");
  expect_refused({"correlation", a, "-o", folder / "old.csv", "--factor", folder / "link.csv"}, "--factor is");
  EXPECT_EQ(testing::contents(folder / "old.csv"), "kept");
  expect_refused({"correlation", a, "--factor", a}, "--factor is " + a + "; expected another file than the input");
  EXPECT_EQ(testing::pendec({"correlation", a, "-q", "-o", "/dev/null", "--factor", "/dev/null"}).code, 0);
}

TEST(CliCorrelation, RemarksOnACovariance) {
  const Folder folder;
  const std::string covariance = written(folder / "c.csv", "4,1,0.5\n1,9,2\n0.5,2,1\n"),
                    correlation = written(folder / "a.csv", "1,0.5\n0.5,1\n");
  const Ended table = testing::pendec({"correlation", covariance, "--time-limit", "0"});
  EXPECT_NE(table.out.find("is this a covariance?"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("stationarity   not computed"), std::string::npos) << table.out;
  EXPECT_EQ(testing::pendec({"correlation", correlation}).out.find("covariance"), std::string::npos);
}

TEST(CliMultitask, FitsAndRefuses) {
  const Folder folder;
  std::string text = "task,label,f1,f2\n";
  for (int k = 0; k < 40; ++k)
    text += std::to_string(k % 3) + "," + std::to_string((k * 7 / 3) % 2) + "," + std::to_string((k * 13) % 7 - 3) +
            "," + std::to_string((k * 5) % 11 - 5) + "\n";
  const std::string file = written(folder / "t.csv", text);
  const Ended ended =
      testing::pendec({"multitask", file, "--kappa", "1", "--eta", "0.5", "--json", "--csv", folder / "w.csv"});
  ASSERT_EQ(ended.code, 0) << ended.err << ended.out;
  const Json r = Json::parse(ended.out);
  EXPECT_EQ(r["details"]["tasks"].size(), 3U);
  EXPECT_LE(r["certificate"]["distance_C"].get<double>(), 1e-9);
  EXPECT_EQ(r["details"]["features"], Json({"f1", "f2"}));
  const std::string weights = testing::contents(folder / "w.csv");
  EXPECT_EQ(weights.substr(0, 13), "task,f1,f2\n0,");
  EXPECT_NE(weights.find("\n2,"), std::string::npos) << weights;
  for (const auto& [option, value] : {std::pair<std::string, std::string>{"--kappa", "3"},
                                      {"--eta", "0"},
                                      {"--random-starts", "-1"},
                                      {"--seconds", "-1"},
                                      {"--algorithm", "magic"}})
    expect_refused({"multitask", file, option, value}, fmt::format("pendec: {} is {};", option, value));
  expect_refused({"multitask", written(folder / "bad.csv", "1,0,2\n1,7,3\n"), "-o", folder / "n.csv"}, "bad.csv:2:2");
  EXPECT_FALSE(std::filesystem::exists(folder / "n.csv"));
}

TEST(CliComplete, CompletesAndRefuses) {
  const Folder folder;
  std::string text = "row,column,value,when\n";
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 9; ++j)
      if ((i * 5 + j * 3) % 4 != 0) text += fmt::format("r{},c{},{},0\n", i, j, (i + 1) * (j + 2));
  const std::string file = written(folder / "e.csv", text);
  const Ended ended =
      testing::pendec({"complete", file, "--rank", "1", "--held-out", "0.2", "--json", "--csv", folder / "p.csv"});
  ASSERT_EQ(ended.code, 0) << ended.err << ended.out;
  const Json r = Json::parse(ended.out);
  EXPECT_LE(r["details"]["held_out_rmse"].get<double>(), 1e-3);  // the matrix has rank one
  EXPECT_EQ(testing::contents(folder / "p.csv").substr(0, 10), "row,column");
  expect_refused({"complete", written(folder / "bad.csv", "a,b,1\na,b,2\n")}, "bad.csv:2:1");
  expect_refused({"complete", written(folder / "dense.csv", "1,2,3,4\n5,6,7,8\n")}, "4 columns without a header");
  expect_refused({"complete", written(folder / "three.csv", "0.5,2,3\n5,6,7\n")}, "three.csv:1:1");
  expect_refused({"complete", file, "--rank", "10"}, "--kappa is 10");
  expect_refused({"complete", file, "--held-out", "1"}, "--held-out is 1");
  expect_refused({"complete", file, "--ridge", "-1"}, "--gamma is -1");
}

TEST(CliComplete, RefusesWhatMakesNoSense) {
  const Folder folder;
  const std::string file = written(folder / "e.csv", "r,c,v\n1,a,1\n1,b,2\n2,a,2\n2,b,4.1\n3,a,3\n3,b,7\n");
  const std::string same = folder / "same.csv";
  expect_refused({"complete", file, "-o", same, "--matrix", same}, "--matrix is " + same);
  EXPECT_FALSE(std::filesystem::exists(same));
  expect_refused({"complete", file, "--box", "inf", "inf"}, "--box is inf inf");
  expect_refused({"complete", file, "--box", "-inf", "-inf"}, "--box is -inf -inf");
  expect_refused({"complete", file, "--box", "nan", "1"}, "--box is nan 1");
  expect_refused({"complete", file, "--box", "2", "1"}, "--box is 2 1");
  expect_refused({"complete", file, "--seed", "-1"}, "--seed is -1");
  expect_refused({"complete", file, "--time-limit", "-1"}, "--seconds is -1");
  expect_refused({"complete", written(folder / "h.csv", "row,column,value\n")}, "h.csv: no entries");
  const std::string twice = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n1 1 5\n";
  expect_refused({"complete", written(folder / "t.mtx", twice), "--rank", "1"}, "t.mtx:5");
  EXPECT_EQ(testing::pendec({"complete", file, "--rank", "1", "-q", "--box", "-inf", "-.5"}).code, 0);
  const Ended few = testing::pendec({"complete", file, "--rank", "1", "--held-out", "0.1"});
  EXPECT_NE(few.out.find("none: 0.1 of 6 entries is less than one"), std::string::npos) << few.out;
}

TEST(CliComplete, WritesNothingThatIsNotFinite) {
  const Folder folder;
  const std::string file = written(folder / "e.csv", "r,c,v\n1,a,1e200\n2,b,1e200\n1,b,3\n2,a,5\n");
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--centre", "--ridge", "0.1"}}) {
    std::vector<std::string> arguments{"complete", file, "--rank", "1", "--csv", folder / "p.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = testing::pendec(arguments);
    EXPECT_EQ(ended.code, 2);
    EXPECT_NE(ended.out.find("not_finite"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("the entry (1, a) is 1e+200"), std::string::npos) << ended.out;
    EXPECT_FALSE(std::filesystem::exists(folder / "p.csv"));
  }
}

TEST(CliComplete, ABoxBoundsPredictionsOfCentredData) {
  const Folder folder;
  std::string text = "row,column,value\n";
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 10; ++j)
      if ((3 * i + 7 * j) % 4 != 0) text += fmt::format("r{},c{},{}\n", i, j, 1 + (i * j) % 5);
  const std::string file = written(folder / "ratings.csv", text);
  const auto farthest = [&](std::vector<std::string> box) {  // of the predictions, from [1.5, 4.5]
    std::vector<std::string> arguments{"complete", file,       "--rank", "2",     "--ridge",
                                       "0.1",      "--centre", "-q",     "--csv", folder / "p.csv"};
    arguments.insert(arguments.end(), box.begin(), box.end());
    EXPECT_EQ(testing::pendec(arguments).code, 0);
    std::istringstream lines(testing::contents(folder / "p.csv"));
    double most = 0.0;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      const double prediction = std::stod(line.substr(line.rfind(',') + 1));
      most = std::max({most, 1.5 - prediction, prediction - 4.5});
    }
    return most;
  };
  EXPECT_GT(farthest({}), 0.1);
  ASSERT_EQ(testing::pendec({"complete", file, "-q", "--ridge", "0.1", "--matrix", folder / "m.csv"}).code, 0);
  const std::string whole = testing::contents(folder / "m.csv");
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 1 + 12);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), ','), 10 * (1 + 12));
  EXPECT_LE(farthest({"--box", "1.5", "4.5"}), 1e-5);
}

TEST(CliMaxcut, CutsAndRefuses) {
  const Folder folder;
  const std::string file = written(folder / "g.txt", "5 5\n1 2 1\n2 3 1\n3 4 1\n4 5 1\n5 1 1\n");
  const Ended ended = testing::pendec({"maxcut", file, "--json", "--csv", folder / "side.csv"});
  ASSERT_EQ(ended.code, 0) << ended.err << ended.out;
  const Json r = Json::parse(ended.out);
  EXPECT_EQ(r["details"]["cut"], 4.0);
  EXPECT_EQ(r["f"], -4.0);
  EXPECT_GE(r["details"]["upper_bound"].get<double>(), 4.52);
  EXPECT_EQ(r["y"].size(), 5U);
  expect_refused({"maxcut", written(folder / "bad.txt", "2 1\n1 3 1\n")}, "bad.txt:2");
  const std::string header = "%%MatrixMarket matrix coordinate real ";
  const std::string path = written(folder / "p.mtx", header + "symmetric\n3 3 2\n2 1 5\n3 2 1.5\n");
  EXPECT_EQ(Json::parse(testing::pendec({"maxcut", path, "--json"}).out)["details"]["cut"], 6.5);
  expect_refused({"maxcut", written(folder / "a.mtx", header + "general\n2 2 1\n2 1 5\n")}, "a symmetric matrix");
  expect_refused({"maxcut", written(folder / "d.mtx", header + "symmetric\n2 2 1\n1 1 5\n")}, "from 1 to itself");
  expect_refused({"maxcut", written(folder / "large.txt", "100000000 0\n")},
                 "pendec: n is 100000000; expected fewer");
  for (const auto& [option, value] :
       {std::pair<std::string, std::string>{"--rank", "6"}, {"--roundings", "0"}, {"--seconds", "-1"}})
    expect_refused({"maxcut", file, option, value}, fmt::format("pendec: {} is {};", option, value));
}

}  // namespace
}  // namespace pendec
