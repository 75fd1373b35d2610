// Rows as tables for people: ours beside the paper's.
#pragma once

#include <string>
#include <vector>

#include "experiments/reproduce/outcome.hpp"

namespace pendec::experiments {

struct Table {
  std::string experiment, title;
  std::vector<std::string> notes;    // lines below the table
  std::vector<std::string> columns;  // the first `names` of them hold words, the others numbers
  std::size_t names = 3;
  std::vector<std::vector<std::string>> rows;
};

/// One table an experiment, in the order of the paper; experiments with many instances as one line an algorithm.
std::vector<Table> tables(const std::vector<Row>& rows);

/// A line a run, whatever the experiment.
Table run_table(const std::vector<Row>& rows);

std::string to_text(const Table& table);
std::string to_markdown(const Table& table);

/// All tables, what was left out, and first of all whether something was interrupted.
std::string to_markdown(const Outcome& outcome);

/// Every row with all figures, for spreadsheets. What an interrupt kept from running has the status "not run", the
/// printed figures and no others.
std::string to_csv(const Outcome& outcome);

}  // namespace pendec::experiments
