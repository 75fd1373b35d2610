#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <regex>

#include "experiments/showcase.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/io/result_file.hpp"
#include "pendec/solvers/solve.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

using testing::contents;
using testing::Ended;
using testing::example;
using testing::Folder;
using testing::write;
using Json = nlohmann::ordered_json;

TEST(Cli, SolvesTheShowcaseProblemsToTheSameDigitsAsTheLibrary) {
  const Folder folder;
  for (const experiments::Showcase& s : experiments::showcases()) {
    ASSERT_EQ(testing::pendec({"generate", "showcase", s.id, "-o", folder / s.id}).code, 0);
    const Ended ended = testing::pendec({"solve", folder / s.id, "--quiet", "-o", folder / "result"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.out + ended.err, "");
    const Result r = io::read_result(folder / "result").result;
    const Result expected = solve(s.problem, s.start, default_preset(Method::automatic));
    EXPECT_EQ(r.f, expected.f) << s.id;
    EXPECT_EQ(r.y, expected.y) << s.id;
    EXPECT_EQ(r.status, expected.status) << s.id;
  }
}

TEST(Cli, TakesMethodPresetAndOptionsFromTheCommandLine) {
  const Ended ended =
      testing::pendec({"solve", example("sparse_qp"), "--json", "--method", "pd", "--preset", "paper", "--set",
                       "penalty.alpha_tau=1.5", "--set", "penalty.tau0=2", "--trace", "--time-limit", "60"});
  EXPECT_EQ(ended.err, "");
  const Json result = Json::parse(ended.out);
  EXPECT_EQ(result["method"], "pd");
  EXPECT_EQ(result["options"]["penalty.alpha_tau"], 1.5);
  EXPECT_EQ(result["options"]["penalty.tau0"], 2.0);
  EXPECT_EQ(result["options"]["limits.seconds"], 60.0);
  EXPECT_EQ(result["options"]["inner.test"], "decrease");
  EXPECT_FALSE(result["trace"].empty());
}

TEST(Cli, PrintsATableForPeople) {
  const Ended ended = testing::pendec({"solve", example("portfolio")});
  EXPECT_EQ(ended.code, 0);
  for (const char* word :
       {"status", "optimal", "sparse_qp", "bound", "objective", "-0.03449856", "infeasibility", "y["})
    EXPECT_NE(ended.out.find(word), std::string::npos) << word << "\n" << ended.out;
  EXPECT_EQ(ended.err, "") << "no progress line where standard error is no terminal";
}

TEST(Cli, ExitCodesTellWhatHappened) {
  const Folder folder;
  EXPECT_EQ(testing::pendec({"solve", example("sparse_qp"), "-q"}).code, 0);
  EXPECT_EQ(testing::pendec({"solve", example("correlation"), "-q", "--time-limit", "0"}).code, 2);
  write(folder / "bad.json",
        R"({"pendec": 1, "objective": {"type": "linear", "c": [1]}, "D": {"type": "sparse", "s": 2}})");
  const Ended bad = testing::pendec({"solve", folder / "bad.json"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.err, "pendec: " + (folder / "bad.json") + ": D.s is 2; expected 0 <= s <= n = 1\n");
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{},
                                                {"sovle"},
                                                {"solve"},
                                                {"solve", "nowhere.json"},
                                                {"solve", folder.path().string()},
                                                {"solve", example("sparse_qp"), "--nothing"},
                                                {"solve", example("sparse_qp"), "--set", "penalty.tau0"},
                                                {"solve", example("sparse_qp"), "--set", "tau=1"},
                                                {"solve", example("sparse_qp"), "--method", "newton"},
                                                {"solve", example("sparse_qp"), "-o", "/no/such/folder/result"},
                                                {"list", "pears"},
                                                {"generate"},
                                                {"generate", "showcase", "pears"},
                                                {"generate", "sparse-qp", "--n", "0"},
                                                {"completion", "cmd"}}) {
    const Ended ended = testing::pendec(wrong);
    EXPECT_EQ(ended.code, 1) << ::testing::PrintToString(wrong);
    EXPECT_NE(ended.err + ended.out, "") << ::testing::PrintToString(wrong);
  }
  EXPECT_EQ(testing::pendec({"--help"}).code, 0);
  EXPECT_EQ(testing::pendec({"solve", "--help"}).code, 0);
}

