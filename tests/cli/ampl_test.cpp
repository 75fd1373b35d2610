// The program as modelling languages call it.
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
}

TEST(CliAmpl, OptionsComeFromTheEnvironmentAndTheCommandLineQuotedOrNot) {
  const Folder folder;
  write(folder / "m.nl", pair_model);
  setenv("pendec_options", "outlev=1 pendec.seconds=\"30\"", 1);
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
  EXPECT_LT(seconds, 20.0);  // of which reading takes a tenth of one where nothing else runs
}

}  // namespace
}  // namespace pendec::testing
