#include "experiments/reproduce/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/reproduce/plan.hpp"

namespace pendec::experiments {
namespace {

std::string cell(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : std::string("–");
}

/// Columns on a terminal: code points, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t columns, bool left) {
  const std::string space(columns - std::min(columns, width(text)), ' ');
  return left ? text + space : space + text;
}

/// "~" marks a figure of another draw.
std::string printed_cell(const Row& row, double value, const char* format) {
  const std::string text = cell(value, format);
  return std::isfinite(value) && !row.same_instance ? "~" + text : text;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return unknown;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

Table run_by_run(const std::vector<const Row*>& rows) {
  Table table;
  table.columns = {"instance", "algorithm", "mode",        "f",       "paper f", "gap",   "infeas.",
                   "station.", "iter.",     "paper iter.", "seconds", "paper s", "status"};
  bool other_draw = false;
  for (const Row* row : rows) {
    other_draw = other_draw || (!row->same_instance && std::isfinite(row->paper.f));
    table.rows.push_back(
        {row->instance, row->algorithm, row->mode, cell(row->f, "{:.8g}"), printed_cell(*row, row->paper.f, "{:.6g}"),
         cell(row->gap, "{:.1e}"), cell(row->infeasibility, "{:.1e}"), cell(row->stationarity, "{:.1e}"),
         fmt::format("{}", row->inner), row->paper.iterations < 0 ? "–" : fmt::format("{}", row->paper.iterations),
         cell(row->seconds, "{:.3g}"), printed_cell(*row, row->paper.seconds, "{:.4g}"), row->status});
  }
  if (other_draw) table.notes.push_back("~ the paper's figure for another draw of the same kind");
  return table;
}

Table by_ends(const std::vector<const Row*>& rows) {
  Table table;
  table.columns = {"start", "algorithm", "mode", "-41.33", "-39", "-36.33", "others", "paper", "seconds", "status"};
  for (const Row* row : rows) {
    std::vector<std::string> line{row->instance, row->algorithm, row->mode};
    for (const Index count : row->ends) line.push_back(fmt::format("{}", count));
    line.push_back(row->paper_ends.empty() ? "–"
                                           : fmt::format("{}/{}/{}/{}", row->paper_ends[0], row->paper_ends[1],
                                                         row->paper_ends[2], row->paper_ends[3]));
    line.push_back(cell(row->seconds, "{:.3g}"));
    line.push_back(row->status);
    table.rows.push_back(std::move(line));
  }
  table.notes.push_back("how many runs from random starts end at which value; paper: of 1000");
  return table;
}

/// Figures 6.1 and 6.3: one line an algorithm.
Table by_algorithm(const std::vector<const Row*>& rows) {
  Table table;
  table.names = 2;
  table.columns = {"algorithm",  "mode",      "runs",     "proved", "optimal",
                   "median gap", "worst gap", "median s", "total s"};
  std::vector<std::pair<std::string, std::vector<const Row*>>> groups;
  for (const Row* row : rows) {
    const auto same = [&](const auto& group) {
      return group.second.front()->algorithm == row->algorithm && group.second.front()->mode == row->mode;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end())
      groups.push_back({row->algorithm, {row}});
    else
      found->second.push_back(row);
  }
  for (const auto& [name, group] : groups) {
    std::vector<double> gaps, seconds;
    double total = 0.0;
    Index proved = 0, optimal = 0;
    for (const Row* row : group) {
      proved += is_certified(*row);
      optimal += reaches_optimum(*row);
      if (std::isfinite(row->gap)) gaps.push_back(row->gap);
      seconds.push_back(row->seconds);
      total += row->seconds;
    }
    table.rows.push_back({name, group.front()->mode, fmt::format("{}", group.size()), fmt::format("{}", proved),
                          fmt::format("{}", optimal), cell(median_of(gaps), "{:.1e}"),
                          gaps.empty() ? "–" : cell(*std::max_element(gaps.begin(), gaps.end()), "{:.1e}"),
                          cell(median_of(seconds), "{:.3g}"), cell(total, "{:.3g}")});
  }
  table.notes.push_back(
      "proved: with a certificate of global optimality; optimal: within 1e-4 of the proven optimum,\n"
      "relative, and infeasible by at most 1e-4. Gaps below zero belong to infeasible points.");
  return table;
}

std::string csv_cell(const std::string& text) {
  return text.find_first_of(",\"") == std::string::npos ? text : fmt::format("\"{}\"", text);
}

std::string csv_cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

}  // namespace

Table run_table(const std::vector<Row>& rows) {
  std::vector<const Row*> all;
  for (const Row& row : rows) all.push_back(&row);
  return run_by_run(all);
}

std::vector<Table> tables(const std::vector<Row>& rows) {
  std::vector<Table> out;
  for (const std::string& name : experiment_names()) {
    std::vector<const Row*> own;
    for (const Row& row : rows)
      if (row.experiment == name) own.push_back(&row);
    if (own.empty()) continue;
    Table table = name == "table-6.2"                            ? by_ends(own)
                  : name == "figure-6.1" || name == "figure-6.3" ? by_algorithm(own)
                                                                 : run_by_run(own);
    table.experiment = name;
    table.title = experiment_title(name);
    out.push_back(std::move(table));
  }
  return out;
}

std::string to_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    widths.push_back(width(table.columns[j]));
    for (const auto& row : table.rows) widths[j] = std::max(widths[j], width(row[j]));
  }
  const auto left = [&](std::size_t j) { return j < table.names || table.columns[j] == "status"; };
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t j = 0; j < cells.size(); ++j) text += padded(cells[j], widths[j], left(j)) + "  ";
    while (text.ends_with(' ')) text.pop_back();
    return text + '\n';
  };
  std::size_t total = 0;
  for (const std::size_t w : widths) total += w + 2;
  std::string out = table.title + '\n' + line(table.columns) + std::string(total - 2, '-') + '\n';
  std::string last;
  for (std::vector<std::string> row : table.rows) {
    const std::string first = row[0];
    if (table.names > 2 && first == last) row[0].clear();  // named once a group
    last = first;
    out += line(row);
  }
  for (const std::string& note : table.notes) out += note + '\n';
  return out;
}

