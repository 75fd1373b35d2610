// The sets of problem files. A new one is one row here.
#include "factory.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/box_switching.hpp"
#include "pendec/sets/free.hpp"
#include "pendec/sets/low_rank.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/psd_low_rank.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/sets/sparse.hpp"
#include "pendec/sets/union_of.hpp"

namespace pendec::io {
namespace {

constexpr Parameter dimension_n{"n", Kind::dimension, "dimension", false};
constexpr Parameter number_of_pairs{"pairs", Kind::dimension, "number of pairs, half the dimension", false};

template <class S, class Make, class Write>
Factory<Set> set(Entry entry, Make make, Write write) {
  return row<Set, S>(std::move(entry), std::move(make), std::move(write));
}

/// Another name for a special case: it is written under the general name.
template <class Make>
Factory<Set> special_case(Entry entry, Make make) {
  return {std::move(entry), std::move(make), [](const Set&, Json&) { return false; }};
}

Polyhedron read_polyhedron(const Arguments& a) {
  const Index n = a.dimension("n", {"lower", "upper"});
  LinearConstraints c = LinearConstraints::none(n);
  c.A = a.matrix_or_empty("A", n);
  c.b = a.vector_or_empty("b", c.A.rows());
  c.E = a.matrix_or_empty("E", n);
  c.d = a.vector_or_empty("d", c.E.rows());
  c.lower = a.lower_bounds("lower", n);
  c.upper = a.upper_bounds("upper", n);
  return Polyhedron(std::move(c));
}

void write_polyhedron(const Polyhedron& p, Json& out) {
  const LinearConstraints& c = p.prepared->data;
  out["n"] = c.dimension();
  if (c.b.size() > 0) out["A"] = matrix_json(c.A), out["b"] = array_json(c.b);
  if (c.d.size() > 0) out["E"] = matrix_json(c.E), out["d"] = array_json(c.d);
  if ((c.lower.array() > -infinity).any()) out["lower"] = constant_json(c.lower);
  if ((c.upper.array() < infinity).any()) out["upper"] = constant_json(c.upper);
}

std::vector<Factory<Set>> make_table() {
  return {
      set<Free>(
          {"free", "R^n, no constraint", {dimension_n}, R"({"type": "free", "n": 4})"},
          [](const Arguments& a) { return Free(a.dimension("n")); },
          [](const Free& s, Json& out) { out["n"] = s.n; }),
      set<Singleton>(
          {"singleton",
           "{point}: as C, the equations G(x) = point",
           {dimension_n, {"point", Kind::vector, "the point"}},
           R"({"type": "singleton", "point": [1, 0, 2]})"},
          [](const Arguments& a) { return Singleton(a.vector("point", a.dimension("n", {"point"}))); },
          [](const Singleton& s, Json& out) {
            out["n"] = s.dimension();
            out["point"] = constant_json(s.point);
          }),
      set<Box>(
          {"box",
           "lower <= x <= upper",
           {dimension_n,
            {"lower", Kind::bounds, "lower bounds; none if left out", false},
            {"upper", Kind::bounds, "upper bounds; none if left out", false}},
           R"({"type": "box", "lower": [0, "-inf", null], "upper": [1, 2, "inf"]})"},
          [](const Arguments& a) {
            const Index n = a.dimension("n", {"lower", "upper"});
            return Box(a.lower_bounds("lower", n), a.upper_bounds("upper", n));
          },
          [](const Box& s, Json& out) {
            out["n"] = s.dimension();
            out["lower"] = constant_json(s.lower);
            out["upper"] = constant_json(s.upper);
          }),
      set<Simplex>(
          {"simplex",
           "x >= 0 with the sum `radius`",
           {dimension_n, {"radius", Kind::number, "the sum; 1 if left out", false}},
           R"({"type": "simplex", "n": 5, "radius": 1})"},
          [](const Arguments& a) { return Simplex(a.dimension("n"), a.number("radius", 1.0)); },
          [](const Simplex& s, Json& out) {
            out["n"] = s.n;
            out["radius"] = s.radius;
          }),
      set<Polyhedron>({"polyhedron",
                       "A x <= b, E x = d, lower <= x <= upper",
                       {dimension_n,
                        {"A", Kind::matrix, "rows of the inequalities", false},
                        {"b", Kind::vector, "their right-hand sides", false},
                        {"E", Kind::matrix, "rows of the equations", false},
                        {"d", Kind::vector, "their right-hand sides", false},
                        {"lower", Kind::bounds, "lower bounds; none if left out", false},
                        {"upper", Kind::bounds, "upper bounds; none if left out", false}},
                       R"({"type": "polyhedron", "n": 2, "A": [[1, 1], [-1, 2]], "b": [1, 2], "lower": 0})"},
                      read_polyhedron, write_polyhedron),
      set<Sparse>(
          {"sparse",
           "at most s nonzeros",
           {dimension_n, {"s", Kind::integer, "largest number of nonzeros"}},
           R"({"type": "sparse", "n": 10, "s": 3})"},
          [](const Arguments& a) { return Sparse(a.dimension("n"), a.integer("s")); },
          [](const Sparse& s, Json& out) {
            out["n"] = s.n;
            out["s"] = s.s;
          }),
      set<LowRank>(
          {"low_rank",
           "matrices, column by column, of rank at most kappa",
           {{"rows", Kind::integer, "rows of the matrix"},
            {"cols", Kind::integer, "columns of the matrix"},
            {"kappa", Kind::integer, "largest rank"}},
           R"({"type": "low_rank", "rows": 4, "cols": 3, "kappa": 2})"},
          [](const Arguments& a) {
            const auto [rows, cols] = a.shape("rows", "cols");
            return LowRank(rows, cols, a.integer("kappa"));
          },
          [](const LowRank& s, Json& out) {
            out["rows"] = s.rows;
            out["cols"] = s.cols;
            out["kappa"] = s.kappa;
          }),
      set<PsdLowRank>(
          {"psd_low_rank",
           "symmetric positive semidefinite n x n matrices of rank at most kappa",
           {{"n", Kind::dimension, "rows and columns of the matrix", false},
            {"kappa", Kind::integer, "largest rank"}},
           R"({"type": "psd_low_rank", "n": 4, "kappa": 2})"},
          [](const Arguments& a) { return PsdLowRank(a.side("n"), a.integer("kappa")); },
          [](const PsdLowRank& s, Json& out) {
            out["n"] = s.n;
            out["kappa"] = s.kappa;
          }),
      special_case(
          {"switching", "[x; y] with x_i y_i = 0", {number_of_pairs}, R"({"type": "switching", "pairs": 3})"},
          [](const Arguments& a) { return BoxSwitching::switching(a.dimension("pairs", {}, 2)); }),
      special_case({"complementarity",
                    "[x; y] with x, y >= 0 and x_i y_i = 0",
                    {number_of_pairs},
                    R"({"type": "complementarity", "pairs": 3})"},
                   [](const Arguments& a) { return BoxSwitching::complementarity(a.dimension("pairs", {}, 2)); }),
      special_case({"relaxed_sparsity",
                    "[x; y] with 0 <= y <= 1 and x_i y_i = 0",
                    {number_of_pairs},
                    R"({"type": "relaxed_sparsity", "pairs": 3})"},
                   [](const Arguments& a) { return BoxSwitching::relaxed_sparsity(a.dimension("pairs", {}, 2)); }),
      set<BoxSwitching>(
          {"box_switching",
           "[x; y] with x_i y_i = 0 and bounds around zero",
           {number_of_pairs,
            {"lower_x", Kind::bounds, "lower bounds of x, at most 0; none if left out", false},
            {"upper_x", Kind::bounds, "upper bounds of x, at least 0; none if left out", false},
            {"lower_y", Kind::bounds, "lower bounds of y, at most 0; none if left out", false},
            {"upper_y", Kind::bounds, "upper bounds of y, at least 0; none if left out", false}},
           R"({"type": "box_switching", "pairs": 2, "lower_x": 0, "lower_y": [-1, "-inf"], "upper_y": 1})"},
          [](const Arguments& a) {
            const Index n = a.dimension("pairs", {"lower_x", "upper_x", "lower_y", "upper_y"}, 2);
            return BoxSwitching(a.lower_bounds("lower_x", n), a.upper_bounds("upper_x", n),
                                a.lower_bounds("lower_y", n), a.upper_bounds("upper_y", n));
          },
          [](const BoxSwitching& s, Json& out) {
            out["pairs"] = s.pairs();
            out["lower_x"] = constant_json(s.lower_x);
            out["upper_x"] = constant_json(s.upper_x);
            out["lower_y"] = constant_json(s.lower_y);
            out["upper_y"] = constant_json(s.upper_y);
          }),
      set<UnionOf>(
          {"union",
           "the union of sets of the same dimension",
           {{"parts", Kind::sets, "the sets"}},
           R"({"type": "union", "parts": [{"type": "box", "lower": [0, 0], "upper": [1, 1]},
                                                   {"type": "singleton", "point": [3, 3]}]})"},
          [](const Arguments& a) { return UnionOf(a.sets("parts")); },
          [](const UnionOf& s, Json& out) {
            for (const Set& part : s.parts) out["parts"].push_back(set_json(part));
          }),
      set<Product>(
          {"product",
           "blocks of coordinates, one after the other, each in its own set",
           {{"blocks", Kind::blocks, "the sets, with names that maps may refer to"}},
           R"({"type": "product", "blocks": [{"name": "x", "set": {"type": "sparse", "n": 5, "s": 2}},
                                                      {"name": "slack", "set": {"type": "box", "n": 3, "lower": 0}}]})"},
          [](const Arguments& a) { return Product(a.blocks("blocks")); },
          [](const Product& s, Json& out) {
            for (const NamedSet& block : s.blocks)
              out["blocks"].push_back({{"name", block.name}, {"set", set_json(block.set)}});
          }),
  };
}

}  // namespace

const std::vector<Factory<Set>>& set_factories() {
  static const std::vector<Factory<Set>> table = make_table();
  return table;
}

}  // namespace pendec::io
