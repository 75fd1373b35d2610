// What the commands of the ready problem classes share: exit codes, tables, JSON, matrices as files.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/types.hpp"
#include "pendec/report/status.hpp"

namespace pendec::cli {

using Json = nlohmann::ordered_json;

int exit_code(Status status);

/// A line of the table for people.
void print_row(std::string_view name, const std::string& value);

/// The number in this format, or "not computed" unless it is finite.
std::string computed(double value, std::string_view format = "{:.12g}");

/// Numbers that are not finite become null.
Json to_json(double value);
Json to_json(const Matrix& rows);
Json to_json(const Certificate& certificate);

/// Names in other encodings than UTF-8 have U+FFFD for what is none.
std::string json_text(const Json& json, int indent = -1);

/// A name as one cell of a CSV file, quoted where it has to be.
std::string csv_cell(const std::string& text);

/// Comma-separated rows that read back as the same numbers; as a whole or not at all.
void write_matrix(const std::filesystem::path& path, const Matrix& matrix);

}  // namespace pendec::cli