std::string to_markdown(const Table& table) {
  std::string out = fmt::format("## {}\n\n|", table.title);
  for (const std::string& column : table.columns) out += fmt::format(" {} |", column);
  out += "\n|";
  for (std::size_t j = 0; j < table.columns.size(); ++j) out += j < table.names ? "---|" : "---:|";
  for (const auto& row : table.rows) {
    out += "\n|";
    for (const std::string& text : row) out += fmt::format(" {} |", text);
  }
  out += '\n';
  for (const std::string& note : table.notes) out += '\n' + note;
  if (!table.notes.empty()) out += '\n';
  return out;
}

std::string to_markdown(const Outcome& outcome) {
  std::string out;
  if (const std::string notice = interruption(outcome); !notice.empty()) out += fmt::format("**{}**\n\n", notice);
  for (const Table& table : tables(outcome.rows)) out += to_markdown(table) + '\n';
  const auto omitted = omissions(outcome);
  if (!omitted.empty()) out += "## Left out\n\n";
  for (const std::string& sentence : omitted) out += fmt::format("- {}\n", sentence);
  return out;
}

std::string to_csv(const Outcome& outcome) {
  std::string out =
      "experiment,instance,algorithm,mode,f,paper_f,same_instance,infeasibility,explained,stationarity,lower_bound,"
      "gap,"
      "status,outer,inner,projections,paper_iterations,seconds,cpu_seconds,projection_seconds,paper_seconds\n";
  const auto iterations = [](const Row& r) {
    return r.paper.iterations < 0 ? std::string() : fmt::format("{}", r.paper.iterations);
  };
  for (const Row& r : outcome.rows)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.experiment,
                       csv_cell(r.instance), csv_cell(r.algorithm), r.mode, csv_cell(r.f), csv_cell(r.paper.f),
                       r.same_instance ? 1 : 0, csv_cell(r.infeasibility), csv_cell(r.explained),
                       csv_cell(r.stationarity), csv_cell(r.lower_bound), csv_cell(r.gap), r.status, r.outer, r.inner,
                       r.projections, iterations(r), csv_cell(r.seconds), csv_cell(r.cpu_seconds),
                       csv_cell(r.projection_seconds), csv_cell(r.paper.seconds));
  for (const Row& r : outcome.not_run)
    out += fmt::format("{},{},{},{},,{},{},,,,,,not run,,,,{},,,,{}\n", r.experiment, csv_cell(r.instance),
                       csv_cell(r.algorithm), r.mode, csv_cell(r.paper.f), r.same_instance ? 1 : 0, iterations(r),
                       csv_cell(r.paper.seconds));
  return out;
}

}  // namespace pendec::experiments
