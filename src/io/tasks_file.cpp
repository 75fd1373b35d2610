#include "pendec/io/tasks_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pendec/io/csv.hpp"
#include "pendec/io/number.hpp"

namespace pendec::io {
namespace {

/// A first row without numbers is taken for an example where no other row follows.
bool has_examples(const CsvTable& table) {
  if (table.rows() != 1 || table.has_header()) return table.rows() > 0;
  for (Index j = 1; j < table.columns(); ++j)
    if (parse_number(table.text(0, j))) return true;
  return false;
}

/// Where the columns are: task and label by name if the header has both, else the first two; features follow in
/// order.
struct Columns {
  Index task = 0, label = 1;
  std::vector<Index> features;

  explicit Columns(const CsvTable& table) {
    const auto named = [&](std::string_view name) { return std::ranges::count(table.names(), name) > 0; };
    if (named("task") && named("label")) {
      task = table.column("task");
      label = table.column("label");
    }
    for (Index j = 0; j < table.columns(); ++j)
      if (j != task && j != label) features.push_back(j);
  }
};

std::vector<Task> tasks_of(const CsvTable& table, std::vector<std::string>* names) {
  if (table.columns() < 3)
    throw FileError(table.source(), fmt::format("{} columns; expected task,label,f1,...", table.columns()));
  if (!has_examples(table)) throw FileError(table.source(), "no examples");
  const Columns columns(table);
  bool zeros = false, negatives = false;
  std::vector<Task> tasks;
  std::map<std::string, std::size_t, std::less<>> known;
  std::vector<std::vector<Index>> rows;
  for (Index i = 0; i < table.rows(); ++i) {
    const double label = table.number(i, columns.label);
    if (label != 0.0 && label != 1.0 && label != -1.0)
      throw table.error(i, columns.label,
                        fmt::format("label \"{}\"; expected 0 or 1, or -1 or 1", table.text(i, columns.label)));
    zeros = zeros || label == 0.0;
    negatives = negatives || label == -1.0;
    if (zeros && negatives)
      throw table.error(i, columns.label, "labels 0 and -1 in one file; expected 0 or 1, or -1 or 1");
    const std::string_view name = table.text(i, columns.task);
    if (name.empty()) throw table.error(i, columns.task, "a task without a name");
    const auto [place, is_new] = known.try_emplace(std::string(name), tasks.size());
    if (is_new) {
      tasks.push_back({std::string(name), {}, {}});
      rows.emplace_back();
    }
    rows[place->second].push_back(i);
  }
  const auto features = static_cast<Index>(columns.features.size());
  const auto column = [&](Index j) { return columns.features[static_cast<std::size_t>(j)]; };
  if (names) {
    names->clear();
    for (Index j = 0; j < features; ++j)
      names->push_back(table.has_header() ? table.names()[static_cast<std::size_t>(column(j))]
                                          : fmt::format("f{}", j + 1));
  }
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const auto count = static_cast<Index>(rows[t].size());
    tasks[t].X.resize(count, features);
    tasks[t].labels.resize(count);
    for (Index k = 0; k < count; ++k) {
      const Index i = rows[t][static_cast<std::size_t>(k)];
      tasks[t].labels[k] = table.number(i, columns.label) > 0.0 ? 1.0 : -1.0;
      for (Index j = 0; j < features; ++j) tasks[t].X(k, j) = table.number(i, column(j));
    }
  }
  return tasks;
}

}  // namespace

std::vector<Task> read_tasks(const std::filesystem::path& path, std::vector<std::string>* features) {
  return tasks_of(read_csv(path), features);
}

std::vector<Task> parse_tasks(std::string_view text, std::string_view source_name,
                              std::vector<std::string>* features) {
  return tasks_of(parse_csv(text, source_name), features);
}

}  // namespace pendec::io
