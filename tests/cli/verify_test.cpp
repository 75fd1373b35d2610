// A result that was edited by hand fails `pendec verify`, whatever was edited.
#include "pendec/solvers/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "pendec/io/problem_file.hpp"
#include "pendec/io/result_file.hpp"
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
    const auto claims = verify(file.problem, file.start, io::parse_result(edited.dump()).result);
    EXPECT_TRUE(std::any_of(claims.begin(), claims.end(), [](const Claim& c) { return !c.holds; })) << edit.what;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, EditedResult,
                         ::testing::Values("sparse_qp", "portfolio", "polyhedra", "complementarity"));

TEST(Verify, TheDigestSeesEditsThatClaimNothing) {
  const Folder folder;
  Json result = solved("sparse_qp", folder);
  result["status"] = "interrupted";
  const auto ended = verified("sparse_qp", result, folder);
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("FALSE  digest"), std::string::npos) << ended.out;
}

TEST(Verify, RecordedScalesExcuseNothing) {
  const Folder folder;
  const std::string file = folder / "unbounded";
  std::ofstream(file) << R"({"pendec": 1, "objective": {"type": "linear", "c": [1, 2]}, "start": [0, 0]})";
  ASSERT_EQ(testing::pendec({"solve", file, "-q", "-o", folder / "result"}).code, 2);
  const io::ProblemFile problem = io::read_problem(file);
  io::ResultFile claimed = io::read_result(folder / "result");
  const auto holds = [&] {
    const auto claims = verify(problem.problem, problem.start, claimed.result);
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
  EXPECT_EQ(testing::pendec({"solve", example("portfolio"), "-q", "--time-limit", "0", "-o", folder / "result"}).code,
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
