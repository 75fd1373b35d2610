// Smooth maps G: R^n → R^m, given by their value and the adjoint of their derivative.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// What a user's map must have. Optional abilities, found by their names:
///   void   derivative(In x, In d, Out out) const       out = G'(x) d
///   Matrix jacobian(In x) const                        G'(x), m × n
///   void   hessian_times(In x, In w, In d, Out out) const   out = (Σᵢ wᵢ ∇²Gᵢ(x)) d
///   Matrix hessian(In x, In w) const                   Σᵢ wᵢ ∇²Gᵢ(x), where that is cheaper than n products
///   bool   has_hessian() const                         for wrappers: is hessian_times really there?
///   ConstantJacobian constant_jacobian() const         for affine maps; or std::optional of it
///   bool   convex() const                              every component is known to be convex (default: if affine)
template <class M>
concept SmoothMap = requires(const M& map, In x, Out out) {
  { map.input_dimension() } -> std::convertible_to<Index>;
  { map.output_dimension() } -> std::convertible_to<Index>;
  map.evaluate(x, out);    // out = G(x)
  map.adjoint(x, x, out);  // out = G'(x)* w, called as adjoint(x, w, out)
};

/// The Jacobian of an affine map, in the form that exact x-updates exploit. Neither set: known by products only.
struct ConstantJacobian {
  const std::vector<Index>* selected = nullptr;  // G(x) = x[selected] + G(0), distinct indices
  const Matrix* dense = nullptr;                 // G(x) = dense · x + G(0)
};

namespace detail {

struct MapInterface {
  virtual ~MapInterface() = default;
  virtual Index input_dimension() const = 0;
  virtual Index output_dimension() const = 0;
  virtual void evaluate(In x, Out out) const = 0;
  virtual void adjoint(In x, In w, Out out) const = 0;
  virtual bool derivative(In x, In d, Out out) const = 0;  // false: not able to
  virtual bool jacobian(In x, Matrix& out) const = 0;
  virtual bool has_hessian() const = 0;
  virtual void hessian_times(In x, In w, In d, Out out) const = 0;
  virtual bool hessian(In x, In w, Matrix& out) const = 0;  // false: not able to
  virtual std::optional<ConstantJacobian> constant_jacobian() const = 0;
  virtual bool convex() const = 0;
};

template <SmoothMap M>
struct MapModel final : MapInterface {
  static constexpr bool can_hessian = requires(const M& m, In x, Out y) { m.hessian_times(x, x, x, y); };
  explicit MapModel(M m) : map(std::move(m)) {}
  Index input_dimension() const override { return map.input_dimension(); }
  Index output_dimension() const override { return map.output_dimension(); }
  void evaluate(In x, Out out) const override { map.evaluate(x, out); }
  void adjoint(In x, In w, Out out) const override { map.adjoint(x, w, out); }
  bool derivative(In x, In d, Out out) const override {
    if constexpr (requires { map.derivative(x, d, out); }) return map.derivative(x, d, out), true;
    return false;
  }
  bool jacobian(In x, Matrix& out) const override {
    if constexpr (requires { out = map.jacobian(x); }) return out = map.jacobian(x), true;
    return false;
  }
  bool has_hessian() const override {
    if constexpr (requires { map.has_hessian(); }) return map.has_hessian();
    return can_hessian;
  }
  void hessian_times([[maybe_unused]] In x, [[maybe_unused]] In w, [[maybe_unused]] In d,
                     [[maybe_unused]] Out out) const override {
    if constexpr (can_hessian) map.hessian_times(x, w, d, out);
  }
  bool hessian([[maybe_unused]] In x, [[maybe_unused]] In w, [[maybe_unused]] Matrix& out) const override {
    if constexpr (requires { out = map.hessian(x, w); }) return out = map.hessian(x, w), true;
    return false;
  }
  std::optional<ConstantJacobian> constant_jacobian() const override {
    if constexpr (requires { map.constant_jacobian(); }) return map.constant_jacobian();
    return std::nullopt;
  }
  bool convex() const override {
    if constexpr (requires { map.convex(); }) return map.convex();
    return false;
  }
  M map;
};

}  // namespace detail

/// Handle to any SmoothMap; cheap to copy. Default-constructed it is "no map".
class PENDEC_EXPORT Map {
 public:
  Map() = default;
  template <SmoothMap M>
  requires(!std::same_as<M, Map>) Map(M map)
      : self_(std::make_shared<const detail::MapModel<M>>(std::move(map))) {}  // NOLINT: implicit

  explicit operator bool() const { return self_ != nullptr; }
  Index input_dimension() const { return self_->input_dimension(); }
  Index output_dimension() const { return self_->output_dimension(); }
  void evaluate(In x, Out out) const { self_->evaluate(x, out); }
  void adjoint(In x, In w, Out out) const { self_->adjoint(x, w, out); }
  std::optional<ConstantJacobian> constant_jacobian() const { return self_->constant_jacobian(); }
  bool is_affine() const { return constant_jacobian().has_value(); }
  bool convex() const { return self_->convex() || is_affine(); }

  /// out = G'(x) d, from the map itself or from its Jacobian.
  void derivative(In x, In d, Out out) const;

  /// G'(x), from the map itself or, row by row, from its adjoint.
  Matrix jacobian(In x) const;

  /// out = (Σᵢ wᵢ ∇²Gᵢ(x)) d, zero for affine maps; needs has_hessian().
  void hessian_times(In x, In w, In d, Out out) const;
  bool has_hessian() const { return self_->has_hessian() || is_affine(); }

  /// Σᵢ wᵢ ∇²Gᵢ(x), from the map itself or column by column; needs has_hessian().
  Matrix hessian(In x, In w) const;

  template <class M>
  const M* as() const {
    const auto* model = dynamic_cast<const detail::MapModel<M>*>(self_.get());
    return model ? &model->map : nullptr;
  }

 private:
  std::shared_ptr<const detail::MapInterface> self_;
};

}  // namespace pendec
