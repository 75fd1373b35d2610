#include "tests/reference/exact_qp.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace pendec::reference {
namespace {

template <class Real>
constexpr Real digits = 1e-25;  // residuals up to this, relative, are rounding
template <>
constexpr long double digits<long double> = 1e-14L;

template <class Real>
Real abs(Real a) {
  return a < 0 ? -a : a;
}
std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// K t = r for a square K of any rank, by elimination with complete pivoting after scaling rows and columns alike.
/// False: no solution.
template <class Real>
bool solve(std::vector<std::vector<Real>> K, std::vector<Real> r, std::vector<Real>& t) {
  const std::size_t n = r.size();
  std::vector<Real> scale(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    Real largest = 0;
    for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, abs(K[i][j]));
    if (largest > 0) scale[i] = Real(1) / static_cast<Real>(std::sqrt(static_cast<long double>(largest)));
  }
  Real right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) K[i][j] *= scale[i] * scale[j];
    r[i] *= scale[i];
    right = std::max(right, abs(r[i]));
  }
  std::vector<std::size_t> column(n);
  std::iota(column.begin(), column.end(), std::size_t{0});
  std::size_t rank = 0;
  for (; rank < n; ++rank) {
    std::size_t row = rank, pick = rank;
    for (std::size_t i = rank; i < n; ++i)
      for (std::size_t j = rank; j < n; ++j)
        if (abs(K[i][j]) > abs(K[row][pick])) row = i, pick = j;
    if (abs(K[row][pick]) < digits<Real> / 1000) break;
    std::swap(K[rank], K[row]), std::swap(r[rank], r[row]), std::swap(column[rank], column[pick]);
    for (auto& line : K) std::swap(line[rank], line[pick]);
    for (std::size_t i = rank + 1; i < n; ++i) {
      const Real factor = K[i][rank] / K[rank][rank];
      if (factor == 0) continue;
      for (std::size_t j = rank; j < n; ++j) K[i][j] -= factor * K[rank][j];
      r[i] -= factor * r[rank];
    }
  }
  for (std::size_t i = rank; i < n; ++i)
    if (abs(r[i]) > digits<Real> * right) return false;
  t.assign(n, 0);
  for (std::size_t i = rank; i-- > 0;) {
    Real sum = r[i];
    for (std::size_t j = i + 1; j < rank; ++j) sum -= K[i][j] * t[column[j]];
    t[column[i]] = sum / K[i][i];
  }
  for (std::size_t i = 0; i < n; ++i) t[i] *= scale[i];
  return true;
}

template <class Real>
class Faces {
 public:
  Faces(const ExactQuadratic& f, const LinearConstraints& constraints, const std::vector<Index>& columns)
      : f_(f), c_(constraints), A_(c_.A), E_(c_.E), columns_(columns), state_(columns.size(), 0), x_(at(f.n), 0) {
    walk(0);
  }
  long double best() const { return best_; }

 private:
  Real q(Index i, Index j) const { return static_cast<Real>(f_.q(i, j)); }
  double lower(Index i) const { return c_.lower.size() > 0 ? c_.lower[i] : -infinity; }
  double upper(Index i) const { return c_.upper.size() > 0 ? c_.upper[i] : infinity; }

  void walk(std::size_t k) {
    if (k == columns_.size()) {
      for (unsigned active = 0; active < (1U << c_.b.size()); ++active) on_face(active);
      return;
    }
    const Index i = columns_[k];
    for (const int state : {0, -1, 1}) {
      const bool fixed = lower(i) == upper(i);
      if (fixed ? state != -1 : state != 0 && std::isinf(state < 0 ? lower(i) : upper(i))) continue;
      state_[k] = state;
      walk(k + 1);
    }
  }

