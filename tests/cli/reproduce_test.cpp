// pendec reproduce: rows, filters, going on, Ctrl-C, and the report in a browser.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/cli/program.hpp"

namespace pendec {
namespace {

using testing::Ended;
using testing::Folder;

std::vector<nlohmann::json> json_lines(const std::string& path) {
  std::istringstream text(testing::contents(path));
  std::vector<nlohmann::json> out;
  for (std::string line; std::getline(text, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

TEST(CliReproduce, WritesRowsTablesAndTheReport) {
  const Folder folder;
  const Ended ended =
      testing::pendec({"reproduce", "table-6.1", "--quick", "--instances", "QP_10_10_0", "--json", folder / "rows",
                       "--markdown", folder / "md", "--csv", folder / "csv", "--report", folder / "report.html"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("PD_lbfgs-scipy"), std::string::npos);
  EXPECT_NE(ended.out.find("Left out"), std::string::npos);
  EXPECT_NE(ended.out.find(folder / "report.html"), std::string::npos);
  EXPECT_TRUE(ended.err.empty()) << ended.err;
  const auto rows = json_lines(folder / "rows");
  ASSERT_EQ(rows.size(), 7);
  for (const char* field : {"processor", "compiler", "commit", "options"})
    EXPECT_TRUE(rows[0].at("header").contains(field)) << field;
  EXPECT_EQ(rows[1].at("mode"), "default");
  EXPECT_EQ(rows[1].at("status"), "optimal");
  EXPECT_GE(rows[2].at("gap").get<double>(), 0.0);
  EXPECT_NE(testing::contents(folder / "md").find("| QP_10_10_0 | SGM | paper |"), std::string::npos);
  EXPECT_NE(testing::contents(folder / "csv").find("table-6.1,QP_10_10_0,SGM,paper,"), std::string::npos);
  EXPECT_NE(testing::contents(folder / "report.html").find("<section id=\"table-6.1\""), std::string::npos);
}

TEST(CliReproduce, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(testing::pendec({"reproduce", "table-7.1"}).code, 1);
  EXPECT_EQ(testing::pendec({"reproduce", "--quick", "--full"}).code, 1);
  const Ended ended = testing::pendec({"reproduce", "table-6.4", "--algorithms", "PD-exact, PD-magic"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("\"PD-magic\"; expected one of"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("PD-exact"), std::string::npos) << ended.err;
  EXPECT_EQ(testing::pendec({"reproduce", "table-6.1", "--data", "/does/not/exist"}).code, 1);
}

/// One instance of Table 6.1, the rows into `file`; then more words.
std::vector<std::string> rows_into(const std::string& file, std::initializer_list<const char*> more) {
  std::vector<std::string> words{"reproduce", "table-6.1", "--instances", "QP_10_10_0", "--json", file, "-q"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(CliReproduce, GoesOnWhereTheRowsOfItsFileEnd) {
  for (const char* size : {"--full", "--quick"}) {
    const Folder folder;
    ASSERT_EQ(testing::pendec(rows_into(folder / "rows", {size, "--algorithms", "SGM"})).code, 0);
    const auto before = json_lines(folder / "rows");
    ASSERT_EQ(before.size(), 2);
    EXPECT_EQ(before[0].at("header").at("runs"), 1);
    testing::write(folder / "cut", testing::contents(folder / "rows") + R"({"experiment": "tab)");
    ASSERT_EQ(testing::pendec(rows_into(folder / "cut", {size, "--algorithms", "SGM,PD_gd,sparse_qp"})).code, 0);
    auto after = json_lines(folder / "cut");
    ASSERT_EQ(after.size(), 4);
    const auto& header = after[0].at("header");
    EXPECT_EQ(header.at("runs"), 3);
    EXPECT_EQ(header.at("earlier").size(), 1);
    EXPECT_EQ(header.at("earlier").at(0), before[0].at("header"));
    EXPECT_GE(after[1].at("gap").get<double>(), 0.0);  // the optimum was proved later
    after[1]["gap"] = before[1].at("gap");
    after[1]["lower_bound"] = before[1].at("lower_bound");
    EXPECT_EQ(after[1], before[1]);  // not run again: even the seconds are the same
  }
}

TEST(CliReproduce, AFileThatCannotBeWrittenDoesNotCostTheOthers) {
  const Folder folder;
  const Ended ended = testing::pendec({"reproduce", "table-6.1", "--algorithms", "SGM, PD_gd", "--markdown",
                                       "/dev/full", "--csv", folder / "csv", "--report", folder / "report.html"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("/dev/full"), std::string::npos) << ended.err;
  EXPECT_NE(testing::contents(folder / "csv").find("PD_gd"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder / "report.html"));
}

TEST(CliReproduce, MissesDataBeforeTheFirstRun) {
  const Folder folder;
  const Ended ended =
      testing::pendec({"reproduce", "table-6.2", "figure-6.2", "--data", folder.path(), "--csv", folder / "csv"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(ended.out.empty()) << ended.out;
  EXPECT_NE(ended.err.find("landmine.csv"), std::string::npos) << ended.err;
}

TEST(CliReproduce, NeverTouchesAFileThatItCannotContinue) {
  const Folder folder;
  ASSERT_EQ(testing::pendec(rows_into(folder / "rows", {"--full"})).code, 0);
  testing::write(folder / "notes", "my notes\n");
  testing::write(folder / "object", "{\"header\": {}}\n");
  for (const char* name : {"rows", "notes", "object"}) {
    const std::string before = testing::contents(folder / name);
    for (const char* size : {"--quick", "--algorithms=SGM"}) {
      const Ended ended = testing::pendec(rows_into(folder / name, {size}));
      EXPECT_EQ(ended.code, 1) << name << " " << size;
      EXPECT_NE(ended.err.find(folder / name), std::string::npos) << ended.err;
      EXPECT_EQ(testing::contents(folder / name), before) << name << " " << size;
    }
  }
  const Ended refused = testing::pendec(rows_into(folder / "rows", {"--quick"}));
  EXPECT_NE(refused.err.find("6 rows"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--full"), std::string::npos) << refused.err;
  EXPECT_EQ(testing::pendec(rows_into(folder / "one", {"--report", (folder / "one").c_str()})).code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder / "one"));
}

TEST(CliReproduce, SendsRowsThroughAPipe) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  testing::Process process(rows_into(folder / "pipe", {"--algorithms", "sparse_qp,SGM"}));
  EXPECT_EQ(json_lines(folder / "pipe").size(), 3);
  EXPECT_EQ(process.wait().code, 0);
}

/// Waits until the first row is there; the later ones take minutes.
void await_first_row(const std::string& file) {
  for (int k = 0; k < 600; ++k) {
    const std::string text = std::filesystem::exists(file) ? testing::contents(file) : "";
    if (std::count(text.begin(), text.end(), '\n') >= 2) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

TEST(CliReproduce, CtrlCKeepsTheFinishedRowsAndEveryOutputSaysWhatDidNotRun) {
  for (const int number : {SIGINT, SIGTERM}) {
    const Folder folder;
    const std::vector<std::string> words{"reproduce",   "table-6.5",           "table-6.7", "--full",
                                         "--instances", "P2(500,5),N=2",       "--json",    folder / "rows",
                                         "--markdown",  folder / "md",         "--csv",     folder / "csv",
                                         "--report",    folder / "report.html"};
    testing::Process process(words);
    await_first_row(folder / "rows");
    const Ended second = testing::pendec(words);
    EXPECT_EQ(second.code, 1);
    EXPECT_NE(second.err.find("another run"), std::string::npos) << second.err;
    process.signal(number);
    const Ended ended = process.wait();
    EXPECT_EQ(ended.code, 130);
    EXPECT_NE(ended.out.find("nearest_correlation"), std::string::npos);
    EXPECT_NE(ended.err.find("of 11 runs"), std::string::npos) << ended.err;
    const auto rows = json_lines(folder / "rows");
    ASSERT_GE(rows.size(), 2);
    for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_NE(rows[k].at("status"), "interrupted");
    EXPECT_EQ(rows[0].at("header").at("runs"), 11);
    for (const std::string& text :
         {ended.out, testing::contents(folder / "md"), testing::contents(folder / "report.html")}) {
      EXPECT_LT(text.find("Interrupted: "), text.find("Table 6.5"));
      EXPECT_NE(text.find("table-6.5, interrupted: P2(500,5): "), std::string::npos);
      EXPECT_NE(text.find("table-6.7, interrupted: everything"), std::string::npos);
    }
    const std::string csv = testing::contents(folder / "csv");
    EXPECT_NE(csv.find("table-6.5,\"P2(500,5)\",PD-cg-accurate,paper,"), std::string::npos);
    EXPECT_NE(csv.find(",not run,"), std::string::npos);
  }
}

#ifdef PENDEC_ENUMERATION
TEST(CliBench, ComparesWithEnumerationWhereThereArePartsOnly) {
  const Ended ended = testing::pendec({"bench", testing::example("polyhedra"), testing::example("portfolio"),
                                       "--methods", "alm", "--repeat", "1", "--json"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto runs = nlohmann::json::parse(ended.out).at("runs");
  ASSERT_EQ(runs.size(), 4);
  EXPECT_EQ(runs[1].at("status"), "optimal");
  EXPECT_EQ(runs[2].at("method"), "slsqp");
  EXPECT_NEAR(runs[2].at("objective").get<double>(), runs[1].at("objective").get<double>(), 1e-6);
  EXPECT_LE(runs[2].at("infeasibility").get<double>(), 1e-6);
}

TEST(CliBench, EnumeratesPartsWithInequalitiesAloneAndCertifiesConvexOnes) {
  const Folder folder;
  const auto methods_of = [&](const std::string& parts) {
    testing::write(
        folder / "union.json",
        R"({"pendec": 1, "objective": {"type": "linear", "c": [1, 1]}, "D": {"type": "union", "parts": [)" + parts +
            "]}, \"start\": [0, 0]}");
    const Ended ended =
        testing::pendec({"bench", folder / "union.json", "--methods", "alm", "--repeat", "1", "--json"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::string methods;
    const auto record = nlohmann::json::parse(ended.out);
    for (const auto& run : record.at("runs")) methods += run.at("method").get<std::string>() + " ";
    return methods;
  };
  const std::string rows = R"({"type": "polyhedron", "n": 2, "A": [[-1, 0], [0, -1]], "b": [0, 0]})",
                    bounds = R"({"type": "polyhedron", "n": 2, "lower": 0, "upper": 1})",
                    equation = R"({"type": "polyhedron", "n": 2, "E": [[1, 1]], "d": [1]})",
                    nonconvex = R"({"type": "sparse", "n": 2, "s": 1})";
  EXPECT_EQ(methods_of(rows + "," + rows), "alm disjunctive slsqp ");
  EXPECT_EQ(methods_of(rows + "," + bounds), "alm disjunctive ");
  EXPECT_EQ(methods_of(bounds + "," + equation), "alm disjunctive ");
  EXPECT_EQ(methods_of(rows + "," + nonconvex), "alm ");
}
#endif

TEST(CliBench, RefusesAnOutputThatCannotBeWrittenBeforeItSolves) {
  const Ended ended = testing::pendec({"bench", testing::example("sparse_qp"), "--output", "/does/not/exist"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(ended.out.empty()) << ended.out;
}

TEST(CliBench, AsksTheReferenceAndSaysWhenItFails) {
  const Folder folder;
  const std::vector<std::string> bench{
      "bench",       testing::example("sparse_qp"), "--methods", "alm", "--repeat", "1", "--json", "--python", "sh",
      "--reference", folder / "reference"};
  testing::write(folder / "reference", R"(echo "{\"instance\": \"another one\", \"algorithm\": \"$9\"}")");
  const Ended ended = testing::pendec(bench);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto record = nlohmann::json::parse(ended.out);
  EXPECT_EQ(record.at("runs").size(), 1);
  EXPECT_TRUE(record.at("reference").empty());  // no instance in common
  testing::write(folder / "reference", "exit 3");
  EXPECT_EQ(testing::pendec(bench).code, 1);
  testing::write(folder / "reference", "echo no JSON");
  EXPECT_EQ(testing::pendec(bench).code, 1);
}

// Added to the page: clicks on legends, looks at everything, and writes down what it saw. Chart.js answers to a click
// in the next frame, and a browser without a window has no steady frames: in the test they are timers.
constexpr const char* inspection = R"(<script>
(async () => {
  const seen = { errors: window.failures, charts: 0, toggled: 0, traces: 0 };
  const frames = () => new Promise((done) => setTimeout(done, 100));
  for (const canvas of document.querySelectorAll("canvas")) {
    const chart = Chart.getChart(canvas);
    if (!chart) continue;
    ++seen.charts;
    const click = async () => {
      canvas.scrollIntoView();
      const box = chart.legend.legendHitBoxes[0], area = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new MouseEvent("click", { bubbles: true,
        clientX: area.left + box.left + box.width / 2, clientY: area.top + box.top + box.height / 2 }));
      await frames();
    };
    const before = chart.isDatasetVisible(0);
    await click();
    const between = chart.isDatasetVisible(0);
    await click();
    seen.toggled += before && !between && chart.isDatasetVisible(0);
  }
  for (const id of ["trace-quantity", "trace-axis"])
    for (const option of document.getElementById(id).options) {
      document.getElementById(id).value = option.value;
      document.getElementById(id).dispatchEvent(new Event("change"));
      seen.traces += Chart.getChart("trace").data.datasets.length > 0;
    }
  document.body.dataset.seen = JSON.stringify(seen);
})();
</script></body>)";

TEST(CliReproduce, TheReportWorksInABrowser) {
  if (std::system("command -v chromium > /dev/null 2>&1") != 0) GTEST_SKIP() << "needs chromium";  // NOLINT
  const Folder folder;
  const Ended ended = testing::pendec(
      {"reproduce", "--quick", "table-6.1", "figure-6.1", "figure-6.2", "figure-6.3", "-q", "--instances",
       "QP_10_10_0,QP_20_10_0,QP_20_500_0,generated eta=2,seed 1,seed 2", "--report", folder / "report.html"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  std::string page = testing::contents(folder / "report.html");
  if (page.find("Chart.js v") == std::string::npos) GTEST_SKIP() << "needs Chart.js at build time (libjs-chart.js)";
  const std::string head = "<head>", end = "</body>";
  page.replace(page.find(head), head.size(),
               "<head><script>window.requestAnimationFrame = (work) => setTimeout(work, 0);"
               "window.failures = []; onerror = (message) => failures.push(message);"
               "console.error = (...words) => failures.push(words.join(' '));</script>");
  page.replace(page.rfind(end), end.size(), inspection);
  testing::write(folder / "inspected.html", page);
  const std::string browser = "HOME=" + folder.path().string() +
                              " timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
                              "--window-size=1280,2000 --virtual-time-budget=10000 ";
  ASSERT_EQ(std::system((browser + "--dump-dom file://" + (folder / "inspected.html") + " > " + (folder / "dom") +
                         " 2> /dev/null")
                            .c_str()),  // NOLINT: our own words
            0);
  const std::string dom = testing::contents(folder / "dom");
  EXPECT_NE(dom.find("data-seen=\"{&quot;errors&quot;:[],&quot;charts&quot;:5,&quot;toggled&quot;:5,"
                     "&quot;traces&quot;:6}\""),
            std::string::npos)
      << dom.substr(std::min(dom.find("data-seen"), dom.size()), 400);
  // kept beside the logs of the tests, to be looked at
  const std::string shot = std::filesystem::path(PENDEC_PROGRAM).parent_path().parent_path() / "report.png";
  EXPECT_EQ(std::system((browser + "--screenshot=" + shot + " file://" + (folder / "report.html") + " 2> /dev/null")
                            .c_str()),  // NOLINT
            0);
  EXPECT_GT(std::filesystem::file_size(shot), 20000U);
}

}  // namespace
}  // namespace pendec
