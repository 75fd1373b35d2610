#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pendec/core/random.hpp"
#include "tests/cli/program.hpp"

namespace pendec {
namespace {

using testing::contents;
using testing::Ended;
using testing::Folder;
using testing::write;
using Json = nlohmann::ordered_json;

/// y = 1 + 2a − 3c + noise, on features a, b, c, d.
std::string regression_table() {
  Random random(5);
  std::ostringstream out;
  out << "a,b,c,d,y\n";
  for (int k = 0; k < 40; ++k) {
    const Vector x = random.normal_vector(4);
    out << x[0] << ',' << x[1] << ',' << x[2] << ',' << x[3] << ','
        << 1.0 + 2.0 * x[0] - 3.0 * x[2] + 0.1 * random.normal() << '\n';
  }
  return out.str();
}

/// Dates and returns of four assets.
std::string returns_table(bool with_gap = false) {
  Random random(6);
  std::ostringstream out;
  out << "date,AA,BB,CC,DD\n";
  for (int k = 0; k < 30; ++k) {
    const Vector x = 0.01 * random.normal_vector(4);
    out << "2020-01-" << k + 1 << ',' << x[0] << ',' << x[1] + 0.001 << ',';
    if (!with_gap || k != 7) out << 0.5 * x[2];
    out << ',' << 2.0 * x[3] + 0.004 << '\n';
  }
  return out.str();
}

/// Is an asset, or a feature, among those of a result?
bool holds(const std::string& result, const std::string& name) {
  const Json names = Json::parse(result)["details"]["names"];
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(CliSparse, FitsAModelFromATable) {
  const Folder folder;
  write(folder / "data.csv", regression_table());
  const Ended people = testing::pendec({"sparse", folder / "data.csv", "-s", "2"});
  EXPECT_EQ(people.code, 0) << people.err;
  for (const char* word : {"optimal", "(intercept)", "a ", "c "})
    EXPECT_NE(people.out.find(word), std::string::npos) << word << "\n" << people.out;
  const Ended program = testing::pendec(
      {"sparse", folder / "data.csv", "--path", "-s", "4", "--folds", "5", "--json", "-o", folder / "out.json"});
  EXPECT_EQ(program.code, 0) << program.err;
  const Json all = Json::parse(program.out);
  EXPECT_EQ(all, Json::parse(contents(folder / "out.json")));
  ASSERT_EQ(all["pendec_results"].size(), 4U);
  const Json& chosen = all["pendec_results"][all["chosen"].get<std::size_t>()];
  EXPECT_EQ(chosen["details"]["s"], 2);
  EXPECT_EQ(chosen["details"]["names"], Json({"a", "c"}));
  EXPECT_NEAR(chosen["y"][0].get<double>(), 2.0, 0.1);
  EXPECT_NEAR(chosen["y"][2].get<double>(), -3.0, 0.1);
  EXPECT_NEAR(chosen["y"][4].get<double>(), 1.0, 0.1);
  EXPECT_EQ(chosen["y"][4], chosen["details"]["model"]["intercept"]);
  EXPECT_GT(chosen["details"]["model"]["cv_mean"].get<double>(), 0.0);
  const Ended forced =
      testing::pendec({"sparse", folder / "data.csv", "-s", "2", "--json", "--forced-in", "b", "--forced-out", "a"});
  const Json names = Json::parse(forced.out)["details"]["names"];
  EXPECT_NE(std::find(names.begin(), names.end(), "b"), names.end());
  EXPECT_EQ(std::find(names.begin(), names.end(), "a"), names.end());
}

TEST(CliSparse, FitsLogisticModels) {
  const Folder folder;
  Random random(7);
  std::ostringstream out;
  out << "class,a,b,c\n";
  for (int k = 0; k < 80; ++k) {
    const Vector x = random.normal_vector(3);
    out << (x[1] + 0.5 * random.normal() > 0.0 ? 1 : 0) << ',' << x[0] << ',' << x[1] << ',' << x[2] << '\n';
  }
  write(folder / "data.csv", out.str());
  const Ended ended = testing::pendec(
      {"sparse", folder / "data.csv", "--target", "class", "--loss", "logistic", "-s", "1", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const Json model = Json::parse(ended.out);
  EXPECT_EQ(model["status"], "converged");
  EXPECT_TRUE(model["bound"].is_null());
  EXPECT_EQ(model["details"]["names"], Json({"b"}));
}

TEST(CliSparse, SolvesQuadraticProblems) {
  const Folder folder;
  write(folder / "Q.csv", "2,0,0\n0,1,0\n0,0,4\n");
  write(folder / "c.csv", "-1\n-1\n-1\n");
  const Ended ended =
      testing::pendec({"sparse", "--quadratic", folder / "Q.csv", "--linear", folder / "c.csv", "-s", "1", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const Json result = Json::parse(ended.out);
  EXPECT_EQ(result["status"], "optimal");
  EXPECT_EQ(result["details"]["support"], (std::vector<Index>{1}));
  EXPECT_DOUBLE_EQ(result["f"].get<double>(), -0.5);
  EXPECT_LE(result["bound"].get<double>(), -0.5);
  write(folder / "groups.csv", "1\n2\n1\n");
  const Ended grouped = testing::pendec({"sparse", "--quadratic", folder / "Q.csv", "--linear", folder / "c.csv",
                                         "-s", "1", "--groups", folder / "groups.csv", "--simplex", "--json"});
  EXPECT_EQ(Json::parse(grouped.out)["details"]["support"], (std::vector<Index>{1}));
}

TEST(CliSparse, SaysWhatIsWrong) {
  const Folder folder;
  write(folder / "data.csv", regression_table());
  write(folder / "Q.csv", "1,0\n0,-1\n");
  write(folder / "bad.csv", "a,y\n1,2\n3,x\n");
  const auto error = [](const std::vector<std::string>& arguments) {
    const Ended ended = testing::pendec(arguments);
    EXPECT_EQ(ended.code, 1) << ended.out;
    return ended.err;
  };
  EXPECT_NE(error({"sparse"}).find("either a table of data or --quadratic"), std::string::npos);
  EXPECT_NE(error({"sparse", folder / "data.csv", "--target", "z"}).find("a name (a, b, c, d, y)"),
            std::string::npos);
  EXPECT_NE(error({"sparse", folder / "data.csv", "--loss", "cubic"}).find("squared, logistic, huber, poisson"),
            std::string::npos);
  EXPECT_NE(error({"sparse", folder / "bad.csv"}).find(":3:2"), std::string::npos);
  EXPECT_NE(error({"sparse", "--quadratic", folder / "Q.csv", "-s", "1"}).find("positive semidefinite"),
            std::string::npos);
  EXPECT_NE(error({"sparse", folder / "data.csv", "-o", folder / "nowhere/x.json"}).find("nowhere"),
            std::string::npos);
  EXPECT_NE(error({"sparse", folder / "data.csv", "-o", folder / "data.csv"}).find("another file than the input"),
            std::string::npos);
  EXPECT_EQ(testing::contents(folder / "data.csv"), regression_table());
  EXPECT_NE(error({"sparse", folder / "data.csv", "-s", "0"}).find("--size: 0 is given"), std::string::npos);
  EXPECT_NE(error({"portfolio", "--covariance", folder / "Q.csv", "--gap", "-1"}).find("--gap is -1"),
            std::string::npos);
  write(folder / "twice.csv", "a,a,y\n1,2,3\n3,2,1\n");
  EXPECT_NE(error({"sparse", folder / "twice.csv"}).find("two columns are named a"), std::string::npos);
  write(folder / "target.csv", "y,y,x\n1,2,3\n3,2,1\n");
  EXPECT_NE(error({"sparse", folder / "target.csv", "--target", "y"}).find("two columns are named y"),
            std::string::npos);
  write(folder / "three.csv", "1\n2\n3\n");
  const auto blamed = error({"sparse", "--quadratic", folder / "Q.csv", "--linear", folder / "three.csv", "-s", "1"});
  EXPECT_NE(blamed.find("--linear, entries"), std::string::npos) << blamed;
  EXPECT_NE(error({"spares", folder / "data.csv"}).find("spares"), std::string::npos);
}

TEST(CliSparse, RefusesOptionsOfTheOtherMode) {
  const Folder folder;
  write(folder / "data.csv", regression_table());
  write(folder / "Q.csv", "2,0\n0,1\n");
  write(folder / "returns.csv", returns_table());
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& named) {
    const Ended ended = testing::pendec(arguments);
    EXPECT_EQ(ended.code, 1) << named;
    EXPECT_NE(ended.err.find(named), std::string::npos) << ended.err;
  };
  refused({"sparse", folder / "data.csv", "-s", "2", "--simplex"}, "--simplex");
  refused({"sparse", folder / "data.csv", "-s", "2", "--lower", "0"}, "--lower");
  refused({"sparse", "--quadratic", folder / "Q.csv", "-s", "1", "--loss", "huber"}, "--loss");
  refused({"portfolio", folder / "returns.csv", "--mean", folder / "Q.csv"}, "--mean");
  refused({"portfolio", "--covariance", folder / "Q.csv", "--unit", "0.01"}, "--unit");
  refused({"portfolio", "--covariance", folder / "Q.csv", "--nu", "1"}, "--mean");
  refused({"portfolio", folder / "returns.csv", "--frontier", "3", "--nu", "1"}, "--nu");
  refused({"portfolio", folder / "returns.csv", "--min-return", "nan"}, "--min-return");
  EXPECT_EQ(testing::pendec({"portfolio", "--forced-out", "AA", folder / "returns.csv", "-s", "1"}).code, 0);
}

TEST(CliPortfolio, CertifiesAPortfolioFromReturns) {
  const Folder folder;
  write(folder / "returns.csv", returns_table());
  const Ended people = testing::pendec({"portfolio", folder / "returns.csv", "-s", "2"});
  EXPECT_EQ(people.code, 0) << people.err;
  for (const char* word : {"optimal", "volatility", "CC", "%"})
    EXPECT_NE(people.out.find(word), std::string::npos) << word << "\n" << people.out;
  const Ended program =
      testing::pendec({"portfolio", folder / "returns.csv", "-s", "2", "--json", "--min-weight", "0.2"});
  const Json result = Json::parse(program.out);
  double sum = 0.0;
  for (const Index i : result["details"]["support"].get<std::vector<Index>>()) {
    const double weight = result["y"][static_cast<std::size_t>(i)].get<double>();
    sum += weight;
    EXPECT_GE(weight, 0.2 - 1e-12);
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_LE(result["details"]["support"].size(), 2U);
}

TEST(CliPortfolio, WritesTheFrontierForPlots) {
  const Folder folder;
  write(folder / "returns.csv", returns_table());
  const Ended ended =
      testing::pendec({"portfolio", folder / "returns.csv", "-s", "2", "--frontier", "5", "--csv", folder / "f.csv"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::istringstream lines(contents(folder / "f.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "mean,volatility,variance,bound,status,AA,BB,CC,DD");
  int points = 0;
  while (std::getline(lines, line)) ++points;
  EXPECT_EQ(points, 5);
}

TEST(CliPortfolio, HandlesMissingCellsAsAsked) {
  const Folder folder;
  write(folder / "gap.csv", returns_table(true));
  const Ended refused = testing::pendec({"portfolio", folder / "gap.csv"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find(":9:4"), std::string::npos) << refused.err;
  const Ended rows =
      testing::pendec({"portfolio", folder / "gap.csv", "--missing", "drop-rows", "-s", "1", "--json"});
  EXPECT_EQ(rows.code, 0) << rows.err;
  EXPECT_NE(rows.err.find("pendec: 1 of "), std::string::npos) << rows.err;
  EXPECT_TRUE(holds(rows.out, "CC")) << rows.out;
  const Ended assets =
      testing::pendec({"portfolio", folder / "gap.csv", "--missing", "drop-assets", "-s", "1", "--json"});
  EXPECT_EQ(assets.code, 0) << assets.err;
  EXPECT_FALSE(holds(assets.out, "CC")) << assets.out;
  write(folder / "gaps.csv", "AA,BB\n0.1,\n,0.2\n0.1,0.3\n");
  const Ended nothing = testing::pendec({"portfolio", folder / "gaps.csv", "--missing", "drop-assets"});
  EXPECT_EQ(nothing.code, 1);
  EXPECT_NE(nothing.err.find("every asset has a missing cell"), std::string::npos) << nothing.err;
}

TEST(CliPortfolio, TellsThatAReturnCannotBeReached) {
  const Folder folder;
  write(folder / "returns.csv", returns_table());
  const Ended ended = testing::pendec({"portfolio", folder / "returns.csv", "--min-return", "0.5", "--json"});
  EXPECT_EQ(ended.code, 2);
  const Json result = Json::parse(ended.out);
  EXPECT_EQ(result["status"], "infeasible");
  const auto message = result["message"].get<std::string>();
  EXPECT_NE(message.find("a mean return of 0.5; the largest is 0.0"), std::string::npos) << message;
  const Ended weights = testing::pendec({"portfolio", folder / "returns.csv", "-s", "2", "--max-weight", "0.4"});
  EXPECT_EQ(weights.code, 2);
  EXPECT_NE(weights.out.find("at most 2 assets with weights from 0 to 0.4 has the sum 1"), std::string::npos)
      << weights.out;
}

TEST(CliPortfolio, TakesNamesFromACovarianceTable) {
  const Folder folder;
  write(folder / "C.csv", ",AA,BB\nAA,1,0\nBB,0,4\n");
  const Ended ended = testing::pendec({"portfolio", "--covariance", folder / "C.csv", "-s", "1", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(holds(ended.out, "AA")) << ended.out;
}

TEST(CliPortfolio, MatchesMeanReturnsByName) {
  const Folder folder;
  write(folder / "C.csv", ",AA,BB\nAA,1,0\nBB,0,1\n");
  write(folder / "mean.csv", ",0\nBB,0.1\nAA,0.9\n");
  const auto portfolio = [&](const std::string& mean) {
    return testing::pendec(
        {"portfolio", "--covariance", folder / "C.csv", "--mean", folder / mean, "-s", "1", "--nu", "9", "--json"});
  };
  EXPECT_TRUE(holds(portfolio("mean.csv").out, "AA"));
  write(folder / "row.csv", "BB,AA\n0.1,0.9\n");
  EXPECT_TRUE(holds(portfolio("row.csv").out, "AA"));
  write(folder / "others.csv", ",0\nBB,0.1\nCC,0.9\n");
  EXPECT_NE(portfolio("others.csv").err.find("no mean return of AA"), std::string::npos);
  write(folder / "C.csv", ",AA,BB\nBB,1,0\nAA,0,1\n");
  EXPECT_NE(portfolio("mean.csv").err.find("row 1 is named BB, column 1 is named AA"), std::string::npos);
}

TEST(CliPortfolio, SeesHeadersOfNumbersAndTheOrderOfDates) {
  const Folder folder;
  write(folder / "numbers.csv", "Date,600519,7\n2024-01-31,0.1,-0.2\n2024-02-29,-0.1,0.3\n2024-03-31,0.2,0.1\n");
  const Ended ended = testing::pendec({"portfolio", folder / "numbers.csv", "-s", "2", "--json"});
  EXPECT_TRUE(holds(ended.out, "600519")) << ended.out;
  write(folder / "down.csv", "Date,AA,BB\n2024-03-31,3,2\n2024-02-29,2,2.5\n2024-01-31,2.5,2\n");
  EXPECT_NE(
      testing::pendec({"portfolio", folder / "down.csv", "--prices", "log"}).err.find("the earliest date first"),
      std::string::npos);
}

TEST(CliPortfolio, ProvesThatCashHasTheLeastVariance) {
  const Folder folder;
  write(folder / "cash.csv", "AA,CASH\n0.1,0.01\n-0.1,0.01\n0.2,0.01\n");
  const Json result = Json::parse(testing::pendec({"portfolio", folder / "cash.csv", "-s", "2", "--json"}).out);
  EXPECT_EQ(result["status"], "optimal");
  EXPECT_EQ(result["details"]["names"], Json({"CASH"}));
  EXPECT_EQ(result["y"], Json({0.0, 1.0}));
}

TEST(CliPortfolio, DoubtsReturnsThatAreNeverNegative) {
  const Folder folder;
  std::string prices = "AA,BB\n";
  for (int k = 0; k < 12; ++k) prices += fmt::format("{},{}\n", 100 + k % 5, 50 + k % 3);
  write(folder / "prices.csv", prices);
  EXPECT_NE(testing::pendec({"portfolio", folder / "prices.csv", "-s", "1"}).err.find("--prices"), std::string::npos);
  EXPECT_EQ(testing::pendec({"portfolio", folder / "prices.csv", "-s", "1", "--prices", "log"}).err, "");
}

TEST(CliSparse, NamesInOtherEncodingsLoseNoResult) {
  const testing::Folder folder;
  testing::write(folder / "latin.csv", "\xE9t\xE9,v,y\n1,2,3\n2,1,4\n5,3,1\n4,4,2\n");
  const auto ended = testing::pendec({"sparse", folder / "latin.csv", "-s", "2", "--json", "-o", folder / "out"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("\uFFFDt\uFFFD"), std::string::npos) << ended.out;
  EXPECT_NE(testing::contents(folder / "out").find("\uFFFDt\uFFFD"), std::string::npos);
}

}  // namespace
}  // namespace pendec
