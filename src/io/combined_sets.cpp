// The sets of problem files that are made of others. A new one is one row here.
#include <algorithm>

#include "factory.hpp"
#include "pendec/core/free.hpp"
#include "pendec/sets/indexed.hpp"
#include "pendec/sets/intersection.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/similarity.hpp"
#include "pendec/sets/singular_values.hpp"
#include "pendec/sets/union_of.hpp"

namespace pendec::io {
namespace {

/// The set of the chosen coordinates, which the object keeps together with the free rest.
void write_indexed(const Indexed& s, Json& out) {
  const auto* product = s.arranged.as<Product>();
  const bool rest = product && product->blocks.size() == 2 && product->blocks[1].set.as<Free>();
  const Set& inner = rest ? product->blocks[0].set : s.arranged;
  out["n"] = s.dimension();
  out["indices"] = std::vector<Index>(s.order.begin(), s.order.begin() + inner.dimension());
  out["set"] = set_json(inner);
}

}  // namespace

std::vector<Factory<Set>> combined_sets() {
  return {
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
      set<Intersection>(
          {"intersection",
           "the intersection of convex sets of the same dimension",
           {{"parts", Kind::sets, "the sets"}},
           R"({"type": "intersection", "parts": [{"type": "ball", "n": 2, "radius": 2},
                                                               {"type": "halfspace", "a": [1, 1], "b": 1}]})"},
          [](const Arguments& a) { return intersection(a.sets("parts")); },
          [](const Intersection& s, Json& out) {
            for (const Set& part : s.parts) out["parts"].push_back(set_json(part));
          }),
      set<Indexed>(
          {"indexed",
           "chosen coordinates lie in a set, the others are free",
           {dimension_n,
            {"indices", Kind::indices, "distinct coordinates, counted from 0, in the order of the set"},
            {"set", Kind::set, "the set of these coordinates"}},
           R"({"type": "indexed", "n": 5, "indices": [4, 0, 1], "set": {"type": "sparse", "s": 1}})"},
          [](const Arguments& a) {
            const Index n = a.dimension("n");
            std::vector<Index> indices = a.indices("indices");
            const Set inner = a.set("set", static_cast<Index>(indices.size()));
            return Indexed(n, std::move(indices), inner);
          },
          write_indexed),
      set<Similarity>(
          {"similarity",
           "factor * w + shift for w in a set",
           {{"set", Kind::set, "the set of w"},
            {"factor", Kind::number, "not 0; 1 if left out", false},
            {"shift", Kind::vector, "zero if left out", false}},
           R"({"type": "similarity", "set": {"type": "ball", "n": 2}, "factor": 3, "shift": [1, 0]})"},
          [](const Arguments& a) {
            Set inner = a.set("set");
            Vector shift = a.vector_or_zero("shift", inner.dimension());
            return Similarity(std::move(inner), a.number("factor", 1.0), std::move(shift));
          },
          [](const Similarity& s, Json& out) {
            out["set"] = set_json(s.set);
            out["factor"] = s.factor;
            out["shift"] = constant_json(s.shift);
          }),
      set<Shell>(
          {"shell",
           "points of a cone with inner <= |x| <= outer",
           {{"cone", Kind::set, "a cone, not necessarily convex"},
            {"inner", Kind::number, "least norm; 0 if left out", false},
            {"outer", Kind::bound, "largest norm; none if left out", false}},
           R"({"type": "shell", "cone": {"type": "sparse", "n": 5, "s": 2}, "inner": 1, "outer": 1})"},
          [](const Arguments& a) { return Shell(a.set("cone"), a.number("inner", 0.0), a.bound("outer", infinity)); },
          [](const Shell& s, Json& out) {
            out["cone"] = set_json(s.cone);
            out["inner"] = s.inner;
            out["outer"] = number_json(s.outer);
          }),
      special_case({"nuclear_ball",
                    "matrices, column by column, whose singular values have at most the sum `radius`",
                    {{"rows", Kind::integer, "rows of the matrix"},
                     {"cols", Kind::integer, "columns of the matrix"},
                     {"radius", Kind::number, "the sum"}},
                    R"({"type": "nuclear_ball", "rows": 3, "cols": 2, "radius": 1})"},
                   [](const Arguments& a) {
                     const auto [rows, cols] = a.shape("rows", "cols");
                     return nuclear_ball(rows, cols, a.number("radius"));
                   }),
      special_case({"spectral_ball",
                    "matrices, column by column, whose largest singular value is at most `radius`",
                    {{"rows", Kind::integer, "rows of the matrix"},
                     {"cols", Kind::integer, "columns of the matrix"},
                     {"radius", Kind::number, "the largest singular value"}},
                    R"({"type": "spectral_ball", "rows": 3, "cols": 2, "radius": 1})"},
                   [](const Arguments& a) {
                     const auto [rows, cols] = a.shape("rows", "cols");
                     return spectral_ball(rows, cols, a.number("radius"));
                   }),
      set<SingularValues>(
          {"singular_values",
           "matrices, column by column, whose singular values lie in a symmetric set",
           {{"rows", Kind::integer, "rows of the matrix"},
            {"cols", Kind::integer, "columns of the matrix"},
            {"set", Kind::set, "of min(rows, cols) singular values; permutations and signs keep it"}},
           R"({"type": "singular_values", "rows": 3, "cols": 2, "set": {"type": "l1_ball"}})"},
          [](const Arguments& a) {
            const auto [rows, cols] = a.shape("rows", "cols");
            return SingularValues(rows, cols, a.set("set", std::min(rows, cols)));
          },
          [](const SingularValues& s, Json& out) {
            out["rows"] = s.rows;
            out["cols"] = s.cols;
            out["set"] = set_json(s.set);
          }),
  };
}

}  // namespace pendec::io
