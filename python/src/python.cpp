#include "python.hpp"

#include <nanobind/ndarray.h>

#include "pendec/core/error.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/version.hpp"

namespace pendec::python {
namespace {

nb::object copy_of(In x) { return nb::cast(Vector(x)); }

/// The slow but tolerant way from Python's values to arrays: pendec._arrays.returned(value, n, what).
nb::object flatten(nb::handle value, Index n, const char* what) {
  return nb::module_::import_("pendec._arrays").attr("returned")(value, n, what);
}

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

std::atomic<unsigned> interrupts{0};

nb::object call(const Shared& function, In x) {
  nb::object result = (*function)(copy_of(x));
  check_signals();
  return result;
}

nb::object call(const Shared& function, In x, In v) {
  nb::object result = (*function)(copy_of(x), copy_of(v));
  check_signals();
  return result;
}

void fill(Out out, nb::handle returned, const char* what) {
  using Array = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  Array array;
  if (!nb::try_cast<Array>(returned, array, false) || static_cast<Index>(array.shape(0)) != out.size())
    array = nb::cast<Array>(flatten(returned, out.size(), what));
  out = Eigen::Map<const Vector>(array.data(), out.size());
}

double number(nb::handle returned, const char* what) {
  const double value = PyFloat_AsDouble(returned.ptr());
  if (value == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return nb::cast<double>(nb::module_::import_("pendec._arrays").attr("number")(returned, what));
  }
  return value;
}

SharedMatrix borrow(const Borrowable& array) {
  const auto rows = static_cast<Index>(array.shape(0)), cols = static_cast<Index>(array.shape(1));
  // A copy of the handle keeps the array alive; its count is atomic, but the last owner needs the lock.
  const std::shared_ptr<const Borrowable> owner(new Borrowable(array), [](const Borrowable* a) {
    const nb::gil_scoped_acquire lock;
    delete a;
  });
  return SharedMatrix::borrow(ConstMatrixView(array.data(), rows, cols), owner);
}

}  // namespace pendec::python

NB_MODULE(_pendec, m) {
  namespace nb = nanobind;
  m.doc() = "The compiled part of pendec.";
  m.def("interrupt", [] { ++pendec::python::interrupts; });
  m.attr("version") = pendec::version;
  nb::exception<pendec::io::FileError>(m, "FileError", PyExc_OSError);
  nb::exception<pendec::InvalidArgument>(m, "InvalidArgument", PyExc_ValueError);
  pendec::python::bind_sets(m);
  pendec::python::bind_objectives(m);
  pendec::python::bind_maps(m);
  pendec::python::bind_solve(m);
  pendec::python::bind_sparse(m);
  pendec::python::bind_low_rank(m);
}
