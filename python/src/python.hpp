// What the parts of the module share: arrays, Python objects inside the library, and how a solve is run.
#pragma once

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stop_token>
#include <utility>

#include "pendec/core/problem.hpp"
#include "pendec/core/shared_matrix.hpp"
#include "pendec/report/result.hpp"

namespace pendec::python {

namespace nb = nanobind;

/// A Python object that the library may copy and destroy without holding the interpreter's lock.
class Shared {
 public:
  Shared() = default;
  explicit Shared(nb::object object)
      : object_(new nb::object(std::move(object)), [](nb::object* o) {
          const nb::gil_scoped_acquire lock;
          delete o;
        }) {}
  static Shared optional(nb::object object) { return object.is_none() ? Shared() : Shared(std::move(object)); }

  explicit operator bool() const { return object_ != nullptr; }
  const nb::object& operator*() const { return *object_; }
  const std::shared_ptr<nb::object>& owner() const { return object_; }

 private:
  std::shared_ptr<nb::object> object_;
};

/// Calls a Python function with copies of points: it may keep them. The lock must be held. Ctrl-C is seen here.
nb::object call(const Shared& function, In x);
nb::object call(const Shared& function, In x, In v);

/// Copies what a callback returned; a wrong shape is an error that names both.
void fill(Out out, nb::handle returned, const char* what);
double number(nb::handle returned, const char* what);

/// A view of a float64 array in Fortran order, which stays alive with it.
using Borrowable = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
SharedMatrix borrow(const Borrowable& array);

nb::dict to_dict(const Certificate& certificate);
nb::dict to_dict(const Result& result);

/// Ends the solves of a thread that watches it. Python shows signals to the main thread only, and whoever waits for
/// solves in other threads may lose interest in them. Made in a thread that watches one, it comes with that one.
struct StopRequest {
  std::atomic<bool> requested = false;
  std::shared_ptr<const StopRequest> outer = {};

  bool made() const { return requested || (outer && outer->made()); }
};

/// What this thread watches; none is a request that never comes.
extern thread_local std::shared_ptr<const StopRequest> watched;

/// False, with KeyboardInterrupt set, after Ctrl-C or a request to stop this thread. The lock must be held.
bool may_continue();

/// Runs work(stop token) without the interpreter's lock. Work that calls Python back stays on the caller's thread,
/// where each callback sees Ctrl-C; other work gets a thread of its own, while this one waits for signals.
template <class Work>
auto interruptible(bool calls_python, Work work) {
  if (calls_python) {
    const nb::gil_scoped_release unlocked;
    return work(std::stop_token{});
  }
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] { return work(stop.get_token()); });
  for (bool ready = false; !ready;) {
    {
      const nb::gil_scoped_release unlocked;
      ready = result.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
    }
    if (!ready && !may_continue()) {
      stop.request_stop();
      const nb::python_error interrupt;
      {
        const nb::gil_scoped_release unlocked;
        result.wait();
      }
      throw nb::python_error(interrupt);
    }
  }
  return result.get();
}

/// The same for work of the library alone that watches the stop token of its options.
template <class Options, class Work>
auto with_stop(Options& options, Work work) {
  return interruptible(false, [&](std::stop_token stop) {
    options.stop = std::move(stop);
    return work();
  });
}

void bind_sets(nb::module_& m);
void bind_objectives(nb::module_& m);
void bind_maps(nb::module_& m);
void bind_solve(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_low_rank(nb::module_& m);

}  // namespace pendec::python
