// Smooth maps G: R^n → R^m, given by their value and the adjoint of their derivative.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "pendec/core/operator.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// What a user's map must have. Optional abilities, found by their names:
///
///   void derivative(In x, In d, Out out) const;              out = G'(x) d
///   Operator jacobian(In x) const;                           G'(x), m × n, where more than its products is known;
///                                                            or a Matrix
///   void hessian_times(In x, In w, In d, Out out) const;     out = (Σᵢ wᵢ ∇²Gᵢ(x)) d
///   Operator hessian(In x, In w) const;                      Σᵢ wᵢ ∇²Gᵢ(x), where more than its products is known
///   Operator constant_jacobian() const;                      for affine maps; or a Matrix
///   bool convex() const;                                     every component is known to be convex (default: if
///                                                            affine)
///   Operator curvature_below(In at, In w) const;             for w ≥ 0: H such that Σᵢ wᵢ Gᵢ lies above its tangent
///                                                            at `at` by ½dᵀHd or more everywhere (default: 0 if
///                                                            convex)
///   void tighten(In lower, In upper, Out least, Out greatest) const;
///                                                            shrinks the box least ≤ x ≤ greatest, which goes on to
///                                                            hold all of its points with lower ≤ G(x) ≤ upper
///   void magnitude(In x, Out values, Out slopes) const;      the sizes of what is added up in each Gᵢ(x), and, at
///                                                            most, in an entry of ∇Gᵢ(x) (default: |G| + |G'||x|
///                                                            and |G'|, for maps in which nothing else cancels)
///
/// Maps made of others tell by has_jacobian() and has_hessian() whether jacobian() and hessian_times() are more than
/// a form, and return std::optional where they may not know. What is constant is asked for once, by the handle.
template <class M>
concept SmoothMap = requires(const M& map, In x, Out out) {
  { map.input_dimension() } -> std::convertible_to<Index>;
  { map.output_dimension() } -> std::convertible_to<Index>;
  map.evaluate(x, out);    // out = G(x)
  map.adjoint(x, x, out);  // out = G'(x)* w, called as adjoint(x, w, out)
};

