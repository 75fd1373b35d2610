// How an entry of the catalogue becomes an object and an object becomes JSON again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node.hpp"
#include "pendec/core/map.hpp"
#include "pendec/core/objective.hpp"
#include "pendec/core/set.hpp"
#include "pendec/io/catalogue.hpp"
#include "pendec/objectives/sum.hpp"
#include "pendec/sets/pair_union.hpp"
#include "pendec/sets/product.hpp"

namespace pendec::io {

/// What is known about an object before it is read.
struct Surroundings {
  std::optional<Index> dimension = {};  // it must have: of a set, of the input of a map
  Index limit = max_unfolded;           // its dimension may not exceed this
  const Space* space = nullptr;         // whose blocks a map may name
};

/// The parameters of one object, as its factory reads them. Keys that the entry does not list are refused before.
class Arguments {
 public:
  Arguments(const Entry& entry, Node node, const Surroundings& around)
      : entry_(&entry), node_(std::move(node)), around_(around) {}

  /// A dimension: as given; else the surroundings' divided by `parts`; else the size of the first of `vectors` given.
  Index dimension(std::string_view name, std::vector<std::string_view> vectors = {}, Index parts = 1) const;
  /// The side n of a square matrix: as given, or the root of the surroundings' dimension.
  Index side(std::string_view name) const;
  /// Rows and columns of a matrix that is a point of a set.
  std::pair<Index, Index> shape(std::string_view rows, std::string_view cols) const;
  /// The dimension of the input of a map.
  Index input_dimension() const;

  Index integer(std::string_view name) const { return required(name).integer(); }
  double number(std::string_view name, std::optional<double> otherwise = {}) const;
  double bound(std::string_view name, double none) const;  // one number, "inf", "-inf" or null
  Vector vector(std::string_view name, std::optional<Index> size = {}) const { return required(name).vector(size); }
  Vector vector_or_empty(std::string_view name, Index size) const;
  Vector vector_or_zero(std::string_view name, Index size) const;
  Vector lower_bounds(std::string_view name, Index size) const { return bounds(name, -infinity, size); }
  Vector upper_bounds(std::string_view name, Index size) const { return bounds(name, infinity, size); }
  Operator matrix(std::string_view name) const { return required(name).matrix(); }
  Matrix dense_matrix(std::string_view name) const { return *required(name).dense_matrix().view(); }
  Operator symmetric_matrix(std::string_view name) const { return required(name).matrix(true); }
  Operator matrix_or_empty(std::string_view name, Index cols) const;
  std::vector<Index> indices(std::string_view name) const { return required(name).indices(); }
  std::vector<std::vector<Index>> groups(std::string_view name) const;
  std::vector<Rectangle> rectangles(std::string_view name) const;
  /// A set in a space of this dimension; if none is given, of the surroundings' own.
  Set set(std::string_view name, std::optional<Index> dimension = {}) const;
  std::vector<Set> sets(std::string_view name) const;
  std::vector<NamedSet> blocks(std::string_view name) const;
  std::vector<Term> terms(std::string_view name) const;
  std::vector<Map> maps(std::string_view name) const;
  /// The coordinates of the blocks named.
  std::vector<Index> coordinates(std::string_view name) const;

 private:
  std::optional<Node> at(std::string_view name) const;  // the name must be one of the entry's
  Node required(std::string_view name) const;
  Vector bounds(std::string_view name, double none, Index size) const;
  Index checked(std::string_view name, Index dimension) const;

  const Entry* entry_;
  Node node_;
  Surroundings around_;
};

template <class T>
struct Factory {
  Entry entry;
  std::function<T(const Arguments&)> make;
  std::function<bool(const T&, Json&)> write;  // false: not of this type
};

// The table of sets, in three parts.
std::vector<Factory<Set>> convex_sets();
std::vector<Factory<Set>> nonconvex_sets();
std::vector<Factory<Set>> combined_sets();

const std::vector<Factory<Set>>& set_factories();
const std::vector<Factory<Objective>>& objective_factories();
const std::vector<Factory<Map>>& map_factories();

// Reading -----
Set read_set(const Node& node, const Surroundings& around);
Objective read_objective(const Node& node, const Surroundings& around);
Map read_map(const Node& node, const Surroundings& around);

// Writing: throws InvalidArgument at objects that are not in the catalogue -----
Json set_json(const Set& set);
Json objective_json(const Objective& f);
Json map_json(const Map& G);
Json number_json(double value);  // infinities as "inf" and "-inf"
Json array_json(In v);           // infinities as "inf" and "-inf"
Json constant_json(In v);        // one number where all are equal
Json matrix_json(MatrixIn M);    // short where it is diagonal or symmetric Toeplitz
Json operator_json(const Operator& A);

/// One row of a table: entry, constructor, and how an S fills in its parameters again.
template <class Handle, class S, class Make, class Write>
Factory<Handle> row(Entry entry, Make make, Write write) {
  return {std::move(entry), std::move(make), [write](const Handle& handle, Json& out) {
            const S* s = handle.template as<S>();
            if (s) write(*s, out);
            return s != nullptr;
          }};
}

// Of sets -----

template <class S, class Make, class Write>
Factory<Set> set(Entry entry, Make make, Write write) {
  return row<Set, S>(std::move(entry), std::move(make), std::move(write));
}

/// Another name for a special case: it is written under the general name.
template <class Make>
Factory<Set> special_case(Entry entry, Make make) {
  return {std::move(entry), std::move(make), [](const Set&, Json&) { return false; }};
}

inline constexpr Parameter dimension_n{"n", Kind::dimension, "dimension", false};
inline constexpr Parameter number_of_pairs{"pairs", Kind::dimension, "number of pairs, half the dimension", false};
inline constexpr Parameter radius_1{"radius", Kind::number, "1 if left out", false};

}  // namespace pendec::io
