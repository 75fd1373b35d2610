// The library's one QP solver: the dual active-set method of Goldfarb and Idnani,
//   "A numerically stable dual method for solving strictly convex quadratic programs", Math. Program. 27 (1983).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pendec/core/linear_constraints.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// Checks dimensions and numbers; throws InvalidArgument. Rows may be zero, repeated or of any scale.
PENDEC_EXPORT void require_valid(const LinearConstraints& constraints);

/// Linear constraints and what every solve needs to know about them. Immutable, shared between solvers and threads.
///
/// Constraints are named by one number, their code: row i of A, then row i of E, then lower bounds, then upper
/// bounds.
struct PENDEC_EXPORT PreparedConstraints {
  /// Of valid ones; else throws InvalidArgument.
  explicit PreparedConstraints(LinearConstraints constraints);

  Index dimension() const { return data.dimension(); }
  Index code_count() const { return lower_code(0) + 2 * dimension(); }
  /// Constraints that can hold with equality at once: of the bounds of a variable, one.
  Index most_active() const { return data.b.size() + std::ssize(equalities) + std::ssize(bounded); }
  Index equality_code(Index i) const { return data.b.size() + i; }
  Index lower_code(Index j) const { return data.b.size() + data.d.size() + j; }
  Index upper_code(Index j) const { return lower_code(dimension()) + j; }

  LinearConstraints data;
  DenseMatrix A, E;               // of data
  Vector row_scale;               // 1 / ‖row of A‖, 0 for zero rows
  Vector equality_scale;          // the same for E
  std::vector<Index> equalities;  // codes of the nonzero rows of E and of the variables with lower = upper
  std::vector<Index> bounded;     // variables with at least one finite bound, without the fixed ones
  Index contradiction = -1;       // code of a zero row that no x satisfies; −1: none
};

enum class QpStatus {
  optimal,          // x and the multipliers satisfy the KKT conditions
  infeasible,       // the multipliers contradict each other (see QpResult and excludes_all_points)
  cutoff,           // the optimal value exceeds QpOptions::cutoff; x and the multipliers prove it by duality
  iteration_limit,  // x minimises over the working set only
  inaccurate,       // neither optimality nor infeasibility could be verified; x is the best found
  not_convex,       // H is not (numerically) positive definite; nothing else is set
  not_finite,       // H or g has an entry that is not finite; nothing else is set
  stopped,          // by QpOptions::stop; x minimises over the working set only
};
PENDEC_EXPORT std::string_view to_string(QpStatus status);

/// `infeasible` is for points within the bounds and, where there are none, up to this many times the distances of the
/// hyperplanes: rows that are all but parallel may meet farther out.
inline constexpr double infeasibility_radius = 1e8;

/// Hx + g + Aᵀ rows + Eᵀ equalities + bounds = 0, rows ≥ 0, bounds > 0 only at upper and < 0 only at lower bounds.
/// Infeasible: Aᵀ rows + Eᵀ equalities + bounds = 0 while bᵀ rows + dᵀ equalities + upperᵀ bounds⁺ − lowerᵀ bounds⁻ <
/// 0.
struct QpResult {
  QpStatus status = QpStatus::not_finite;
  Vector x;
  Vector rows;
  Vector equalities;
  Vector bounds;
  double value = 0.0;    // ½xᵀHx + gᵀx; a lower bound of the optimal value unless optimal
  Index iterations = 0;  // steps of the dual method
};

struct QpOptions {
  double cutoff = infinity;         // give up once the optimal value is known to exceed this
  Index max_iterations = 0;         // 0: ten times the number of variables and constraints
  bool warm_start = true;           // begin with the working set of the last call
  std::function<bool()> stop = {};  // asked now and then; true: end as `stopped`
};

/// min ½xᵀHx + gᵀx  s.t.  A x ≤ b, E x = d, lower ≤ x ≤ upper, with H = I unless set. Keeps its workspace and
/// its working set from call to call: after the first solve of a size nothing is allocated. One object per thread.
///
/// With H = LLᵀ and u = Lᵀx each problem is a projection; the working set W has unit normals N = QR (thin), and
///   x is the minimiser on {Nᵀu = β},  N y = z − u with z = −L⁻¹g,  y ≥ 0 on inequalities
/// holds throughout. A step adds the most violated constraint and drops those whose multipliers would turn negative.
class PENDEC_EXPORT DualActiveSet {
 public:
  explicit DualActiveSet(std::shared_ptr<const PreparedConstraints> constraints);
  explicit DualActiveSet(LinearConstraints constraints);

