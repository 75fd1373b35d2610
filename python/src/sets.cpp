// Sets: the catalogue and sets given by a Python object.
#include "python.hpp"

namespace pendec::python {
namespace {

/// A set that a Python object projects onto.
struct PythonSet {
  Index dimension() const { return n; }
  std::string name() const { return label; }
  bool convex() const { return is_convex; }
  void project(In z, Out y) const {
    ask([&] { fill(y, call(projection, z), "project(x)"); });
  }
  std::optional<double> normal_residual(In x, In v) const {
    if (!residual) return std::nullopt;
    return ask([&] { return number(call(residual, x, v), "normal_residual(x, v)"); });
  }

  Index n;
  std::string label;
  bool is_convex;
  Shared projection, residual;
};

Set make_python_set(Index n, nb::object project, bool convex, std::string name, nb::object normal_residual) {
  return PythonSet{n, std::move(name), convex, Shared(std::move(project)),
                   Shared::optional(std::move(normal_residual))};
}

Set make_polyhedron(const Operator& A, Vector b, const Operator& E, Vector d, Vector lower, Vector upper) {
  return Polyhedron({A, std::move(b), E, std::move(d), std::move(lower), std::move(upper)});
}

Set make_pair_union(Index pairs, const std::vector<std::vector<double>>& rectangles) {
  std::vector<Rectangle> made;
  for (const auto& r : rectangles) made.push_back({r.at(0), r.at(1), r.at(2), r.at(3)});
  return PairUnion(pairs, std::move(made));
}

Set make_product(const std::vector<std::pair<std::string, Set>>& blocks) {
  std::vector<NamedSet> named;
  for (const auto& [name, set] : blocks) named.push_back({name, set});
  return Product(std::move(named));
}

/// m.def of a function that makes an S from arguments.
template <class S, class... Arguments>
void def_set(nb::module_& m, const char* name) {
  m.def(name, [](Arguments... arguments) { return Set(S(std::move(arguments)...)); });
}

}  // namespace

void bind_sets(nb::module_& m) {
  nb::class_<Set>(m, "Set")
      .def_prop_ro("dimension", &Set::dimension)
      .def_prop_ro("name", &Set::name)
      .def_prop_ro("convex", &Set::convex)
      .def("project", [](const Set& s, const Vector& z) { return s.projection(z); })
      .def("distance", [](const Set& s, const Vector& x) { return s.distance(x); })
      .def("contains", [](const Set& s, const Vector& x, double tol) { return s.contains(x, tol); })
      .def("normal_residual", [](const Set& s, const Vector& x, const Vector& v) { return s.normal_residual(x, v); })
      .def("projection_is_unique",
           [](const Set& s, const Vector& z, double tol) { return s.projection_is_unique(z, tol); })
      .def("check", [](const Set& s, std::uint64_t seed, Index samples, double scale) {
        return check_set(s, {.seed = seed, .samples = samples, .scale = scale}).failures;
      });

  using Groups = std::vector<std::vector<Index>>;
  m.def("python_set", &make_python_set, nb::arg("n"), nb::arg("project"), nb::arg("convex"), nb::arg("name"),
        nb::arg("normal_residual").none());
  def_set<Free, Index>(m, "free");
  def_set<Singleton, Vector>(m, "singleton");
  def_set<Box, Vector, Vector>(m, "box");
  m.def("max_norm_ball", &max_norm_ball);
  def_set<Simplex, Index, double>(m, "simplex");
  m.def("polyhedron", &make_polyhedron);
  def_set<AffineSubspace, Operator, Vector>(m, "affine_subspace");
  def_set<Slab, Vector, double, double>(m, "slab");
  m.def("halfspace", [](Vector a, double b) { return Set(halfspace(std::move(a), b)); });
  m.def("hyperplane", [](Vector a, double b) { return Set(hyperplane(std::move(a), b)); });
  def_set<BoxSlab, Vector, Vector, Vector, double, double>(m, "box_slab");
  m.def("capped_simplex", [](Index n, double sum) { return Set(BoxSlab::capped_simplex(n, sum)); });
  def_set<L1Ball, Index, double>(m, "l1_ball");
  def_set<SecondOrderCone, Index>(m, "second_order_cone");
  def_set<Sparse, Index, Index>(m, "sparse");
  def_set<SparseBox, Vector, Vector, Index>(m, "sparse_box");
  def_set<SparseSimplex, Index, Index, double>(m, "sparse_simplex");
  def_set<GroupSparse, Index, Groups, Index>(m, "group_sparse");
  def_set<GroupCounts, Vector, Vector, Groups, std::vector<Index>, Index>(m, "group_counts");
  def_set<LowRank, Index, Index, Index>(m, "low_rank");
  def_set<PsdLowRank, Index, Index>(m, "psd_low_rank");
  def_set<Stiefel, Index, Index>(m, "stiefel");
  def_set<SingularValues, Index, Index, Set>(m, "singular_values");
  m.def("nuclear_ball", &nuclear_ball);
  m.def("spectral_ball", &spectral_ball);
  def_set<BoxSwitching, Vector, Vector, Vector, Vector>(m, "box_switching");
  m.def("pair_union", &make_pair_union);
  def_set<Integer, Vector, Vector>(m, "integer");
  def_set<FiniteValues, Index, std::vector<double>>(m, "finite_values");
  def_set<UnionOf, std::vector<Set>>(m, "union_of");
  m.def("product", &make_product);
  m.def("intersection", [](std::vector<Set> parts) { return intersection(std::move(parts)); });
  def_set<Indexed, Index, std::vector<Index>, Set>(m, "indexed");
  def_set<Similarity, Set, double, Vector>(m, "similarity");
  def_set<Shell, Set, double, double>(m, "shell");
  m.def("ball", &ball);
  m.def("sphere", &sphere);
  m.def("annulus", &annulus);
}

}  // namespace pendec::python
