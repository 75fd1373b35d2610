// Tasks of a multitask problem from one table.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/solvers/lowrank/multitask.hpp"

namespace pendec::io {

/// Columns `task,label,f1,…`, with or without a header; in any order if the header has these two names. The task's
/// name (a number or a word), the label (0 or 1, or −1 or 1 throughout the file), the features. Tasks are in the
/// order of their first rows. Throws FileError with the line. `features` receives the names of the features: those of
/// the header, or f1, f2, ….
PENDEC_EXPORT std::vector<Task> read_tasks(const std::filesystem::path& path,
                                           std::vector<std::string>* features = nullptr);
PENDEC_EXPORT std::vector<Task> parse_tasks(std::string_view text, std::string_view source_name,
                                            std::vector<std::string>* features = nullptr);

}  // namespace pendec::io
