#include "tests/reference/sparse_enumeration.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace pendec::reference {
namespace {

constexpr double tolerance = 1e-9;

/// min over {x : E x = d, x[fixed] = values}: a stationary point with the least norm, if there is one.
class Face {
 public:
  Face(const SparseQp& p, std::vector<Index> columns) : p_(p), columns_(std::move(columns)) {
    const LinearConstraints& rows = p.constraints;
    state_.assign(columns_.size(), 0);
    walk(0, static_cast<Index>(rows.b.size()));
  }
  double best() const { return best_; }

 private:
  void walk(std::size_t k, Index rows) {
    if (k == columns_.size()) {
      for (unsigned active = 0; active < (1U << rows); ++active) solve(active);
      return;
    }
    for (const int state : {0, -1, 1}) {
      const double bound = state < 0 ? lower(columns_[k]) : upper(columns_[k]);
      if (state != 0 && std::isinf(bound)) continue;
      state_[k] = state;
      walk(k + 1, rows);
    }
    state_[k] = 0;
  }

  double lower(Index i) const { return p_.constraints.lower.size() > 0 ? p_.constraints.lower[i] : -infinity; }
  double upper(Index i) const { return p_.constraints.upper.size() > 0 ? p_.constraints.upper[i] : infinity; }

  void solve(unsigned active) {
    const LinearConstraints& rows = p_.constraints;
    Vector x = Vector::Zero(p_.dimension());
    std::vector<Index> free;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Index i = columns_[k];
      if (state_[k] == 0)
        free.push_back(i);
      else
        x[i] = state_[k] < 0 ? lower(i) : upper(i);
    }
    Matrix E(0, p_.dimension());
    Vector d(0);
    const auto add = [&](const auto& row, double right) {
      E.conservativeResize(E.rows() + 1, Eigen::NoChange);
      E.bottomRows(1) = row;
      d.conservativeResize(d.size() + 1);
      d[d.size() - 1] = right;
    };
    for (Index j = 0; j < rows.d.size(); ++j) add(rows.E.row(j), rows.d[j]);
    for (Index j = 0; j < rows.b.size(); ++j)
      if (active >> j & 1U) add(rows.A.row(j), rows.b[j]);
    const Index m = static_cast<Index>(free.size()), equations = d.size();
    if (m > 0) {
      Matrix K = Matrix::Zero(m + equations, m + equations);
      Vector right(m + equations);
      const Vector Qx = *p_.Q * x;
      for (Index k = 0; k < m; ++k) {
        for (Index l = 0; l < m; ++l)
          K(l, k) = (*p_.Q)(free[static_cast<std::size_t>(l)], free[static_cast<std::size_t>(k)]);
        const Index i = free[static_cast<std::size_t>(k)];
        K.block(m, k, equations, 1) = E.col(i);
        K.block(k, m, 1, equations) = E.col(i).transpose();
        right[k] = -p_.c[i] - Qx[i];
      }
      right.tail(equations) = d - E * x;
      const Vector t = K.completeOrthogonalDecomposition().solve(right);
      if ((K * t - right).norm() > tolerance * (1.0 + right.norm())) return;
      for (Index k = 0; k < m; ++k) x[free[static_cast<std::size_t>(k)]] = t[k];
    }
    if (!feasible(x)) return;
    best_ = std::min(best_, x.dot(0.5 * (*p_.Q * x) + p_.c));
  }

  bool feasible(const Vector& x) const {
    const LinearConstraints& rows = p_.constraints;
    for (const Index i : columns_)
      if (x[i] < lower(i) - tolerance || x[i] > upper(i) + tolerance) return false;
    return (rows.b.size() == 0 || (rows.A * x - rows.b).maxCoeff() <= tolerance) &&
           (rows.d.size() == 0 || (rows.E * x - rows.d).cwiseAbs().maxCoeff() <= tolerance);
  }

  const SparseQp& p_;
  std::vector<Index> columns_;
  std::vector<int> state_;
  double best_ = infinity;
};

bool holds(const std::vector<Index>& list, const std::vector<Index>& group) {
  return std::any_of(group.begin(), group.end(),
                     [&](Index i) { return std::find(list.begin(), list.end(), i) != list.end(); });
}

}  // namespace

double enumerate(const SparseQp& problem) {
  std::vector<std::vector<Index>> groups = problem.groups;
  std::vector<Index> always;
  for (Index i = 0; i < problem.dimension(); ++i) {
    if (problem.groups.empty())
      groups.push_back({i});
    else if (std::none_of(groups.begin(), groups.end(), [&](const auto& g) { return holds({i}, g); }))
      always.push_back(i);
  }
  double best = infinity;
  for (unsigned choice = 0; choice < (1U << groups.size()); ++choice) {
    std::vector<Index> columns = always;
    Index count = 0;
    bool allowed = true;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const bool in = (choice >> g & 1U) != 0;
      if (in) columns.insert(columns.end(), groups[g].begin(), groups[g].end()), ++count;
      allowed =
          allowed && !(in && holds(problem.forced_out, groups[g])) && !(!in && holds(problem.forced_in, groups[g]));
    }
    if (allowed && count <= problem.s) best = std::min(best, Face(problem, columns).best());
  }
  return best;
}

}  // namespace pendec::reference
