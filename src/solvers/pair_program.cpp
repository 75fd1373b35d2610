#include "pendec/solvers/pair_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/maps/stack.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/box_switching.hpp"
#include "pendec/sets/free.hpp"
#include "pendec/sets/pair_union.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/subsolvers/sqp.hpp"

namespace pendec {
namespace {

/// f of the first coordinates.
struct LiftedObjective {
  Objective f;
  Index total;

  Index dimension() const { return total; }
  double value(In z) const { return f.value(z.head(f.dimension())); }
  double value_and_gradient(In z, Out g) const {
    g.tail(total - f.dimension()).setZero();
    return f.value_and_gradient(z.head(f.dimension()), g.head(f.dimension()));
  }
  bool has_hessian() const { return f.has_hessian(); }
  void hessian_times(In z, In d, Out out) const {
    out.tail(total - f.dimension()).setZero();
    f.hessian_times(z.head(f.dimension()), d.head(f.dimension()), out.head(f.dimension()));
  }
  Matrix hessian(In z) const {
    Matrix H = Matrix::Zero(total, total);
    H.topLeftCorner(f.dimension(), f.dimension()) = f.hessian(z.head(f.dimension()));
    return H;
  }
};

/// F(x) − z[begin, …), or F(x) alone (begin < 0); x are the first coordinates of z.
struct SlackRows {
  Map F;
  Index total, begin;

  Index n() const { return F.input_dimension(); }
  Index input_dimension() const { return total; }
  Index output_dimension() const { return F.output_dimension(); }
  void evaluate(In z, Out out) const {
    F.evaluate(z.head(n()), out);
    if (begin >= 0) out -= z.segment(begin, out.size());
  }
  void adjoint(In z, In w, Out out) const {
    out.tail(total - n()).setZero();
    F.adjoint(z.head(n()), w, out.head(n()));
    if (begin >= 0) out.segment(begin, w.size()) = -w;
  }
  void derivative(In z, In d, Out out) const {
    F.derivative(z.head(n()), d.head(n()), out);
    if (begin >= 0) out -= d.segment(begin, out.size());
  }
  Matrix jacobian(In z) const {
    Matrix J = Matrix::Zero(output_dimension(), total);
    J.leftCols(n()) = F.jacobian(z.head(n()));
    for (Index i = 0; begin >= 0 && i < J.rows(); ++i) J(i, begin + i) = -1.0;
    return J;
  }
  bool has_hessian() const { return F.has_hessian(); }
  void hessian_times(In z, In w, In d, Out out) const {
    out.tail(total - n()).setZero();
    F.hessian_times(z.head(n()), w, d.head(n()), out.head(n()));
  }
  Matrix hessian(In z, In w) const {
    Matrix H = Matrix::Zero(total, total);
    H.topLeftCorner(n(), n()) = F.hessian(z.head(n()), w);
    return H;
  }
  std::optional<ConstantJacobian> constant_jacobian() const {
    if (!F.is_affine()) return std::nullopt;
    return ConstantJacobian{};
  }
};

Set pair_set(PairKind kind, Index pairs) {
  switch (kind) {
    case PairKind::complementarity:
      return BoxSwitching::complementarity(pairs);
    case PairKind::switching:
      return BoxSwitching::switching(pairs);
    case PairKind::vanishing:
      return PairUnion::vanishing(pairs);
    case PairKind::either:
      return PairUnion::either(pairs);
  }
  throw InvalidArgument("PairConstraint.kind", "?", "a kind of pairs");
}

Index slack_dimension(const PairProgram& p) {
  Index total = 0;
  for (const PairConstraint& pair : p.pairs) total += 2 * pair.F.output_dimension();
  return total;
}

void check(const PairProgram& p) {
  require(static_cast<bool>(p.f), "PairProgram.f", std::string_view("missing"), "an objective");
  require(!p.pairs.empty(), "PairProgram.pairs.size()", Index{0}, "at least 1");
  for (std::size_t k = 0; k < p.pairs.size(); ++k) {
    const auto field = fmt::format("PairProgram.pairs[{}]", k);
    require(p.pairs[k].F && p.pairs[k].H, field, std::string_view("without F or H"), "both maps");
    require_dimension(field + ".F.input_dimension()", p.pairs[k].F.input_dimension(), p.dimension());
    require_dimension(field + ".H.input_dimension()", p.pairs[k].H.input_dimension(), p.dimension());
    require_dimension(field + ".H.output_dimension()", p.pairs[k].H.output_dimension(),
                      p.pairs[k].F.output_dimension());
    require(p.pairs[k].F.output_dimension() >= 1, field + ".F.output_dimension()", Index{0}, "at least 1");
  }
  if (!p.X) return;
  require_dimension("PairProgram.X.dimension()", p.X.dimension(), p.dimension());
  require(p.X.convex(), "PairProgram.X", p.X.name(), "a convex set; pairs belong into `pairs`");
}

/// Bounds of (a, b) whose normals at the point are the regular normals of the pair's set there.
Rectangle regular_rectangle(PairKind kind, double a, double b, double zero) {
  const bool a_zero = std::abs(a) <= zero, b_zero = std::abs(b) <= zero;
  switch (kind) {
    case PairKind::complementarity:
      return {0.0, a_zero && !b_zero ? 0.0 : infinity, 0.0, b_zero && !a_zero ? 0.0 : infinity};
    case PairKind::switching:
      if (a_zero == b_zero) return {};
      return a_zero ? Rectangle{.lower_a = 0.0, .upper_a = 0.0} : Rectangle{.lower_b = 0.0, .upper_b = 0.0};
    case PairKind::vanishing:
      if (b_zero && a > zero) return {.lower_b = 0.0, .upper_b = 0.0};
      if (b_zero && a_zero) return {.lower_b = 0.0};
      return {.upper_a = 0.0, .lower_b = 0.0};
    case PairKind::either:
      if (a > zero || b > zero || (a_zero && b_zero)) return {};
      return a_zero ? Rectangle{.lower_a = 0.0} : Rectangle{.lower_b = 0.0};
  }
  return {};
}

class Stationarity {
 public:
  Stationarity(const PairProgram& program, const Problem& problem, PairResult& result)
      : program_(program), problem_(problem), out_(result), y_(result.result.y), snapped_(y_) {}

