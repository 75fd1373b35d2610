#include "factory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

namespace pendec::io {
namespace {

/// The message of a constructor or function, whose field is "Sparse.s" or "max_norm_ball.radius", for the object at
/// `path`: "D.s", "D.radius".
[[noreturn]] void refuse_at(const std::string& path, const InvalidArgument& error) {
  const std::string& field = error.field();
  const auto end =
      std::find_if_not(field.begin(), field.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  throw PathError(path + std::string(end, field.end()), error.value(), error.expected());
}

template <class T>
T make(const std::vector<Factory<T>>& table, std::string_view what, const Node& node, const Surroundings& around) {
  if (!node.json().is_object()) node.refuse(fmt::format("{}: an object with the key \"type\"", what));
  const Node type = node.at("type", what);
  const std::string name = type.text();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& f) { return f.entry.name == name; });
  if (found == table.end()) {
    std::vector<std::string_view> names;
    for (const Factory<T>& f : table) names.push_back(f.entry.name);
    type.refuse(fmt::format("one of {}", fmt::join(names, ", ")));
  }
  std::vector<std::string_view> keys{"type"};
  for (const Parameter& p : found->entry.parameters) keys.push_back(p.name);
  node.expect_keys(keys);
  try {
    return found->make(Arguments(found->entry, node, around));
  } catch (const PathError&) {
    throw;
  } catch (const InvalidArgument& error) {
    refuse_at(node.path(), error);
  }
}

template <class T>
Json write(const std::vector<Factory<T>>& table, const T& object, std::string_view what, const std::string& name) {
  for (const Factory<T>& f : table) {
    Json out = {{"type", f.entry.name}};
    if (f.write(object, out)) return out;
  }
  throw InvalidArgument(what, name, "one that problem files can name");
}

void expect_dimension(const Node& node, Index actual, const std::optional<Index>& expected) {
  if (expected && actual != *expected)
    throw PathError(node.path() + ".dimension()", to_text(actual), to_text(*expected));
}

template <class T>
const std::vector<Entry>& entries_of(const std::vector<Factory<T>>& table) {
  static const std::vector<Entry> entries = [&] {
    std::vector<Entry> all;
    for (const Factory<T>& f : table) all.push_back(f.entry);
    return all;
  }();
  return entries;
}

}  // namespace

// Arguments -----

std::optional<Node> Arguments::at(std::string_view name) const {
  const auto& listed = entry_->parameters;
  if (std::none_of(listed.begin(), listed.end(), [&](const Parameter& p) { return p.name == name; }))
    throw std::logic_error(fmt::format("the entry {} does not list its parameter {}", entry_->name, name));
  return node_.find(name);
}

Node Arguments::required(std::string_view name) const {
  if (auto child = at(name)) return *child;
  const auto& listed = entry_->parameters;
  const auto p = std::find_if(listed.begin(), listed.end(), [&](const Parameter& q) { return q.name == name; });
  return node_.at(name, fmt::format("{}: {}", to_string(p->kind), p->text));
}

Index Arguments::checked(std::string_view name, Index dimension) const {
  if (dimension > around_.limit)
    throw PathError(fmt::format("{}.{}", node_.path(), name), to_text(dimension),
                    fmt::format("at most {}", around_.limit));
  node_.unfold(std::max<Index>(dimension, 0));
  return dimension;
}

Index Arguments::dimension(std::string_view name, std::vector<std::string_view> vectors, Index parts) const {
  if (const auto given = at(name)) {
    const Index n = given->integer();
    if (around_.dimension && n != *around_.dimension / parts)
      given->refuse(fmt::format("{}", *around_.dimension / parts));
    return checked(name, n);
  }
  if (around_.dimension) {
    if (*around_.dimension % parts != 0)
      throw PathError(node_.path() + ".dimension()", to_text(*around_.dimension),
                      fmt::format("a multiple of {}", parts));
    return checked(name, *around_.dimension / parts);
  }
  for (const std::string_view vector : vectors) {
    const auto child = at(vector);
    if (!child || !child->json().is_structured()) continue;
    return checked(name,
                   child->json().is_array() ? static_cast<Index>(child->json().size()) : child->bounds(0.0).size());
  }
  node_.at(name, "a dimension: nothing else tells it");
  return 0;
}

Index Arguments::side(std::string_view name) const {
  Index n = 0;
  if (const auto given = at(name)) {
    n = given->integer();
  } else {
    if (!around_.dimension) node_.at(name, "a dimension: nothing else tells it");
    n = std::lround(std::sqrt(static_cast<double>(*around_.dimension)));
    if (n * n != *around_.dimension)
      throw PathError(node_.path() + ".dimension()", to_text(*around_.dimension), "the square of a whole number");
  }
  if (n < 1 || n > around_.limit / n || (around_.dimension && n * n != *around_.dimension))
    throw PathError(fmt::format("{}.{}", node_.path(), name), to_text(n),
                    around_.dimension ? fmt::format("n with n^2 = {}", *around_.dimension)
                                      : fmt::format("n >= 1 with n^2 <= {}", around_.limit));
  node_.unfold(n, n);
  return n;
}

