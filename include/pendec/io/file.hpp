// Whole files: read at once, written completely or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"

namespace pendec::io {

/// 4 GiB. Larger matrices belong into .npy files, which are mapped and not read.
inline constexpr std::size_t max_text_bytes = std::size_t{1} << 32U;

/// The bytes of a file or pipe. Throws FileError if it is missing, a directory, a device, unreadable or has more than
/// `limit` bytes.
PENDEC_EXPORT std::string read_text(const std::filesystem::path& path, std::size_t limit = max_text_bytes);

/// Replaces the file by `text`, or throws FileError and leaves what was there: the text is written to a temporary
/// file in the same folder, brought to the disk and renamed. The permissions of a file that was there are kept, links
/// are followed. A device or pipe has no old content to keep and is written directly.
PENDEC_EXPORT void write_atomically(const std::filesystem::path& path, std::string_view text);

/// The same, for a file in several parts that need not be joined in memory first.
PENDEC_EXPORT void write_atomically(const std::filesystem::path& path, std::initializer_list<std::string_view> parts);

/// Throws FileError if write_atomically could not begin: a folder that is missing or read-only, a directory. Leaves
/// nothing behind.
PENDEC_EXPORT void require_writable(const std::filesystem::path& path);

/// Is it in the folder or below, wherever links lead? Both may be relative to the current folder.
PENDEC_EXPORT bool lies_below(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace pendec::io
