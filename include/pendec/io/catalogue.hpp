// What problem files can name: sets, objectives and maps with their parameters. One table each drives reading,
// writing, listing, the JSON Schema and the tests of all four.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pendec/export.hpp"

namespace pendec::io {

/// What a parameter's JSON value may be.
enum class Kind {
  dimension,  // an integer that may be left out where the surroundings tell it
  integer,
  number,
  vector,      // an array of numbers, one number for all entries, or {"file": …}
  bounds,      // a vector that may hold "inf", "-inf" or null for no bound
  bound,       // a number, "inf", "-inf" or null
  matrix,      // an array of rows, {"toeplitz": …}, {"diagonal": …}, or {"file": …}
  indices,     // an array of integers, counted from zero
  names,       // an array of strings
  groups,      // an array of arrays of integers
  rectangles,  // an array of [lower, upper, lower, upper]
  set,         // {"type": …}
  sets,        // an array of sets
  blocks,      // an array of {"name": …, "set": …}
  terms,       // an array of {"weight": …, "objective": …}
  maps         // an array of maps
};
PENDEC_EXPORT std::string_view to_string(Kind kind);

struct Parameter {
  std::string_view name;
  Kind kind;
  std::string_view text;
  bool required = true;  // dimensions never are
};

struct Entry {
  std::string_view name;
  std::string_view text;  // the definition
  std::vector<Parameter> parameters;
  std::string_view example;  // complete JSON
};

PENDEC_EXPORT const std::vector<Entry>& sets();
PENDEC_EXPORT const std::vector<Entry>& objectives();
PENDEC_EXPORT const std::vector<Entry>& maps();

/// The JSON Schema (draft 2020-12) of problem files, made from the tables: docs/problem.schema.json.
PENDEC_EXPORT std::string problem_schema();

}  // namespace pendec::io
