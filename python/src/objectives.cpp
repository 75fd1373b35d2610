// Objectives: those of the library, on the caller's arrays, and functions of Python.
#include "python.hpp"

namespace pendec::python {
namespace {

/// An objective of Python: fused(x) returns (f, gradient), matrix(x) the Hessian as an operator, product(x, d) its
/// product with d; where both of these are known, products are by the latter.
struct PythonObjective {
  Index dimension() const { return n; }
  double value_and_gradient(In x, Out g) const {
    return ask([&] {
      const nb::object both = call(fused, x);
      if (!(nb::isinstance<nb::tuple>(both) || nb::isinstance<nb::list>(both)) || nb::len(both) != 2)
        throw nb::type_error("fun(x) must return the pair (f, gradient) with jac=True");
      fill(g, both[1], "the gradient");
      return number(both[0], "fun(x)");
    });
  }
  bool has_hessian() const { return product || matrix; }
  void hessian_times(In x, In d, Out out) const {
    if (!product) return hessian(x)->times(d, out);
    ask([&] { fill(out, call(product, x, d), "hessp(x, p)"); });
  }
  std::optional<Operator> hessian(In x) const {
    if (!matrix) return std::nullopt;
    return ask([&] { return nb::cast<Operator>(call(matrix, x)); });
  }

  Index n;
  Shared fused, product, matrix;
};

/// The same where f alone is cheaper than f with its gradient.
struct PythonObjectiveWithValue : PythonObjective {
  double value(In x) const {
    return ask([&] { return number(call(single, x), "fun(x)"); });
  }

  Shared single;
};

Objective make_python_objective(Index n, nb::object fused, nb::object single, nb::object product, nb::object matrix) {
  PythonObjective f{n, Shared(std::move(fused)), Shared::optional(std::move(product)),
                    Shared::optional(std::move(matrix))};
  if (single.is_none()) return f;
  return PythonObjectiveWithValue{std::move(f), Shared(std::move(single))};
}

Objective make_linear_model(Operator A, Vector b, const std::string& loss, bool intercept, double ridge,
                            double huber) {
  return LinearModel(std::move(A), std::move(b), by_name<Loss>("loss", loss),
                     {.intercept = intercept, .ridge = ridge, .huber = huber});
}

Objective make_sum(const std::vector<std::pair<double, Objective>>& terms) {
  std::vector<Term> made;
  for (const auto& [weight, f] : terms) made.push_back({weight, f});
  return Sum(std::move(made));
}

}  // namespace

void bind_objectives(nb::module_& m) {
  nb::class_<Objective>(m, "Objective")
      .def_prop_ro("dimension", &Objective::dimension)
      .def_prop_ro("convex", &Objective::convex)
      .def("value", [](const Objective& f, const Vector& x) { return f.value(x); })
      .def("value_and_gradient",
           [](const Objective& f, const Vector& x) {
             Vector g(f.dimension());
             const double value = f.value_and_gradient(x, g);
             return std::pair(value, g);
           })
      .def_prop_ro("has_hessian", &Objective::has_hessian)
      .def("hessian", [](const Objective& f, const Vector& x) { return f.hessian(x); })
      .def("check", [](const Objective& f, const Vector& x) { return check_objective(f, x).failures; });
  m.def("python_objective", &make_python_objective, nb::arg("n"), nb::arg("fused"), nb::arg("single").none(),
        nb::arg("product").none(), nb::arg("matrix").none());
  m.def("quadratic", [](const Operator& Q, Vector c) { return Objective(Quadratic(Q, std::move(c))); });
  m.def("squared_distance",
        [](Vector a, Vector weights) { return Objective(SquaredDistance(std::move(a), std::move(weights))); });
  m.def("least_squares", [](const Operator& A, Vector b) { return Objective(LeastSquares(A, std::move(b))); });
  m.def("logistic", [](const Operator& A, Vector y) { return Objective(Logistic(A, std::move(y))); });
  m.def("linear", [](Vector c) { return Objective(Linear(std::move(c))); });
  m.def("linear_model", &make_linear_model);
  m.def("sum", &make_sum);
}

}  // namespace pendec::python
