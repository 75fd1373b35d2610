// The runs, rows, tables and the report of `pendec reproduce`, without running much.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "experiments/reproduce/findings.hpp"
#include "experiments/reproduce/page.hpp"
#include "experiments/reproduce/plan.hpp"
#include "experiments/reproduce/rows_file.hpp"
#include "experiments/reproduce/tables.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file_error.hpp"
#include "tests/support/data.hpp"

namespace pendec {
namespace {

using experiments::Row;

Row sample_row(std::string experiment, std::string instance, std::string algorithm, std::string_view mode, double f) {
  Row row{.experiment = std::move(experiment), .instance = std::move(instance), .algorithm = std::move(algorithm)};
  row.mode = mode;
  row.f = f;
  row.infeasibility = row.explained = 0.0;
  row.stationarity = 1e-3;
  row.status = "tests_met_uncertified";
  row.seconds = row.cpu_seconds = 1.0;
  return row;
}

Row proved_row(std::string experiment, std::string instance, std::string algorithm, double f) {
  Row row =
      sample_row(std::move(experiment), std::move(instance), std::move(algorithm), experiments::default_mode, f);
  row.status = "optimal";
  row.lower_bound = f - 1e-9;
  row.seconds = 0.1;
  return row;
}

std::vector<Row> disjunctive_sample(double pd) {
  std::vector<Row> rows{proved_row("table-6.7", "N=2", "solve_disjunctive", 100.0),
                        sample_row("table-6.7", "N=2", "PD", experiments::paper_mode, pd)};
  experiments::relate(rows);
  return rows;
}

const experiments::Finding* finding(const std::vector<experiments::Finding>& all, const std::string& words) {
  for (const auto& each : all)
    if (each.heading.find(words) != std::string::npos) return &each;
  return nullptr;
}

TEST(ReproducePlan, HasARunForEveryPrintedFigureAndOurRunFirst) {
  const auto plan = experiments::plan({.size = experiments::Size::full});
  EXPECT_TRUE(plan.left_out.empty());
  std::map<std::string, int> printed;
  std::set<std::string> keys, instances;
  for (const auto& run : plan.runs) {
    EXPECT_TRUE(keys.insert(run.row.key()).second) << run.row.key();
    if (instances.insert(run.row.experiment + run.row.instance).second && run.row.experiment != "table-6.2") {
      EXPECT_EQ(run.row.mode, experiments::default_mode) << run.row.key();
    }
    if (run.row.mode == experiments::paper_mode) printed[run.row.experiment] += std::isfinite(run.row.paper.f);
  }
  EXPECT_EQ(printed["table-6.1"], 15);
  EXPECT_EQ(printed["table-6.2"], 10);
  EXPECT_EQ(printed["table-6.3"], 18);  // Gurobi's are beside our certified optima
  for (const char* table : {"table-6.4", "table-6.5", "table-6.6"}) EXPECT_EQ(printed[table], 30) << table;
  EXPECT_EQ(printed["table-6.7"], 18);
  EXPECT_EQ(printed["figure-6.1"] + printed["figure-6.2"] + printed["figure-6.3"], 0);
  EXPECT_EQ(std::count_if(plan.runs.begin(), plan.runs.end(),
                          [](const auto& run) { return run.row.experiment == "figure-6.1"; }),
            4 * 90);
}

TEST(ReproducePlan, ChoosesWhatIsNamedAndRefusesWhatDoesNotExist) {
  const auto plan = experiments::plan({.experiments = {"table-6.4"},
                                       .algorithms = {"PD-exact"},
                                       .instances = {"P1(200,5)"},
                                       .size = experiments::Size::full});
  ASSERT_EQ(plan.runs.size(), 1);
  EXPECT_EQ(plan.runs[0].row.paper.iterations, 9179);
  EXPECT_EQ(plan.unnamed.size(), 6 * 7);  // of which there is one more: PD-exact+mu
  EXPECT_THROW(experiments::plan({.experiments = {"table-6.9"}}), InvalidArgument);
  EXPECT_THROW(experiments::plan({.algorithms = {"magic"}}), InvalidArgument);
  EXPECT_THROW(experiments::plan({.instances = {"P9(200,5)"}}), InvalidArgument);
  EXPECT_THROW(experiments::plan({.data = "/does/not/exist"}), InvalidArgument);
}

TEST(ReproducePlan, PaperModeGivesTheValuesOfTable61) {
  PENDEC_REQUIRE_DATA(data);
  auto plan = experiments::plan({.experiments = {"table-6.1"}, .data = data});
  for (auto& run : plan.runs) {
    run.measure(run.row, {});
    if (run.row.mode == experiments::default_mode) continue;
    EXPECT_NEAR(run.row.f, run.row.paper.f, 0.01) << run.row.key();
  }
}

TEST(ReproduceRows, GapsAreToTheProvenOptimumOfTheInstance) {
  const auto rows = disjunctive_sample(101.0);
  EXPECT_NEAR(rows[0].gap, 1e-11, 1e-13);
  EXPECT_NEAR(rows[1].gap, 0.01, 1e-12);
  EXPECT_EQ(rows[1].lower_bound, rows[0].lower_bound);
  EXPECT_TRUE(experiments::reaches_optimum(rows[0]));
  EXPECT_FALSE(experiments::reaches_optimum(rows[1]));
}

TEST(ReproduceRows, AreReadAsTheyWereWritten) {
  Row row = sample_row("table-6.4", "P1(200,5)", "PD-exact", experiments::paper_mode, 183.70460234300884);
  row.paper = {183.7, 37.8, 9179};
  row.ends = {1, 2, 3, 4};
  row.trace.resize(2);
  row.trace[1].projections = 7;
  row.trace[1].tau = 0.1;
  const auto object = experiments::to_json(row);
  EXPECT_EQ(experiments::to_json(experiments::row_from_json(object)), object);
  EXPECT_TRUE(object.at("gap").is_null());
  for (const char* field :
       {"experiment", "instance", "algorithm", "mode", "f", "paper_f", "infeasibility", "stationarity", "lower_bound",
        "gap", "status", "outer", "inner", "projections", "seconds", "cpu_seconds"})
    EXPECT_TRUE(object.contains(field)) << field;
}

TEST(ReproduceRows, AFileCutOffInItsLastLineIsReadButNoOtherDamage) {
  const std::string path = ::testing::TempDir() + "/pendec-rows.jsonl";
  const auto rows = disjunctive_sample(101.0);
  experiments::write_rows(path, experiments::machine_header(), {rows[0], rows[1], rows[0]});
  EXPECT_EQ(experiments::read_rows(path).rows.size(), 3);
  std::ofstream(path, std::ios::app) << R"({"experiment":"tab)";
  EXPECT_EQ(experiments::read_rows(path).rows.size(), 3);
  std::ofstream(path, std::ios::app) << "\n{}\n";
  EXPECT_THROW(experiments::read_rows(path), io::FileError);
  std::filesystem::remove(path);
}

TEST(ReproduceFindings, ContradictThePaperOnlyWhereTheRowsDo) {
  const auto missed = experiments::findings(disjunctive_sample(101.0));
  const auto found = experiments::findings(disjunctive_sample(100.0 + 1e-6));
  ASSERT_TRUE(finding(missed, "Always the global"));
  EXPECT_TRUE(finding(missed, "Always the global")->contradicts);
  EXPECT_NE(finding(missed, "Always the global")->text.find("on 1 of 1"), std::string::npos);
  EXPECT_FALSE(finding(found, "Always the global")->contradicts);
  EXPECT_FALSE(finding(found, "augmented Lagrangian"));  // no such rows: nothing is said
  EXPECT_TRUE(experiments::findings({}).size() <= 1);
}

TEST(ReproduceFindings, CompareTheTimesWithTheRunsThatEndAsLowToo) {
  auto rows = disjunctive_sample(101.0);
  rows[1].seconds = 0.01;  // fast, but elsewhere
  const std::string elsewhere = finding(experiments::findings(rows), "Our default")->text;
  EXPECT_NE(elsewhere.find("on 0 of 1, and"), std::string::npos) << elsewhere;
  EXPECT_NE(elsewhere.find("relative, on 1."), std::string::npos) << elsewhere;
  rows[1].f = 100.0;
  const std::string as_low = finding(experiments::findings(rows), "Our default")->text;
  EXPECT_NE(as_low.find("relative, on 0."), std::string::npos) << as_low;
  rows.pop_back();
  const std::string alone = finding(experiments::findings(rows), "Our default")->text;
  EXPECT_EQ(alone.find("faster"), std::string::npos) << alone;
}

TEST(ReproduceFindings, TheTrueAlmContradictsOnlyWhereItIsFaster) {
  std::vector<Row> rows{sample_row("table-6.4", "P1(50,5)", "ALM", experiments::default_mode, 1.0),
                        sample_row("table-6.4", "P1(50,5)", "ALM", experiments::paper_mode, 1.0)};
  rows[0].inner = 100;
  rows[1].inner = 500;
  rows[1].status = "max_time";
  const auto faster = experiments::findings(rows);
  ASSERT_TRUE(finding(faster, "augmented Lagrangian"));
  EXPECT_TRUE(finding(faster, "augmented Lagrangian")->contradicts);
  EXPECT_NE(finding(faster, "augmented Lagrangian")->text.find("at least 5 times fewer"), std::string::npos);
  rows[1].inner = 50;
  EXPECT_FALSE(finding(experiments::findings(rows), "augmented Lagrangian")->contradicts);
}

/// The finding about printed values for the paper's runs of `experiment`, as if each had given what is printed.
std::string printed_values_of(const std::string& experiment, bool with_data) {
  std::vector<Row> rows;
  for (auto& run : experiments::plan({.experiments = {experiment}}).runs) {
    Row row = run.row;
    row.same_instance = row.same_instance || (with_data && !experiment.ends_with("7") && experiment != "figure-6.3");
    row.f = std::isfinite(row.paper.f) ? row.paper.f : 1.0;
    row.inner = row.paper.iterations;
    row.ends = row.paper_ends;
    row.seconds = 1.0;
    rows.push_back(std::move(row));
  }
  const auto all = experiments::findings(rows);
  const auto* found = finding(all, "The printed values");
  return found ? found->text : "";
}

TEST(ReproduceFindings, SayOfEveryExperimentWhetherThePapersValuesCanBeCompared) {
  const std::string agree = "agree with the printed", generated = "were generated", none = "prints no values",
                    unpublished = "never published";
  struct Case {
    const char* experiment;
    std::string without_data, with_data;
  };
  for (const Case& c : {Case{"table-6.1", generated, agree},
                        {"table-6.2", agree, agree},  // Beck and Eldar's example is in the paper
                        {"figure-6.1", none, none},
                        {"table-6.3", generated, agree},
                        {"table-6.4", agree, agree},
                        {"table-6.5", agree, agree},
                        {"table-6.6", agree, agree},
                        {"figure-6.2", none, none},
                        {"table-6.7", unpublished, unpublished},
                        {"figure-6.3", none, none}}) {
    const std::string without_data = printed_values_of(c.experiment, false),
                      with_data = printed_values_of(c.experiment, true);
    EXPECT_NE(without_data.find(c.without_data), std::string::npos) << c.experiment << ": " << without_data;
    EXPECT_NE(with_data.find(c.with_data), std::string::npos) << c.experiment << ": " << with_data;
  }
}

TEST(ReproduceFindings, CountsOfTable62AgreeWithinThreeStandardErrors) {
  std::vector<Row> rows{sample_row("table-6.2", "tau0=1", "PD", experiments::paper_mode, -41.33)};
  rows[0].paper_ends = {661, 339, 0, 0};
  rows[0].ends = {670, 330, 0, 0};
  EXPECT_NE(finding(experiments::findings(rows), "printed values")->text.find("1 of 1 rows"), std::string::npos);
  rows[0].ends = {760, 240, 0, 0};
  EXPECT_NE(finding(experiments::findings(rows), "printed values")->text.find("0 of 1 rows"), std::string::npos);
}

TEST(ReproduceTables, ShowOursBesideThePapers) {
  auto rows = disjunctive_sample(101.0);
  rows[1].paper = {140.58, 2.1};
  rows[1].same_instance = false;
  const auto tables = experiments::tables(rows);
  ASSERT_EQ(tables.size(), 1);
  const std::string text = experiments::to_text(tables[0]);
  EXPECT_NE(text.find("~140.58"), std::string::npos) << text;
  EXPECT_NE(text.find("1.0e-02"), std::string::npos) << text;
  EXPECT_NE(experiments::to_markdown(tables[0]).find("| N=2 | PD | paper | 101 | ~140.58 |"), std::string::npos);
  const std::string csv = experiments::to_csv({.rows = rows});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST(ReproduceOutcome, SaysAtTheTopThatItWasInterruptedAndListsEveryRunThatIsMissing) {
  const auto named = [](const char* experiment, const char* instance, const char* algorithm) {
    return Row{.experiment = experiment, .instance = instance, .algorithm = algorithm, .mode = "paper"};
  };
  experiments::Outcome outcome{.rows = disjunctive_sample(101.0),
                               .not_run = {named("table-6.7", "N=2", "ALM"), named("table-6.7", "N=5", "PD"),
                                           named("table-6.7", "N=5", "ALM"), named("figure-6.3", "seed 1", "PD")},
                               .left_out = {"something else"}};
  outcome.not_run[0].paper = {.f = 140.64, .seconds = 12.02, .iterations = 7};
  EXPECT_EQ(experiments::omissions(outcome),
            (std::vector<std::string>{"table-6.7, interrupted: N=2: ALM; N=5", "figure-6.3, interrupted: everything",
                                      "something else"}));
  const std::string notice = experiments::interruption(outcome);
  EXPECT_TRUE(notice.starts_with("Interrupted: 2 of 6 runs")) << notice;
  const std::string markdown = experiments::to_markdown(outcome), csv = experiments::to_csv(outcome),
                    page = experiments::page(experiments::machine_header(), outcome);
  EXPECT_TRUE(markdown.starts_with("**Interrupted")) << markdown;
  EXPECT_NE(markdown.find("- table-6.7, interrupted: N=2: ALM; N=5\n"), std::string::npos) << markdown;
  EXPECT_LT(page.find("Interrupted: 2 of 6 runs"), page.find("<h2>"));
  EXPECT_GT(page.find("figure-6.3, interrupted: everything"), page.find("Left out</h3>"));
  EXPECT_NE(csv.find("\ntable-6.7,N=2,ALM,paper,,140.64,1,,,,,,not run,,,,7,,,,12.02\n"), std::string::npos) << csv;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 20) << line;
  EXPECT_TRUE(experiments::interruption({.rows = outcome.rows}).empty());
}

TEST(ReproducePage, HoldsEveryExperimentAndItsDataAndNothingFromElsewhere) {
  std::vector<Row> rows;
  for (const std::string& name : experiments::experiment_names()) {
    rows.push_back(proved_row(name, "</script>&", "ours", 1.0));
    if (name == "table-6.2") rows.back().ends = {1, 0, 0, 0};
  }
  experiments::relate(rows);
  const std::string page =
      experiments::page(experiments::machine_header(), {.rows = rows, .left_out = {"something <else>"}});
  EXPECT_EQ(page.find("Interrupted"), std::string::npos);
  for (const std::string& name : experiments::experiment_names())
    EXPECT_NE(page.find("<section id=\"" + name + "\""), std::string::npos) << name;
  EXPECT_NE(page.find("something &lt;else&gt;"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const auto begin = page.find(open) + open.size();
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data.at("rows").size(), rows.size());
  EXPECT_EQ(data.at("rows").at(0).at("instance"), "</script>&");
}

}  // namespace
}  // namespace pendec
