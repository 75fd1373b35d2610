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
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include "pendec/pendec.hpp"

namespace pendec::python {

namespace nb = nanobind;

/// Puts what refers to a Python object where the library may copy and destroy it without holding the interpreter's
/// lock. What outlives the interpreter, in the workspace of a thread, is left to the end of the process.
template <class T>
std::shared_ptr<T> released_under_lock(T reference) {
  return std::shared_ptr<T>(new T(std::move(reference)), [](T* last) {
    if (Py_IsInitialized() == 0) return;
    const nb::gil_scoped_acquire lock;
    delete last;
  });
}

/// A Python object that the library may copy and destroy without holding the interpreter's lock.
class Shared {
 public:
  Shared() = default;
  explicit Shared(nb::object object) : object_(released_under_lock(std::move(object))) {}
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
Operator borrow(const Borrowable& array);

nb::dict to_dict(const Certificate& certificate);
nb::dict to_dict(const OuterIterate& iterate);

/// What is expected of a value of type T, in words of Python.
template <class T>
constexpr const char* expected_of() {
  if (std::is_same_v<T, bool>) return "True or False";
  if (Named<T>) return "a name";
  return std::is_arithmetic_v<T> || std::is_convertible_v<double, T> ? "a number" : "numbers in its shape";
}

/// Sets fields by name, each within its range.
template <class Owner>
Owner fields_from(const nb::dict& given, Owner owner = {}) {
  pendec::detail::for_each_option(owner, "", [&](const std::string& name, auto& value, const auto& field) {
    if (!given.contains(name.c_str())) return;
    const nb::object one = given[name.c_str()];
    using T = std::remove_cvref_t<decltype(value)>;
    std::conditional_t<Named<T>, std::string, T> read{};
    if (!nb::try_cast(one, read))
      throw nb::type_error(
          (name + " is " + nb::cast<std::string>(nb::repr(one)) + "; expected " + expected_of<T>()).c_str());
    if constexpr (Named<T>)
      value = by_name<T>(name, read);
    else
      value = std::move(read);
    pendec::detail::check_range(name, value, field);
  });
  return owner;
}

/// Ends the solves of a thread that watches it. Python shows signals to the main thread only, and whoever waits for
/// solves in other threads may lose interest in them. Made in a thread that watches one, it comes with that one.
struct StopRequest {
  std::atomic<bool> requested = false;
  std::shared_ptr<const StopRequest> outer = {};

  bool made() const { return requested || (outer && outer->made()); }
};

/// What this thread watches; none is a request that never comes.
extern thread_local std::shared_ptr<const StopRequest> watched;

/// False, with an exception set, after Ctrl-C or a request to stop this thread. The lock must be held.
bool may_continue();

/// Ctrl-C during one solve of this thread: the first asks it to stop, which ends it with its best point. Solves
/// inside of solves have their own.
class Interruption {
 public:
  Interruption() : outer_(std::exchange(innermost_, this)) {}
  ~Interruption() { innermost_ = outer_; }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Was this error the first Ctrl-C of the innermost solve? Then that was asked to stop. The lock must be held.
  static bool took(const nb::python_error& error);
  static bool any_requested();

  std::stop_source stop;

 private:
  Interruption* outer_;
  static thread_local Interruption* innermost_;
};

/// Whether Ctrl-C asked the last solve of this thread to stop, which then came to its end.
extern thread_local bool last_was_interrupted;

/// What Python answers, under its lock. A solve ends with its best point only if its functions go on answering: after
/// the first Ctrl-C they are asked again, a second one comes through.
template <class Question>
auto ask(const Question& question) {
  const nb::gil_scoped_acquire lock;
  try {
    return question();
  } catch (const nb::python_error& error) {
    if (!Interruption::took(error)) throw;
  }
  return question();
}

/// Where work on a thread of its own leaves the rare question for the thread that waits for it: a callback is called
/// where the solve was begun, with the plots and settings of that thread.
class Desk {
 public:
  /// By the thread that works, which waits for the answer, or for the exception. False if nobody is there any more.
  bool ask(std::function<bool()> question);
  void leave_last();  // there will be no more questions

  /// By the one that waits: a question, or nothing after a while. The lock of the interpreter must not be held.
  std::optional<std::packaged_task<bool()>> next();
  void close();  // nobody waits any more

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::packaged_task<bool()>> question_;
  bool last_ = false, closed_ = false;
};

/// Keeps what a thread that nobody waits for works on, until it has ended and another solve begins: what belongs to
/// Python cannot be given back from there, because the interpreter may be ending. The lock must be held.
void abandon(std::shared_ptr<void> work);
void forget_ended();

/// Runs work(stop token) without the interpreter's lock. Work that calls Python all the time stays on the caller's
/// thread, where each call sees Ctrl-C; other work gets a thread of its own, while this one waits for signals and for
/// questions at the desk. A second Ctrl-C leaves that thread to itself, so that work must own what it uses.
template <class Work>
auto interruptible(bool calls_python, Work work, std::shared_ptr<Desk> desk = std::make_shared<Desk>()) {
  using Found = std::invoke_result_t<Work&, std::stop_token>;
  Interruption interruption;
  forget_ended();
  const auto task = std::make_shared<std::packaged_task<Found()>>(
      [work = std::move(work), stop = interruption.stop.get_token()]() mutable { return work(std::move(stop)); });
  std::future<Found> found = task->get_future();
  if (calls_python) {
    const nb::gil_scoped_release unlocked;
    (*task)();
  } else {
    std::thread thread([task, desk] {
      (*task)();
      desk->leave_last();
    });
    for (;;) {
      std::optional<std::packaged_task<bool()>> question;
      {
        const nb::gil_scoped_release unlocked;
        question = desk->next();
        if (found.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
          thread.join();
          break;
        }
      }
      if (question) (*question)();
      if (may_continue()) continue;
      nb::python_error error;
      if (Interruption::took(error)) continue;
      interruption.stop.request_stop();
      desk->close();
      thread.detach();
      abandon(task);
      throw error;
    }
  }
  last_was_interrupted = interruption.stop.stop_requested();
  return found.get();
}

/// The same for work(options) of the library alone that watches the stop token of its options.
template <class Options, class Work>
auto with_stop(Options options, Work work) {
  return interruptible(false, [options = std::move(options), work = std::move(work)](std::stop_token stop) mutable {
    options.stop = std::move(stop);
    return work(options);
  });
}

void bind_sets(nb::module_& m);
void bind_operators(nb::module_& m);
void bind_objectives(nb::module_& m);
void bind_maps(nb::module_& m);
void bind_result(nb::module_& m);
void bind_solve(nb::module_& m);
void bind_ready(nb::module_& m);

}  // namespace pendec::python