  /// Go on with other constraints, keeping the memory; the working set starts empty.
  void bind(std::shared_ptr<const PreparedConstraints> constraints);
  const PreparedConstraints& constraints() const { return *constraints_; }

  /// The Hessian of the solves to come (its lower triangle is read). False: not numerically positive definite or
  /// not finite, and solve(g) will say so.
  bool set_hessian(MatrixIn H);
  void set_identity_hessian();
  /// Least over largest diagonal entry of L: its square is about 1 / the condition number of H. 0: H is not accepted.
  double pivot_ratio() const;

  /// The result lives in this object, until the next call.
  const QpResult& solve(In g, const QpOptions& options = {});
  const QpResult& solve(MatrixIn H, In g, const QpOptions& options = {});

  /// y = the point of the polyhedron nearest to z (H = I is set); y is untouched where the status is `infeasible` or
  /// `cutoff` (the distance exceeds max_distance). The fast path: multipliers are not written out.
  QpStatus project(In z, Out y, double max_distance = infinity, bool warm_start = true);

  /// After project(): the half-space {u : ⟨normal, u⟩ ≤ offset} that contains the polyhedron and, where the dual
  /// method ended, is farthest from z; ‖normal‖ = 1. A bound of the distance of points near z. False: z is inside.
  bool separation(Vector& normal, double& offset) const;

  /// After `infeasible`: do the multipliers prove that there is no point at all, rounding or not?
  bool excludes_all_points() const;

  /// Codes of the constraints that hold with equality at the last x, and a guess to begin the next solve with.
  std::span<const Index> working_set() const { return {working_.data(), static_cast<std::size_t>(q_)}; }
  void suggest(std::span<const Index> codes);

  Index iterations() const { return iterations_; }

 private:
  struct Candidate {
    Index code = -1;
    double violation = 0.0;  // distance to the half-space
  };
  enum class Hessian { identity, factored, not_convex, not_finite };

  QpStatus run(double cutoff_gain, Index max_iterations, bool warm_start, const std::function<bool()>& stop = {});
  bool start(bool warm_start);
  bool factorize_working_set();
  void truncate_to_equalities();
  void minimise_on_working_set();
  void refine();
  bool drop_negative_multipliers();
  Candidate most_violated();
  double working_residual() const;
  bool add(Index code, double cutoff_gain, Index max_iterations);
  bool give_up_on(Index code, double scale, double violation);
  bool contradicts_others(Index code, double factor);
  const QpResult& write_result(QpStatus status);

  double load_normal(Index code);  // normal_ = unit normal in u-space; returns its factor
  double decompose_normal();       // normal_ = Q c_ + perp_; returns ‖perp_‖
  void append(Index code, double scale, double multiplier, double rho);
  void drop(Index k);
  void solve_upper(Vector& v) const;             // v ← R⁻¹ v
  void solve_upper_transposed(Vector& v) const;  // v ← R⁻ᵀ v
  void correct(const Vector& v);                 // x and y, by the residuals v of stationarity and p_ of Nᵀu = β
  bool fail(QpStatus why);

  double x_scale(Index code) const;  // 1 / ‖row‖
  double rhs(Index code) const;
  double row_dot(Index code, const Vector& v) const;
  void add_row(Index code, double factor, Vector& v) const;
  void add_multiplier(Index code, double value);
  void clear_multipliers();

  std::shared_ptr<const PreparedConstraints> constraints_;
  Index n_ = 0;
  Hessian hessian_ = Hessian::identity;
  Matrix H_, L_;

  // The working set; the first equality_count_ entries are never dropped.
  bool factored_ = false;  // Q, R belong to the present constraints and Hessian
  Index q_ = 0, equality_count_ = 0;
  Index drops_ = 0;                 // rotations make Q drift; rebuilt now and then
  std::vector<Index> working_;      // codes
  std::vector<signed char> state_;  // of each code: 0 outside, 1 in the working set, 2 given up on in this solve
  Matrix Q_, R_;
  Vector scale_, y_;  // factor of each unit normal; multipliers of the unit normals

  Vector g_, z_, x_;
  double gain_ = 0.0;   // dual value above the unconstrained minimum: ½‖z − u‖² on the working set
  double noise_ = 0.0;  // what rounding may do to x
  Index pending_ = -1;  // a cut-off interrupts the addition of this constraint …
  double pending_multiplier_ = 0.0;  // … with this multiplier of its row
  Vector normal_, perp_, c_, r_, p_, step_, slack_;
  std::vector<Index> guess_, given_up_;
  Index iterations_ = 0;
  QpStatus failure_ = QpStatus::optimal;  // why add() or start() returned false
  QpResult result_;
};

}  // namespace pendec
