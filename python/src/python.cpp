#include "python.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "pendec/io/file_error.hpp"

namespace pendec::python {
namespace {

/// The buffer of a Python object, released at the end. Arrays cross the boundary at every callback, and nb::ndarray
/// takes longer than a small objective.
class Buffer {
 public:
  Buffer(nb::handle object, int flags) : held_(PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) {
    if (!held_) PyErr_Clear();
  }
  ~Buffer() {
    if (held_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Is it a contiguous vector of n doubles?
  bool is_vector(Index n) const {
    return held_ && view_.ndim == 1 && view_.shape[0] == n && std::string_view(view_.format) == "d";
  }
  double* data() const { return static_cast<double*>(view_.buf); }

 private:
  Py_buffer view_{};
  bool held_;
};

nb::object copy_of(In x) {
  static const nb::object& empty = *new nb::object(nb::module_::import_("numpy").attr("empty"));  // never freed
  nb::object array = empty(x.size());
  const Buffer buffer(array, PyBUF_CONTIG | PyBUF_FORMAT);
  Eigen::Map<Vector>(buffer.data(), x.size()) = x;
  return array;
}

/// The slow but tolerant way from Python's values to arrays: pendec._arrays.returned(value, n, what).
nb::object flatten(nb::handle value, Index n, const char* what) {
  return nb::module_::import_("pendec._arrays").attr("returned")(value, n, what);
}

void check_signals() {
  if (!may_continue()) throw nb::python_error();
}

}  // namespace

thread_local std::shared_ptr<const StopRequest> watched;
thread_local Interruption* Interruption::innermost_ = nullptr;
thread_local bool last_was_interrupted = false;

bool Interruption::took(const nb::python_error& error) {
  return innermost_ && error.matches(PyExc_KeyboardInterrupt) && innermost_->stop.request_stop();
}

bool Interruption::any_requested() {
  for (const Interruption* solve = innermost_; solve; solve = solve->outer_)
    if (solve->stop.stop_requested()) return true;
  return false;
}

bool Desk::ask(std::function<bool()> question) {
  std::future<bool> answer;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    answer = question_.emplace(std::move(question)).get_future();
  }
  changed_.notify_one();
  return answer.get();
}

void Desk::leave_last() {
  {
    const std::lock_guard lock(mutex_);
    last_ = true;
  }
  changed_.notify_one();
}

std::optional<std::packaged_task<bool()>> Desk::next() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return question_ || last_; });
  return std::exchange(question_, std::nullopt);
}

namespace {

/// Never destroyed: at exit its threads may still work.
std::vector<std::shared_ptr<void>>& abandoned() {
  static auto* const all = new std::vector<std::shared_ptr<void>>();
  return *all;
}

}  // namespace

void forget_ended() {
  std::erase_if(abandoned(), [](const std::shared_ptr<void>& work) { return work.use_count() == 1; });
}

void abandon(std::shared_ptr<void> work) {
#ifdef __GLIBC__
  // Libraries that such a thread is working in must not be taken down under it.
  [[maybe_unused]] static const int registered = on_exit(
      [](int status, void*) {
        for (const std::shared_ptr<void>& some : abandoned()) {
          if (some.use_count() == 1) continue;
          std::fflush(nullptr);
          _exit(status);
        }
      },
      nullptr);
#endif
  abandoned().push_back(std::move(work));
}

void Desk::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  question_.reset();  // whoever waits for the answer gets an exception
}

bool may_continue() {
  // A request stays made; a solve that is ending already is not to be asked again.
  if (watched && watched->made() && !Interruption::any_requested()) PyErr_SetNone(PyExc_KeyboardInterrupt);
  return !PyErr_Occurred() && PyErr_CheckSignals() == 0;
}

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
  const auto copy = [&](nb::handle array) {
    const Buffer buffer(array, PyBUF_CONTIG_RO | PyBUF_FORMAT);
    if (!buffer.is_vector(out.size())) return false;
    out = Eigen::Map<const Vector>(buffer.data(), out.size());
    return true;
  };
  if (!copy(returned) && !copy(flatten(returned, out.size(), what)))
    throw nb::type_error("what a function returned is not an array of numbers");
}

double number(nb::handle returned, const char* what) {
  // Other types go the tolerant way: NumPy's complex numbers would turn into their real parts here.
  if (PyFloat_Check(returned.ptr())) return PyFloat_AS_DOUBLE(returned.ptr());
  return nb::cast<double>(nb::module_::import_("pendec._arrays").attr("number")(returned, what));
}

Operator borrow(const Borrowable& array) {
  const auto rows = static_cast<Index>(array.shape(0)), cols = static_cast<Index>(array.shape(1));
  // A copy of the handle keeps the array alive; its count is atomic, but the last owner needs the lock.
  return Operator::borrow(ConstMatrixView(array.data(), rows, cols), released_under_lock(array));
}

}  // namespace pendec::python

NB_MODULE(_pendec, m) {
  namespace nb = nanobind;
  m.doc() = "The compiled part of pendec.";
  // A set of a script's own, kept in one of its globals, holds its class, and with it the globals, through the
  // library, where the interpreter does not see the cycle: what is left at exit is no mistake, and the process ends
  // anyway.
  nb::set_leak_warnings(false);
  using pendec::python::StopRequest;
  nb::class_<StopRequest>(m, "StopRequest")
      .def(nb::new_([] {
        auto stop = std::make_shared<StopRequest>();
        stop->outer = pendec::python::watched;
        return stop;
      }))
      .def("request", [](StopRequest& stop) { stop.requested = true; })
      .def("__enter__", [](std::shared_ptr<StopRequest> stop) { pendec::python::watched = std::move(stop); })
      .def("__exit__", [](const StopRequest&, nb::args) { pendec::python::watched.reset(); });
  m.def("last_was_interrupted", [] { return std::exchange(pendec::python::last_was_interrupted, false); });
  m.attr("version") = pendec::version;
  m.def("threads", &pendec::threads);
  m.def("set_threads", &pendec::set_threads);
  nb::exception<pendec::io::FileError>(m, "FileError", PyExc_OSError);
  nb::exception<pendec::InvalidArgument>(m, "InvalidArgument", PyExc_ValueError);
  pendec::python::bind_sets(m);
  pendec::python::bind_operators(m);
  pendec::python::bind_objectives(m);
  pendec::python::bind_maps(m);
  pendec::python::bind_result(m);
  pendec::python::bind_solve(m);
  pendec::python::bind_ready(m);
}
