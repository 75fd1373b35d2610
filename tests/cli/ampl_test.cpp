// The program as modelling languages call it.
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>

#include "pendec/version.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/data.hpp"

namespace pendec::testing {
namespace {

/// min (x − 1)² + (y − 2)², 0 ≤ x ⊥ y − x ≥ 0: at (0, 2) it is 1, at (1.5, 1.5) ½.
constexpr const char* pair_model =
    "g3 1 1 0\n 2 1 1 0 0\n 0 1 1 0\n 0 0\n 0 2 0\n 0 0 0 1\n 0 0 0 0 0\n 2 2\n 0 0\n 0 0 0 0 0\n"
    "C0\nn0\nO0 0\no0\no5\no1\nv0\nn1\nn2\no5\no1\nv1\nn2\nn2\nr\n5 1 1\nb\n2 0\n3\nk1\n1\nJ0 2\n0 -1\n1 1\nG0 2\n0 "
    "0\n1 0\n";

std::string line(const std::string& text, int number) {
  std::istringstream in(text);
  std::string found;
  for (int k = 0; k < number; ++k) std::getline(in, found);
  return found;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CliAmpl, WritesASolutionBesideTheModelAndNothingElse) {
  const Folder folder;
  write(folder / "m.nl", pair_model);
  for (const std::string& name : {folder / "m.nl", folder / "m"}) {
    std::filesystem::remove(folder / "m.sol");
    const Ended end = pendec({name, "-AMPL"});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(end.out + end.err, "");
    const std::string sol = contents(folder / "m.sol");
    EXPECT_TRUE(has(line(sol, 1), "; objective 0.5")) << sol;
    EXPECT_TRUE(has(sol, "\n\nOptions\n3\n1\n1\n0\n1\n1\n2\n2\n")) << sol;
    EXPECT_TRUE(has(sol, "\nobjno 0 ")) << sol;
  }
}

TEST(CliAmpl, FlagsAreThoseOfAmplsSolvers) {
  EXPECT_TRUE(has(pendec({"-v"}).out, version));
  EXPECT_TRUE(has(pendec({"-="}).out, "seconds"));
  EXPECT_TRUE(has(pendec({"-?"}).out, "-AMPL"));
  EXPECT_TRUE(has(pendec({"-!"}).out, "200  infeasible"));
  const Folder folder;
  write(folder / "m.nl", pair_model);
  EXPECT_EQ(pendec({"-s", folder / "m"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "m.sol"));
  EXPECT_EQ(pendec({"-o" + (folder / "other.sol"), folder / "m.nl"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "other.sol"));
  const Ended shown = pendec({folder / "m.nl", "outlev=1"});
  EXPECT_TRUE(has(shown.out, "objective 0.5")) << shown.out;
  EXPECT_TRUE(has(shown.out, "x[1]")) << shown.out;
  EXPECT_EQ(pendec({"-x", folder / "m.nl"}).code, 1);
  EXPECT_EQ(pendec({"--", folder / "m"}).code, 0);
  // names without .nl, wherever -AMPL stands
  EXPECT_TRUE(has(pendec({folder / "m", "seconds=5"}).out, "objective 0.5"));
  std::filesystem::remove(folder / "m.sol");
  EXPECT_EQ(pendec({folder / "m", "outlev=1", "-AMPL"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "m.sol"));
  const std::string options = pendec({"-="}).out;
  EXPECT_EQ(options.find("\n  method "), options.rfind("\n  method "));
}

TEST(CliAmpl, SecondsMayAllGoIntoAProof) {
  const Folder folder;
  write(folder / "m.nl", pair_model);
  const auto proof_seconds = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all{folder / "m.nl", "result=" + (folder / "r.json")};
    all.insert(all.end(), options.begin(), options.end());
    EXPECT_EQ(pendec(all).code, 0);
    const std::string json = contents(folder / "r.json");
    const std::string name = "\"driver.proof_seconds\":";
    return std::stod(json.substr(json.find(name) + name.size()));
  };
  EXPECT_EQ(proof_seconds({}), 10.0);
  EXPECT_EQ(proof_seconds({"SECONDS=20"}), 20.0);
  EXPECT_EQ(proof_seconds({"seconds=5"}), 10.0);
  EXPECT_EQ(proof_seconds({"seconds=20", "driver.proof_seconds=3"}), 3.0);
}

TEST(CliAmpl, OptionsComeFromTheEnvironmentAndTheCommandLineQuotedOrNot) {
  const Folder folder;
  write(folder / "m.nl", pair_model);
  setenv("pendec_options", "version timing outlev=1 Timing=2 pendec.seconds=\"30\" version", 1);
  const Ended end = pendec({folder / "m.nl", "-AMPL", "method=\"pdlm\"", "driver.tolerance", "=", "1e-7"});
  unsetenv("pendec_options");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_TRUE(has(end.out, "pdlm")) << end.out;
}

TEST(CliAmpl, WhatIsWrongIsToldWhereTheCallerLooksForIt) {
  const Folder folder;
  write(folder / "m.nl", pair_model);
  const auto message_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{folder / "m", "-AMPL"};
    all.insert(all.end(), more.begin(), more.end());
    std::filesystem::remove(folder / "m.sol");
    const Ended end = pendec(all);
    EXPECT_EQ(end.code, 0);
    const std::string sol = contents(folder / "m.sol");
    EXPECT_TRUE(has(sol, "\nobjno 0 500\n")) << sol;
    return line(sol, 1);
  };
  EXPECT_TRUE(has(message_of({"secnds=3"}), "such as seconds"));
  EXPECT_TRUE(has(message_of({"method=best"}), "best"));
  EXPECT_TRUE(has(message_of({"result=" + (folder / "none/r.json")}), "none/r.json"));
  EXPECT_TRUE(has(message_of({"objno=2"}), "objective 2 is asked for; there are 1"));
  std::string text = pair_model;
  write(folder / "m.nl", text.substr(0, text.size() / 2));
  EXPECT_TRUE(has(message_of({}), "m.nl:"));
  write(folder / "m.nl", std::string(pair_model).replace(text.find("o5"), 2, "o4"));
  EXPECT_TRUE(has(message_of({}), "the operation mod (o4) is not supported"));
  write(folder / "m.nl", std::string(pair_model).replace(text.find("C0"), 2, "F0 1 2 gamma\nC0"));
  EXPECT_TRUE(has(message_of({}), "the imported function \"gamma\" is not known here"));
  write(folder / "m.nl", std::string(pair_model).replace(text.find(" 0 0 0 0 0\n 2 2"), 10, " 0 0 0 1 0"));
  write(folder / "m.nl", std::string(contents(folder / "m.nl")).replace(text.find(" 0 2 0"), 6, " 2 0 0"));
  write(folder / "m.col", "first\nsecond\n");
  EXPECT_TRUE(has(message_of({}), "the integer variable second"));
}

TEST(CliAmpl, WithoutASolutionWhatIsWrongIsToldInItsOwnWords) {
  const Folder folder;
  std::string text = pair_model;
  write(folder / "m.nl", text.replace(text.find("o5"), 2, "o4"));
  const Ended refused = pendec({folder / "m.nl"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(has(refused.err, "pendec: " + (folder / "m.nl:15:"))) << refused.err;
  EXPECT_TRUE(has(pendec({folder / "m.nl", "seconds"}).err, "pendec: the option is seconds; expected name=value"));
  EXPECT_EQ(pendec({folder / "m.nl", "wantsol=1"}).code, 0);
  EXPECT_TRUE(has(contents(folder / "m.sol"), "\nobjno 0 500\n"));
}

TEST(CliAmpl, AModelThatContradictsItselfIsInfeasibleForEveryCommand) {
  const Folder folder;
  std::string text = pair_model;
  write(folder / "m.nl", text.replace(text.find("b\n2 0\n3"), 7, "b\n2 0\n0 2 1"));
  EXPECT_EQ(pendec({folder / "m.nl"}).code, 2);
  const Ended end = pendec({"solve", folder / "m.nl", "-o", folder / "r.json"});
  EXPECT_EQ(end.code, 2) << end.err;
  EXPECT_TRUE(has(end.out, "the bounds of x[1] contradict each other")) << end.out;
  EXPECT_TRUE(has(contents(folder / "r.json"), "\"status\": \"infeasible\"")) << contents(folder / "r.json");
  EXPECT_EQ(pendec({"verify", folder / "m.nl", folder / "r.json", "--quiet"}).code, 0);
}

#ifndef __SANITIZE_ADDRESS__  // which has its own opinion of how much memory there is
TEST(CliAmpl, AModelTooLargeForTheMachineIsToldInItsSolution) {
  // log Σ x has second derivatives for all pairs of its variables
  constexpr int n = 20'000;
  std::string text =
      "g3 1 1 0\n 20000 0 1 0 0\n 0 1\n 0 0\n 0 20000 0\n 0 0 0 1\n 0 0 0 0 0\n 0 0\n 0 0\n 0 0 0 0 0\nO0 "
      "0\no43\no54\n20000\n";
  std::string bounds = "b\n";
  for (int i = 0; i < n; ++i) {
    text += "v" + std::to_string(i) + "\n";
    bounds += "2 1\n";
  }
  const Folder folder;
  write(folder / "m.nl", text + bounds);
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit less{.rlim_cur = rlim_t{2} << 30U, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_AS, &less);
  const Ended end = pendec({folder / "m.nl", "-AMPL"});
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_TRUE(has(line(contents(folder / "m.sol"), 1), "out of memory"));
  EXPECT_TRUE(has(contents(folder / "m.sol"), "\nobjno 0 500\n"));
}
#endif

TEST(CliAmpl, WithoutAHeaderThereIsNoSolutionButAnError) {
  const Folder folder;
  write(folder / "m.nl", "nonsense");
  const Ended end = pendec({folder / "m", "-AMPL"});
  EXPECT_EQ(end.code, 1);
  EXPECT_TRUE(has(end.err, "m.nl:1: no .nl file")) << end.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "m.sol"));
  EXPECT_EQ(pendec({folder / "none.nl"}).code, 1);
}

TEST(CliAmpl, AModelIsSolvedAndVerifiedByTheOtherCommandsToo) {
  const Folder folder;
  write(folder / "m.nl", pair_model);
  EXPECT_EQ(pendec({"solve", folder / "m.nl", "-o", folder / "r.json", "--quiet"}).code, 0);
  EXPECT_EQ(pendec({"verify", folder / "m.nl", folder / "r.json", "--quiet"}).code, 0);
}

TEST(CliAmpl, AModelOfAMegabyteIsReadAtOnce) {
  PENDEC_REQUIRE_DATA(data);
  const Folder folder;
  std::filesystem::copy(data / "macmpec" / "incid-set1-32.nl", folder / "m.nl");
  const auto begin = std::chrono::steady_clock::now();
  const Ended end = pendec({folder / "m.nl", "-AMPL", "seconds=0"});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_TRUE(has(contents(folder / "m.sol"), "objno 0 4"));
  EXPECT_LT(seconds, 5.0);  // of which reading takes a tenth of one where nothing else runs
}

}  // namespace
}  // namespace pendec::testing
