// Objectives: those of the library, on the caller's arrays, and functions of Python.
#include <nanobind/ndarray.h>

#include "python.hpp"

namespace pendec::python {
namespace {

/// An objective of Python: fused(x) returns (f, gradient), product(x, d) the Hessian's product with d.
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
  bool has_hessian() const { return static_cast<bool>(product); }
  void hessian_times(In x, In d, Out out) const {
    ask([&] { fill(out, call(product, x, d), "hessp(x, p)"); });
  }

  Index n;
  Shared fused, product;
};

/// The same where f alone is cheaper than f with its gradient.
struct PythonObjectiveWithValue : PythonObjective {
  double value(In x) const {
    return ask([&] { return number(call(single, x), "fun(x)"); });
  }

  Shared single;
};

Objective make_python_objective(Index n, nb::object fused, nb::object single, nb::object product) {
  PythonObjective f{n, Shared(std::move(fused)), Shared::optional(std::move(product))};
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

/// Column pointers, rows and values of a matrix in compressed columns.
Operator make_sparse_operator(Index rows, Index cols, const Eigen::Ref<const Eigen::VectorXi>& starts,
                              const Eigen::Ref<const Eigen::VectorXi>& indices, In values) {
  return SparseMatrix(
      Eigen::Map<const SparseMatrix>(rows, cols, values.size(), starts.data(), indices.data(), values.data()));
}

}  // namespace

void bind_objectives(nb::module_& m) {
  nb::class_<Operator>(m, "Operator").def_prop_ro("rows", &Operator::rows);
  m.def("dense_operator", &borrow);
  m.def("sparse_operator", &make_sparse_operator);

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
      .def("check", [](const Objective& f, const Vector& x) { return check_objective(f, x).failures; });
  m.def("python_objective", &make_python_objective, nb::arg("n"), nb::arg("fused"), nb::arg("single").none(),
        nb::arg("product").none());
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
