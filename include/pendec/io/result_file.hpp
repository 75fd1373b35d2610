// Results as files: the JSON that to_json(Result) writes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pendec/core/result.hpp"
#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"

namespace pendec::io {

/// A result together with the digest written beside it, and the one that belongs to what was read.
struct ResultFile {
  Result result;
  std::string digest, expected_digest;
};

/// All results of a file, one or those of a path. Throws InvalidArgument with the path of the key, or FileError.
/// Numbers that are null in the file are NaN, or infinite where that means that nothing is known.
PENDEC_EXPORT std::vector<ResultFile> read_results(const std::filesystem::path& path);
PENDEC_EXPORT std::vector<ResultFile> parse_results(std::string_view text, std::string_view source_name = "result");

/// The only one of a file.
PENDEC_EXPORT ResultFile read_result(const std::filesystem::path& path);
PENDEC_EXPORT ResultFile parse_result(std::string_view text, std::string_view source_name = "result");

/// Replaces the file as a whole or not at all.
PENDEC_EXPORT void write_result(const std::filesystem::path& path, const Result& result);

}  // namespace pendec::io