  void run() {
    describe_pairs();
    if (!problem_.D.branch(y_, y_)) return write(out_.result.lambda);
    if (const auto lambda = multipliers_on(regular_box())) {
      write(*lambda);
      out_.stationarity = PairStationarity::S;
      return;
    }
    write(out_.result.lambda);
    if (are_multipliers(out_.result.lambda, problem_.D)) {
      const bool biactive =
          std::any_of(out_.pairs.begin(), out_.pairs.end(), [](auto& pair) { return pair.biactive; });
      out_.stationarity =
          biactive ? PairStationarity::M : PairStationarity::S;  // elsewhere limiting normals are regular
      return;
    }
    for (const Set& side : sides_of_biactive_pairs()) {
      const auto lambda = multipliers_on(side);
      if (!lambda || !are_multipliers(*lambda, problem_.D)) continue;
      write(*lambda);
      out_.stationarity = PairStationarity::M;
      return;
    }
  }

 private:
  /// What counts as zero depends on the terms of the pair itself, Σ_j |∂_j F_i(x) x_j|, and on nothing else.
  void describe_pairs() {
    Index begin = program_.dimension();
    const Vector x = y_.head(begin), size = x.cwiseAbs();
    for (std::size_t k = 0; k < program_.pairs.size(); ++k) {
      const PairConstraint& constraint = program_.pairs[k];
      const Index rows = constraint.F.output_dimension();
      const Vector terms =
          (constraint.F.jacobian(x).cwiseAbs() * size).cwiseMax(constraint.H.jacobian(x).cwiseAbs() * size);
      for (Index i = 0; i < rows; ++i) {
        const double zero = 1e-7 * (1.0 + terms[i]);
        for (double* entry : {&snapped_[begin + i], &snapped_[begin + rows + i]})
          if (std::abs(*entry) <= zero) *entry = 0.0;
        PairReport pair{.constraint = static_cast<Index>(k), .row = i, .F = y_[begin + i], .H = y_[begin + rows + i]};
        pair.biactive = std::abs(pair.F) <= zero && std::abs(pair.H) <= zero;
        out_.pairs.push_back(pair);
        zero_.push_back(zero);
      }
      begin += 2 * rows;
    }
  }

