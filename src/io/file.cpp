#include "pendec/io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "descriptor.hpp"

namespace pendec::io {
namespace {

using detail::Descriptor;
namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& path, int reason = errno) {
  throw FileError(path.string(), fmt::format("cannot be written: {}", std::generic_category().message(reason)));
}

void write_all(const Descriptor& file, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ::ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      fail_to_write(path);
  }
}

/// A new file in `folder`, removed again unless it was renamed to what it is for.
class TemporaryFile {
 public:
  TemporaryFile(const fs::path& folder, fs::path purpose) : purpose_(std::move(purpose)), file_(create(folder)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  TemporaryFile(TemporaryFile&&) = delete;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void set_permissions(::mode_t mode) {
    if (::fchmod(file_.number(), mode) != 0) fail_to_write(purpose_);
  }
  void write(std::string_view text) { write_all(file_, text, purpose_); }

  void rename_to(const fs::path& target) {
    if (::fsync(file_.number()) != 0 || !file_.close() || std::rename(path_.c_str(), target.c_str()) != 0)
      fail_to_write(purpose_);
    path_.clear();
  }

 private:
  /// The name is short: that of the file may be as long as names can be.
  Descriptor create(const fs::path& folder) {
    static std::atomic<unsigned> counter{0};
    for (;;) {
      path_ = folder / fmt::format(".pendec-{}-{}.tmp", ::getpid(), counter++);
      const int number = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (number >= 0) return Descriptor(number);
      if (errno == EEXIST) continue;
      path_.clear();
      fail_to_write(purpose_);
    }
  }

  fs::path purpose_;  // named in messages
  fs::path path_;     // empty: nothing to remove
  Descriptor file_;
};

void write_directly(const fs::path& path, std::initializer_list<std::string_view> parts) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) fail_to_write(path);
  for (const std::string_view part : parts) write_all(file, part, path);
  if (!file.close()) fail_to_write(path);
}

/// After a crash the folder must know the new name. Not all file systems can promise that, and the file is complete.
void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) ::fsync(descriptor.number());
}

/// Where a path leads, and whether one may write there.
struct Target {
  explicit Target(const fs::path& path) : file(path) {
    struct stat old {};
    exists = ::stat(path.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) fail_to_write(path);
    if (exists && S_ISDIR(old.st_mode)) fail_to_write(path, EISDIR);
    regular = !exists || S_ISREG(old.st_mode);
    mode = old.st_mode & 07777U;
    if (exists && ::access(path.c_str(), W_OK) != 0) fail_to_write(path);  // renaming would not ask
    std::error_code problem;
    if (fs::is_symlink(fs::symlink_status(path, problem)))  // the link stays, also a dangling one
      file = exists ? fs::canonical(path, problem) : path.parent_path() / fs::read_symlink(path, problem);
    if (problem && problem != std::errc::no_such_file_or_directory) fail_to_write(path, problem.value());
  }
  fs::path folder() const { return file.has_parent_path() ? file.parent_path() : "."; }

  fs::path file;  // behind all links
  bool exists = false, regular = true;
  mode_t mode = 0;
};

}  // namespace

std::string read_text(const fs::path& path, std::size_t limit) {
  return detail::read_all(detail::open_for_reading(path), path, limit);
}

void write_atomically(const fs::path& path, std::string_view text) {
  write_atomically(path, std::initializer_list<std::string_view>{text});
}

void write_atomically(const fs::path& path, std::initializer_list<std::string_view> parts) {
  const Target target(path);
  if (!target.regular) return write_directly(path, parts);
  TemporaryFile temporary(target.folder(), path);
  if (target.exists) temporary.set_permissions(target.mode);
  for (const std::string_view part : parts) temporary.write(part);
  temporary.rename_to(target.file);
  sync_folder(target.folder());
}

void require_writable(const fs::path& path) {
  const Target target(path);
  if (target.regular && ::access(target.folder().c_str(), W_OK | X_OK) != 0) fail_to_write(path);
}

bool lies_below(const fs::path& folder, const fs::path& file) {
  std::error_code unknown;
  const fs::path here = fs::current_path();
  const fs::path top = fs::weakly_canonical(here / folder, unknown),
                 place = fs::weakly_canonical(here / file, unknown);
  const auto end = std::mismatch(top.begin(), top.end(), place.begin(), place.end()).first;
  return !unknown && (end == top.end() || (std::next(end) == top.end() && end->empty()));  // "folder/"
}

}  // namespace pendec::io
