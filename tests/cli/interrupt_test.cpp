// Ctrl-C at any moment: no file, or a complete and true one.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/io/result_file.hpp"
#include "pendec/solvers/verify.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

using testing::Folder;
using testing::Process;

/// Takes about a second.
std::vector<std::string> long_solve(const std::string& output) {
  return {"solve", testing::example("correlation"), "--set", "driver.route=general", "--quiet", "--output", output};
}

void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

TEST(Interrupt, AtRandomTimesLeavesNoFileOrATrueResult) {
  const io::ProblemFile problem = io::read_problem(testing::example("correlation"));
  constexpr bool slow = testing::patience > 1.0;
  constexpr int trials = testing::rounds(100, 8);
  Random random(17);
  int with_file = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const Folder folder;
    Process process(long_solve(folder / "result"));
    sleep(random.uniform(0.0, slow ? 2.0 : 0.25));
    const int number = trial % 2 == 0 ? SIGINT : SIGTERM;
    process.signal(number);
    const auto ended = process.wait();
    SCOPED_TRACE(ended.err);
    if (!std::filesystem::exists(folder / "result")) {  // before the work began
      EXPECT_TRUE(ended.code == 130 || ended.code == 128 + number) << ended.code;
      continue;
    }
    ++with_file;
    const io::ResultFile file = io::read_result(folder / "result");
    EXPECT_EQ(ended.code, file.result.status == Status::interrupted ? 130 : 0);
    EXPECT_EQ(file.digest, file.expected_digest);
    for (const Claim& c : verify(problem.problem, file.result))
      EXPECT_TRUE(c.holds) << c.name << " is " << c.claimed << "; found " << c.found;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "nothing else is left";
  }
  EXPECT_GT(with_file, trials / 4);
}

/// Of the signals that a process handles itself; nothing once it is gone.
bool handles(pid_t process, int number) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> static_cast<unsigned>(number - 1) & 1U) != 0;
  return false;
}

TEST(Interrupt, EndsEveryCommandWithItsCodeAsSoonAsTheProgramIsLoaded) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);  // what waits for it is still there when the signal comes
  for (const std::string& command : std::vector<std::string>{"solve", "disjunctive", "bench", "verify"})
    for (const int number : {SIGINT, SIGTERM}) {
      Process process(command == "verify" ? std::vector<std::string>{command, folder / "pipe", folder / "pipe"}
                                          : std::vector<std::string>{command, folder / "pipe"});
      for (int k = 0; k < 10000 && !handles(process.id(), number); ++k) sleep(0.001);
      process.signal(number);
      EXPECT_EQ(process.wait().code, 130) << command;
    }
}

TEST(Interrupt, IsNoneWhereTheSignalWasIgnoredFromTheStart) {
  const Folder folder;
  const std::string command = "trap '' INT; '" + std::string(PENDEC_PROGRAM) + "' solve '" +
                              testing::example("correlation") + "' --quiet --output '" + (folder / "result") +
                              "' & sleep 0.1; kill -INT $!; wait $!";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "result"));
}

TEST(Interrupt, TheSecondEndsTheProgramAtOnce) {
  const Folder folder;
  Process process(long_solve(folder / "result"));
  sleep(0.1 * testing::patience);
  process.signal(SIGINT);
  sleep(0.001);  // two signals at the same time are one
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().code, 130);
}

TEST(Interrupt, OfBenchKeepsWhatWasMeasured) {
  const Folder folder;
  Process process({"bench", testing::example("portfolio"), testing::example("correlation"), "--methods", "alm",
                   "--repeat", "100", "--output", folder / "record"});
  sleep(1.5 * testing::patience);  // enough for the first problem, not for the second
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().code, 130);
  const auto record = nlohmann::json::parse(io::read_text(folder / "record"));
  EXPECT_EQ(record["interrupted"], true);
  ASSERT_EQ(record["runs"].size(), 1) << record;
  EXPECT_EQ(record["runs"][0]["projections"] > 0, true);
}

TEST(Interrupt, OfMultitaskBetweenStartsKeepsTheBest) {
  const Folder folder;
  std::string text = "task,label,f1,f2,f3\n";
  Random random(3);
  for (int k = 0; k < 120; ++k)
    text += std::to_string(k % 4) + "," + std::to_string(random.uniform() < 0.5) + "," + to_text(random.normal()) +
            "," + to_text(random.normal()) + "," + to_text(random.normal()) + "\n";
  testing::write(folder / "tasks.csv", text);
  Process process({"multitask", folder / "tasks.csv", "--starts", "100000000", "--json"});
  sleep(0.5 * testing::patience);
  process.signal(SIGINT);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 130) << ended.err;
  const auto result = nlohmann::json::parse(ended.out);
  EXPECT_EQ(result["status"], "interrupted");
  EXPECT_NE(result["message"].get<std::string>().find("stopped after"), std::string::npos) << result["message"];
}

}  // namespace
}  // namespace pendec