  /// The multipliers of the rows F(x) − a = 0 and H(x) − b = 0 are ν_F and ν_H.
  void write(const Vector& lambda) {
    if (lambda.size() != problem_.G.output_dimension()) return;
    Index at = lambda.size() - slack_dimension(program_);
    std::size_t pair = 0;
    for (const PairConstraint& constraint : program_.pairs) {
      const Index rows = constraint.F.output_dimension();
      for (Index i = 0; i < rows; ++i, ++pair) {
        out_.pairs[pair].nu_F = lambda[at + i];
        out_.pairs[pair].nu_H = lambda[at + rows + i];
      }
      at += 2 * rows;
    }
  }

  Set box_of(const std::vector<Rectangle>& rectangles) const {
    std::vector<Set> blocks{problem_.D.as<Product>()->blocks.front().set};
    std::size_t pair = 0;
    for (const PairConstraint& constraint : program_.pairs) {
      const Index rows = constraint.F.output_dimension();
      Vector lower(2 * rows), upper(2 * rows);
      for (Index i = 0; i < rows; ++i, ++pair) {
        const Rectangle& r = rectangles[pair];
        lower[i] = r.lower_a;
        upper[i] = r.upper_a;
        lower[rows + i] = r.lower_b;
        upper[rows + i] = r.upper_b;
      }
      blocks.push_back(Box(std::move(lower), std::move(upper)));
    }
    return Product(std::move(blocks));
  }

  std::vector<Rectangle> regular_rectangles() const {
    std::vector<Rectangle> all;
    for (std::size_t k = 0; k < out_.pairs.size(); ++k)
      all.push_back(regular_rectangle(kind(out_.pairs[k]), out_.pairs[k].F, out_.pairs[k].H, zero_[k]));
    return all;
  }
  Set regular_box() const { return box_of(regular_rectangles()); }

  PairKind kind(const PairReport& p) const { return program_.pairs[static_cast<std::size_t>(p.constraint)].kind; }

  /// Each biactive pair on either of its sides, up to 2⁶ combinations.
  std::vector<Set> sides_of_biactive_pairs() const {
    constexpr std::size_t most = 6;
    std::vector<std::size_t> biactive;
    for (std::size_t k = 0; k < out_.pairs.size(); ++k)
      if (out_.pairs[k].biactive) biactive.push_back(k);
    if (biactive.empty() || biactive.size() > most) return {};
    std::vector<Set> all;
    for (std::size_t mask = 0; mask < std::size_t{1} << biactive.size(); ++mask) {
      std::vector<Rectangle> rectangles = regular_rectangles();
      for (std::size_t k = 0; k < biactive.size(); ++k) {
        const PairReport& pair = out_.pairs[biactive[k]];
        const double a = (mask >> k & 1) != 0 ? 1.0 : 0.0;
        const double sign = kind(pair) == PairKind::either ? -1.0 : 1.0;
        rectangles[biactive[k]] = regular_rectangle(kind(pair), sign * a, sign * (1.0 - a), 0.5);
      }
      all.push_back(box_of(rectangles));
    }
    return all;
  }

  /// λ with which y satisfies the optimality conditions on the convex set D.
  std::optional<Vector> multipliers_on(const Set& D) const {
    if (!problem_.C.linear_constraints() || !D.linear_constraints()) return std::nullopt;
    Problem relaxed = problem_;
    relaxed.D = D;
    SqpResult near = sqp(relaxed, y_, {.max_iterations = 3, .tolerance = 1e-8});
    if (!are_multipliers(near.lambda, D)) return std::nullopt;
    return std::move(near.lambda);
  }