  void on_face(unsigned active) {
    std::fill(x_.begin(), x_.end(), Real(0));
    std::vector<Index> free;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Index i = columns_[k];
      if (state_[k] == 0) free.push_back(i);
      if (state_[k] != 0) x_[at(i)] = state_[k] < 0 ? lower(i) : upper(i);
    }
    std::vector<std::pair<const DenseMatrix*, Index>> rows;
    for (Index j = 0; j < c_.d.size(); ++j) rows.emplace_back(&E_, j);
    for (Index j = 0; j < c_.b.size(); ++j)
      if (active >> j & 1U) rows.emplace_back(&A_, j);
    const std::size_t m = free.size(), size = m + rows.size();
    if (m > 0) {
      std::vector<std::vector<Real>> K(size, std::vector<Real>(size, 0));
      std::vector<Real> right(size, 0), t;
      for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t l = 0; l < m; ++l) K[l][k] = q(free[l], free[k]);
        right[k] = -static_cast<Real>(f_.c[at(free[k])]);
        for (Index i = 0; i < f_.n; ++i) right[k] -= q(free[k], i) * x_[at(i)];
      }
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto [matrix, j] = rows[r];
        right[m + r] = matrix == &A_ ? c_.b[j] : c_.d[j];
        for (Index i = 0; i < f_.n; ++i) right[m + r] -= Real((**matrix)(j, i)) * x_[at(i)];
        for (std::size_t k = 0; k < m; ++k) K[m + r][k] = K[k][m + r] = (**matrix)(j, free[k]);
      }
      if (!solve(std::move(K), std::move(right), t)) return;
      for (std::size_t k = 0; k < m; ++k) x_[at(free[k])] = t[k];
    }
    if (!feasible()) return;
    Real value = static_cast<Real>(f_.constant);
    for (Index i = 0; i < f_.n; ++i) {
      Real Qx = 0;
      for (Index j = 0; j < f_.n; ++j) Qx += q(i, j) * x_[at(j)];
      value += x_[at(i)] * (Qx / 2 + static_cast<Real>(f_.c[at(i)]));
    }
    best_ = std::min(best_, static_cast<long double>(value));
  }

  bool feasible() const {
    for (const Index i : columns_) {
      const Real x = x_[at(i)], slack = digits<Real> * abs(x);
      if ((!std::isinf(lower(i)) && x < lower(i) - slack) || (!std::isinf(upper(i)) && x > upper(i) + slack))
        return false;
    }
    const auto excess = [&](const DenseMatrix& M, Index j, double right, Real& size) {
      Real sum = -Real(right);
      size = abs(sum);
      for (Index i = 0; i < f_.n; ++i) {
        const Real term = Real((*M)(j, i)) * x_[at(i)];
        sum += term, size += abs(term);
      }
      return sum;
    };
    Real size = 0;
    for (Index j = 0; j < c_.b.size(); ++j)
      if (excess(A_, j, c_.b[j], size) > digits<Real> * size) return false;
    for (Index j = 0; j < c_.d.size(); ++j)
      if (abs(excess(E_, j, c_.d[j], size)) > digits<Real> * size) return false;
    return true;
  }

  const ExactQuadratic& f_;
  const LinearConstraints& c_;
  DenseMatrix A_, E_;  // of c_
  const std::vector<Index>& columns_;
  std::vector<int> state_;
  std::vector<Real> x_;
  long double best_ = std::numeric_limits<long double>::infinity();
};

}  // namespace

ExactQuadratic::ExactQuadratic(Index dimension) : n(dimension), Q(at(n * n), 0), c(at(n), 0) {}

ExactQuadratic::ExactQuadratic(const Matrix& Q_, const Vector& c_, double constant_) : ExactQuadratic(c_.size()) {
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) q(i, j) = (Quad(Q_(i, j)) + Quad(Q_(j, i))) / 2;
    c[at(j)] = c_[j];
  }
  constant = constant_;
}

ExactQuadratic ExactQuadratic::least_squares(const Matrix& A, const Vector& b) {
  ExactQuadratic f(A.cols());
  for (Index k = 0; k < A.rows(); ++k) {
    for (Index j = 0; j < f.n; ++j) {
      for (Index i = 0; i < f.n; ++i) f.q(i, j) += Quad(A(k, i)) * Quad(A(k, j));
      f.c[at(j)] -= Quad(A(k, j)) * Quad(b[k]);
    }
    f.constant += Quad(b[k]) * Quad(b[k]) / 2;
  }
  return f;
}

long double ExactQuadratic::value(const Vector& x) const {
  Quad value = constant;
  for (Index i = 0; i < n; ++i) {
    value += c[at(i)] * Quad(x[i]);
    for (Index j = 0; j < n; ++j) value += q(i, j) * Quad(x[i]) * Quad(x[j]) / 2;
  }
  return static_cast<long double>(value);
}

long double ExactQuadratic::size(const Vector& x) const {
  Quad size = abs(constant);
  for (Index i = 0; i < n; ++i) {
    size += abs(c[at(i)] * Quad(x[i]));
    for (Index j = 0; j < n; ++j) size += abs(q(i, j) * Quad(x[i]) * Quad(x[j])) / 2;
  }
  return static_cast<long double>(size);
}

long double least_on(const ExactQuadratic& f, const LinearConstraints& constraints, const std::vector<Index>& columns,
                     Precision precision) {
  return precision == Precision::quadruple ? Faces<Quad>(f, constraints, columns).best()
                                           : Faces<long double>(f, constraints, columns).best();
}

long double least_on(const ExactQuadratic& f, const LinearConstraints& constraints) {
  std::vector<Index> all(at(f.n));
  std::iota(all.begin(), all.end(), Index{0});
  return least_on(f, constraints, all);
}

}  // namespace pendec::reference
