#include "cli/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "cli/fields.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/file_error.hpp"

namespace pendec::cli {
namespace {

constexpr const char* of_outputs = "Output";

}  // namespace

void add_confine(CLI::App& command, bool& confine) {
  command.add_flag(
      "--confine,!--no-confine", confine,
      fmt::format("Refuse data files outside the folder of the problem file{}", confine ? " (default)" : ""));
}

void add_outputs(CLI::App& command, Outputs& o, const std::string& table) {
  add_output(command, "-o,--output", o.output, "Write the result to this file as JSON, as a whole or not at all")
      ->group(of_outputs);
  add_output(command, "--csv", o.csv, fmt::format("Write {} to this CSV file", table))->group(of_outputs);
  auto* json = command.add_flag("--json", o.json, "Print the result as one JSON object instead of the table");
  json->group(of_outputs);
  command.add_flag("-q,--quiet", o.quiet, "Print nothing but errors")->excludes(json)->group(of_outputs);
}

ProblemRecord record_of(const CLI::App& command) {
  ProblemRecord record{.command = command.get_name()};
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_group() == of_outputs) continue;
    const std::vector<std::string>& values = option->results();
    const std::string name = option->get_name();
    if (option->get_positional()) {
      record.file = values.front();
    } else if (option->get_type_size_max() > 1) {
      record.arguments.push_back(name);
      record.arguments.insert(record.arguments.end(), values.begin(), values.end());
    } else {
      for (const std::string& value : values) record.arguments.push_back(fmt::format("{}={}", name, value));
    }
  }
  return record;
}

void Report::write(const std::function<std::string()>& json) const {
  std::exception_ptr unwritten;
  const auto attempt = [&](const std::string& path, const std::function<std::string()>& text) {
    try {
      if (!path.empty()) write_output(path, text());
    } catch (const io::FileError&) {
      unwritten = std::current_exception();
    }
  };
  attempt(to.output, json);
  if (table) attempt(to.csv, table);
  if (to.json)
    fmt::print("{}\n", json());
  else if (!to.quiet)
    print();
  if (unwritten) std::rethrow_exception(unwritten);
}

int Report::operator()(Result& result) const {
  result.problem = problem;
  write([&] { return to_json(result); });
  return exit_code(result.status);
}

int Report::operator()(std::vector<Result>& path, std::optional<std::size_t> chosen) const {
  int worst = solved;
  for (Result& result : path) {
    result.problem = problem;
    worst = std::max(worst, exit_code(result.status));
  }
  write([&] { return to_json(path, chosen); });
  return chosen ? exit_code(path[*chosen].status) : worst;
}

std::string typed(std::string_view field) {
  std::string name(field.size() == 1 || field.substr(1, 1) == "[" ? "-" : "--");
  for (const char c : field) name += c == '_' ? '-' : c;
  return name;
}

std::string in_words_of_the_command_line(const InvalidArgument& error) {
  static constexpr std::pair<std::string_view, std::string_view> others[] = {{"LinearModel.b", "--target, row "},
                                                                             {"SparseQp.Q", "the matrix"}};
  const std::string& field = error.field();
  const auto told = [&](const std::string& option) {
    return fmt::format("{} is {}; expected {}", option, error.value(), error.expected());
  };
  for (const auto& [name, words] : others)
    if (field == name || field.starts_with(fmt::format("{}[", name)))
      return told(std::string(words) + field.substr(name.size()));
  for (const char* owner : {"Options.", "Problem.", "SparseQp.", "LinearModel."})
    if (field.find(owner) != std::string::npos) return told(typed(field.substr(field.rfind('.') + 1)));
  return error.what();
}

void add_solvers(CLI::App& app, Job& job) {
  add_solve(app, job);
  add_sparse(app, job);
  add_portfolio(app, job);
  add_disjunctive(app, job);
  add_correlation(app, job);
  add_multitask(app, job);
  add_complete(app, job);
  add_maxcut(app, job);
}

int exit_code(Status status) {
  if (succeeded(status)) return solved;
  return status == Status::interrupted ? interrupted : not_solved;
}

void print_row(std::string_view name, const std::string& value) { show("{:<15}{}\n", name, value); }

void print_status(const Result& r) { print_row("status", fmt::format("{}: {}", to_string(r.status), r.message)); }

void print_work(const Result& r) {
  print_row("work",
            fmt::format("{} iterations{}, {:.3g} s", r.counts.outer,
                        r.counts.starts > 0 ? fmt::format(", {} starts", r.counts.starts) : "", r.times.total));
}

std::string computed(double value, std::string_view format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "not computed";
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",;\"\t\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

std::string csv_of(const Matrix& matrix) {
  std::string text;
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (j > 0) text += ',';
      text += to_text(matrix(i, j));
    }
    text += '\n';
  }
  return text;
}

std::string csv_of(const std::vector<std::string>& names, In values) {
  std::string text = "variable,value\n";
  for (Index i = 0; i < values.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    text += fmt::format("{},{}\n", k < names.size() ? csv_cell(names[k]) : to_text(i), to_text(values[i]));
  }
  return text;
}

}  // namespace pendec::cli