std::pair<Index, Index> Arguments::shape(std::string_view rows, std::string_view cols) const {
  const Index m = integer(rows), n = integer(cols);
  if (m >= 1 && n > around_.limit / m)
    throw PathError(fmt::format("{}.{}", node_.path(), cols), to_text(n),
                    fmt::format("{} * {} <= {}", rows, cols, around_.limit));
  return {m, n};
}

Index Arguments::input_dimension() const {
  const Index n = around_.dimension.value();
  node_.unfold(n);
  return n;
}

double Arguments::number(std::string_view name, std::optional<double> otherwise) const {
  const auto given = at(name);
  return given || !otherwise ? required(name).number() : *otherwise;
}

Vector Arguments::vector_or_empty(std::string_view name, Index size) const {
  const auto given = at(name);
  return given ? given->vector(size) : Vector();
}

Vector Arguments::vector_or_zero(std::string_view name, Index size) const {
  const auto given = at(name);
  return given ? given->vector(size) : Vector::Zero(size);
}

Vector Arguments::bounds(std::string_view name, double none, Index size) const {
  if (const auto given = at(name)) return given->bounds(none, size);
  node_.unfold(size);
  return Vector::Constant(size, none);
}

Operator Arguments::matrix_or_empty(std::string_view name, Index cols) const {
  const auto given = at(name);
  return given ? given->matrix() : Operator(Matrix(0, cols));
}

double Arguments::bound(std::string_view name, double none) const {
  const auto given = at(name);
  return given ? given->bound(none) : none;
}

std::vector<std::vector<Index>> Arguments::groups(std::string_view name) const {
  const Node list = required(name);
  std::vector<std::vector<Index>> out(list.expect_array("an array of groups"));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = list[k].indices();
  return out;
}

std::vector<Rectangle> Arguments::rectangles(std::string_view name) const {
  const Node list = required(name);
  std::vector<Rectangle> out(list.expect_array("an array of rectangles"));
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Node sides = list[k];
    if (sides.expect_array("[lower_a, upper_a, lower_b, upper_b]") != 4)
      sides.refuse("[lower_a, upper_a, lower_b, upper_b]");
    out[k] = {sides[0].bound(-infinity), sides[1].bound(infinity), sides[2].bound(-infinity),
              sides[3].bound(infinity)};
  }
  return out;
}

Set Arguments::set(std::string_view name, std::optional<Index> dimension) const {
  Surroundings around = around_;
  if (dimension) around.dimension = dimension;
  return read_set(required(name), around);
}

std::vector<Set> Arguments::sets(std::string_view name) const {
  const Node list = required(name);
  std::vector<Set> out;
  const std::size_t count = list.expect_array("an array of sets");
  for (std::size_t k = 0; k < count; ++k) {
    Surroundings around = around_;
    if (!around.dimension && !out.empty()) around.dimension = out.front().dimension();
    out.push_back(read_set(list[k], around));
  }
  return out;
}

std::vector<NamedSet> Arguments::blocks(std::string_view name) const {
  const Node list = required(name);
  std::vector<NamedSet> out;
  const std::size_t count = list.expect_array("an array of blocks");
  Index rest = around_.dimension.value_or(around_.limit);
  for (std::size_t k = 0; k < count; ++k) {
    const Node block = list[k];
    block.expect_keys({"name", "set"});
    const auto label = block.find("name");
    Set part = read_set(block.at("set", "a set"), {.limit = rest});
    rest -= part.dimension();
    out.push_back({label ? label->text() : to_text(static_cast<Index>(k)), std::move(part)});
  }
  return out;
}

std::vector<Term> Arguments::terms(std::string_view name) const {
  const Node list = required(name);
  std::vector<Term> out;
  const std::size_t count = list.expect_array("an array of terms");
  for (std::size_t k = 0; k < count; ++k) {
    const Node term = list[k];
    term.expect_keys({"weight", "objective"});
    const auto weight = term.find("weight");
    out.push_back({weight ? weight->number() : 1.0, read_objective(term.at("objective", "an objective"), around_)});
  }
  return out;
}

std::vector<Map> Arguments::maps(std::string_view name) const {
  const Node list = required(name);
  std::vector<Map> out;
  const std::size_t count = list.expect_array("an array of maps");
  for (std::size_t k = 0; k < count; ++k) out.push_back(read_map(list[k], around_));
  return out;
}

