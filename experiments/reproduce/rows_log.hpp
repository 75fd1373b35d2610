// The file that a run under way adds its rows to.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/reproduce/rows_file.hpp"

namespace pendec::experiments {

/// Rows that were measured once are never lost: a run goes on where the rows of an earlier one end, and refuses a
/// file that it cannot continue. The file is locked meanwhile, so that two runs do not mix their rows. A device or
/// pipe has nothing to continue and is not locked.
class RowsLog {
 public:
  /// Opens the file, or makes it. Throws FileError if it holds something else than rows, or if another run is adding
  /// to it, and InvalidArgument if its rows are of another size or kind of data than `header` says.
  RowsLog(std::filesystem::path path, nlohmann::ordered_json header);

  /// Those of earlier runs.
  const std::vector<Row>& earlier() const { return earlier_; }
  /// With the headers of earlier runs as `earlier`: their rows may come from another machine or commit.
  const nlohmann::ordered_json& header() const { return header_; }

  /// Writes the header, with the number of rows that the file will have in the end, and the earlier rows.
  void begin(std::size_t total);
  /// Adds one line, at once.
  void append(const Row& row);
  /// Writes all rows again where there were earlier ones: bounds that came later give them their gaps.
  void end(const std::vector<Row>& rows);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void open();  // and lock
  void write(const nlohmann::ordered_json& line);

  std::filesystem::path path_;
  bool regular_;
  nlohmann::ordered_json header_;
  std::vector<Row> earlier_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace pendec::experiments
