#include "cli/solver_command.hpp"

#include <algorithm>
#include <exception>

#include "cli/report.hpp"
#include "pendec/io/file_error.hpp"

namespace pendec::cli {
namespace {

constexpr const char* of_outputs = "Output";

}  // namespace

std::string typed(std::string_view field) {
  std::string name(field.size() == 1 || field.substr(1, 1) == "[" ? "-" : "--");
  for (const char c : field) name += c == '_' ? '-' : c;
  return name;
}

CLI::Option* SolverCommand::input(const std::string& names, std::string& path, const std::string& text) {
  files_->inputs.push_back(&path);
  return command_->add_option(names, path, text);
}

Outputs& SolverCommand::outputs(const std::string& table) {
  Outputs& o = files_->outputs;
  output("-o,--output", o.output, "Write the result to this file as JSON, as a whole or not at all");
  output("--csv", o.csv, fmt::format("Write {} to this CSV file", table));
  auto* json = command_->add_flag("--json", o.json, "Print the result as one JSON object instead of the table");
  json->group(of_outputs);
  command_->add_flag("-q,--quiet", o.quiet, "Print nothing but errors")->excludes(json)->group(of_outputs);
  return o;
}

void SolverCommand::output(const std::string& names, std::string& path, const std::string& text) {
  files_->others.emplace_back(names.substr(names.find("--")), &path);
  add_output(*command_, names, path, text)->group(of_outputs);
}

void SolverCommand::Files::require_writable() const {
  std::vector<std::filesystem::path> read;
  for (const std::string* path : inputs) read.emplace_back(*path);
  require_apart_from(read);
}

void SolverCommand::Files::require_apart_from(const std::vector<std::filesystem::path>& data) const {
  std::vector<Output> written;
  for (const auto& [option, path] : others) written.push_back({option, *path});
  require_outputs(written, data);
}

ProblemRecord SolverCommand::record_of(const CLI::App& command) {
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

void Run::write(const Table& json, const Table& table, const Print& print) {
  line_.wipe();
  std::exception_ptr unwritten;
  const auto attempt = [&](const std::string& path, const Table& text) {
    try {
      if (!path.empty()) write_output(path, text());
    } catch (const io::FileError&) {
      unwritten = std::current_exception();
    }
  };
  attempt(to_.output, json);
  if (table) attempt(to_.csv, table);
  if (to_.json)
    fmt::print("{}\n", json());
  else if (!to_.quiet)
    print();
  if (unwritten) std::rethrow_exception(unwritten);
}

int Run::report(Result& result, const Table& table, const Print& print) {
  result.problem = record_;
  write([&] { return to_json(result); }, table, print);
  return exit_code(result.status);
}

int Run::report(std::vector<Result>& path, std::optional<std::size_t> chosen, const Table& table,
                const Print& print) {
  int worst = solved;
  for (Result& result : path) {
    result.problem = record_;
    worst = std::max(worst, exit_code(result.status));
  }
  write([&] { return to_json(path, chosen); }, table, print);
  return chosen ? exit_code(path[*chosen].status) : worst;
}

}  // namespace pendec::cli