std::vector<Index> Arguments::coordinates(std::string_view name) const {
  const Node list = required(name);
  std::vector<Index> out;
  const std::vector<std::string> names = list.names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto& blocks = around_.space->blocks();
    if (std::none_of(blocks.begin(), blocks.end(), [&](const Block& b) { return b.name == names[k]; })) {
      std::vector<std::string_view> known;
      for (const Block& b : blocks) known.push_back(b.name);
      list[k].refuse(fmt::format("one of {}", fmt::join(known, ", ")));
    }
    const Range range = around_.space->range(names[k]);
    list[k].unfold(range.size);
    for (Index i = 0; i < range.size; ++i) out.push_back(range.begin + i);
  }
  return out;
}

// Reading -----

Set read_set(const Node& node, const Surroundings& around) {
  Set set = make(set_factories(), "a set", node, around);
  expect_dimension(node, set.dimension(), around.dimension);
  if (set.dimension() > around.limit)
    throw PathError(node.path() + ".dimension()", to_text(set.dimension()), fmt::format("at most {}", around.limit));
  return set;
}

Objective read_objective(const Node& node, const Surroundings& around) {
  return make(objective_factories(), "an objective", node, around);
}

Map read_map(const Node& node, const Surroundings& around) {
  Map map = make(map_factories(), "a map", node, around);
  if (map.input_dimension() != around.dimension.value())
    throw PathError(node.path() + ".input_dimension()", to_text(map.input_dimension()),
                    fmt::format("{}, the dimension of x", *around.dimension));
  return map;
}

// Writing -----

Json set_json(const Set& set) { return write(set_factories(), set, "set", set.name()); }
Json objective_json(const Objective& f) { return write(objective_factories(), f, "objective", "of another type"); }
Json map_json(const Map& G) { return write(map_factories(), G, "map", "of another type"); }

Json number_json(double value) {
  if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
  return value;
}

namespace {

/// To the last bit: 0 and -0 differ.
bool same(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

template <class Entry>
bool entries_are(MatrixIn M, const Entry& entry) {
  for (Index j = 0; j < M.cols(); ++j)
    for (Index i = 0; i < M.rows(); ++i)
      if (!same(M(i, j), entry(i, j))) return false;
  return true;
}

}  // namespace

Json array_json(In v) {
  Json out = Json::array();
  for (const double value : v) out.push_back(number_json(value));
  return out;
}

Json constant_json(In v) {
  if (v.size() > 1 && entries_are(v, [&](Index, Index) { return v[0]; })) return number_json(v[0]);
  return array_json(v);
}

Json operator_json(const Operator& A) {
  if (A.is_diagonal() && A.rows() > 1) return {{"diagonal", array_json(A.diagonal())}};
  if (const auto* view = A.view()) return matrix_json(*view);
  require(static_cast<double>(A.rows()) * static_cast<double>(A.cols()) <= static_cast<double>(max_unfolded),
          "matrix", fmt::format("{} x {}", A.rows(), A.cols()),
          fmt::format("at most {} entries to be written in full; larger ones belong into files", max_unfolded));
  return matrix_json(A.dense());
}

Json matrix_json(MatrixIn M) {
  if (M.rows() == M.cols() && M.rows() > 1) {
    if (entries_are(M, [&](Index i, Index j) { return M(std::abs(i - j), 0); }))
      return {{"toeplitz", array_json(M.col(0))}};
    if (entries_are(M, [&](Index i, Index j) { return i == j ? M(i, j) : 0.0; }))
      return {{"diagonal", array_json(M.diagonal())}};
  }
  Json out = Json::array();
  for (Index i = 0; i < M.rows(); ++i) out.push_back(array_json(M.row(i).transpose()));
  return out;
}

// The catalogue -----

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::dimension:
      return "integer";
    case Kind::integer:
      return "integer";
    case Kind::number:
      return "number";
    case Kind::vector:
      return "vector";
    case Kind::bounds:
      return "bounds";
    case Kind::bound:
      return "bound";
    case Kind::matrix:
      return "matrix";
    case Kind::indices:
      return "array of integers";
    case Kind::names:
      return "array of strings";
    case Kind::groups:
      return "array of arrays of integers";
    case Kind::rectangles:
      return "array of four bounds each";
    case Kind::set:
      return "set";
    case Kind::sets:
      return "array of sets";
    case Kind::blocks:
      return "array of named sets";
    case Kind::terms:
      return "array of weighted objectives";
    case Kind::maps:
      return "array of maps";
  }
  return "?";
}

const std::vector<Entry>& sets() { return entries_of(set_factories()); }
const std::vector<Entry>& objectives() { return entries_of(objective_factories()); }
const std::vector<Entry>& maps() { return entries_of(map_factories()); }

}  // namespace pendec::io
