#include "descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "pendec/io/file_error.hpp"

namespace pendec::io::detail {

bool Descriptor::close() { return !is_open() || ::close(std::exchange(number_, -1)) == 0; }

namespace {

[[noreturn]] void fail_to_read(const std::filesystem::path& path) {
  throw FileError(path.string(), fmt::format("cannot be read: {}", std::generic_category().message(errno)));
}

}  // namespace

OpenFile open_for_reading(const std::filesystem::path& path) {
  OpenFile file{Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), {}};
  if (!file.descriptor.is_open() || ::fstat(file.descriptor.number(), &file.status) != 0) fail_to_read(path);
  if (S_ISDIR(file.status.st_mode)) throw FileError(path.string(), "is a directory");
  if (!S_ISREG(file.status.st_mode) && !S_ISFIFO(file.status.st_mode))
    throw FileError(path.string(), "is a device, not a file");
  return file;
}

std::string read_all(const OpenFile& file, const std::filesystem::path& path, std::size_t limit) {
  const auto require_fitting = [&](std::size_t bytes) {
    if (bytes > limit) throw FileError(path.string(), fmt::format("is too large: more than {} bytes", limit));
  };
  const auto expected = static_cast<std::size_t>(file.status.st_size);  // zero for pipes
  require_fitting(expected);
  std::string bytes(expected + 1, '\0');  // one more, to see the end without growing
  std::size_t used = 0;
  for (;;) {
    const ::ssize_t count = ::read(file.descriptor.number(), bytes.data() + used, bytes.size() - used);
    if (count == 0) break;
    if (count < 0) {
      if (errno == EINTR) continue;
      fail_to_read(path);
    }
    used += static_cast<std::size_t>(count);
    require_fitting(used);
    if (used == bytes.size()) bytes.resize(std::max<std::size_t>(2 * used, 65536));
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace pendec::io::detail
