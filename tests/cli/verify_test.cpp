// A result that was edited by hand fails `pendec verify`, whatever was edited.
#include "pendec/solvers/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "pendec/io/problem_file.hpp"
#include "pendec/io/result_file.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/solvers/solve.hpp"
#include "tests/cli/program.hpp"

namespace pendec {
namespace {

using Json = nlohmann::ordered_json;
using testing::example;
using testing::Folder;

Json solved(const std::string& problem, const Folder& folder) {
  EXPECT_EQ(testing::pendec({"solve", example(problem), "-q", "-o", folder / "result"}).code, 0);
  return Json::parse(testing::contents(folder / "result"));
}

testing::Ended verified(const std::string& problem, const Json& result, const Folder& folder) {
  std::ofstream(folder / "edited") << result.dump();
  return testing::pendec({"verify", example(problem), folder / "edited"});
}

struct Edit {
  const char* what;
  std::function<void(Json&)> make;
};

const std::vector<Edit>& edits() {
  static const std::vector<Edit> all{{"x", [](Json& r) { r["x"][1] = r["x"][1].get<double>() + 1e-3; }},
                                     {"y", [](Json& r) { r["y"][1] = r["y"][1].get<double>() + 1e-3; }},
                                     {"f", [](Json& r) { r["f"] = r["f"].get<double>() * (1.0 - 1e-6); }},
                                     {"mu", [](Json& r) { r["mu"][0] = r["mu"][0].get<double>() + 0.1; }},
                                     {"status", [](Json& r) { r["status"] = "stalled"; }},
                                     {"status by time", [](Json& r) { r["status"] = "max_time"; }},
                                     {"status by iterations", [](Json& r) { r["status"] = "max_iterations"; }},
                                     {"size of y", [](Json& r) { r["y"].push_back(0.0); }},
                                     {"certificate", [](Json& r) { r["certificate"]["m_residual"] = 0.5; }}};
  return all;
}

class EditedResult : public ::testing::TestWithParam<const char*> {};

TEST_P(EditedResult, FailsAndTheOriginalDoesNot) {
  const std::string problem = GetParam();
  const Folder folder;
  const Json result = solved(problem, folder);
  const auto original = verified(problem, result, folder);
  EXPECT_EQ(original.code, 0) << original.out << original.err;
  std::vector<Edit> all = edits();
  if (!result["lambda"].empty())
    all.push_back({"lambda", [](Json& r) { r["lambda"][0] = r["lambda"][0].get<double>() + 0.1; }});
  for (const Edit& edit : all) {
    Json edited = result;
    edit.make(edited);
    const auto ended = verified(problem, edited, folder);
    EXPECT_EQ(ended.code, 2) << edit.what;
    EXPECT_NE(ended.out.find("FALSE"), std::string::npos) << edit.what;
    // The digest is a convenience: what is claimed about the problem must fail on its own.
    const io::ProblemFile file = io::read_problem(example(problem));
    const auto claims = verify(file.problem, io::parse_result(edited.dump()).result);
    EXPECT_TRUE(std::any_of(claims.begin(), claims.end(), [](const Claim& c) { return !c.holds; })) << edit.what;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, EditedResult,
                         ::testing::Values("sparse_qp", "portfolio", "polyhedra", "complementarity"));

TEST(Verify, TheDigestSeesEditsThatClaimNothingAndIsNotGivenAway) {
  const Folder folder;
  for (const char* key : {"status", "message"}) {
    Json result = solved("portfolio", folder);
    result[key] = "interrupted";
    const auto ended = verified("portfolio", result, folder);
    EXPECT_EQ(ended.code, 2) << key;
    EXPECT_NE(ended.out.find("FALSE  digest"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("not recomputed: "), std::string::npos) << ended.out;
    const auto fitting = io::parse_result(result.dump()).expected_digest;
    EXPECT_EQ(ended.out.find(fitting), std::string::npos) << ended.out;
  }
}

TEST(Verify, RecordedScalesExcuseNothing) {
  const Folder folder;
  const std::string file = folder / "unbounded";
  std::ofstream(file) << R"({"pendec": 1, "objective": {"type": "linear", "c": [1, 2]}, "start": [0, 0]})";
  ASSERT_EQ(testing::pendec({"solve", file, "-q", "-o", folder / "result"}).code, 2);
  const io::ProblemFile problem = io::read_problem(file);
  io::ResultFile claimed = io::read_result(folder / "result");
  const auto holds = [&] {
    const auto claims = verify(problem.problem, claimed.result);
    return std::all_of(claims.begin(), claims.end(), [](const Claim& c) { return c.holds; });
  };
  EXPECT_TRUE(holds());
  Certificate& c = claimed.result.certificate;
  c.gradient_scale = 1e300;
  c.epsilon = c.m_residual = claimed.result.pair.epsilon = claimed.result.pair.normal = 0.0;
  EXPECT_FALSE(holds());
}

TEST(Verify, ResultsThatAreNotFiniteClaimNothing) {
  const Folder folder;
  const std::string file = folder / "overflow";
  std::ofstream(file) << R"({"pendec": 1, "objective": {"type": "squared_distance", "a": [0, 0]},
    "D": {"type": "singleton", "point": [1e200, 0]}, "start": [0, 0]})";
  const auto ended = testing::pendec({"solve", file, "-q", "-o", folder / "result"});
  EXPECT_EQ(ended.code, 2) << ended.err;
  const auto checked = testing::pendec({"verify", file, folder / "result"});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
}

TEST(Verify, AConvergedStatusNeedsACertificate) {
  const Folder folder;
  EXPECT_EQ(testing::pendec({"solve", example("portfolio"), "-q", "--time-limit", "0", "--set",
                             "driver.route=general", "-o", folder / "result"})
                .code,
            2);
  Json result = Json::parse(testing::contents(folder / "result"));
  EXPECT_EQ(verified("portfolio", result, folder).code, 0) << "honest about being unfinished";
  result["status"] = "converged";
  const auto ended = verified("portfolio", result, folder);
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("FALSE  status is converged"), std::string::npos) << ended.out;
}

TEST(Verify, ABoundAboveTheObjectiveIsNone) {
  const Folder folder;
  ASSERT_EQ(testing::pendec({"disjunctive", example("polyhedra"), "-q", "-o", folder / "result"}).code, 0);
  Json result = Json::parse(testing::contents(folder / "result"));
  EXPECT_EQ(verified("polyhedra", result, folder).code, 0);
  const double f = result["f"].get<double>();
  const auto status_holds = [&](const std::string& status, double bound) {
    result["status"] = status;
    result["bound"] = bound;
    return verified("polyhedra", result, folder).out.find("true   status is " + status) != std::string::npos;
  };
  EXPECT_TRUE(status_holds("optimal", f));
  EXPECT_FALSE(status_holds("optimal", f + 1e-3));
  EXPECT_FALSE(status_holds("optimal", f - 1e-3));
  EXPECT_TRUE(status_holds("gap_limit", f - 1e-3));
  EXPECT_FALSE(status_holds("gap_limit", f + 1e-3));
}

TEST(Verify, AnInfeasibleResultIsVerified) {
  const Folder folder;
  std::ofstream(folder / "problem") << R"({"pendec": 1, "objective": {"type": "squared_distance", "a": [2.5, 0.5]},
    "D": {"type": "union", "parts": [{"type": "box", "lower": [0, 0], "upper": [1, 1]},
                                     {"type": "box", "lower": [3, 2], "upper": [4, 3]}]},
    "G": {"type": "affine", "A": [[1, 1]]}, "C": {"type": "box", "lower": [10], "upper": ["inf"]}})";
  ASSERT_EQ(testing::pendec({"disjunctive", folder / "problem", "-q", "-o", folder / "result"}).code, 2);
  const Json result = Json::parse(testing::contents(folder / "result"));
  EXPECT_EQ(result["status"], "infeasible");
  EXPECT_EQ(result["certificate"]["distance_C"], 10.0);
  const auto ended = testing::pendec({"verify", folder / "problem", folder / "result"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

/// As readers of JSON write it that know only doubles: no ".0", no more than 17 digits.
Json rewritten(const Json& value) {
  if (value.is_number_float() && value.get<double>() == std::round(value.get<double>())) {
    const double number = value.get<double>();
    return std::abs(number) < 1e15 ? Json(static_cast<std::int64_t>(number)) : value;
  }
  if (!value.is_structured()) return value;
  Json out = value;
  for (auto& entry : out) entry = rewritten(entry);
  return out;
}

TEST(Verify, OtherWaysToWriteTheSameNumbersAreNoEdits) {
  const Folder folder;
  const Json result = solved("portfolio", folder);
  EXPECT_EQ(result["options"]["limits.projections"], "inf");
  const Json other = rewritten(result);
  ASSERT_NE(other.dump(), result.dump());
  const auto ended = verified("portfolio", other, folder);
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

TEST(Verify, ReadsLimitsThatAreNumbers) {
  const Folder folder;
  Json result = solved("portfolio", folder);
  for (const Json& none : {Json(std::numeric_limits<Index>::max()), Json::parse("9223372036854776000")}) {
    result["options"]["limits.projections"] = none;
    const auto read = io::parse_result(result.dump());
    EXPECT_EQ(read.result.options.limits.projections, std::numeric_limits<Index>::max()) << none;
  }
}

/// The claims that fail, without the digest, after an edit of what `pendec disjunctive` writes.
std::vector<std::string> failures(const std::string& problem, const Json& result) {
  const io::ProblemFile file = io::read_problem(example(problem));
  const io::ResultFile claimed = io::parse_result(result.dump());
  std::vector<std::string> names;
  for (const Claim& c : file.pairs ? verify(*file.pairs, claimed.result) : verify(file.problem, claimed.result))
    if (!c.holds) names.push_back(c.name);
  return names;
}

TEST(Verify, WhatIsSaidAboutPairsIsRecomputed) {
  for (const char* problem : {"bilevel", "vanishing", "switching", "either"}) {
    const Folder folder;
    ASSERT_EQ(testing::pendec({"disjunctive", example(problem), "-q", "-o", folder / "result"}).code, 0);
    const Json result = Json::parse(testing::contents(folder / "result"));
    EXPECT_TRUE(failures(problem, result).empty()) << problem << " " << failures(problem, result).front();
    EXPECT_EQ(verified(problem, result, folder).code, 0);
    const Edit wrong[] = {{"pairs.x", [](Json& r) { r["details"]["x"][0] = 17.0; }},
                          {"pairs.table[0].F", [](Json& r) { r["details"]["table"][0]["F"] = 17.0; }},
                          {"pairs.table[0].H", [](Json& r) { r["details"]["table"][0]["H"] = 17.0; }},
                          {"pairs.table[0].nu_F", [](Json& r) { r["details"]["table"][0]["nu_F"] = 17.0; }},
                          {"pairs.table[0].nu_H", [](Json& r) { r["details"]["table"][0]["nu_H"] = 17.0; }},
                          {"pairs.table[0].violation", [](Json& r) { r["details"]["table"][0]["violation"] = 17.0; }},
                          {"pairs.table[0].biactive", [](Json& r) { r["details"]["table"][0]["biactive"] = true; }},
                          {"pairs.table.size()", [](Json& r) { r["details"]["table"].erase(0); }}};
    for (const Edit& edit : wrong) {
      Json edited = result;
      edit.make(edited);
      EXPECT_EQ(failures(problem, edited), std::vector<std::string>{edit.what}) << problem;
    }
  }
}

TEST(Verify, ATypeOfStationarityNeedsMultipliersThatShowIt) {
  // (0, 0) is a minimum of x₁ + x₂ on 0 ≤ x₁ ⊥ x₂ ≥ 0 with ν = (−1, −1), and of −x₁ no more than M-stationary
  const PairProgram down{.f = Linear(Vector{{-1.0, 1.0}}),
                         .pairs = {{PairKind::complementarity, Selection(2, {0}), Selection(2, {1})}}};
  const Problem problem = down.with_slacks();
  Result r;
  PairsDetails p{.x = Vector::Zero(2)};
  r.f = 0.0;
  r.mu = Vector::Zero(4);
  r.status = Status::unbounded;  // claims nothing about y
  r.x = r.y = Vector::Zero(4);
  const auto type_holds = [&](PairStationarity type, const Vector& lambda) {
    p.stationarity = type;
    r.lambda = lambda;
    r.certificate = certify(problem, r.y, r.lambda);
    p.table = {{.nu_F = lambda[0], .nu_H = lambda[1], .biactive = true}};
    r.details = p;
    const auto claims = verify(down, r);
    return claims.back().name == "pairs.stationarity" && claims.back().holds;
  };
  EXPECT_TRUE(type_holds(PairStationarity::none, Vector{{1.0, -1.0}}));
  EXPECT_FALSE(type_holds(PairStationarity::M, Vector{{1.0, -1.0}}));  // ν_F > 0 > ν_H is no limiting normal
  const PairProgram flat{.f = Linear(Vector{{-1.0, 0.0}}), .pairs = down.pairs};
  r.certificate = certify(flat.with_slacks(), r.y, Vector{{1.0, 0.0}});
  r.lambda = Vector{{1.0, 0.0}};
  for (const auto type : {PairStationarity::M, PairStationarity::S}) {
    p.stationarity = type;
    r.details = p;
    EXPECT_EQ(verify(flat, r).back().holds, type == PairStationarity::M);
  }
}

TEST(Verify, ThePartThatIsNamedIsLookedAt) {
  const Folder folder;
  ASSERT_EQ(testing::pendec({"disjunctive", example("polyhedra"), "-q", "-o", folder / "result"}).code, 0);
  Json result = Json::parse(testing::contents(folder / "result"));
  EXPECT_TRUE(failures("polyhedra", result).empty());
  for (const int part : {3, -1, 20}) {
    result["details"]["part"] = part;
    EXPECT_EQ(failures("polyhedra", result), std::vector<std::string>{"parts.part"}) << part;
  }
}

TEST(Verify, SaysWhichResultsItReads) {
  const Folder folder;
  std::ofstream(folder / "r") << R"({"status": "optimal"})";
  const auto ended = testing::pendec({"verify", example("portfolio"), folder / "r"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("what commands write with --output"), std::string::npos) << ended.err;
}

TEST(Verify, RefusesFilesThatAreNoResults) {
  const Folder folder;
  std::ofstream(folder / "r") << "{}";
  EXPECT_EQ(testing::pendec({"verify", example("portfolio"), folder / "r"}).code, 1);
  EXPECT_EQ(testing::pendec({"verify", example("portfolio"), folder / "nowhere"}).code, 1);
  EXPECT_EQ(testing::pendec({"verify", example("portfolio"), example("portfolio")}).code, 1);
}

TEST(ResultFile, ReadingAndWritingChangesNothing) {
  const io::ProblemFile file = io::read_problem(example("portfolio"));
  Options options;
  options.trace = true;
  const std::string text = to_json(solve(file.problem, file.start, options));
  EXPECT_EQ(to_json(io::parse_result(text).result), text);
  for (std::size_t length = 0; length < text.size(); length += 37)
    EXPECT_ANY_THROW(io::parse_result(text.substr(0, length))) << length;
}

}  // namespace
}  // namespace pendec
