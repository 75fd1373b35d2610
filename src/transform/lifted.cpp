#include "pendec/transform/lifted.hpp"

#include <numeric>
#include <optional>
#include <vector>

namespace pendec {
namespace {

/// z ↦ the first n coordinates of z.
Operator head(Index n, Index total) {
  std::vector<Index> first(static_cast<std::size_t>(n));
  std::iota(first.begin(), first.end(), Index{0});
  return Operator::selection(total, std::move(first));
}

struct LiftedObjective {
  Objective f;
  Index total;

  Index n() const { return f.dimension(); }
  Index dimension() const { return total; }
  double value_and_gradient(In z, Out g) const {
    g.tail(total - n()).setZero();
    return f.value_and_gradient(z.head(n()), g.head(n()));
  }
  bool has_value() const { return f.has_value(); }
  double value(In z) const { return f.value(z.head(n())); }
  bool has_hessian() const { return f.has_hessian(); }
  void hessian_times(In z, In d, Out out) const {
    out.tail(total - n()).setZero();
    f.hessian_times(z.head(n()), d.head(n()), out.head(n()));
  }
  Operator hessian(In z) const { return f.hessian(z.head(n())).within(head(n(), total)); }
  std::optional<Operator> constant_hessian() const {
    if (!f.is_quadratic()) return std::nullopt;
    return f.constant_hessian()->within(head(n(), total));
  }
  bool convex() const { return f.convex(); }
  double lower_bound() const { return f.lower_bound(); }
  std::optional<Matrix> curvature_below(In at, In lower, In upper) const {
    const auto own = f.curvature_below(at.head(n()), lower.head(n()), upper.head(n()));
    if (!own) return std::nullopt;
    Matrix H = Matrix::Zero(total, total);
    H.topLeftCorner(n(), n()) = *own;
    return H;
  }
  double magnitude(In z, Out gradient) const {
    gradient.tail(total - n()).setZero();
    return f.magnitude(z.head(n()), gradient.head(n()));
  }
  Index summands() const { return f.summands(); }
};

/// F(x) − z[begin, …), or F(x) alone (begin < 0).
struct SlackRows {
  Map F;
  Index total, begin;

  Index n() const { return F.input_dimension(); }
  Index m() const { return F.output_dimension(); }
  Index input_dimension() const { return total; }
  Index output_dimension() const { return m(); }
  void evaluate(In z, Out out) const {
    F.evaluate(z.head(n()), out);
    if (begin >= 0) out -= z.segment(begin, m());
  }
  void adjoint(In z, In w, Out out) const {
    out.tail(total - n()).setZero();
    F.adjoint(z.head(n()), w, out.head(n()));
    if (begin >= 0) out.segment(begin, m()) = -w;
  }
  void derivative(In z, In d, Out out) const {
    F.derivative(z.head(n()), d.head(n()), out);
    if (begin >= 0) out -= d.segment(begin, m());
  }
  Operator jacobian(In z) const { return with_columns_of_slacks(F.jacobian(z.head(n()))); }
  bool has_jacobian() const { return F.has_jacobian(); }
  std::optional<Operator> constant_jacobian() const {
    if (!F.is_affine()) return std::nullopt;
    return with_columns_of_slacks(*F.constant_jacobian());
  }
  bool has_hessian() const { return F.has_hessian(); }
  void hessian_times(In z, In w, In d, Out out) const {
    out.tail(total - n()).setZero();
    F.hessian_times(z.head(n()), w, d.head(n()), out.head(n()));
  }
  Operator hessian(In z, In w) const { return F.hessian(z.head(n()), w).within(head(n(), total)); }
  bool convex() const { return F.convex(); }
  std::optional<Operator> curvature_below(In at, In w) const {
    const auto H = F.curvature_below(at.head(n()), w);
    if (!H) return std::nullopt;
    return H->within(head(n(), total));
  }
  /// A slack that is bounded bounds F.
  void tighten(In lower, In upper, Out least, Out greatest) const {
    if (begin < 0) return F.tighten(lower, upper, least.head(n()), greatest.head(n()));
    constexpr double margin = 8.0 * epsilon;
    const auto low_slack = least.segment(begin, m()).array(), high_slack = greatest.segment(begin, m()).array();
    const Vector low = lower.array() + low_slack - margin * (lower.array().abs() + low_slack.abs());
    const Vector high = upper.array() + high_slack + margin * (upper.array().abs() + high_slack.abs());
    F.tighten(low, high, least.head(n()), greatest.head(n()));
  }

  void magnitude(In z, Out values, Out slopes) const {
    F.magnitude(z.head(n()), values, slopes);
    if (begin < 0) return;
    values += z.segment(begin, m()).cwiseAbs();
    slopes = slopes.cwiseMax(1.0).eval();
  }

  /// [J, 0, −I, 0]
  Operator with_columns_of_slacks(const Operator& J) const {
    if (begin < 0) return J * head(n(), total);
    const auto zeros = [&](Index columns) { return Operator::zero(columns, m()); };
    return Operator::stacked({J.transposed(), zeros(begin - n()), Operator::diagonal(Vector::Constant(m(), -1.0)),
                              zeros(total - begin - m())})
        .transposed();
  }
};

}  // namespace

Objective lifted(const Objective& f, Index total) { return LiftedObjective{f, total}; }

Map lifted(const Map& F, Index total) { return SlackRows{F, total, -1}; }

Map with_slacks(const Map& F, Index total, Index begin) { return SlackRows{F, total, begin}; }

}  // namespace pendec
