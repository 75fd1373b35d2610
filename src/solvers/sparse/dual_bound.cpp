#include "dual_bound.hpp"

#include <algorithm>
#include <cmath>

#include "../../subsolvers/verified.hpp"

namespace pendec::sparse {

using detail::least_term;

double DualBound::evaluate(const Split& split, const Choices& choices, Index slots, std::span<const Index> columns,
                           In x, In lambda, In nu) {
  const Model& m = *model_;
  const Index n = m.dimension(), groups = m.group_count();
  const Index terms = static_cast<Index>(columns.size()) + lambda.size() + nu.size() + 8;
  const double unit = 2.0 * epsilon * static_cast<double>(terms);
  const double x_sum = x.lpNorm<1>();

  Qx_.setZero(n);
  for (std::size_t k = 0; k < columns.size(); ++k)
    Qx_.noalias() += x[static_cast<Index>(k)] * split.Q0.col(columns[k]);
  g_ = Qx_ + m.c;
  error_ = x_sum * split.magnitude + m.c.cwiseAbs();
  double base = m.constant, size = std::abs(m.constant), spread = 0.0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    base -= 0.5 * x[static_cast<Index>(k)] * Qx_[columns[k]];
    size += 0.5 * std::abs(x[static_cast<Index>(k)]) * x_sum * split.magnitude[columns[k]];
  }
  const auto add = [&](double multiplier, const auto& row, double right) {
    if (multiplier == 0.0) return;
    g_.noalias() += multiplier * row.transpose();
    error_.noalias() += std::abs(multiplier) * row.cwiseAbs().transpose();
    base -= multiplier * right;
    size += std::abs(multiplier * right);
  };
  for (Index j = 0; j < lambda.size(); ++j) add(std::max(lambda[j], 0.0), m.A->row(j), m.rows.b[j]);
  for (Index j = 0; j < nu.size(); ++j) add(nu[j], m.E->row(j), m.rows.d[j]);

  h_.setZero(groups);
  spread_.setZero(groups);
  order_.clear();
  for (Index k = 0; k < groups; ++k) {
    const Choice choice = choices[at(k)];
    if (choice == Choice::out) continue;
    double group_size = 0.0, group_spread = 0.0;
    for (const Index i : m.groups[at(k)]) {
      const double delta = split.delta[i] - m.curvature_error[i];
      const detail::LeastTerm t =
          least_term(delta, g_[i], unit * error_[i] + m.c_error[i], m.reach_lower[i], m.reach_upper[i]);
      h_[k] += t.value;
      group_size += t.size;
      group_spread += least_term(split.delta[i], g_[i], m.reach_lower[i], m.reach_upper[i]).value - t.value;
    }
    if (std::isnan(h_[k])) h_[k] = -infinity;
    if (choice == Choice::in) {
      base += h_[k];
      size += group_size;
      spread += group_spread;
    } else {
      h_[k] -= unit * group_size;
      spread_[k] = group_spread + unit * group_size;
      if (h_[k] < 0.0) order_.push_back(k);
    }
  }

  slots_ = slots;
  taken_.assign(at(groups), 0);
  if (m.families.empty())
    take_least();
  else
    take_by_families(choices);
  for (const Index group : order_) {
    base += h_[group];
    size += std::abs(h_[group]);
    spread += spread_[group];
  }
  const double safety = 2.0 * epsilon * static_cast<double>(terms + groups + n) * size + m.constant_error;
  value_ = base - safety;
  allowance_ = std::isfinite(spread) ? safety + spread : 0.0;
  if (std::isnan(value_)) value_ = -infinity;
  return value_;
}

/// Leaves in order_ the groups taken.
void DualBound::take_least() {
  const auto take = std::min<Index>(slots_, static_cast<Index>(order_.size()));
  kth_ = next_ = 0.0;
  if (take > 0 && take < static_cast<Index>(order_.size())) {
    std::nth_element(order_.begin(), order_.begin() + take, order_.end(),
                     [&](Index a, Index b) { return h_[a] < h_[b]; });
    next_ = h_[order_[at(take)]];
  }
  order_.resize(static_cast<std::size_t>(std::max<Index>(take, 0)));
  for (std::size_t k = 0; k < order_.size(); ++k) {
    taken_[at(order_[k])] = 1;
    kth_ = k == 0 ? h_[order_[k]] : std::max(kth_, h_[order_[k]]);
  }
  if (take < slots_) kth_ = 0.0;  // a slot is left: another group may join at no cost to the others
}

void DualBound::take_by_families(const Choices& choices) {
  const Model& m = *model_;
  Room room(m, choices, slots_);
  families_.assign(m.families.size(), {});
  for (std::size_t f = 0; f < families_.size(); ++f) families_[f].open = room.of_family(static_cast<Index>(f)) > 0;
  std::sort(order_.begin(), order_.end(), [&](Index a, Index b) { return h_[a] < h_[b]; });
  std::vector<Index> left;
  kth_ = 0.0;
  std::erase_if(order_, [&](Index g) {
    if (!room.fits(g)) return left.push_back(g), true;
    room.take(g);
    taken_[at(g)] = 1;
    kth_ = h_[g];  // ascending
    if (const Index f = m.family_of[at(g)]; f >= 0) families_[at(f)].kth = h_[g];
    return false;
  });
  if (room.all() > 0) kth_ = 0.0;
  for (std::size_t f = 0; f < families_.size(); ++f) families_[f].full = room.of_family(static_cast<Index>(f)) <= 0;
  next_ = 0.0;
  for (const Index g : left) {
    const Index f = m.family_of[at(g)];
    if (f >= 0) families_[at(f)].next = std::min(families_[at(f)].next, h_[g]);
    if (f < 0 || !families_[at(f)].full) next_ = std::min(next_, h_[g]);
  }
}

/// One more element of a basis drives out the largest one of its circuit: the family if that is full, else
/// everything.
double DualBound::if_in(Index group) const {
  if (taken_.empty()) return value_;  // never evaluated
  if (slots_ <= 0) return infinity;
  if (taken_[at(group)]) return value_;
  const Index f = model_->families.empty() ? -1 : model_->family_of[at(group)];
  if (f < 0) return value_ - kth_ + h_[group];
  const OfFamily& family = families_[at(f)];
  if (!family.open) return infinity;
  return value_ - (family.full ? family.kth : kth_) + h_[group];
}

double DualBound::if_out(Index group) const {
  if (taken_.empty() || !taken_[at(group)]) return value_;
  const Index f = model_->families.empty() ? -1 : model_->family_of[at(group)];
  const double next = f < 0 ? next_ : std::min(next_, families_[at(f)].next);
  return value_ - h_[group] + next;
}

}  // namespace pendec::sparse
