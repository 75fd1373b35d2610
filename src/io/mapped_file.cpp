#include "mapped_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "descriptor.hpp"
#include "pendec/io/file.hpp"

namespace pendec::io::detail {

SharedBytes map_file(const std::filesystem::path& path) {
  const OpenFile file = open_for_reading(path);
  if (!S_ISREG(file.status.st_mode) || file.status.st_size == 0) {  // nothing can be mapped
    const auto bytes = std::make_shared<const std::string>(read_all(file, path, max_text_bytes));
    return {*bytes, bytes};
  }
  const auto length = static_cast<std::size_t>(file.status.st_size);
  void* const address = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.descriptor.number(), 0);
  if (address == MAP_FAILED)  // NOLINT(performance-no-int-to-ptr): how mmap spells failure
    throw FileError(path.string(), fmt::format("cannot be mapped: {}", std::generic_category().message(errno)));
  std::shared_ptr<const void> keep_alive(address, [length](void* mapped) { ::munmap(mapped, length); });
  return {{static_cast<const char*>(address), length}, std::move(keep_alive)};
}

}  // namespace pendec::io::detail
