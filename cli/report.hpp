// What the commands that solve share: where results go, exit codes, tables, matrices as files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/result.hpp"
#include "pendec/core/types.hpp"

namespace pendec::cli {

struct Outputs {
  std::string output, csv;
  bool json = false, quiet = false;

  bool people() const { return !json && !quiet; }  // is there to be a table?
};

/// -o, --csv, --json and -q; `table` says what the CSV file holds.
void add_outputs(CLI::App& command, Outputs& outputs, const std::string& table);

/// The arguments that a command was given, without those of its outputs.
ProblemRecord record_of(const CLI::App& command);

/// Results on their way out: files first, then standard output. What cannot be written, to a full disk, is shown
/// nevertheless.
struct Report {
  const Outputs& to;
  ProblemRecord problem;
  std::function<std::string()> table = {};  // of --csv
  std::function<void()> print = {};         // for people

  int operator()(Result& result) const;                                                // returns the exit code
  int operator()(std::vector<Result>& path, std::optional<std::size_t> chosen) const;  // of the chosen, or the worst

 private:
  void write(const std::function<std::string()>& json) const;
};

/// The claims of a result of the problem in a file, or of its pairs.
std::vector<Claim> verify_file(const std::string& path, bool confine, const Result& claimed);

/// What the user gave by options, by their names: a field of the library's structs is an option of the program.
std::string in_words_of_the_command_line(const InvalidArgument& error);

int exit_code(Status status);

/// A line of the table for people.
void print_row(std::string_view name, const std::string& value);
void print_status(const Result& result);
void print_work(const Result& result);  // iterations and seconds

/// The number in this format, or "not computed" unless it is finite.
std::string computed(double value, std::string_view format = "{:.12g}");

/// A name as one cell of a CSV file, quoted where it has to be.
std::string csv_cell(const std::string& text);

/// Comma-separated rows that read back as the same numbers.
std::string csv_of(const Matrix& matrix);

/// "variable,value", and one line for each.
std::string csv_of(const std::vector<std::string>& names, In values);

}  // namespace pendec::cli
