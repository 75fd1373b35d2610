// Results as files: the JSON that to_json(Result) writes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/report/result.hpp"
#include "pendec/solvers/disjunctive.hpp"
#include "pendec/solvers/pair_program.hpp"

namespace pendec::io {

/// A result together with the digest written beside it, and the one that belongs to what was read.
struct ResultFile {
  Result result;
  std::optional<PairResult> pairs;               // of a program with pairs, with the result
  std::optional<DisjunctiveResult> disjunctive;  // of a union, with the result
  std::string digest, expected_digest;
};

/// Throws InvalidArgument with the path of the key, or FileError. Numbers that are null in the file are NaN,
/// residuals of certificates infinite: nothing was verified.
PENDEC_EXPORT ResultFile read_result(const std::filesystem::path& path);
PENDEC_EXPORT ResultFile parse_result(std::string_view text, std::string_view source_name = "result");

/// Replaces the file as a whole or not at all.
PENDEC_EXPORT void write_result(const std::filesystem::path& path, const Result& result);

}  // namespace pendec::io
