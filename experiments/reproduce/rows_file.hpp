// Rows as JSON: a header object on the first line, then one object a line.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "experiments/reproduce/row.hpp"

namespace pendec::experiments {

/// Numbers that are not finite are null.
nlohmann::ordered_json to_json(const Row& row);
Row row_from_json(const nlohmann::ordered_json& object);

struct RowsFile {
  nlohmann::ordered_json header;
  std::vector<Row> rows;
};

/// Throws FileError. A last line that was cut off while it was written is left out.
RowsFile read_rows(const std::filesystem::path& path);

/// Replaces the file.
void write_rows(const std::filesystem::path& path, const nlohmann::ordered_json& header,
                const std::vector<Row>& rows);

/// Machine, compiler and commit of this build, and the date; the caller adds its options.
nlohmann::ordered_json machine_header();

}  // namespace pendec::experiments
