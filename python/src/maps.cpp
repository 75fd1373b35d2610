// Maps: those of the library, and functions of Python.
#include "python.hpp"

namespace pendec::python {
namespace {

/// G(x) by Python: value(x), pullback(x, w) = G'(x)* w, and curvature(x, w) = Σᵢ wᵢ ∇²Gᵢ(x), where it is known, as an
/// operator.
struct PythonMap {
  Index input_dimension() const { return n; }
  Index output_dimension() const { return rows; }
  void evaluate(In x, Out out) const {
    ask([&] { fill(out, call(value, x), "G(x)"); });
  }
  void adjoint(In x, In w, Out out) const {
    ask([&] { fill(out, call(pullback, x, w), "the product with the transposed Jacobian"); });
  }
  bool has_hessian() const { return static_cast<bool>(curvature); }
  void hessian_times(In x, In w, In d, Out out) const { hessian(x, w)->times(d, out); }
  std::optional<Operator> hessian(In x, In w) const {
    if (!curvature) return std::nullopt;
    return ask([&] { return nb::cast<Operator>(call(curvature, x, w)); });
  }
  /// G'(x) d = G(d) − G(0).
  std::optional<Operator> constant_jacobian() const {
    if (!affine) return std::nullopt;
    return as_operator([G = *this](In d, Out out) {
      Vector shift(G.rows);
      G.evaluate(Vector::Zero(G.n), shift);
      G.evaluate(d, out);
      out -= shift;
    });
  }
  Operator as_operator(Operator::Function times) const {
    return Operator::functions(rows, n, std::move(times),
                               [G = *this](In w, Out out) { G.adjoint(Vector::Zero(G.n), w, out); });
  }

  Index n, rows;
  Shared value, pullback, curvature;
  bool affine;
};

/// The same where the product with the Jacobian is known as well.
struct PythonMapWithDerivative : PythonMap {
  void derivative(In x, In d, Out out) const {
    ask([&] { fill(out, call(push, x, d), "the product with the Jacobian"); });
  }
  std::optional<Operator> constant_jacobian() const {
    if (!affine) return std::nullopt;
    return as_operator([G = *this](In d, Out out) { G.derivative(Vector::Zero(G.n), d, out); });
  }

  Shared push;
};

/// The same where the Jacobian itself is known: matrix(x) is an operator. Products are its own, but for those by
/// pullback and push where these are given.
struct PythonMapWithJacobian : PythonMap {
  void adjoint(In x, In w, Out out) const {
    if (pullback) return PythonMap::adjoint(x, w, out);
    jacobian(x).transpose_times(w, out);
  }
  void derivative(In x, In d, Out out) const {
    if (!push) return jacobian(x).times(d, out);
    ask([&] { fill(out, call(push, x, d), "the product with the Jacobian"); });
  }
  Operator jacobian(In x) const {
    return ask([&] { return nb::cast<Operator>(call(matrix, x)); });
  }
  std::optional<Operator> constant_jacobian() const {
    if (!affine) return std::nullopt;
    return jacobian(Vector::Zero(n));
  }

  Shared push, matrix;
};

Map make_python_map(Index n, Index rows, nb::object value, nb::object pullback, nb::object push, bool affine,
                    nb::object matrix, nb::object curvature) {
  PythonMap G{n,
              rows,
              Shared(std::move(value)),
              Shared::optional(std::move(pullback)),
              Shared::optional(std::move(curvature)),
              affine};
  if (!matrix.is_none())
    return PythonMapWithJacobian{std::move(G), Shared::optional(std::move(push)), Shared(std::move(matrix))};
  if (push.is_none()) return G;
  return PythonMapWithDerivative{std::move(G), Shared(std::move(push))};
}

}  // namespace

void bind_maps(nb::module_& m) {
  nb::class_<Map>(m, "Map")
      .def_prop_ro("input_dimension", &Map::input_dimension)
      .def_prop_ro("output_dimension", &Map::output_dimension)
      .def("__call__",
           [](const Map& G, const Vector& x) {
             Vector out(G.output_dimension());
             G.evaluate(x, out);
             return out;
           })
      .def("adjoint",
           [](const Map& G, const Vector& x, const Vector& w) {
             Vector out(G.input_dimension());
             G.adjoint(x, w, out);
             return out;
           })
      .def_prop_ro("has_hessian", &Map::has_hessian)
      .def("jacobian", [](const Map& G, const Vector& x) { return G.jacobian(x); })
      .def("hessian", [](const Map& G, const Vector& x, const Vector& w) { return G.hessian(x, w); })
      .def("check", [](const Map& G, const Vector& x) { return check_map(G, x).failures; });
  m.def("python_map", &make_python_map, nb::arg("n"), nb::arg("rows"), nb::arg("value"), nb::arg("pullback").none(),
        nb::arg("push").none(), nb::arg("affine"), nb::arg("matrix").none(), nb::arg("curvature").none());
  m.def("affine", [](const Operator& A, Vector b) { return Map(Affine(A, std::move(b))); });
  m.def("selection", [](Index n, std::vector<Index> indices, Vector shift) {
    return Map(Selection(n, std::move(indices), std::move(shift)));
  });
  m.def("quartic",
        [](Matrix c, Matrix p, Vector t) { return Map(Quartic(std::move(c), std::move(p), std::move(t))); });
  m.def("quadratic_rows", [](std::vector<Matrix> Q, Matrix A, Vector b) {
    return Map(QuadraticRows(std::move(Q), std::move(A), std::move(b)));
  });
  m.def("stack", [](std::vector<Map> parts) { return Map(Stack(std::move(parts))); });
}

}  // namespace pendec::python
