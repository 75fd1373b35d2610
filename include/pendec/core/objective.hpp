// Smooth objectives f: R^n → R.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "pendec/core/operator.hpp"
#include "pendec/core/quadratic_form.hpp"
#include "pendec/core/scratch.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// What a user's objective must have: value and gradient from one fused call that fills the caller's buffer.
/// Optional abilities, found by name:
///   double value(In x) const                          value alone, where that is cheaper
///   void   hessian_times(In x, In d, Out out) const   out = ∇²f(x) d
///   Operator hessian(In x) const                      ∇²f(x), where more than its products is known; or a Matrix
///   Operator constant_hessian() const                 for quadratics; or a Matrix
///   QuadraticForm quadratic_form() const              for quadratics, with what rounding did to computed numbers; or
///                                                     std::optional of it
///   bool   has_quadratic_form() const                 for wrappers: is it really there?
///   bool   convex() const                             f is known to be convex (default: not known)
///   Matrix curvature_below(In at, In lower, In upper) const   H with f(x) ≥ f(at) + ∇f(at)ᵀd + ½dᵀHd, d = x − at,
///                                                     for all x in the box (default: 0 where f is convex)
///   double lower_bound() const                        a number that f is nowhere below (default: −∞)
///   double magnitude(In x, Out gradient) const        the sizes of what f(x) and each entry of ∇f(x) add up, which
///                                                     rounding is relative to (default |f| + |x|ᵀ|∇f|, and |∇f|)
///   Index  summands() const                           how many they add up, at most (default: the dimension)
/// Objectives made of others tell by has_value() and has_hessian() whether value() and hessian_times() are more than
/// a form, and return std::optional where they may not know. What is constant is asked for once, by the handle.
template <class F>
concept Differentiable = requires(const F& f, In x, Out gradient) {
  { f.dimension() } -> std::convertible_to<Index>;
  { f.value_and_gradient(x, gradient) } -> std::convertible_to<double>;
};

namespace detail {

struct ObjectiveInterface {
  virtual ~ObjectiveInterface() = default;
  virtual Index dimension() const = 0;
  virtual double value_and_gradient(In x, Out gradient) const = 0;
  virtual bool has_value() const = 0;
  virtual double value(In x) const = 0;
  virtual bool has_hessian() const = 0;
  virtual void hessian_times(In x, In d, Out out) const = 0;
  virtual std::optional<Operator> hessian(In x) const = 0;
  virtual const std::optional<Operator>& constant_hessian() const = 0;
  virtual bool has_quadratic_form() const = 0;
  virtual std::optional<QuadraticForm> quadratic_form() const = 0;
  virtual bool convex() const = 0;
  virtual std::optional<Matrix> curvature_below(In at, In lower, In upper) const = 0;
  virtual double lower_bound() const = 0;
  virtual double magnitude(In x, Out gradient) const = 0;
  virtual Index summands() const = 0;
};

template <Differentiable F>
struct ObjectiveModel final : ObjectiveInterface {
  explicit ObjectiveModel(F fn) : f(std::move(fn)) {
    if constexpr (requires { f.constant_hessian(); }) constant = f.constant_hessian();
  }
  static constexpr bool can_value = requires(const F& g, In x) { g.value(x); };
  static constexpr bool can_hessian = requires(const F& g, In x, Out y) { g.hessian_times(x, x, y); };

  Index dimension() const override { return f.dimension(); }
  double value_and_gradient(In x, Out gradient) const override { return f.value_and_gradient(x, gradient); }
  bool has_value() const override {
    if constexpr (requires {
                    { f.has_value() } -> std::convertible_to<bool>;
                  })
      return f.has_value();
    return can_value;
  }
  double value(In x) const override {
    if constexpr (can_value) {
      return f.value(x);
    } else {
      Scratch gradient(x.size());
      return f.value_and_gradient(x, *gradient);
    }
  }
  bool has_hessian() const override {
    if constexpr (requires {
                    { f.has_hessian() } -> std::convertible_to<bool>;
                  })
      return f.has_hessian();
    return can_hessian || constant;
  }
  void hessian_times([[maybe_unused]] In x, [[maybe_unused]] In d, [[maybe_unused]] Out out) const override {
    if constexpr (can_hessian) {
      f.hessian_times(x, d, out);
    } else if (constant) {
      constant->times(d, out);
    }
  }
  std::optional<Operator> hessian([[maybe_unused]] In x) const override {
    if constexpr (requires { f.hessian(x); }) return f.hessian(x);
    return constant;
  }
  const std::optional<Operator>& constant_hessian() const override { return constant; }
  bool has_quadratic_form() const override {
    if constexpr (requires { f.has_quadratic_form(); }) return f.has_quadratic_form();
    return requires { f.quadratic_form(); };
  }
  std::optional<QuadraticForm> quadratic_form() const override {
    if constexpr (requires { f.quadratic_form(); }) return f.quadratic_form();
    return std::nullopt;
  }
  bool convex() const override {
    if constexpr (requires { f.convex(); }) return f.convex();
    return false;
  }
  std::optional<Matrix> curvature_below([[maybe_unused]] In at, [[maybe_unused]] In lower,
                                        [[maybe_unused]] In upper) const override {
    if constexpr (requires { f.curvature_below(at, lower, upper); }) return f.curvature_below(at, lower, upper);
    return std::nullopt;
  }
  double lower_bound() const override {
    if constexpr (requires { f.lower_bound(); }) return f.lower_bound();
    return -infinity;
  }
  double magnitude(In x, Out gradient) const override {
    if constexpr (requires { f.magnitude(x, gradient); }) return f.magnitude(x, gradient);
    const double value = f.value_and_gradient(x, gradient);
    gradient = gradient.cwiseAbs().eval();
    return std::abs(value) + x.cwiseAbs().dot(gradient);
  }
  Index summands() const override {
    if constexpr (requires { f.summands(); }) return f.summands();
    return f.dimension();
  }
  F f;
  std::optional<Operator> constant;
};

/// The last few points of one objective, with values and gradients. May be shared among threads.
class PENDEC_EXPORT Memory {
 public:
  /// False: x is not among them.
  bool recall(In x, double& value) const;
  bool recall(In x, double& value, Out gradient) const;
  void keep(In x, double value, In gradient);

