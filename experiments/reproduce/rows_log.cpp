#include "experiments/reproduce/rows_log.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/io/file_error.hpp"

namespace pendec::experiments {
namespace {

/// What must not differ among the rows of one file.
std::string kind_of_run(const nlohmann::ordered_json& header) {
  const auto& options = header.at("options");
  const auto size = options.at("size").get<std::string>();
  return fmt::format("{} {} --data", size == "normal" ? "without --quick or --full and" : "with --" + size + " and",
                     options.at("data").get<bool>() ? "with" : "without");
}

[[noreturn]] void fail_to_add(const std::filesystem::path& path) {
  throw io::FileError(path.string(), fmt::format("cannot be written: {}", std::generic_category().message(errno)));
}

/// A lock is on a file, not on its name: does the name still lead to this one?
bool is_file_at(std::FILE* file, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(::fileno(file), &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

}  // namespace

RowsLog::RowsLog(std::filesystem::path path, nlohmann::ordered_json header)
    : path_(std::move(path)),
      regular_(!std::filesystem::exists(path_) || std::filesystem::is_regular_file(path_)),
      header_(std::move(header)) {
  if (!regular_) return;
  path_ = std::filesystem::weakly_canonical(path_);  // behind all links: they may lead elsewhere after a replacement
  open();
  if (std::filesystem::is_empty(path_)) return;
  RowsFile file = read_rows(path_);
  try {
    const std::string theirs = kind_of_run(file.header), ours = kind_of_run(header_);
    if (theirs != ours)
      throw InvalidArgument("--json", path_.string(),
                            fmt::format("another file: the {} rows in this one were run {}, and now it is {}",
                                        file.rows.size(), theirs, ours));
    header_["earlier"] = file.header.value("earlier", nlohmann::ordered_json::array());
  } catch (const nlohmann::json::exception& error) {
    throw io::FileError(path_.string(), fmt::format("not the header of rows: {}", error.what()), 1);
  }
  file.header.erase("earlier");
  header_["earlier"].push_back(std::move(file.header));
  earlier_ = std::move(file.rows);
}

void RowsLog::open() {
  file_.reset(std::fopen(path_.c_str(), "ae"));
  if (!file_) fail_to_add(path_);
  if (!regular_) return;
  const bool refused = ::flock(::fileno(file_.get()), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (refused || !is_file_at(file_.get(), path_))
    throw io::FileError(path_.string(), "another run is adding its rows to this file");
}

void RowsLog::write(const nlohmann::ordered_json& line) {
  const std::string text = line.dump() + '\n';
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
    fail_to_add(path_);
}

void RowsLog::begin(std::size_t total) {
  header_["runs"] = total;
  if (regular_) write_rows(path_, header_, earlier_);
  open();  // for regular files, the one that replaced the one locked before
  if (!regular_) write({{"header", header_}});
}

void RowsLog::append(const Row& row) { write(to_json(row)); }

void RowsLog::end(const std::vector<Row>& rows) {
  if (regular_ && !earlier_.empty()) write_rows(path_, header_, rows);
}

}  // namespace pendec::experiments
