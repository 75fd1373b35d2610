#include "pendec/subsolvers/lbfgs.hpp"

#include <algorithm>
#include <cmath>

#include "pendec/core/long_vectors.hpp"

namespace pendec {

LbfgsPairs::LbfgsPairs(Index n, Index most)
    : memory_(vectors_to_keep(n, few_pairs, most)),
      s_(n, memory_),
      y_(n, memory_),
      rho_(memory_),
      restricted_rho_(memory_),
      alpha_(memory_) {}

template <class S, class Y>
std::optional<Index> LbfgsPairs::add_pair(const S& s, const Y& y) {
  const double sy = s.dot(y);
  if (!(sy > min_curvature * s.norm() * y.norm())) return std::nullopt;
  newest_ = (newest_ + 1) % memory_;
  count_ = std::min(count_ + 1, memory_);
  s_.col(newest_) = s;
  y_.col(newest_) = y;
  rho_[newest_] = 1.0 / sy;
  return newest_;
}

std::optional<Index> LbfgsPairs::add(In s, In y) { return add_pair(s, y); }

std::optional<Index> LbfgsPairs::add_step(In x, In g, In x_next, In g_next) {
  return add_pair(x_next - x, g_next - g);
}

void LbfgsPairs::correct(double factor, const Matrix& changes) {
  for (Index age = 0; age < count_; ++age) {
    const Index i = slot(age);
    y_.col(i) += factor * changes.col(i);
    const double sy = s_.col(i).dot(y_.col(i));
    if (!(sy > min_curvature * s_.col(i).norm() * y_.col(i).norm())) {
      count_ = age;
      return;
    }
    rho_[i] = 1.0 / sy;
  }
}

void LbfgsPairs::first_loop(Out d, const Vector& rho, const Eigen::ArrayXd* free) {
  for (Index age = 0; age < count_; ++age) {
    const Index i = slot(age);
    if (rho[i] == 0.0) continue;
    alpha_[i] = rho[i] * s_.col(i).dot(d);
    if (free)
      d.array() -= alpha_[i] * *free * y_.col(i).array();
    else
      d -= alpha_[i] * y_.col(i);
  }
}

void LbfgsPairs::second_loop(Out d, const Vector& rho, const Eigen::ArrayXd* free) {
  for (Index age = count_; age-- > 0;) {
    const Index i = slot(age);
    if (rho[i] == 0.0) continue;
    const double weight = alpha_[i] - rho[i] * y_.col(i).dot(d);
    if (free)
      d.array() += weight * *free * s_.col(i).array();
    else
      d += weight * s_.col(i);
  }
}

void LbfgsPairs::apply(Out d) {
  if (count_ == 0) return;
  first_loop(d);
  d /= rho_[newest_] * y_.col(newest_).squaredNorm();
  second_loop(d);
}

bool LbfgsPairs::apply_on(const Eigen::ArrayXd& free, Out d) {
  Index newest = -1;
  double squares = 0.0;  // of the newest y
  for (Index age = count_; age-- > 0;) {
    const Index i = slot(age);
    const auto s = s_.col(i).array() * free, y = y_.col(i).array() * free;
    const double sy = (s * y).sum(), yy = y.square().sum();
    restricted_rho_[i] = sy > min_curvature * std::sqrt(s.square().sum() * yy) ? 1.0 / sy : 0.0;
    if (restricted_rho_[i] == 0.0) continue;
    newest = i;
    squares = yy;
  }
  if (newest < 0) return false;
  first_loop(d, restricted_rho_, &free);
  d /= restricted_rho_[newest] * squares;
  second_loop(d, restricted_rho_, &free);
  return true;
}

}  // namespace pendec
