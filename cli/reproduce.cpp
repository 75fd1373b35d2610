// pendec reproduce: the paper's tables and figures, ours beside theirs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/show.hpp"
#include "experiments/reproduce/findings.hpp"
#include "experiments/reproduce/page.hpp"
#include "experiments/reproduce/plan.hpp"
#include "experiments/reproduce/rows_log.hpp"
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

std::string without_spaces_around(std::string_view text) {
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string_view::npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

/// "PD, ALM" are two names, "P1(200,5),P2(200,5)" too: commas inside parentheses belong to the name.
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
  for (std::string& name : names) name = without_spaces_around(name);
  return names;
}

std::string duration(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

/// What runs, how far we are, and the time left as far as the runs so far tell, on a line of the terminal.
class Countdown {
 public:
  Countdown(const std::vector<experiments::Run>& runs, bool wanted) : line_(wanted) {
    for (const experiments::Run& run : runs) left_ += run.expected_seconds;
  }

  void show(std::size_t k, std::size_t total, const experiments::Row& row) {
    const double pace = expected_ > 0.0 ? spent_ / expected_ : 1.0;
    line_.draw(fmt::format("{}/{}  about {} left  {}  {}  {} ({})", k + 1, total, duration(pace * left_),
                           row.experiment, row.instance, row.algorithm, row.mode));
  }
  void done(const experiments::Run& run, double seconds) {
    left_ -= run.expected_seconds;
    expected_ += run.expected_seconds;
    spent_ += seconds;
  }

 private:
  TerminalLine line_;
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

/// The tables, what they show, what is missing.
void print_outcome(const experiments::Outcome& outcome) {
  if (const std::string notice = experiments::interruption(outcome); !notice.empty())
    fmt::print("{}\n\n", printable(notice, true));
  for (const experiments::Table& table : experiments::tables(outcome.rows))
    fmt::print("{}\n", printable(experiments::to_text(table), true));
  for (const experiments::Finding& finding : experiments::findings(outcome.rows))
    show("{}{}. {}\n\n", finding.contradicts ? "(!) " : "", finding.heading, finding.text);
  if (const auto omitted = experiments::omissions(outcome); !omitted.empty())
    fmt::print("Left out:\n  {}\n", printable(fmt::format("{}", fmt::join(omitted, "\n  ")), true));
}

/// Every file that can be written is, before the first failure of another is thrown.
void write_outcome(const ReproduceArguments& a, const nlohmann::ordered_json& header,
                   const experiments::Outcome& outcome) {
  std::exception_ptr failure;
  const auto write = [&](const std::string& path, const auto& text) {
    if (path.empty()) return false;
    try {
      write_output(path, text());
      return true;
    } catch (const io::FileError&) {
      if (!failure) failure = std::current_exception();
      return false;
    }
  };
  write(a.markdown, [&] { return experiments::to_markdown(outcome); });
  write(a.csv, [&] { return experiments::to_csv(outcome); });
  if (write(a.report, [&] { return experiments::page(header, outcome); }) && !a.quiet)
    show("Report: {}\n", std::filesystem::absolute(a.report).lexically_normal().string());
  if (failure) std::rethrow_exception(failure);
}

/// The runs whose rows are there already need not be made again.
void skip_finished(experiments::Plan& plan, const std::vector<experiments::Row>& rows) {
  std::set<std::string> finished;
  for (const experiments::Row& row : rows) finished.insert(row.key());
  std::erase_if(plan.runs, [&](const experiments::Run& run) { return finished.contains(run.row.key()); });
  std::erase_if(plan.unnamed, [&](const experiments::Row& row) { return finished.contains(row.key()); });
}

int reproduce(const ReproduceArguments& a) {
  require_outputs({{"--json", a.json}, {"--markdown", a.markdown}, {"--csv", a.csv}, {"--report", a.report}}, {});
  experiments::Selection selection{.experiments = a.experiments,
                                   .algorithms = names_in(a.algorithms),
                                   .instances = names_in(a.instances),
                                   .size = a.quick  ? experiments::Size::quick
                                           : a.full ? experiments::Size::full
                                                    : experiments::Size::normal};
  if (!a.data.empty()) selection.data = a.data;
  experiments::Plan plan = experiments::plan(selection);
  auto header = reproduce_header(selection);
  experiments::Outcome outcome;
  std::optional<experiments::RowsLog> log;
  if (!a.json.empty()) {
    log.emplace(a.json, header);
    header = log->header();
    outcome.rows = log->earlier();
    skip_finished(plan, outcome.rows);
    if (!a.quiet && !outcome.rows.empty())
      show("{} rows are in {} already and stay as they are; {} runs to do\n\n", outcome.rows.size(), a.json,
           plan.runs.size());
    if (!plan.runs.empty()) log->begin(outcome.rows.size() + plan.runs.size());
  }
  outcome.left_out = plan.left_out;
  if (!plan.unnamed.empty())
    outcome.left_out.push_back(
        fmt::format("{} runs that --algorithms and --instances do not name", plan.unnamed.size()));

  const Interrupt interrupt;
  std::size_t done = 0;
  {
    Countdown countdown(plan.runs, !a.quiet);
    for (; done < plan.runs.size(); ++done) {
      experiments::Run& run = plan.runs[done];
      countdown.show(done, plan.runs.size(), run.row);
      experiments::Row row = run.row;
      run.measure(row, interrupt.token());
      if (interrupt.requested()) break;  // the run under way was cut short and is not a row
      countdown.done(run, row.seconds);
      outcome.rows.push_back(std::move(row));
      experiments::relate(outcome.rows);
      if (log) {
        const Impatience impatience(may_wait(a.json));
        log->append(outcome.rows.back());
      }
    }
  }
  for (std::size_t k = done; k < plan.runs.size(); ++k) outcome.not_run.push_back(plan.runs[k].row);
  if (log && done > 0) log->end(outcome.rows);
  if (!a.quiet) print_outcome(outcome);
  write_outcome(a, header, outcome);
  if (outcome.not_run.empty()) return solved;
  fmt::print(stderr, "interrupted: {} of {} runs are finished{}\n", outcome.rows.size(),
             outcome.rows.size() + outcome.not_run.size(), log ? "; the same command goes on from there" : "");
  return interrupted;
}

}  // namespace

void add_reproduce(CLI::App& app, Job& job) {
  const auto a = std::make_shared<ReproduceArguments>();
  auto* command = app.add_subcommand("reproduce", "Run the paper's experiments and compare with its figures");
  command->add_option("EXPERIMENT", a->experiments,
                      "table-6.1, table-6.2, figure-6.1, table-6.3 ... table-6.6, figure-6.2, table-6.7, figure-6.3; "
                      "without any, all");
  command->add_option("--data", a->data, "Folder with the authors' instances; without it they are generated");
  auto* quick = command->add_flag("--quick", a->quick, "Small instances: everything in about two minutes");
  command->add_flag("--full", a->full, "All algorithms on all instances: hours")->excludes(quick);
  command->add_option("--algorithms", a->algorithms, "Only these, separated by commas")->allow_extra_args(false);
  command->add_option("--instances", a->instances, "Only these, separated by commas")->allow_extra_args(false);
  add_output(*command, "--json", a->json,
             "Write a header and the rows to this file, one JSON object a line; goes on where its rows end");
  add_output(*command, "--markdown", a->markdown, "Write the tables to this file, as Markdown");
  add_output(*command, "--csv", a->csv, "Write the rows to this file, as CSV");
  add_output(*command, "--report", a->report, "Write the report, one HTML page, to this file")->take_last();
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors");
  command->callback([&job, a] { job.run = [a] { return reproduce(*a); }; });
}

}  // namespace pendec::cli
