// What a set of rows shows, in plain words: where it agrees with the paper and where it does not.
#pragma once

#include <string>
#include <vector>

#include "experiments/reproduce/row.hpp"

namespace pendec::experiments {

struct Finding {
  std::string heading, text;
  bool contradicts = false;  // a claim of the paper
};

/// Every sentence is computed from the rows; what they do not show is not said.
std::vector<Finding> findings(const std::vector<Row>& rows);

}  // namespace pendec::experiments