TEST(Cli, ShowsWhatItFoundWhereTheResultCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const Ended ended = testing::pendec({"solve", example("portfolio"), "-o", "/dev/full"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("/dev/full"), std::string::npos) << ended.err;
  EXPECT_NE(ended.out.find("optimal"), std::string::npos) << ended.out;
}

TEST(Cli, SaysWhenStandardOutputCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const std::string command = std::string(PENDEC_PROGRAM) + " version > /dev/full 2> /dev/null";
  EXPECT_NE(std::system(command.c_str()), 0);  // NOLINT: our own words
}

TEST(Cli, StartsWithin20Milliseconds) {
  double fastest = infinity;
  for (int k = 0; k < 30; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(testing::pendec({"version"}).code, 0);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    fastest = std::min(fastest, taken.count());
  }
  EXPECT_LT(fastest, 0.020 * testing::patience);
  RecordProperty("milliseconds", static_cast<int>(1e3 * fastest));
}

// generate, list, completion, the manual -----

TEST(Cli, GeneratesProblemsThatItSolves) {
  const Folder folder;
  for (const std::vector<std::string>& generator :
       {std::vector<std::string>{"sparse-qp", "--n", "12", "--s", "2", "--condition", "50", "--nu", "2", "--seed",
                                 "9"},
        {"portfolio", "--n", "10", "--seed", "3"},
        {"beck-eldar"},
        {"correlation", "--n", "12", "--kappa", "2", "--which", "2"},
        {"disjunctive", "--n", "4", "--parts", "3", "--rows", "4"},
        {"complementarity", "--pairs", "3", "--equations", "2"}}) {
    std::vector<std::string> arguments{"generate"};
    arguments.insert(arguments.end(), generator.begin(), generator.end());
    const Ended made = testing::pendec(arguments);
    ASSERT_EQ(made.code, 0) << generator[0] << made.err;
    EXPECT_EQ(testing::pendec(arguments).out, made.out) << "the seed decides";
    write(folder / "p.json", made.out);
    const Ended solved = testing::pendec({"solve", folder / "p.json", "-q"});
    EXPECT_TRUE(solved.code == 0 || solved.code == 2) << generator[0] << solved.err;
  }
}

TEST(Cli, SolveProvesWhatTheReadyCommandsProve) {
  const Folder folder;
  const auto status_of = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"-q", "-o", folder / "result"});
    EXPECT_EQ(testing::pendec(all).code, 0);
    return Json::parse(testing::contents(folder / "result"));
  };
  for (const char* name : {"sparse_qp", "portfolio", "correlation", "polyhedra"}) {
    const Json result = status_of({"solve", example(name)});
    EXPECT_EQ(result["status"], "optimal") << name;
    EXPECT_EQ(testing::pendec({"verify", example(name), folder / "result"}).code, 0) << name;
  }
  for (const char* name : {"bilevel", "either", "switching", "vanishing"})
    EXPECT_EQ(status_of({"solve", example(name)})["details"], status_of({"disjunctive", example(name)})["details"])
        << name;
  for (const char* seed : {"1", "2", "3"}) {
    const std::vector<std::vector<std::string>> kinds{
        {"sparse-qp", "--n", "30", "--s", "5"}, {"portfolio", "--n", "30", "--s", "5"}, {"disjunctive"}};
    for (const auto& kind : kinds) {
      std::vector<std::string> generate{"generate"};
      generate.insert(generate.end(), kind.begin(), kind.end());
      generate.insert(generate.end(), {"--seed", seed, "-o", folder / "problem"});
      ASSERT_EQ(testing::pendec(generate).code, 0);
      EXPECT_EQ(status_of({"solve", folder / "problem"})["status"], "optimal") << kind.front() << " " << seed;
    }
  }
}

