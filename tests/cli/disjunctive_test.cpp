// Problem files of kind "pairs", and `pendec disjunctive` on them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "pendec/core/error.hpp"
#include "pendec/io/problem_file.hpp"
#include "tests/cli/program.hpp"

namespace pendec::io {
namespace {

using pendec::testing::Ended;
using pendec::testing::example;
using pendec::testing::Folder;

std::string complaint(const std::string& text) {
  try {
    parse_problem(text, ".");
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

std::string pairs_of(const std::string& rest) {
  return R"({"pendec": 1, "kind": "pairs", "objective": {"type": "linear", "c": [1, 1]}, )" + rest + "}";
}

constexpr const char* good =
    R"("pairs": [{"kind": "switching", "F": {"type": "selection", "indices": [0]},
                                       "H": {"type": "selection", "indices": [1]}}])";

TEST(PairsFile, BecomesAProblemWithSlacks) {
  const ProblemFile file = parse_problem(pairs_of(std::string(good) + R"(, "start": [3, 4])"), ".");
  ASSERT_TRUE(file.pairs.has_value());
  EXPECT_EQ(file.pairs->pairs.front().kind, PairKind::switching);
  EXPECT_EQ(file.problem.dimension(), 4);
  EXPECT_EQ(file.start, (Vector{{3.0, 4.0, 3.0, 4.0}}));
}

TEST(PairsFile, IsWrittenAsItWasRead) {
  for (const char* name : {"bilevel", "vanishing", "switching", "either"}) {
    const ProblemFile file = read_problem(example(name));
    const std::string text = to_json(file);
    EXPECT_EQ(to_json(parse_problem(text, ".")), text) << name;
    EXPECT_EQ(parse_problem(text, ".").start, file.start) << name;
  }
}

TEST(PairsFile, SaysWhatIsWrong) {
  EXPECT_NE(complaint(pairs_of(R"("pairs": [])")).find("pairs is an empty array"), std::string::npos);
  EXPECT_NE(complaint(pairs_of(R"("start": 0)")).find("pairs"), std::string::npos);
  EXPECT_NE(
      complaint(pairs_of(R"("pairs": [{"kind": "both", "F": {"type": "identity"}, "H": {"type": "identity"}}])"))
          .find("pairs[0].kind is \"both\"; expected complementarity, switching, vanishing or either"),
      std::string::npos);
  EXPECT_NE(complaint(pairs_of(R"("pairs": [{"kind": "either", "F": {"type": "identity"},
                                             "H": {"type": "selection", "indices": [0]}}])"))
                .find("pairs[0].H.output_dimension() is 1; expected 2"),
            std::string::npos);
  EXPECT_NE(complaint(pairs_of(std::string(good) + R"(, "X": {"type": "sparse", "s": 1})")).find("expected a convex"),
            std::string::npos);
  EXPECT_NE(complaint(pairs_of(std::string(good) + R"(, "D": {"type": "free"})")).find("D is an unknown key"),
            std::string::npos);
}

TEST(DisjunctiveCommand, SolvesFilesWithPairs) {
  const struct {
    const char *name, *objective, *type;
  } cases[] = {{"bilevel", "-9", "S"}, {"vanishing", "4.5", "S"}, {"switching", "7.2", "S"}, {"either", "0.5", "S"}};
  for (const auto& c : cases) {
    const Ended ended = pendec::testing::pendec({"disjunctive", example(c.name)});
    EXPECT_NE(ended.out.find(std::string("objective      ") + c.objective), std::string::npos) << c.name << ended.out;
    EXPECT_NE(ended.out.find(std::string("stationary     ") + c.type), std::string::npos) << c.name << ended.out;
  }
}

