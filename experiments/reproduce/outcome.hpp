// What a reproduction ended with: what ran, what an interrupt kept from running, what was never meant to run.
#pragma once

#include <string>
#include <vector>

#include "experiments/reproduce/row.hpp"

namespace pendec::experiments {

struct Outcome {
  std::vector<Row> rows = {};              // finished
  std::vector<Row> not_run = {};           // planned, but there was an interrupt: names and printed figures alone
  std::vector<std::string> left_out = {};  // never planned; a sentence each
};

/// For the top of every report: that it is not complete. Empty if it is.
std::string interruption(const Outcome& outcome);

/// Everything that has no row: first a sentence for each experiment that the interrupt cut short, then `left_out`.
std::vector<std::string> omissions(const Outcome& outcome);

}  // namespace pendec::experiments
