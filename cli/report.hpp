// What the commands that solve show: tables for people and for files, exit codes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/result.hpp"
#include "pendec/core/types.hpp"

namespace pendec::cli {

/// What the user gave by options, by their names: a field of the library's structs is an option of the program.
std::string in_words_of_the_command_line(const InvalidArgument& error);

int exit_code(Status status);

/// A line of the table for people.
void print_row(std::string_view name, const std::string& value);

/// What every result has: status, method, objective, bound, residuals, then what its class has in single numbers, and
/// the work.
void print_result(const Result& result);

// Parts of that.
void print_status(const Result& result);
void print_stationarity(const Result& result);
void print_work(const Result& result);

/// The number in this format, or "not computed" unless it is finite.
std::string computed(double value, std::string_view format = "{:.12g}");

/// A name as one cell of a CSV file, quoted where it has to be.
std::string csv_cell(const std::string& text);
std::vector<std::string> csv_cells(std::vector<std::string> names);

/// Comma-separated rows that read back as the same numbers, each after its cells in `heads`, if there are some. With
/// columns the first line has their names, after those of the heads.
std::string csv_of(const Matrix& rows, const std::vector<std::string>& columns = {},
                   const std::vector<std::string>& heads = {}, const std::string& of_heads = "");

/// "variable,value", and one line for each.
std::string csv_of(std::vector<std::string> names, In values);

/// One line for each result that has a point: head(result), then all entries of y under their names.
std::string csv_of(const std::vector<Result>& path, const std::vector<std::string>& names,
                   const std::string& of_heads, const std::function<std::string(const Result&)>& head);

}  // namespace pendec::cli