TEST(DisjunctiveCommand, ProvesTheOptimumOverAUnionAndWritesIt) {
  const Folder folder;
  const Ended ended = pendec::testing::pendec({"disjunctive", example("polyhedra"), "-o", folder / "result"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("optimal: proved optimal"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("bound"), std::string::npos);
  EXPECT_EQ(pendec::testing::pendec({"verify", example("polyhedra"), folder / "result"}).code, 0);
  const Ended search = pendec::testing::pendec({"disjunctive", example("polyhedra"), "--no-certificate", "--json"});
  const auto result = nlohmann::json::parse(search.out);
  EXPECT_EQ(result["status"], "converged");
  EXPECT_TRUE(result["bound"].is_null());
}

TEST(DisjunctiveCommand, WritesWhatItKnowsAboutPartsAndPairs) {
  const Folder folder;
  const auto parts = nlohmann::json::parse(
      pendec::testing::pendec({"disjunctive", example("polyhedra"), "--json", "-o", folder / "parts"}).out);
  EXPECT_EQ(parts["details"]["part"], 18);
  EXPECT_EQ(parts["details"]["bounds"].size(), 20U);
  EXPECT_EQ(parts["details"]["counts"]["screened"].get<int>() + parts["details"]["counts"]["solved"].get<int>(), 20);
  EXPECT_EQ(pendec::testing::pendec({"verify", example("polyhedra"), folder / "parts"}).code, 0);
  const auto pairs =
      nlohmann::json::parse(pendec::testing::pendec({"disjunctive", example("bilevel"), "--json"}).out);
  EXPECT_EQ(pairs["details"]["stationarity"], "S");
  EXPECT_EQ(pairs["details"]["table"].size(), 3U);
  EXPECT_NEAR(pairs["details"]["table"][0]["nu_F"].get<double>(), 8.0 / 3.0, 1e-4);
}

TEST(DisjunctiveCommand, AWideGapIsNoProofOfOptimality) {
  const Folder folder;
  const Ended ended =
      pendec::testing::pendec({"disjunctive", example("polyhedra"), "--gap", "10", "-o", folder / "wide"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("gap_limit: within the gap asked for"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("bound"), std::string::npos) << ended.out;
  EXPECT_EQ(pendec::testing::pendec({"verify", example("polyhedra"), folder / "wide"}).code, 0);
}

TEST(DisjunctiveCommand, RefusesToProveWhatIsSaidByPairs) {
  for (const std::vector<std::string>& extra : {std::vector<std::string>{"--gap", "1e-3"}, {"--no-certificate"}}) {
    std::vector<std::string> arguments{"disjunctive", example("bilevel")};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const Ended ended = pendec::testing::pendec(arguments);
    EXPECT_EQ(ended.code, 1);
    EXPECT_NE(ended.err.find(extra.front() + " is given for a problem with pairs"), std::string::npos) << ended.err;
  }
}

TEST(DisjunctiveCommand, EitherMeansTheSameAsASetAndAsAKindOfPairs) {
  const std::string f = R"("objective": {"type": "squared_distance", "a": [-1, -2]})";
  const ProblemFile set = parse_problem(R"({"pendec": 1, )" + f + R"(, "D": {"type": "either", "pairs": 1}})", ".");
  const ProblemFile pairs = parse_problem(R"({"pendec": 1, "kind": "pairs", )" + f + R"(, "pairs": [
      {"kind": "either", "F": {"type": "selection", "indices": [0]}, "H": {"type": "selection", "indices": [1]}}]})",
                                          ".");
  const Set& of_pairs = pairs.problem.D;
  for (const double a : {-2.0, -1.0, 0.0, 1.0})
    for (const double b : {-2.0, 0.0, 3.0}) {
      const bool allowed = a >= 0.0 || b >= 0.0;
      EXPECT_EQ(set.problem.D.contains(Vector{{a, b}}, 0.0), allowed) << a << " " << b;
      EXPECT_EQ(of_pairs.contains(Vector{{a, b, a, b}}, 0.0), allowed) << a << " " << b;
    }
}

Ended on_file(const Folder& folder, const std::string& text, const std::vector<std::string>& extra = {}) {
  std::ofstream(folder / "problem.json") << text;
  std::vector<std::string> arguments{"disjunctive", folder / "problem.json"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return pendec::testing::pendec(arguments);
}

std::string complementarity_of(const std::string& objective, const std::string& rest = "") {
  return R"({"pendec": 1, "kind": "pairs", "objective": )" + objective + R"(, "pairs": [{"kind": "complementarity",
    "F": {"type": "selection", "indices": [0]}, "H": {"type": "selection", "indices": [1]}}])" +
         rest + "}";
}

TEST(DisjunctiveCommand, ShowsAnInfeasiblePairAsViolated) {
  const Folder folder;
  const std::string problem = complementarity_of(R"({"type": "squared_distance", "a": [1, 2]})",
                                                 R"(, "X": {"type": "box", "lower": 1, "upper": 2})");
  const Ended ended = on_file(folder, problem, {"--json", "-o", folder / "result"});
  EXPECT_EQ(ended.code, 2) << ended.err;
  const auto result = nlohmann::json::parse(ended.out);
  const auto& pair = result["details"]["table"][0];
  EXPECT_EQ(pair["F"], result["details"]["x"][0]);
  EXPECT_EQ(pair["H"], result["details"]["x"][1]);
  EXPECT_GE(pair["violation"].get<double>(), 1.0 - 1e-9);
  EXPECT_FALSE(pair["biactive"]);
  EXPECT_EQ(result["details"]["stationarity"], "none");
  EXPECT_NE(on_file(folder, problem).out.find("violated by 1"), std::string::npos);
  EXPECT_EQ(pendec::testing::pendec({"verify", folder / "problem.json", folder / "result"}).code, 0);
}

TEST(DisjunctiveCommand, StatesNoStationarityWithoutAResidual) {
  const Folder folder;
  const std::string unbounded = complementarity_of(R"({"type": "linear", "c": [-1, 0]})");
  const auto result = nlohmann::json::parse(on_file(folder, unbounded, {"--json", "-o", folder / "result"}).out);
  EXPECT_EQ(result["status"], "unbounded");
  EXPECT_EQ(result["details"]["stationarity"], "none");
  EXPECT_EQ(pendec::testing::pendec({"verify", folder / "problem.json", folder / "result"}).code, 0);
}

TEST(DisjunctiveCommand, ShowsRoundingAsZeroBesideItsScale) {
  for (const char* name : {"bilevel", "vanishing", "switching", "either"}) {
    const Ended ended = pendec::testing::pendec({"disjunctive", example(name)});
    const std::string table = ended.out.substr(ended.out.find("stationary "));
    EXPECT_EQ(table.find("e-"), std::string::npos) << table;
  }
}

TEST(DisjunctiveCommand, NamesThePartThatIsNotConvex) {
  const Folder folder;
  const Ended ended = on_file(folder, R"({"pendec": 1, "objective": {"type": "linear", "c": [1, 1, 1]},
    "D": {"type": "union", "parts": [{"type": "box", "lower": 0, "upper": 1}, {"type": "sparse", "s": 1}]}})");
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("D.parts[1] is of type Sparse; expected a convex set"), std::string::npos) << ended.err;
}

TEST(DisjunctiveCommand, RefusesProblemsWithoutAUnion) {
  const Ended ended = pendec::testing::pendec({"disjunctive", example("sparse_qp")});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("expected type \"union\" with convex parts"), std::string::npos) << ended.err;
  EXPECT_EQ(pendec::testing::pendec({"disjunctive", example("polyhedra"), "--gap", "0"}).code, 1);
}

}  // namespace
}  // namespace pendec::io
