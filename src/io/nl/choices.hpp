// What suffixes and discrete variables say about the set D of a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "file.hpp"
#include "pendec/core/set.hpp"

namespace pendec::io::nl {

struct Presolved;

/// At most `most` of these variables are not zero.
struct CountedGroup {
  std::vector<Index> variables = {};
  Index most = 1;
  bool in_budget = false;  // counted by the limit of the problem: a card_group is, SOS1 is not
};

struct Choices {
  std::vector<Index> binary;
  std::vector<CountedGroup> groups;            // SOS1 (most: 1) and cardinality
  std::vector<std::vector<Index>> neighbours;  // SOS2: in their order
  std::vector<double> least;                   // of each semicontinuous variable; 0: it is none
  std::optional<Index> most = {};              // of all variables in groups with a budget

  bool empty() const;
  std::vector<char> touched(Index variables) const;
};

/// An integer lies between integers; bounds that leave one number make it that number.
void round_bounds_of_integers(File& file);

/// Throws FileError for integer variables that are not binary, and for suffixes that contradict each other.
Choices choices_of(const File& file, const std::vector<std::string>& names);

/// Why no point is feasible, where bounds leave more nonzeros than may be, or a value that is none; else empty.
std::string contradiction_of(const Choices& choices, const Presolved& presolved,
                             const std::vector<std::string>& names);

/// D of the variables that are left: their bounds, and what is chosen.
Set domain_of(const Choices& choices, const Presolved& presolved, const std::vector<std::string>& names);

}  // namespace pendec::io::nl
