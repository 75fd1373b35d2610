// The partial penalty function, with or without multipliers:
//
//   q_τ(x, y) = f(x) + τ/2 ‖x − y + μ/τ‖² + τ/2 dist²_C(G(x) + λ/τ)
//
// λ = μ = 0 is the paper's q_τ (PD), multipliers on one or both terms give PDLM, no y-block at all gives the ALM.
#pragma once

#include <vector>

#include "pendec/export.hpp"
#include "pendec/penalty/oracle.hpp"

namespace pendec {

/// A point x with what depends on x alone, so that a new y costs no evaluation of f or G.
struct Point {
  Vector x;
  double f = 0.0;
  Vector gradient_f;          // ∇f(x); after evaluate_whole() ∇ₓq
  Vector residual;            // r = w − P_C(w), w = G(x) + λ/τ; empty without G
  Vector gradient_penalty;    // G'(x)* r, the gradient of ½ dist²_C(G(·) + λ/τ); empty without G
  bool has_gradient = false;  // are the gradients those of x (and of the present τ, λ)?
};

class PENDEC_EXPORT Penalty {
 public:
  /// `coupled`: the coordinates with a y of their own (PD: those D does not leave free; ALM: none).
  /// `with_G` = false leaves G(x) ∈ C to the x-update (lower level).
  Penalty(Oracle& oracle, std::vector<Range> coupled, bool with_G);

  double tau = 1.0;
  Vector lambda;        // of G(x) ∈ C
  Vector mu;            // of x = y; empty where there is no y
  bool use_mu = false;  // false: μ = 0, and no pass over it

  bool has_G() const { return with_G_; }
  bool has_y() const { return !coupled_.empty(); }
  const std::vector<Range>& coupled() const { return coupled_; }
  bool couples_everything() const;
  Oracle& oracle() { return oracle_; }
  const Problem& problem() const { return oracle_.problem(); }
  Point make_point(Vector x) const;

  /// Fills f and the residual at p.x; the gradients as well.
  void evaluate(Point& p);
  void evaluate_value(Point& p);

  /// For methods without a y-block, whose q is a function of x alone: fills q's gradient in the place of ∇f, and
  /// returns q. It holds for the present τ and λ only.
  double evaluate_whole(Point& p);

  /// q_τ(p.x, y).
  double value(const Point& p, In y) const;

  /// ∇ₓq_τ(p.x, y) = ∇f + τ (G'*r + x − y) + μ.
  void gradient(const Point& p, In y, Out g) const;

  /// The part of ∇ₓq that τ multiplies: G'*r + x − y, on the coordinates that have a y.
  void penalty_gradient(const Point& p, In y, Out g) const;

  /// Its change from one point to another.
  void change_of_penalty_gradient(const Point& from, In y_from, const Point& to, In y_to, Out change) const;

  /// y ∈ argmin_{y ∈ D} q_τ(p.x, y) = Π_D(x + μ/τ).
  void project(const Point& p, Out y);
  void project(const Point& p, Out y, Vector& workspace);

  /// out += τv − μ on the coordinates that have a y: what a quadratic x-update sees of the y-block.
  void add_pull(In v, Out out) const;

  /// ‖x − y‖ on the coupled coordinates.
  double coupling(In x, In y) const;

 private:
  void penalty_residual(Point& p);

  Oracle& oracle_;
  std::vector<Range> coupled_;
  bool with_G_;
  Vector shifted_, projected_;  // workspaces: x + μ/τ; P_C(w)
};

}  // namespace pendec
