// An open file of the operating system.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

namespace pendec::io::detail {

/// Closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// False, with errno, where data written before could not be stored after all.
  bool close();

 private:
  int number_;
};

struct OpenFile {
  Descriptor descriptor;
  struct stat status;
};

/// A regular file or a pipe; throws FileError for anything else.
OpenFile open_for_reading(const std::filesystem::path& path);

/// All its bytes; throws FileError, which names `path`, if there are more than `limit`.
std::string read_all(const OpenFile& file, const std::filesystem::path& path, std::size_t limit);

}  // namespace pendec::io::detail
