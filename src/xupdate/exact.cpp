#include "pendec/xupdate/exact.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "../subsolvers/dense.hpp"
#include "pendec/core/error.hpp"
#include "pendec/subsolvers/qp.hpp"

namespace pendec {

bool UserExactUpdate::update(Penalty& q, In v, Point& p, Monitor&) {
  solve_(q, v, p.x);
  q.evaluate_value(p);
  ++q.oracle().counts.x_steps;
  return true;
}

namespace {

/// (Q + τB)⁻¹ with B = (1 on coordinates that have a y) + AᵀA.
class System {
 public:
  virtual ~System() = default;
  virtual void solve(double tau, Vector& rhs) = 0;  // in place
};

/// Q diagonal, A a selection of coordinates.
class DiagonalSystem final : public System {
 public:
  DiagonalSystem(Vector Q, Vector B) : Q_(std::move(Q)), B_(std::move(B)), inverse_(Q_.size()) {}
  void solve(double tau, Vector& rhs) override {
    if (tau != tau_) {
      inverse_ = (Q_ + tau * B_).cwiseInverse();
      tau_ = tau;
    }
    rhs.array() *= inverse_.array();
  }

 private:
  Vector Q_, B_, inverse_;
  double tau_ = -1.0;
};

/// B positive definite: one generalised eigendecomposition Q V = B V Θ, VᵀBV = I serves every τ,
/// (Q + τB)⁻¹ = V (Θ + τ)⁻¹ Vᵀ.
class EigenSystem final : public System {
 public:
  EigenSystem(Matrix V, Vector theta) : V_(std::move(V)), theta_(std::move(theta)), w_(theta_.size()) {}
  void solve(double tau, Vector& rhs) override {
    w_.noalias() = V_.transpose() * rhs;
    w_.array() /= theta_.array() + tau;
    rhs.noalias() = V_ * w_;
  }

 private:
  Matrix V_;
  Vector theta_, w_;
};

/// B singular (some coordinates have no y): a Cholesky factor for each τ.
class CholeskySystem final : public System {
 public:
  CholeskySystem(Matrix Q, Matrix B) : Q_(std::move(Q)), B_(std::move(B)) {}
  void solve(double tau, Vector& rhs) override {
    if (tau != tau_) {
      if (!factor_.compute(Q_ + tau * B_)) throw NotFinite("Q + tau (I + A'A) is not positive definite");
      tau_ = tau;
    }
    factor_.solve_in_place(rhs);
  }

 private:
  Matrix Q_, B_;
  detail::Cholesky factor_;
  double tau_ = -1.0;
};

Vector coupling_diagonal(const Penalty& q) {
  Vector B = Vector::Zero(q.problem().dimension());
  for (const Range& r : q.coupled()) B.segment(r.begin, r.size).setOnes();
  return B;
}

std::unique_ptr<System> make_system(const Penalty& q, const Operator& hessian) {
  const Problem& problem = q.problem();
  Vector B = coupling_diagonal(q);
  std::optional<Operator> gram;
  if (q.has_G()) gram = problem.G.constant_jacobian()->gram();
  if (hessian.is_diagonal() && (!gram || gram->is_diagonal())) {
    if (gram) B += gram->diagonal();
    const Vector least = hessian.diagonal() + q.tau * B;
    Index i = 0;
    require(least.minCoeff(&i) > 0.0, "penalty.tau0", q.tau,
            fmt::format("a value that makes the quadratic x-update convex in coordinate {}", i));
    return std::make_unique<DiagonalSystem>(hessian.diagonal(), std::move(B));
  }
  const Matrix Q = hessian.dense();
  Matrix BB = B.asDiagonal();
  if (gram) {
    const Matrix J = problem.G.constant_jacobian()->dense();
    BB += detail::transpose_times(J, J);
  }
  if (B.minCoeff() <= 0.0) return std::make_unique<CholeskySystem>(Q, std::move(BB));
  const detail::SymmetricEigen eigen = detail::generalised_eigen(Q, BB);
  const double least = eigen.values[0] + q.tau;
  require(least > 0.0, "penalty.tau0", q.tau,
          fmt::format("more than {} for this nonconvex quadratic", -eigen.values[0]));
  return std::make_unique<EigenSystem>(eigen.vectors, eigen.values);
}

/// The point that C consists of, if it is a single one.
std::optional<Vector> only_point(const Set& C) {
  const auto rows = C.linear_constraints();
  if (!rows || rows->b.size() > 0 || rows->d.size() > 0 || rows->lower != rows->upper) return std::nullopt;
  return rows->lower;
}

/// Minimising over x and the projection p = P_C(Ax + b + λ/τ) in turn: the first is a linear solve, so with C a
/// single point one round is exact, otherwise the rounds contract to the minimiser.
class QuadraticUpdate final : public XUpdate {
 public:
  QuadraticUpdate(const Penalty& q, std::unique_ptr<System> system)
      : system_(std::move(system)), c_(q.problem().dimension()), rhs_(q.problem().dimension()) {
    const Problem& problem = q.problem();
    const Vector zero = Vector::Zero(problem.dimension());
    problem.f.value_and_gradient(zero, c_);
    if (!q.has_G()) return;
    single_point_ = only_point(problem.C).has_value();
    b_.resize(problem.G.output_dimension());
    problem.G.evaluate(zero, b_);
    w_.resize(b_.size());
    adjoint_.resize(problem.dimension());
  }

