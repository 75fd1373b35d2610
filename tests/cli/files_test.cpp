// What the program does with the names of files, and with files that are pipes, full, or somebody else's.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/cli/program.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

using testing::contents;
using testing::Ended;
using testing::example;
using testing::Folder;
using testing::Process;
using testing::write;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

std::ptrdiff_t count(const Folder& folder) { return std::distance(fs::directory_iterator(folder.path()), {}); }

/// Small inputs of every command that writes files, and the options that name these.
struct Writer {
  Words arguments;
  Words outputs;
};

std::vector<Writer> writers(const Folder& in) {
  for (const char* name : {"portfolio", "either"}) write(in / name, contents(example(name)));  // may be overwritten
  write(in / "matrix.csv", "1,0.5\n0.5,1\n");
  write(in / "entries.csv", "row,column,value\na,x,1\na,y,2\nb,x,3\n");
  write(in / "graph.txt", "2 1\n1 2 1\n");
  write(in / "tasks.csv", "task,label,f\na,0,1\na,1,2\nb,0,1\nb,1,3\n");
  write(in / "table.csv", "u,v\n0.1,-0.2\n0.3,0.1\n-0.2,0.2\n");
  return {{{"solve", in / "portfolio", "-q"}, {"--output", "-o"}},
          {{"disjunctive", in / "either", "-q"}, {"--output"}},
          {{"sparse", in / "table.csv", "-q"}, {"--output"}},
          {{"portfolio", in / "table.csv", "--frontier", "2", "-q"}, {"--output", "--csv"}},
          {{"generate", "beck-eldar"}, {"--output"}},
          {{"bench", in / "portfolio", "--repeat", "1", "--methods", "pd"}, {"--output"}},
          {{"correlation", in / "matrix.csv", "-q"}, {"--output", "--factor"}},
          {{"multitask", in / "tasks.csv", "-q"}, {"--output"}},
          {{"complete", in / "entries.csv", "-q"}, {"--output", "--matrix"}},
          {{"maxcut", in / "graph.txt", "-q"}, {"--output"}},
          {{"reproduce", "table-6.2", "--quick", "-q"}, {"--json", "--markdown", "--csv", "--report"}}};
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(CliFiles, AnOutputWithoutANameIsRefusedByTheNameOfItsOption) {
  const Folder in;
  for (const Writer& writer : writers(in))
    for (const std::string& option : writer.outputs) {
      const Ended ended = testing::pendec(with(writer.arguments, {option, ""}));
      EXPECT_EQ(ended.code, 1) << writer.arguments[0] << " " << option << "\n" << ended.err;
      EXPECT_NE(ended.err.find("--"), std::string::npos) << ended.err;
      EXPECT_NE(ended.err.find("is empty; expected the name of a file"), std::string::npos) << ended.err;
    }
}

TEST(CliFiles, TwoOutputsWithOneNameAreRefusedBeforeTheWorkHoweverTheyAreSpelt) {
  const Folder in, out;
  fs::create_directory(out / "d");
  fs::create_symlink("file", out / "link");  // leads to what is yet to be made
  for (const Writer& writer : writers(in))
    for (std::size_t i = 1; i < writer.outputs.size(); ++i) {
      if (writer.outputs[i] == "-o") continue;
      for (const char* other : {"file", "./file", "d/../file", "link"}) {
        const Ended ended = testing::pendec(
            with(writer.arguments, {writer.outputs[0], out / "file", writer.outputs[i], out / other}));
        EXPECT_EQ(ended.code, 1) << writer.arguments[0] << " " << other;
        EXPECT_NE(ended.err.find("expected another file than --"), std::string::npos) << ended.err;
        EXPECT_EQ(count(out), 2) << "nothing is written";
      }
    }
}

TEST(CliFiles, AnOutputThatIsTheInputIsRefused) {
  const Folder in;
  for (const Writer& writer : writers(in)) {
    if (writer.arguments[0] == "generate" || writer.arguments[0] == "reproduce") continue;  // without input
    const Ended ended = testing::pendec(with(writer.arguments, {writer.outputs[0], writer.arguments[1]}));
    EXPECT_EQ(ended.code, 1) << writer.arguments[0];
    EXPECT_NE(ended.err.find("another file than the input"), std::string::npos) << ended.err;
  }
}

/// A shell that limits files to 1024 bytes, or 512 of those it counts in blocks of, for the program it becomes.
TEST(CliFiles, ALimitOfSizeIsAnErrorAndLeavesNothing) {
  const Folder in, out;
  const std::string command = "ulimit -f 1; exec '" + std::string(PENDEC_PROGRAM) +
                              "' generate sparse-qp --n 100 -o '" + (out / "problem.json") + "' 2> '" + (in / "err") +
                              "'";
  const int status = std::system(("bash -c \"" + command + "\"").c_str());  // NOLINT: our own words
  ASSERT_TRUE(WIFEXITED(status)) << "ended by a signal";
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(contents(in / "err"), "pendec: " + (out / "problem.json") + ": cannot be written: File too large\n");
  EXPECT_EQ(count(out), 0);
}

/// Ends a program that waits for a pipe, once its handlers are in place.
void expect_to_end(const Words& arguments, int number) {
  Process process(arguments);
  std::this_thread::sleep_for(std::chrono::duration<double>(0.5 * testing::patience));
  const auto begin = std::chrono::steady_clock::now();
  std::thread last_resort([&] {  // a program that waits on must not make the test wait
    for (int k = 0; k < 50 && !process.has_ended(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    process.signal(SIGKILL);
  });
  process.signal(number);
  const Ended ended = process.wait();
  last_resort.join();
  EXPECT_EQ(ended.code, 130) << ::testing::PrintToString(arguments);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
}

TEST(CliFiles, ASignalEndsTheWaitForAPipe) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((folder / "pipe.csv").c_str(), 0600), 0);
  for (const int number : {SIGTERM, SIGINT}) {
    expect_to_end({"solve", folder / "pipe"}, number);
    expect_to_end({"solve", example("portfolio"), "-q", "--output", folder / "pipe"}, number);
  }
  expect_to_end({"verify", folder / "pipe"}, SIGTERM);
  for (const char* command : {"sparse", "portfolio", "correlation", "complete", "multitask", "maxcut"})
    expect_to_end({command, folder / "pipe.csv"}, SIGTERM);
  expect_to_end({"generate", "beck-eldar", "--output", folder / "pipe"}, SIGTERM);
  expect_to_end({"reproduce", "table-6.2", "--quick", "-q", "--json", folder / "pipe"}, SIGTERM);
  EXPECT_EQ(count(folder), 2);
}

TEST(CliFiles, ControlCharactersOfFilesAreShownAndNotSent) {
  const Folder folder;
  const std::string head = R"({"pendec": 1, "name": "a\u001b]0;title\u0007\u009b\nb\u202e", )";
  write(folder / "good.json",
        head + R"("objective": {"type": "linear", "c": [1]}, "D": {"type": "sphere", "n": 1}})");
  write(folder / "bad.json", head + R"("\u001b[31m": 2})");
  write(folder / "table.csv", "\x1b[31mred,\"two\nlines\",y\n1,2,3\n2,1,4\n5,3,1\n4,4,2\n");
  const auto is_plain = [](const std::string& text) {
    return text.find('\x1b') == std::string::npos && text.find('\a') == std::string::npos &&
           text.find("\xc2\x9b") == std::string::npos && text.find("\u202e") == std::string::npos;
  };
  for (const Words& arguments :
       {Words{"solve", folder / "good.json"}, Words{"bench", folder / "good.json", "--methods", "pd"}}) {
    const Ended ended = testing::pendec(arguments);
    EXPECT_NE(ended.out.find(R"(a\x1b]0;title\x07\x9b\nb\u202e)"), std::string::npos) << ended.out << ended.err;
    EXPECT_TRUE(is_plain(ended.out)) << ended.out;
  }
  const Ended bad = testing::pendec({"solve", folder / "bad.json"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find(R"(\x1b[31m is an unknown key)"), std::string::npos) << bad.err;
  EXPECT_TRUE(is_plain(bad.err)) << bad.err;
  for (const Words& arguments :
       {Words{"sparse", folder / "table.csv", "-s", "2"}, Words{"sparse", folder / "table.csv", "--target", "none"},
        Words{"portfolio", folder / "table.csv", "--forced-out", "none"}}) {
    const Ended ended = testing::pendec(arguments);
    EXPECT_NE((ended.out + ended.err).find(R"(\x1b[31mred)"), std::string::npos) << ended.out << ended.err;
    EXPECT_EQ((ended.out + ended.err).find("two\nlines"), std::string::npos) << ended.out << ended.err;
    EXPECT_TRUE(is_plain(ended.out + ended.err)) << ended.out;
  }
}

TEST(CliFiles, ATableInOneEndlessLineIsRefusedInSeconds) {
  const Folder folder;
  std::string line;
  for (int k = 0; k < 2'000'000; ++k) line += "1.5,";
  write(folder / "line.csv", line + "1\n");
  for (const char* command : {"sparse", "portfolio"}) {
    const auto begin = std::chrono::steady_clock::now();
    const Ended ended = testing::pendec({command, folder / "line.csv"});
    EXPECT_EQ(ended.code, 1);
    EXPECT_EQ(ended.err, "pendec: " + (folder / "line.csv") +
                             ": 2000001 columns; expected at most 1000000, and a line for each row\n");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::duration<double>(3.0 * testing::patience));
  }
}

TEST(CliFiles, DataFilesAreConfinedToTheFolderWhereAskedForAndInVerify) {
  const Folder folder;
  fs::create_directory(folder / "p");
  write(folder / "outside.csv", "1\n");
  write(folder / "p/problem.json",
        R"({"pendec": 1, "objective": {"type": "linear", "c": {"file": "../outside.csv"}},)"
        R"( "D": {"type": "sphere", "n": 1}})");
  const std::string problem = folder / "p/problem.json", result = folder / "p/result.json";
  EXPECT_EQ(testing::pendec({"solve", problem, "-q", "-o", result}).code, 0);
  const std::string refusal = "objective.c.file is \"../outside.csv\"; expected a file in the folder of the problem";
  for (const Words& arguments : {Words{"solve", problem, "--confine"}, Words{"disjunctive", problem, "--confine"},
                                 Words{"bench", problem, "--confine"}, Words{"verify", problem, result}}) {
    const Ended ended = testing::pendec(arguments);
    EXPECT_EQ(ended.code, 1) << arguments[0];
    EXPECT_NE(ended.err.find(refusal), std::string::npos) << ended.err;
  }
  EXPECT_EQ(testing::pendec({"verify", problem, result, "--no-confine"}).code, 0);
}

}  // namespace
}  // namespace pendec