  /// −∇f(y) − G'(y)*λ ∈ N_D(y) and λ ∈ N_C(G(y)), where what counts as zero in a pair is zero.
  bool are_multipliers(const Vector& lambda, const Set& D) const {
    if (lambda.size() != problem_.G.output_dimension()) return false;
    Vector gradient(y_.size()), adjoint(y_.size());
    problem_.f.value_and_gradient(y_, gradient);
    problem_.G.adjoint(y_, lambda, adjoint);
    const auto residual = D.normal_residual(snapped_, -gradient - adjoint);
    Vector G(lambda.size());
    problem_.G.evaluate(y_, G);
    const double natural = (G - problem_.C.projection(G + lambda)).norm();
    const double scale = std::max(1.0, out_.result.certificate.gradient_scale);
    return residual && *residual <= 1e-6 * scale && natural <= 1e-6 * (1.0 + lambda.norm());
  }

  const PairProgram& program_;
  const Problem& problem_;
  PairResult& out_;
  const Vector& y_;
  Vector snapped_;            // y with the entries of pairs that count as zero set to zero
  std::vector<double> zero_;  // of each pair
};

}  // namespace

std::string_view to_string(PairKind kind) {
  switch (kind) {
    case PairKind::complementarity:
      return "complementarity";
    case PairKind::switching:
      return "switching";
    case PairKind::vanishing:
      return "vanishing";
    case PairKind::either:
      return "either";
  }
  return "?";
}

std::string_view to_string(PairStationarity type) {
  switch (type) {
    case PairStationarity::none:
      return "none";
    case PairStationarity::M:
      return "M";
    case PairStationarity::S:
      return "S";
  }
  return "?";
}

Problem PairProgram::with_slacks() const {
  check(*this);
  const Problem smooth = Problem{.f = f, .G = G, .C = C}.completed();
  const Index total = dimension() + slack_dimension(*this);
  std::vector<Map> rows;
  std::vector<Set> right;
  std::vector<NamedSet> blocks{{"x", X ? X : Set(Free(dimension()))}};
  if (smooth.has_G()) {
    rows.push_back(SlackRows{G, total, -1});
    right.push_back(C);
  }
  Index begin = dimension();
  for (const PairConstraint& pair : pairs) {
    const Index m = pair.F.output_dimension();
    rows.push_back(SlackRows{pair.F, total, begin});
    rows.push_back(SlackRows{pair.H, total, begin + m});
    right.push_back(Singleton(Vector::Zero(2 * m)));
    blocks.push_back({fmt::format("{} {}", to_string(pair.kind), blocks.size() - 1), pair_set(pair.kind, m)});
    begin += 2 * m;
  }
  return {.f = LiftedObjective{f, total},
          .G = Stack(std::move(rows)),
          .C = Product(std::move(right)),
          .D = Product(std::move(blocks))};
}

Vector PairProgram::with_slacks(In x) const {
  check(*this);
  require_dimension("x.size()", x.size(), dimension());
  Vector z(dimension() + slack_dimension(*this));
  z.head(dimension()) = x;
  Index begin = dimension();
  for (const PairConstraint& pair : pairs) {
    const Index m = pair.F.output_dimension();
    pair.F.evaluate(x, z.segment(begin, m));
    pair.H.evaluate(x, z.segment(begin + m, m));
    begin += 2 * m;
  }
  return z;
}

PairResult solve_pairs(const PairProgram& program, In x0, const Options& options, const Hooks& hooks) {
  const Problem problem = program.with_slacks();
  PairResult out;
  out.result = solve(problem, program.with_slacks(x0), options, hooks);
  out.x = out.result.y.head(program.dimension());
  if (out.result.y.allFinite()) Stationarity(program, problem, out).run();
  return out;
}

}  // namespace pendec
