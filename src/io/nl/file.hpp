// What an .nl file says, checked as it is read: nothing after this has to doubt an index, a count or an operation.
//
// The format is that of D. M. Gay, "Writing .nl files" (Sandia report 2005-7907P) and of AMPL's own library for
// solvers. That library is not used: of 1000 damaged files it ended the process for 122, crashed on 21 and hung on 3,
// so every file would have to be read completely before it; what is then left to do is to evaluate expressions
// (tape.hpp), which needs no state that threads would have to share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pendec/core/types.hpp"

namespace pendec::io::nl {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The operations that are read, by their numbers in the file; the last two are ours.
enum class Op : std::uint16_t {
  plus = 0,
  minus = 1,
  times = 2,
  divide = 3,
  power = 5,
  positive_part = 6,  // max(a − b, 0)
  minimum = 11,
  maximum = 12,
  absolute = 15,
  negative = 16,
  either = 20,
  both = 21,
  less = 22,
  less_equal = 23,
  equal = 24,
  greater_equal = 28,
  greater = 29,
  not_equal = 30,
  no = 34,
  choose = 35,  // if a then b else c
  tanh = 37,
  tan = 38,
  sqrt = 39,
  sinh = 40,
  sin = 41,
  log10 = 42,
  log = 43,
  exp = 44,
  cosh = 45,
  cos = 46,
  atanh = 47,
  atan2 = 48,
  atan = 49,
  asinh = 50,
  asin = 51,
  acosh = 52,
  acos = 53,
  sum = 54,
  square = 76,
  number = 1000,
  variable = 1001  // value: its index; n and above: a common expression
};

/// One operation; its arguments are the trees that end before it.
struct ExprNode {
  Op op;
  std::int32_t arguments = 0;
  std::int64_t begin = 0;  // where its tree begins: trees are contiguous, and end with their root
  double value = 0.0;      // of a number; the index of a variable
};

/// A tree among the nodes of the file.
struct Tree {
  std::int64_t begin = 0, end = 0;  // empty: 0
};

using LinearPart = std::vector<std::pair<Index, double>>;

struct Body {
  Tree tree;
  LinearPart linear;
};

struct Suffix {
  std::string name;
  int kind = 0;  // 0: variables, 1: rows, 2: objectives, 3: the problem
  std::vector<std::pair<Index, double>> values;
};

/// lower ≤ body ≤ upper, or, where `variable` is one, body ⊥ that variable: at its lower bound body ≥ 0, at its upper
/// one body ≤ 0, between them, and where it has neither, body = 0.
struct Row {
  double lower = -infinity, upper = infinity;
  int bounds_of_variable = 0;  // k of the file: 1 lower, 2 upper, 3 both count for the pair
  Index variable = -1;
};

struct File {
  // header -----
  bool binary = false;
  std::vector<int> options;  // to be written back into the .sol
  bool has_tolerance = false;
  double tolerance = 0.0;
  Index variables = 0, rows = 0, objectives = 0, ranges = 0, equations = 0;
  Index pairs = 0;  // complementarity rows, linear and nonlinear
  Index nonlinear_rows = 0;
  std::vector<char> discrete;  // of each variable

  // body -----
  std::vector<ExprNode> nodes;
  std::vector<Body> common;  // the common expressions, those that others use before them
  std::vector<Body> row_bodies, objective_bodies;
  std::vector<char> maximise;  // of each objective
  std::vector<Row> row_bounds;
  Vector lower, upper;  // of the variables
  Vector start;
  std::vector<Suffix> suffixes;

  const Suffix* suffix(std::string_view name, int kind) const;
};

/// The sizes that a header names, and the words to be written back; what little a .sol needs where the rest of the
/// file cannot be used. Throws FileError.
File parse_header(std::string_view text, std::string_view source);

/// Throws FileError that names line (of binary files: byte) and segment. Memory is bounded by a multiple of the size
/// of the text.
File parse(std::string_view text, std::string_view source);

}  // namespace pendec::io::nl
