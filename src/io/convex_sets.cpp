// The convex sets of problem files. A new one is one row here.
#include "factory.hpp"
#include "pendec/core/free.hpp"
#include "pendec/sets/affine_subspace.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/box_slab.hpp"
#include "pendec/sets/l1_ball.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/second_order_cone.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/sets/slab.hpp"

namespace pendec::io {
namespace {

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
  const LinearConstraints& c = p.constraints();
  out["n"] = c.dimension();
  if (c.b.size() > 0) out["A"] = operator_json(c.A), out["b"] = array_json(c.b);
  if (c.d.size() > 0) out["E"] = operator_json(c.E), out["d"] = array_json(c.d);
  if ((c.lower.array() > -infinity).any()) out["lower"] = constant_json(c.lower);
  if ((c.upper.array() < infinity).any()) out["upper"] = constant_json(c.upper);
}

}  // namespace

std::vector<Factory<Set>> convex_sets() {
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
      set<AffineSubspace>(
          {"affine_subspace",
           "E x = d",
           {{"E", Kind::matrix, "rows of the equations"}, {"d", Kind::vector, "right-hand sides"}},
           R"({"type": "affine_subspace", "E": [[1, 1, 1]], "d": [1]})"},
          [](const Arguments& a) {
            const Operator E = a.matrix("E");
            return AffineSubspace(E, a.vector("d", E.rows()));
          },
          [](const AffineSubspace& s, Json& out) {
            out["E"] = operator_json(s.E);
            out["d"] = array_json(s.d);
          }),
      special_case({"halfspace",
                    "a'x <= b",
                    {{"a", Kind::vector, "the normal"}, {"b", Kind::number, "the bound"}},
                    R"({"type": "halfspace", "a": [1, 2], "b": 3})"},
                   [](const Arguments& a) { return halfspace(a.vector("a"), a.number("b")); }),
      special_case({"hyperplane",
                    "a'x = b",
                    {{"a", Kind::vector, "the normal"}, {"b", Kind::number, "the value"}},
                    R"({"type": "hyperplane", "a": [1, 2], "b": 3})"},
                   [](const Arguments& a) { return hyperplane(a.vector("a"), a.number("b")); }),
      set<Slab>(
          {"slab",
           "lower <= a'x <= upper",
           {{"a", Kind::vector, "the normal"},
            {"lower", Kind::bound, "lower bound; none if left out", false},
            {"upper", Kind::bound, "upper bound; none if left out", false}},
           R"({"type": "slab", "a": [1, 2], "lower": "-inf", "upper": 3})"},
          [](const Arguments& a) {
            return Slab(a.vector("a"), a.bound("lower", -infinity), a.bound("upper", infinity));
          },
          [](const Slab& s, Json& out) {
            out["a"] = array_json(s.a);
            out["lower"] = number_json(s.lower);
            out["upper"] = number_json(s.upper);
          }),
      special_case({"capped_simplex",
                    "0 <= x <= 1 with the sum `sum`",
                    {dimension_n, {"sum", Kind::number, "the sum"}},
                    R"({"type": "capped_simplex", "n": 4, "sum": 2})"},
                   [](const Arguments& a) { return BoxSlab::capped_simplex(a.dimension("n"), a.number("sum")); }),
      set<BoxSlab>(
          {"box_slab",
           "lower <= x <= upper and least <= a'x <= most",
           {dimension_n,
            {"lower", Kind::bounds, "lower bounds; none if left out", false},
            {"upper", Kind::bounds, "upper bounds; none if left out", false},
            {"a", Kind::vector, "coefficients of the linear function"},
            {"least", Kind::bound, "its lower bound; none if left out", false},
            {"most", Kind::bound, "its upper bound; none if left out", false}},
           R"({"type": "box_slab", "lower": 0, "upper": 1, "a": [1, 2, 3], "most": 2})"},
          [](const Arguments& a) {
            const Index n = a.dimension("n", {"a", "lower", "upper"});
            return BoxSlab(a.lower_bounds("lower", n), a.upper_bounds("upper", n), a.vector("a", n),
                           a.bound("least", -infinity), a.bound("most", infinity));
          },
          [](const BoxSlab& s, Json& out) {
            out["n"] = s.dimension();
            out["lower"] = constant_json(s.lower);
            out["upper"] = constant_json(s.upper);
            out["a"] = constant_json(s.a);
            out["least"] = number_json(s.least);
            out["most"] = number_json(s.most);
          }),
      special_case({"ball", "|x| <= radius", {dimension_n, radius_1}, R"({"type": "ball", "n": 3, "radius": 2})"},
                   [](const Arguments& a) { return ball(a.dimension("n"), a.number("radius", 1.0)); }),
      special_case({"max_norm_ball",
                    "|x_i| <= radius for all i",
                    {dimension_n, radius_1},
                    R"({"type": "max_norm_ball", "n": 3, "radius": 2})"},
                   [](const Arguments& a) { return max_norm_ball(a.dimension("n"), a.number("radius", 1.0)); }),
      set<L1Ball>(
          {"l1_ball",
           "sum_i |x_i| <= radius",
           {dimension_n, radius_1},
           R"({"type": "l1_ball", "n": 3, "radius": 2})"},
          [](const Arguments& a) { return L1Ball(a.dimension("n"), a.number("radius", 1.0)); },
          [](const L1Ball& s, Json& out) {
            out["n"] = s.n;
            out["radius"] = s.radius;
          }),
      set<SecondOrderCone>(
          {"second_order_cone",
           "(t, x) with |x| <= t, t the first coordinate",
           {dimension_n},
           R"({"type": "second_order_cone", "n": 3})"},
          [](const Arguments& a) { return SecondOrderCone(a.dimension("n")); },
          [](const SecondOrderCone& s, Json& out) { out["n"] = s.n; }),
  };
}

}  // namespace pendec::io
