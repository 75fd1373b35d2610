// The bytes of a file, mapped into memory where that is possible.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace pendec::io::detail {

struct SharedBytes {
  std::string_view bytes;
  std::shared_ptr<const void> keep_alive;
};

/// Regular files are mapped, pipes read. Throws FileError.
SharedBytes map_file(const std::filesystem::path& path);

}  // namespace pendec::io::detail
