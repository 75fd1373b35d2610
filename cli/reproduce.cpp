// pendec reproduce: the paper's tables and figures, ours beside theirs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "experiments/reproduce/findings.hpp"
#include "experiments/reproduce/page.hpp"
#include "experiments/reproduce/plan.hpp"
#include "experiments/reproduce/rows_file.hpp"
#include "experiments/reproduce/tables.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"

namespace pendec::cli {
namespace {

struct ReproduceArguments {
  std::vector<std::string> experiments, algorithms, instances;
  std::string data, json, markdown, csv, report;
  bool quick = false, full = false, quiet = false;
};

/// "PD,ALM" are two names, "P1(200,5),P2(200,5)" too: commas inside parentheses belong to the name.
std::vector<std::string> names_in(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    int depth = 0;
    names.emplace_back();
    for (const char c : list) {
      depth += (c == '(') - (c == ')');
      if (c == ',' && depth == 0)
        names.emplace_back();
      else
        names.back() += c;
    }
  }
  return names;
}

std::string duration(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

/// One line on the terminal: what runs, how far we are, and the time left as far as the runs so far tell.
class Countdown {
 public:
  Countdown(const std::vector<experiments::Run>& runs, bool wanted) : active_(wanted && isatty(STDERR_FILENO) == 1) {
    for (const experiments::Run& run : runs) left_ += run.expected_seconds;
  }
  ~Countdown() {
    if (active_) fmt::print(stderr, "\r\033[K");
  }
  Countdown(const Countdown&) = delete;
  Countdown& operator=(const Countdown&) = delete;

  void show(std::size_t k, std::size_t total, const experiments::Row& row) const {
    if (!active_) return;
    const double pace = expected_ > 0.0 ? spent_ / expected_ : 1.0;
    fmt::print(stderr, "\r\033[K{}/{}  about {} left  {}  {}  {} ({})", k + 1, total, duration(pace * left_),
               row.experiment, row.instance, row.algorithm, row.mode);
    std::fflush(stderr);
  }
  void done(const experiments::Run& run, double seconds) {
    left_ -= run.expected_seconds;
    expected_ += run.expected_seconds;
    spent_ += seconds;
  }

 private:
  bool active_;
  double left_ = 0.0, expected_ = 0.0, spent_ = 0.0;
};

nlohmann::ordered_json reproduce_header(const experiments::Selection& s) {
  nlohmann::ordered_json header = experiments::machine_header();
  header["options"] = {{"size", experiments::to_string(s.size)},
                       {"data", s.data.has_value()},
                       {"experiments", s.experiments},
                       {"algorithms", s.algorithms},
                       {"instances", s.instances}};
  return header;
}

/// The rows of an earlier --full run into the same file; none if there is no file. Rows of another kind of run must
/// not be mixed with these.
std::vector<experiments::Row> earlier_rows(const std::string& path, const nlohmann::ordered_json& header) {
  if (path.empty() || !std::filesystem::exists(path)) return {};
  experiments::RowsFile file = experiments::read_rows(path);
  for (const char* option : {"size", "data"})
    if (file.header["options"][option] != header["options"][option])
      throw InvalidArgument("--json", path, "a new file, or one of an earlier --full run with the same kind of data");
  return std::move(file.rows);
}

/// The tables, what they show, what is missing.
void print_outcome(const std::vector<experiments::Row>& rows, const std::vector<std::string>& left_out) {
  for (const experiments::Table& table : experiments::tables(rows)) fmt::print("{}\n", experiments::to_text(table));
  for (const experiments::Finding& finding : experiments::findings(rows))
    fmt::print("{}{}. {}\n\n", finding.contradicts ? "(!) " : "", finding.heading, finding.text);
  if (!left_out.empty()) fmt::print("Left out:\n  {}\n", fmt::join(left_out, "\n  "));
}

void write_outcome(const ReproduceArguments& a, const nlohmann::ordered_json& header,
                   const std::vector<experiments::Row>& rows, const std::vector<std::string>& left_out) {
  std::string markdown;
  for (const experiments::Table& table : experiments::tables(rows))
    markdown += experiments::to_markdown(table) + '\n';
  if (!a.markdown.empty()) io::write_atomically(a.markdown, markdown);
  if (!a.csv.empty()) io::write_atomically(a.csv, experiments::to_csv(rows));
  if (a.report.empty()) return;
  io::write_atomically(a.report, experiments::page(header, rows, left_out));
  if (!a.quiet) fmt::print("Report: {}\n", std::filesystem::absolute(a.report).lexically_normal().string());
}

int reproduce(const ReproduceArguments& a) {
  for (const std::string& path : {a.json, a.markdown, a.csv, a.report})
    if (!path.empty()) io::require_writable(path);
  experiments::Selection selection{.experiments = a.experiments,
                                   .algorithms = names_in(a.algorithms),
                                   .instances = names_in(a.instances),
                                   .size = a.quick  ? experiments::Size::quick
                                           : a.full ? experiments::Size::full
                                                    : experiments::Size::normal};
  if (!a.data.empty()) selection.data = a.data;
  experiments::Plan plan = experiments::plan(selection);
  const auto header = reproduce_header(selection);
  std::vector<experiments::Row> rows;
  if (a.full) rows = earlier_rows(a.json, header);
  std::set<std::string> finished;
  for (const experiments::Row& row : rows) finished.insert(row.key());
  std::erase_if(plan.runs, [&](const experiments::Run& run) { return finished.contains(run.row.key()); });
  if (!a.json.empty()) experiments::write_rows(a.json, header, rows);

  const Interrupt interrupt;
  {
    Countdown countdown(plan.runs, !a.quiet);
    for (std::size_t k = 0; k < plan.runs.size(); ++k) {
      experiments::Run& run = plan.runs[k];
      countdown.show(k, plan.runs.size(), run.row);
      run.measure(run.row, interrupt.token());
      if (interrupt.requested()) break;  // the run under way was cut short and is not a row
      countdown.done(run, run.row.seconds);
      rows.push_back(run.row);
      experiments::relate(rows);
      if (!a.json.empty()) experiments::append_row(a.json, rows.back());
    }
  }
  if (!a.quiet) print_outcome(rows, plan.left_out);
  write_outcome(a, header, rows, plan.left_out);
  if (interrupt.requested()) fmt::print(stderr, "interrupted: {} runs are finished\n", rows.size());
  return interrupt.requested() ? interrupted : solved;
}

}  // namespace

void add_reproduce(CLI::App& app, Run& run) {
  const auto a = std::make_shared<ReproduceArguments>();
  auto* command = app.add_subcommand("reproduce", "Run the paper's experiments and compare with its figures");
  command->add_option("EXPERIMENT", a->experiments,
                      "table-6.1, table-6.2, figure-6.1, table-6.3 ... table-6.6, figure-6.2, table-6.7, figure-6.3; "
                      "without any, all");
  command->add_option("--data", a->data, "Folder with the authors' instances; without it they are generated");
  auto* quick = command->add_flag("--quick", a->quick, "Small instances: everything in about two minutes");
  command->add_flag("--full", a->full, "All algorithms on all instances; goes on where the rows in --json end")
      ->excludes(quick);
  command->add_option("--algorithms", a->algorithms, "Only these, separated by commas")->allow_extra_args(false);
  command->add_option("--instances", a->instances, "Only these, separated by commas")->allow_extra_args(false);
  command->add_option("--json", a->json, "Write a header and the rows to this file, one JSON object a line");
  command->add_option("--markdown", a->markdown, "Write the tables to this file, as Markdown");
  command->add_option("--csv", a->csv, "Write the rows to this file, as CSV");
  command->add_option("--report", a->report, "Write the report, one HTML page, to this file")->take_last();
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors");
  command->callback([&run, a] { run = [a] { return reproduce(*a); }; });
}

}  // namespace pendec::cli
