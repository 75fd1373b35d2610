// Bounds for the parts of a union, for convex f and G: which of them can hold a point better than the best one known?
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pendec/core/result.hpp"
#include "pendec/penalty/monitor.hpp"
#include "pendec/subsolvers/qp.hpp"
#include "pendec/subsolvers/sqp.hpp"
#include "pieces.hpp"

namespace pendec::detail {

/// x ≥ lower, x ≤ upper.
struct Bounds {
  Vector lower, upper;
  bool finite() const { return lower.allFinite() && upper.allFinite(); }
  bool infinite() const { return (lower.array() == -infinity).all() && (upper.array() == infinity).all(); }
};

/// A box that contains {x : G(x) ∈ C}, as far as G tells; infinite where it does not.
Bounds bounds_of(const Problem& problem);

/// q(u) = f + gᵀ(u − at) + ½(u − at)ᵀH(u − at) is no more than f at the feasible points of a region, where f and g
/// may be wrong by their errors; H ⪰ diag(delta) is verified.
struct Minorant {
  Vector at;
  double f, f_error;
  Vector gradient, gradient_error;
  Matrix H;
  Vector delta;
};

/// A minorant with its minimum: q(u) ≥ value + ½ share ‖u − centre‖²_H ≥ value + ½ curvature ‖u − centre‖².
struct QuadraticBound {
  static constexpr double share = 1.0 - 1e-6;
  Minorant q;
  double value;
  Vector centre;
  double curvature;
};

/// When enough is proved, and what counts as feasible.
struct ProofLimits {
  double gap = 1e-6;       // f(y) − bound ≤ gap · |f(y)|; see allowed_gap
  double feasible = 1e-7;  // dist_C(G(y)), also relative to the rows
};

class PartSearch {
 public:
  PartSearch(const Problem& problem, const std::vector<PolyhedralPiece>& pieces, const ProofLimits& limits,
             Monitor& monitor, Result& result);

  /// True: `result` has a proved status, point and bounds. False: undecided; what was proved is there all the same.
  bool run(In x0);

  /// Undecided for want of bounds: a part is solved, but f has no lower bound on it.
  bool lacks_bounds() const { return without_bound_ >= 0; }

 private:
  enum class Level { screened, projected, open, closed };
  struct Entry {
    double bound;
    Index part;
    bool operator>(const Entry& b) const { return bound > b.bound || (bound == b.bound && part > b.part); }
  };
  /// An outer approximation of a part and the shared constraints, with the point and multipliers to go on from.
  struct Outer {
    Vector x, lambda;
    LinearConstraints rows;      // the part's own, then linearised ones
    Vector entry_error = {};     // of the entries and right-hand sides of inequalities, then of equations
    Index own = 0;               // rows of the part
    std::vector<Index> of = {};  // component of G that a later row linearises; −1: several
    int rounds = 0;
    bool empty = false;      // the bounds contradict each other
    bool has_point = false;  // one that is feasible up to the tolerance is known
  };

  bool solve_without_parts(In x0);
  bool model();
  double bound_at_distance(double distance) const;
  double unit_of_rows() const;
  void screen();
  void search();
  void project(Index part);
  void open(Index part);
  Outer outer_of(const LinearConstraints& part, const Bounds& box, Vector x) const;
  void linearise(Outer& outer) const;
  bool bound(Index part, Outer& outer);
  bool exclude(Index part, const Outer& outer);
  void solve(Index part, Outer& outer);
  void close(Index part, double bound);
  void set_bound(Index part, double bound);
  void accept(Index part, NlpResult found);
  void tighten();
  std::optional<Minorant> minorant(In x, const Bounds& region) const;
  std::optional<Minorant> lagrangian_minorant(In x, In lambda, const Bounds& region) const;
  const std::optional<Vector>& diagonal_below(const Matrix& H) const;
  Vector positive(Vector lambda) const;
  bool proves_infeasible(const LinearConstraints& part, In x) const;
  bool contradicts(const Outer& outer, const DualActiveSet& qp, const QpResult& multipliers) const;
  bool is_feasible(const NlpResult& found) const;
  bool dominated(double bound) const { return bound >= best_f_ - tolerance_; }
  std::function<bool()> stop() const {
    return [this] { return monitor_.expired(0); };
  }
  bool finish();

  const PolyhedralPiece& piece(Index part) const { return pieces_[static_cast<std::size_t>(part)]; }
  const std::shared_ptr<const PreparedConstraints>& rows(Index part) const { return piece(part).rows; }

  const Problem& problem_;
  const std::vector<PolyhedralPiece>& pieces_;
  ProofLimits limits_;
  Monitor& monitor_;
  Result& result_;
  PartsDetails& parts_;  // of the result

  Problem without_parts_;  // x in the least box around all parts instead
  NlpResult base_;         // its solution x_C with multipliers λ
  Vector lambda_;          // λ, as far as λᵀ(G(x) − w) ≤ 0 is known for feasible x, w ∈ C
  Bounds feasible_;        // holds all feasible points
  Bounds box_;             // holds all feasible points that are better than the best one
  bool box_tightened_ = false;
  std::optional<QuadraticBound> model_;        // nothing: every part is opened
  Vector screen_centre_, violations_;          // farthest half-space of each part, seen from there
  mutable Matrix known_H_;                     // as a rule the same for all parts …
  mutable std::optional<Vector> known_delta_;  // … and so is this
  std::vector<Level> level_;
  std::vector<Entry> heap_;
  std::unique_ptr<DualActiveSet> projector_;  // in the metric of the model
  double best_f_ = infinity;
  double tolerance_ = 0.0;    // of gaps
  Index without_bound_ = -1;  // a part that is solved but cannot be bounded: nothing can be proved any more
  bool best_is_new_ = false;  // the box has yet to shrink to it, if that is still needed
};

}  // namespace pendec::detail