  bool update(Penalty& q, In v, Point& p, Monitor& monitor) override {
    constexpr Index max_rounds = 1000;
    if (q.has_G() && !ready_) q.evaluate_value(p);
    ready_ = true;
    for (Index round = 0; round < max_rounds; ++round) {
      right_hand_side(q, v, p);
      system_->solve(q.tau, rhs_);
      ++q.oracle().counts.x_steps;
      const bool last = !q.has_G() || single_point_ || (rhs_ - p.x).norm() <= 1e-14 * (1.0 + rhs_.norm());
      std::swap(p.x, rhs_);
      q.evaluate_value(p);
      if (last || monitor.expired(q.oracle().counts.project_D)) break;
    }
    return true;
  }

  void change_tau(double) override { ready_ = false; }

 private:
  /// −c + τv − μ + τAᵀ(p − b − λ/τ), where p − b − λ/τ = Ax − r.
  void right_hand_side(Penalty& q, In v, const Point& p) {
    rhs_ = -c_;
    q.add_pull(v, rhs_);
    if (!q.has_G()) return;
    q.oracle().G(p.x, w_);
    w_ -= b_ + p.residual;
    q.oracle().adjoint(p.x, w_, adjoint_);
    rhs_ += q.tau * adjoint_;
  }

  std::unique_ptr<System> system_;
  Vector c_, b_, rhs_, w_, adjoint_;
  bool single_point_ = false;
  bool ready_ = false;  // is p.residual that of the present τ and λ?
};

/// Lower level with a selection of coordinates fixed: x[selected] = point − b, the rest as without G.
class FixedCoordinatesUpdate final : public XUpdate {
 public:
  FixedCoordinatesUpdate(const Penalty& q, std::unique_ptr<System> system, const std::vector<Index>& fixed,
                         Vector values)
      : system_(std::move(system)), c_(q.problem().dimension()), fixed_(fixed), values_(std::move(values)) {
    q.problem().f.value_and_gradient(Vector::Zero(c_.size()), c_);
  }

  bool update(Penalty& q, In v, Point& p, Monitor&) override {
    p.x = -c_;
    q.add_pull(v, p.x);
    system_->solve(q.tau, p.x);
    for (Index k = 0; k < values_.size(); ++k) p.x[fixed_[static_cast<std::size_t>(k)]] = values_[k];
    q.evaluate_value(p);
    ++q.oracle().counts.x_steps;
    return true;
  }

 private:
  std::unique_ptr<System> system_;
  Vector c_;
  std::vector<Index> fixed_;
  Vector values_;
};

/// Lower level with a dense Q and a polyhedral C: a QP, warm-started from the last active set.
class QpUpdate final : public XUpdate {
 public:
  QpUpdate(const Penalty& q, Matrix Q, LinearConstraints constraints)
      : Q_(std::move(Q)), c_(Q_.rows()), g_(Q_.rows()), qp_(std::move(constraints)) {
    q.problem().f.value_and_gradient(Vector::Zero(c_.size()), c_);
  }

  bool update(Penalty& q, In v, Point& p, Monitor&) override {
    if (q.tau != tau_) {
      Matrix H = Q_;
      for (const Range& r : q.coupled()) H.diagonal().segment(r.begin, r.size).array() += q.tau;
      if (!qp_.set_hessian(H)) throw NotFinite("Q + tau I is not positive definite");
      tau_ = q.tau;
    }
    g_.setZero();
    q.add_pull(v, g_);
    g_ = c_ - g_;
    const QpResult& solution = qp_.solve(g_);
    if (solution.status != QpStatus::optimal)
      throw NotFinite("the x-update's QP is infeasible or too ill-conditioned");
    p.x = solution.x;
    q.evaluate_value(p);
    ++q.oracle().counts.x_steps;
    return true;
  }

 private:
  Matrix Q_;
  Vector c_, g_;
  DualActiveSet qp_;
  double tau_ = -1.0;
};

}  // namespace

std::unique_ptr<XUpdate> make_quadratic_update(const Penalty& q, bool lower_level) {
  const Problem& problem = q.problem();
  const auto& hessian = problem.f.constant_hessian();
  require(hessian.has_value(), "x_update.step", std::string("exact"), "a quadratic f (one with constant_hessian)");
  if (!lower_level || !problem.has_G()) {
    require(!problem.has_G() || problem.G.is_affine(), "x_update.step", std::string("exact"), "an affine map G");
    return std::make_unique<QuadraticUpdate>(q, make_system(q, *hessian));
  }
  const auto& A = problem.G.constant_jacobian();
  const auto point = only_point(problem.C);
  Vector b(problem.G.output_dimension());
  problem.G.evaluate(Vector::Zero(problem.dimension()), b);
  const auto* selected = A ? A->selected() : nullptr;
  if (hessian->is_diagonal() && selected && point && q.couples_everything())
    return std::make_unique<FixedCoordinatesUpdate>(q, make_system(q, *hessian), *selected, *point - b);
  const auto rows = problem.C.linear_constraints();
  require(A && rows, "penalty.lower_level", std::string("true"), "an affine map G and a polyhedral set C");
  return std::make_unique<QpUpdate>(q, hessian->dense(), rows->preimage(*A, b));
}

}  // namespace pendec