namespace detail {

struct MapInterface {
  virtual ~MapInterface() = default;
  virtual Index input_dimension() const = 0;
  virtual Index output_dimension() const = 0;
  virtual void evaluate(In x, Out out) const = 0;
  virtual void adjoint(In x, In w, Out out) const = 0;
  virtual bool has_derivative() const = 0;
  virtual void derivative(In x, In d, Out out) const = 0;
  virtual bool has_jacobian() const = 0;
  virtual std::optional<Operator> jacobian(In x) const = 0;
  virtual bool has_hessian() const = 0;
  virtual void hessian_times(In x, In w, In d, Out out) const = 0;
  virtual std::optional<Operator> hessian(In x, In w) const = 0;
  virtual const std::optional<Operator>& constant_jacobian() const = 0;
  virtual bool convex() const = 0;
  virtual std::optional<Operator> curvature_below(In at, In w) const = 0;
  virtual void tighten(In lower, In upper, Out least, Out greatest) const = 0;
  virtual bool magnitude(In x, Out values, Out slopes) const = 0;  // false: not known
};

template <SmoothMap M>
struct MapModel final : MapInterface {
  static constexpr bool can_hessian = requires(const M& m, In x, Out y) { m.hessian_times(x, x, x, y); };
  static constexpr bool can_derivative = requires(const M& m, In x, Out y) { m.derivative(x, x, y); };
  explicit MapModel(M m) : map(std::move(m)) {
    if constexpr (requires { map.constant_jacobian(); }) constant = map.constant_jacobian();
  }
  Index input_dimension() const override { return map.input_dimension(); }
  Index output_dimension() const override { return map.output_dimension(); }
  void evaluate(In x, Out out) const override { map.evaluate(x, out); }
  void adjoint(In x, In w, Out out) const override { map.adjoint(x, w, out); }
  bool has_derivative() const override { return can_derivative || constant; }
  void derivative([[maybe_unused]] In x, In d, Out out) const override {
    if constexpr (can_derivative) {
      map.derivative(x, d, out);
    } else if (constant) {
      constant->times(d, out);
    }
  }
  bool has_jacobian() const override {
    if constexpr (requires { map.has_jacobian(); }) return map.has_jacobian();
    return requires(In x) { map.jacobian(x); }
    || constant;
  }
  std::optional<Operator> jacobian([[maybe_unused]] In x) const override {
    if constexpr (requires { map.jacobian(x); }) return map.jacobian(x);
    return constant;
  }
  bool has_hessian() const override {
    if constexpr (requires { map.has_hessian(); }) return map.has_hessian();
    return can_hessian;
  }
  void hessian_times([[maybe_unused]] In x, [[maybe_unused]] In w, [[maybe_unused]] In d,
                     [[maybe_unused]] Out out) const override {
    if constexpr (can_hessian) map.hessian_times(x, w, d, out);
  }
  std::optional<Operator> hessian([[maybe_unused]] In x, [[maybe_unused]] In w) const override {
    if constexpr (requires { map.hessian(x, w); }) return map.hessian(x, w);
    return std::nullopt;
  }
  const std::optional<Operator>& constant_jacobian() const override { return constant; }
  bool convex() const override {
    if constexpr (requires { map.convex(); }) return map.convex();
    return false;
  }
  std::optional<Operator> curvature_below([[maybe_unused]] In at, [[maybe_unused]] In w) const override {
    if constexpr (requires { map.curvature_below(at, w); }) return map.curvature_below(at, w);
    return std::nullopt;
  }
  void tighten([[maybe_unused]] In lower, [[maybe_unused]] In upper, [[maybe_unused]] Out least,
               [[maybe_unused]] Out greatest) const override {
    if constexpr (requires { map.tighten(lower, upper, least, greatest); })
      map.tighten(lower, upper, least, greatest);
  }
  bool magnitude([[maybe_unused]] In x, [[maybe_unused]] Out values, [[maybe_unused]] Out slopes) const override {
    if constexpr (requires { map.magnitude(x, values, slopes); }) {
      map.magnitude(x, values, slopes);
      return true;
    }
    return false;
  }
  M map;
  std::optional<Operator> constant;
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
  const std::optional<Operator>& constant_jacobian() const { return self_->constant_jacobian(); }
  bool is_affine() const { return constant_jacobian().has_value(); }
  bool convex() const { return self_->convex() || is_affine(); }

  /// out = G'(x) d, from the map itself or from its Jacobian.
  void derivative(In x, In d, Out out) const;

  /// G'(x), as the map knows it, by its products or, row by row, from the adjoint.
  Operator jacobian(In x) const;
  bool has_jacobian() const { return self_->has_jacobian(); }  // the map itself knows it

  /// out = (Σᵢ wᵢ ∇²Gᵢ(x)) d, zero for affine maps; needs has_hessian().
  void hessian_times(In x, In w, In d, Out out) const;
  bool has_hessian() const { return self_->has_hessian() || is_affine(); }

  /// Σᵢ wᵢ ∇²Gᵢ(x), as the map knows it or by its products; needs has_hessian().
  Operator hessian(In x, In w) const;

  /// H such that Σᵢ wᵢ Gᵢ(x) is, everywhere, no less than its tangent at `at` plus ½dᵀHd, d = x − at, for w ≥ 0: what
  /// bounds are made of. Nothing where the map neither knows one nor is known to be convex.
  std::optional<Operator> curvature_below(In at, In w) const;

  /// Shrinks the box least ≤ x ≤ greatest as far as the map can tell; it goes on to hold all of its points with
  /// lower ≤ G(x) ≤ upper.
  void tighten(In lower, In upper, Out least, Out greatest) const;

  /// The sizes of what is added up in each component, and, at most, in an entry of its gradient: rounding is relative
  /// to these.
  void magnitude(In x, Out values, Out slopes) const;

  template <class M>
  const M* as() const {
    const auto* model = dynamic_cast<const detail::MapModel<M>*>(self_.get());
    return model ? &model->map : nullptr;
  }

 private:
  std::shared_ptr<const detail::MapInterface> self_;
};

}  // namespace pendec