 private:
  struct Evaluation {
    Vector x;
    double value = 0.0;
    Vector gradient;
  };
  const Evaluation* find(In x) const;

  mutable std::mutex guard_;
  std::array<Evaluation, 5> last_;  // what one certificate asks for, and one more
  std::size_t oldest_ = 0;
};

/// An objective given by a lambda double(In x, Out gradient).
template <class Fn>
struct ObjectiveFromFunction {
  Index n;
  Fn fn;
  Index dimension() const { return n; }
  double value_and_gradient(In x, Out gradient) const { return fn(x, gradient); }
};

}  // namespace detail

/// Handle to any Differentiable; cheap to copy. Default-constructed it is "no objective".
class PENDEC_EXPORT Objective {
 public:
  Objective() = default;
  template <Differentiable F>
  requires(!std::same_as<F, Objective>) Objective(F f)
      : self_(std::make_shared<const detail::ObjectiveModel<F>>(std::move(f))) {}  // NOLINT: implicit

  explicit operator bool() const { return self_ != nullptr; }
  Index dimension() const { return self_->dimension(); }
  double value_and_gradient(In x, Out gradient) const {
    double value;
    if (memory_ && memory_->recall(x, value, gradient)) return value;
    value = self_->value_and_gradient(x, gradient);
    if (memory_) memory_->keep(x, value, gradient);
    return value;
  }

  /// Does f have a value-only evaluation? Without one, value(x) costs a gradient.
  bool has_value() const { return self_->has_value(); }
  double value(In x) const {
    double value;
    return memory_ && memory_->recall(x, value) ? value : self_->value(x);
  }

  /// The same objective, which evaluates the last few points once only, whoever asks for them.
  Objective remembering() const;

  bool has_hessian() const { return self_->has_hessian(); }
  void hessian_times(In x, In d, Out out) const { self_->hessian_times(x, d, out); }  // needs has_hessian()

  /// ∇²f(x), as f knows it or by its products; needs has_hessian().
  Operator hessian(In x) const;
  const std::optional<Operator>& constant_hessian() const { return self_->constant_hessian(); }
  bool is_quadratic() const { return constant_hessian().has_value(); }

  /// f as a quadratic: its own form, or one from a constant Hessian and the gradient at 0. Nothing for others. A Gram
  /// matrix is formed here, and a diagonal becomes a dense matrix: is_quadratic() and has_quadratic_form() are cheap.
  bool has_quadratic_form() const { return self_->has_quadratic_form() || is_quadratic(); }
  std::optional<QuadraticForm> quadratic_form() const;
  bool convex() const { return self_->convex(); }

  /// H with f(x) ≥ f(at) + ∇f(at)ᵀd + ½dᵀHd, d = x − at, for all x in the box: what bounds are made of. Nothing where
  /// neither f knows one nor is known to be convex.
  std::optional<Matrix> curvature_below(In at, In lower, In upper) const {
    if (auto own = self_->curvature_below(at, lower, upper)) return own;
    if (!convex()) return std::nullopt;
    return Matrix(Matrix::Zero(dimension(), dimension()));
  }

  double lower_bound() const { return self_->lower_bound(); }

  /// The sizes of what f(x) and the entries of ∇f(x) add up, and of how many terms: rounding, relative to these, is
  /// what bounds have to allow for.
  double magnitude(In x, Out gradient) const { return self_->magnitude(x, gradient); }
  Index summands() const { return self_->summands(); }

  template <class F>
  const F* as() const {
    const auto* model = dynamic_cast<const detail::ObjectiveModel<F>*>(self_.get());
    return model ? &model->f : nullptr;
  }

 private:
  std::shared_ptr<const detail::ObjectiveInterface> self_;
  std::shared_ptr<detail::Memory> memory_;
};

/// make_objective(n, [](In x, Out g) { g = x; return 0.5 * x.squaredNorm(); })
template <class Fn>
requires std::is_invocable_r_v<double, const Fn&, In, Out> Objective make_objective(Index n, Fn fn) {
  return Objective(detail::ObjectiveFromFunction<Fn>{n, std::move(fn)});
}

}  // namespace pendec
