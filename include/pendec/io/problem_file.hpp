// Problems as files: docs/problem-files.md describes the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pendec/core/options.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::io {

/// One option by its dotted name, as text.
struct Setting {
  std::string name, value;
};

/// A preset and settings on top of it, of which later ones win. The method among them decides which preset it is.
struct PENDEC_EXPORT OptionSettings {
  std::string preset = "default";  // or "paper"
  std::vector<Setting> settings = {};

  /// Throws InvalidArgument.
  Options options() const;
};

/// Everything a problem file says.
struct ProblemFile {
  std::string name = {}, description = {};  // for people
  Problem problem = {};
  Vector start = {};
  OptionSettings options = {};
  std::optional<PairProgram> pairs = {};  // kind "pairs": the program before its slacks; `problem`, `start` have them
  std::uint64_t seed = 0;                 // of a random start; of the generator that made the instance
  std::vector<std::filesystem::path> files = {};  // the data files that it names
};

/// Larger problem files refer to data files instead.
inline constexpr std::size_t max_problem_bytes = std::size_t{1} << 26U;

/// Reads the format of version 1. What is wrong is told by InvalidArgument, with the path of the key, its value and
/// what was expected ("D.blocks[1].set.s is 12; expected 0 <= s <= n = 10"), or by FileError with line and column
/// where the text is not JSON. Memory is bounded by a multiple of the size of the files read, and by 10⁷ numbers and
/// 16 per variable for what short forms unfold to.
///
/// Data files ({"file": …}) are looked up relative to the folder of the problem file and may lie anywhere. With
/// `confine` they must lie in it or below, for problems of others: what absolute paths, `..` and links lead to
/// outside is refused.
PENDEC_EXPORT ProblemFile read_problem(const std::filesystem::path& path, bool confine = false);

/// The same from text, with the data files relative to `folder`.
PENDEC_EXPORT ProblemFile parse_problem(std::string_view text, const std::filesystem::path& folder,
                                        std::string_view source_name = "problem", bool confine = false);

/// The problem as text, numbers to the last bit and inline. Throws InvalidArgument if a part of it is not in the
/// catalogue (a user's own set, say).
PENDEC_EXPORT std::string to_json(const ProblemFile& file);

PENDEC_EXPORT void write_problem(const std::filesystem::path& path, const ProblemFile& file);

}  // namespace pendec::io