TEST(Cli, ListsWhatFilesMayName) {
  EXPECT_NE(testing::pendec({"list", "sets"}).out.find("psd_low_rank"), std::string::npos);
  EXPECT_NE(testing::pendec({"list", "objectives"}).out.find("least_squares"), std::string::npos);
  EXPECT_NE(testing::pendec({"list", "maps"}).out.find("affine"), std::string::npos);
  EXPECT_NE(testing::pendec({"list", "methods"}).out.find("pdlm"), std::string::npos);
  EXPECT_NE(testing::pendec({"list", "options"}).out.find("penalty.alpha_tau"), std::string::npos);
  EXPECT_EQ(testing::pendec({"list", "schema"}).out,
            contents(std::string(PENDEC_SOURCE_DIR) + "/docs/problem.schema.json"));
}

TEST(Cli, BenchComparesTheMethodsAskedFor) {
  const Folder folder;
  const Ended ended = testing::pendec(
      {"bench", example("portfolio"), "--methods", "pdlm,alm", "--repeat", "2", "--json", "-o", folder / "record"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const Json record = Json::parse(ended.out);
  EXPECT_EQ(record, Json::parse(contents(folder / "record")));
  ASSERT_EQ(record.at("runs").size(), 2);
  EXPECT_EQ(record.at("runs").at(0).at("method"), "pdlm");
  EXPECT_EQ(record.at("runs").at(1).at("method"), "alm");
  EXPECT_EQ(record.at("runs").at(0).at("status"), "converged");
  EXPECT_GT(record.at("runs").at(0).at("seconds").get<double>(), 0.0);
  EXPECT_EQ(testing::pendec({"bench", example("portfolio"), "--methods", "newton"}).code, 1);
  EXPECT_EQ(testing::pendec({"bench", example("portfolio"), "--repeat", "0"}).code, 1);
}

TEST(Cli, CompletionScriptsAreValidBash) {
  const Folder folder;
  for (const char* shell : {"bash", "zsh"}) {
    write(folder / "script", testing::pendec({"completion", shell}).out);
    EXPECT_EQ(std::system(("bash -n " + (folder / "script")).c_str()), 0);  // NOLINT: our own words
  }
  const std::string words =
      "source " + (folder / "script") +
      "; COMP_WORDS=(pendec generate corr); COMP_CWORD=2; _pendec; [[ ${COMPREPLY[0]} == correlation ]]";
  write(folder / "script", testing::pendec({"completion", "bash"}).out);
  EXPECT_EQ(std::system(("bash -c '" + words + "'").c_str()), 0);  // NOLINT
}

TEST(Cli, TheManualNamesEveryCommandAndOption) {
  std::string manual = contents(std::string(PENDEC_SOURCE_DIR) + "/docs/pendec.1");
  manual.erase(std::remove(manual.begin(), manual.end(), '\\'), manual.end());
  const std::string page = contents(std::string(PENDEC_SOURCE_DIR) + "/docs/command-line.md");
  const std::string script = testing::pendec({"completion", "fish"}).out;
  const std::regex word(R"( -(a|l|s) (\S+) -d )");
  int words = 0;
  for (std::sregex_iterator match(script.begin(), script.end(), word), end; match != end; ++match, ++words) {
    const std::string kind = (*match)[1], name = (*match)[2];
    const std::string text = kind == "a" ? name : (kind == "l" ? "--" : "-") + name;
    EXPECT_NE(manual.find(text), std::string::npos) << text;
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_GT(words, 40);
}

}  // namespace
}  // namespace pendec
