#include "pendec/io/graph_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "pendec/io/csv.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/matrix_market.hpp"
#include "pendec/io/number.hpp"

namespace pendec::io {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
       at = line.find_first_not_of(blanks, at)) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// A whole number from `least` to `most`, or an error with the line.
Index whole(std::string_view word, Index least, Index most, std::string_view what, std::string_view source,
            Index line) {
  const auto value = parse_number(word);
  const bool fits = value && std::floor(*value) == *value && *value >= static_cast<double>(least) &&
                    *value <= static_cast<double>(most);
  if (!fits) throw FileError(source, fmt::format("{} \"{}\"; expected {} to {}", what, word, least, most), line);
  return static_cast<Index>(*value);
}

/// The graph with these weights; an entry and its mirror image are one edge.
Graph graph_of(const MatrixMarket& matrix, std::string_view source) {
  const SparseMatrix W = std::holds_alternative<SparseMatrix>(matrix)
                             ? std::get<SparseMatrix>(matrix)
                             : SparseMatrix(std::get<Matrix>(matrix).sparseView());
  if (W.rows() != W.cols() || W.rows() == 0)
    throw FileError(source, fmt::format("{} x {}; expected the square matrix of a graph", W.rows(), W.cols()));
  const SparseMatrix mirrored = W.transpose();
  Graph graph{W.rows(), {}};
  for (Index j = 0; j < W.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(W, j); it; ++it) {
      const Index i = it.row();
      if (i == j && it.value() != 0.0)
        throw FileError(source, fmt::format("an edge from {} to itself: the diagonal must be zero", i + 1));
      if (it.value() != mirrored.coeff(i, j))
        throw FileError(source, fmt::format("entry ({}, {}) is {}, ({}, {}) is {}; expected a symmetric matrix",
                                            i + 1, j + 1, it.value(), j + 1, i + 1, mirrored.coeff(i, j)));
      if (i > j && it.value() != 0.0) graph.edges.push_back({i, j, it.value()});
    }
  }
  return graph;
}

ObservedEntries entries_of(const CsvTable& table) {
  if (table.columns() < 3)
    throw FileError(table.source(), fmt::format("{} columns; expected row,column,value", table.columns()));
  if (table.columns() > 3 && !table.has_header())
    throw FileError(table.source(),
                    fmt::format("{} columns without a header; expected row,column,value, a line an entry: a dense "
                                "matrix has no missing entries to complete",
                                table.columns()));
  const bool only_names = table.rows() == 1 && !table.has_header() && !parse_number(table.text(0, 2));
  if (table.rows() == 0 || only_names) throw FileError(table.source(), "no entries");
  ObservedEntries out;
  for (std::size_t c = 0; c < table.names().size(); ++c) (c < 3 ? out.used : out.ignored).push_back(table.names()[c]);
  std::map<std::string, Index, std::less<>> rows, columns;
  std::set<std::pair<Index, Index>> places;
  const auto number_of = [](std::string_view name, auto& known, std::vector<std::string>& names) {
    const auto [place, is_new] = known.try_emplace(std::string(name), static_cast<Index>(names.size()));
    if (is_new) names.emplace_back(name);
    return place->second;
  };
  for (Index k = 0; k < table.rows(); ++k) {
    for (const Index c : {0, 1}) {
      if (table.text(k, c).empty()) throw table.error(k, c, "a name is missing");
      const auto number = parse_number(table.text(k, c));
      if (number && std::floor(*number) != *number)
        throw table.error(k, c,
                          fmt::format("\"{}\"; expected the {} of an entry, a word or a whole number: the columns "
                                      "are row,column,value",
                                      table.text(k, c), c == 0 ? "row" : "column"));
    }
    const Index i = number_of(table.text(k, 0), rows, out.rows),
                j = number_of(table.text(k, 1), columns, out.columns);
    if (!places.emplace(i, j).second)
      throw table.error(k, 0, fmt::format("the entry ({}, {}) comes twice", table.text(k, 0), table.text(k, 1)));
    out.seen.push_back({i, j, table.number(k, 2)});
  }
  return out;
}

}  // namespace

Graph read_graph(const std::filesystem::path& path) { return parse_graph(read_text(path), path.string()); }

Graph parse_graph(std::string_view text, std::string_view source) {
  if (text.starts_with("%%MatrixMarket")) return graph_of(parse_matrix_market(text, source), source);
  constexpr Index most_vertices = 100'000'000;
  Graph graph;
  Index edges = -1, line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    const auto words = words_of(line);
    if (words.empty() || words[0].front() == '#' || words[0].front() == '%') continue;
    if (edges < 0) {
      if (words.size() != 2) throw FileError(source, "the first line is \"n m\": vertices and edges", line_number);
      graph.n = whole(words[0], 1, most_vertices, "vertices", source, line_number);
      edges = whole(words[1], 0, std::numeric_limits<int>::max(), "edges", source, line_number);
      continue;
    }
    if (words.size() != 2 && words.size() != 3)
      throw FileError(source, fmt::format("{} words; expected \"i j\" or \"i j w\"", words.size()), line_number);
    const Index i = whole(words[0], 1, graph.n, "vertex", source, line_number) - 1;
    const Index j = whole(words[1], 1, graph.n, "vertex", source, line_number) - 1;
    if (i == j) throw FileError(source, fmt::format("an edge from {} to itself", i + 1), line_number);
    const auto weight = words.size() == 3 ? parse_number(words[2]) : std::optional(1.0);
    if (!weight || !std::isfinite(*weight))
      throw FileError(source, fmt::format("weight \"{}\"; expected a number", words[2]), line_number);
    graph.edges.push_back({i, j, *weight});
  }
  if (edges < 0) throw FileError(source, "no graph: the first line is \"n m\"");
  if (static_cast<Index>(graph.edges.size()) != edges)
    throw FileError(source, fmt::format("{} edges; the first line says {}", graph.edges.size(), edges));
  return graph;
}

ObservedEntries read_entries(const std::filesystem::path& path) {
  if (path.extension() != ".mtx") return entries_of(read_csv(path));
  const MatrixMarket matrix = read_matrix_market(path, {}, Repeated::refused);
  const auto* sparse = std::get_if<SparseMatrix>(&matrix);
  if (!sparse) throw FileError(path.string(), "a dense matrix; expected coordinates of the entries seen");
  ObservedEntries out;
  for (Index i = 1; i <= sparse->rows(); ++i) out.rows.push_back(fmt::format("{}", i));
  for (Index j = 1; j <= sparse->cols(); ++j) out.columns.push_back(fmt::format("{}", j));
  for (Index j = 0; j < sparse->cols(); ++j)
    for (SparseMatrix::InnerIterator it(*sparse, j); it; ++it) out.seen.push_back({it.row(), j, it.value()});
  if (out.seen.empty()) throw FileError(path.string(), "no entries");
  return out;
}

ObservedEntries parse_entries(std::string_view text, std::string_view source_name) {
  return entries_of(parse_csv(text, source_name));
}

}  // namespace pendec::io
