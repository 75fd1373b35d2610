// What the commands with a certified optimum share: options, output, exit codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/report.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"

namespace pendec::cli {

/// Where results go and when to give up.
struct CertifiedArguments {
  Outputs outputs;
  SparseQpOptions solver;
};

/// A check of options, with a message for people.
CLI::Validator positive();

void add_certified_options(CLI::App& command, CertifiedArguments& a, const std::string& table);

/// Limits and Ctrl-C; on a terminal, a line of progress while branch and bound takes its time.
SparseQpOptions solver_options(const CertifiedArguments& a, const Interrupt& interrupt);

/// The vector in a file, or zeros where none is named; `option` is blamed for a wrong length.
Vector vector_option(const std::string& option, const std::string& path, Index n);

/// The rows that all tables have: status, objective, bound, work.
void print_certificate(const Result& result);

/// One line for each result that has a point: `head`, then all entries of y under their names.
std::string csv_of_path(const std::vector<Result>& path, const std::string& head,
                        const std::vector<std::string>& names, const std::function<std::string(const Result&)>& line);

/// Beyond that a table is more likely to have lost its line breaks.
inline constexpr Index max_named_columns = 1'000'000;

/// Throws FileError if a table has more columns than can be named and compared.
void require_few_columns(const std::string& file, Index columns);

/// Columns are spoken of by name: throws FileError if two have the same.
void require_distinct(const std::string& file, std::vector<std::string> names);

/// "AAPL" or a position from 0, one of `names`; throws InvalidArgument that lists what there is.
Index index_of(const std::string& option, const std::string& text, const std::vector<std::string>& names);
std::vector<Index> indices_of(const std::string& option, const std::vector<std::string>& texts,
                              const std::vector<std::string>& names);

}  // namespace pendec::cli
