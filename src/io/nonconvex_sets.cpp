// The nonconvex sets of problem files. A new one is one row here.
#include "factory.hpp"
#include "pendec/sets/box_switching.hpp"
#include "pendec/sets/group_counts.hpp"
#include "pendec/sets/group_sparse.hpp"
#include "pendec/sets/low_rank.hpp"
#include "pendec/sets/pair_union.hpp"
#include "pendec/sets/psd_low_rank.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/sparse.hpp"
#include "pendec/sets/sparse_box.hpp"
#include "pendec/sets/sparse_simplex.hpp"
#include "pendec/sets/stiefel.hpp"
#include "pendec/sets/values.hpp"

namespace pendec::io {
std::vector<Factory<Set>> nonconvex_sets() {
  return {
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
      set<SparseBox>(
          {"sparse_box",
           "at most s nonzeros, each between its bounds; with s = n semicontinuous variables",
           {dimension_n,
            {"lower", Kind::bounds, "lower bounds of the nonzeros; none if left out", false},
            {"upper", Kind::bounds, "upper bounds of the nonzeros; none if left out", false},
            {"s", Kind::integer, "largest number of nonzeros"}},
           R"({"type": "sparse_box", "n": 4, "lower": 0.1, "upper": [1, 1, 2, "inf"], "s": 2})"},
          [](const Arguments& a) {
            const Index n = a.dimension("n", {"lower", "upper"});
            return SparseBox(a.lower_bounds("lower", n), a.upper_bounds("upper", n), a.integer("s"));
          },
          [](const SparseBox& s, Json& out) {
            out["n"] = s.dimension();
            out["lower"] = constant_json(s.lower);
            out["upper"] = constant_json(s.upper);
            out["s"] = s.s;
          }),
      set<SparseSimplex>(
          {"sparse_simplex",
           "x >= 0 with the sum `radius` and at most s nonzeros",
           {dimension_n,
            {"s", Kind::integer, "largest number of nonzeros"},
            {"radius", Kind::number, "the sum; 1 if left out", false}},
           R"({"type": "sparse_simplex", "n": 5, "s": 2})"},
          [](const Arguments& a) { return SparseSimplex(a.dimension("n"), a.integer("s"), a.number("radius", 1.0)); },
          [](const SparseSimplex& s, Json& out) {
            out["n"] = s.n;
            out["s"] = s.s;
            out["radius"] = s.radius;
          }),
      set<GroupSparse>(
          {"group_sparse",
           "at most s groups of coordinates are not all zero",
           {dimension_n,
            {"groups", Kind::groups, "disjoint groups; coordinates in none are free"},
            {"s", Kind::integer, "largest number of nonzero groups"}},
           R"({"type": "group_sparse", "n": 5, "groups": [[0, 1], [2, 3]], "s": 1})"},
          [](const Arguments& a) { return GroupSparse(a.dimension("n"), a.groups("groups"), a.integer("s")); },
          [](const GroupSparse& s, Json& out) {
            out["n"] = s.n;
            out["groups"] = s.groups;
            out["s"] = s.s;
          }),
      set<GroupCounts>(
          {"group_counts",
           "at most counts[g] nonzeros in group g and at most s in all, each between its bounds",
           {dimension_n,
            {"lower", Kind::bounds, "lower bounds of the nonzeros; none if left out", false},
            {"upper", Kind::bounds, "upper bounds of the nonzeros; none if left out", false},
            {"groups", Kind::groups, "disjoint groups; coordinates in none count for s alone"},
            {"counts", Kind::indices, "largest number of nonzeros in each group"},
            {"s", Kind::integer, "largest number of nonzeros"}},
           R"({"type": "group_counts", "n": 5, "lower": 0, "groups": [[0, 1], [2, 3]], "counts": [1, 1], "s": 2})"},
          [](const Arguments& a) {
            const Index n = a.dimension("n", {"lower", "upper"});
            return GroupCounts(a.lower_bounds("lower", n), a.upper_bounds("upper", n), a.groups("groups"),
                               a.indices("counts"), a.integer("s"));
          },
          [](const GroupCounts& s, Json& out) {
            out["n"] = s.dimension();
            out["lower"] = constant_json(s.lower);
            out["upper"] = constant_json(s.upper);
            out["groups"] = s.groups;
            out["counts"] = s.counts;
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
      set<Stiefel>(
          {"stiefel",
           "matrices, column by column, with orthonormal columns",
           {{"rows", Kind::integer, "rows of the matrix"}, {"cols", Kind::integer, "columns of the matrix"}},
           R"({"type": "stiefel", "rows": 3, "cols": 2})"},
          [](const Arguments& a) {
            const auto [rows, cols] = a.shape("rows", "cols");
            return Stiefel(rows, cols);
          },
          [](const Stiefel& s, Json& out) {
            out["rows"] = s.rows;
            out["cols"] = s.cols;
          }),
      special_case({"sphere", "|x| = radius", {dimension_n, radius_1}, R"({"type": "sphere", "n": 3, "radius": 2})"},
                   [](const Arguments& a) { return sphere(a.dimension("n"), a.number("radius", 1.0)); }),
      special_case(
          {"annulus",
           "inner <= |x| <= outer",
           {dimension_n, {"inner", Kind::number, "least norm"}, {"outer", Kind::number, "largest norm"}},
           R"({"type": "annulus", "n": 3, "inner": 1, "outer": 2})"},
          [](const Arguments& a) { return annulus(a.dimension("n"), a.number("inner"), a.number("outer")); }),
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
           "[x; y] with x_i y_i = 0 and bounds",
           {number_of_pairs,
            {"lower_x", Kind::bounds, "lower bounds of x; none if left out", false},
            {"upper_x", Kind::bounds, "upper bounds of x; none if left out", false},
            {"lower_y", Kind::bounds, "lower bounds of y; none if left out", false},
            {"upper_y", Kind::bounds, "upper bounds of y; none if left out", false}},
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
      special_case({"vanishing",
                    "[a; b] with b_i >= 0 and a_i b_i <= 0",
                    {number_of_pairs},
                    R"({"type": "vanishing", "pairs": 3})"},
                   [](const Arguments& a) { return PairUnion::vanishing(a.dimension("pairs", {}, 2)); }),
      special_case(
          {"either", "[a; b] with a_i >= 0 or b_i >= 0", {number_of_pairs}, R"({"type": "either", "pairs": 3})"},
          [](const Arguments& a) { return PairUnion::either(a.dimension("pairs", {}, 2)); }),
      set<PairUnion>(
          {"pair_union",
           "[a; b], every pair (a_i, b_i) in one of the rectangles",
           {number_of_pairs, {"rectangles", Kind::rectangles, "each [lower_a, upper_a, lower_b, upper_b]"}},
           R"({"type": "pair_union", "pairs": 2, "rectangles": [[0, 1, 0, 0], [0, 0, null, "inf"]]})"},
          [](const Arguments& a) { return PairUnion(a.dimension("pairs", {}, 2), a.rectangles("rectangles")); },
          [](const PairUnion& s, Json& out) {
            out["pairs"] = s.pairs;
            for (const Rectangle& r : s.rectangles)
              out["rectangles"].push_back(array_json(Vector{{r.lower_a, r.upper_a, r.lower_b, r.upper_b}}));
          }),
      special_case({"binary", "every x_i is 0 or 1", {dimension_n}, R"({"type": "binary", "n": 3})"},
                   [](const Arguments& a) { return Integer::binary(a.dimension("n")); }),
      set<Integer>(
          {"integer",
           "whole numbers with lower <= x <= upper",
           {dimension_n,
            {"lower", Kind::bounds, "lower bounds; none if left out", false},
            {"upper", Kind::bounds, "upper bounds; none if left out", false}},
           R"({"type": "integer", "n": 3, "lower": 0})"},
          [](const Arguments& a) {
            const Index n = a.dimension("n", {"lower", "upper"});
            return Integer(a.lower_bounds("lower", n), a.upper_bounds("upper", n));
          },
          [](const Integer& s, Json& out) {
            out["n"] = s.dimension();
            out["lower"] = constant_json(s.lower);
            out["upper"] = constant_json(s.upper);
          }),
      set<FiniteValues>(
          {"finite_values",
           "every x_i is one of the values",
           {dimension_n, {"values", Kind::vector, "the values"}},
           R"({"type": "finite_values", "n": 3, "values": [-1, 0, 2.5]})"},
          [](const Arguments& a) {
            const Vector values = a.vector("values");
            return FiniteValues(a.dimension("n"), {values.begin(), values.end()});
          },
          [](const FiniteValues& s, Json& out) {
            out["n"] = s.n;
            out["values"] = s.values;
          }),
  };
}

}  // namespace pendec::io
