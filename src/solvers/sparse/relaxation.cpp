#include "relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pendec::sparse {

Relaxation::Relaxation(const Model& model, Split split, std::function<bool()> stop)
    : model_(model),
      split_(std::move(split)),
      singletons_(model.singletons() && model.families.empty()),
      stop_(std::move(stop)),
      qp_(model, stop_),
      bound_(model),
      best_(model),
      entering_(at(model.dimension()), 0),
      member_(at(model.dimension()), 0),
      tabu_(at(model.dimension()), 0),
      role_(at(model.dimension()), Role::none) {
  set_roots();
}

void Relaxation::set_roots() {
  weight_ = split_.delta.cwiseMax(0.0);
  root_ = weight_.cwiseSqrt();
}

bool Relaxation::open(const Choices& choices, Index i) const {
  return choices[at(model_.group_of[at(i)])] == Choice::open;
}

Relaxation::Outcome Relaxation::solve(const Choices& choices, Index slots, Vector& x, double cutoff) {
  constexpr int most_iterations = 60;
  Outcome out;
  best_.forget();
  if (x.size() != model_.dimension()) x.setZero(model_.dimension());
  take_columns(choices, slots, &x);
  std::fill(tabu_.begin(), tabu_.end(), 0);
  trial_.setZero(model_.dimension());
  bool on_pieces = (x(columns_).array() != 0.0).any(), feasible = false, whole = false, evaluated = false;
  for (int k = 0; k < most_iterations; ++k) {
    if (!on_pieces && !whole) take_columns(choices, slots, nullptr), whole = true;
    if (!on_pieces) {
      build_plain(choices);
    } else if (singletons_) {
      assign_roles(choices, slots, x);
      build_pieces(choices, slots);
    } else {
      share_out(choices, slots, x);
      build_majoriser(choices);
    }
    const QpResult& qp = qp_.solve(columns_, lower_, upper_, H_, q_);
    if (qp.status == QpStatus::infeasible) {
      if (!on_pieces) {
        out.infeasible = qp_.excludes_all_points();
        out.bound = out.infeasible ? infinity : bound_by_contradiction(choices, slots, qp);
        x.setZero();
        break;
      }
      on_pieces = feasible = whole = false;  // columns or signs are missing
      continue;
    }
    if (qp.x.size() != static_cast<Index>(columns_.size()) || !qp.x.allFinite()) break;  // numbers out of range

    bound_.evaluate(split_, choices, slots, columns_, qp.x, qp.rows, qp.equalities);
    if (!std::exchange(evaluated, true) || bound_.value() > out.bound) {
      best_ = bound_;
      out.bound = best_.value();
      out.allowance = best_.allowance();
    }
    if (out.bound >= cutoff || stop_()) {
      fill_columns(qp.x, x);
      break;
    }
    bool whole_step = true;
    fill_columns(qp.x, trial_);
    if (feasible && singletons_) {
      whole_step = step(choices, slots, trial_, x, out.value);
    } else {
      const double before = out.value;
      x = trial_;
      out.value = evaluate(choices, slots, x);
      whole_step = feasible && !(out.value < before - 1e-7 * std::abs(before));
    }
    feasible = true;
    last_role_ = role_;
    const bool were_pieces = std::exchange(on_pieces, true);
    drop_zeros(choices, x);
    share_out(choices, slots, x);
    const bool entered = price(choices, slots, bound_);
    if (singletons_) {
      assign_roles(choices, slots, x);
      if (were_pieces && whole_step && !entered && role_ == last_role_) break;
    } else if (were_pieces && whole_step && !entered) {
      break;
    }
    if (!were_pieces && root_.maxCoeff() == 0.0) break;  // Ω = 0
    const double lacking = out.value - out.bound;
    if (out.value < cutoff && cutoff < infinity && lacking <= 0.02 * (cutoff - out.bound)) break;
    if (lacking <= 1e-12 * std::abs(out.value)) break;
  }
  share_out(choices, slots, x);
  return out;
}

/// Multipliers that contradict each other up to rounding leave points far out, where f is large if it is curved.
double Relaxation::bound_by_contradiction(const Choices& choices, Index slots, const QpResult& qp) {
  const QpResult multipliers = qp;
  best_.forget();
  for (double factor = 1.0; factor < 1e30; factor *= 100.0) {
    bound_.evaluate(split_, choices, slots, {}, Vector(), factor * multipliers.rows, factor * multipliers.equalities);
    if (bound_.value() > best_.value()) best_ = bound_;
  }
  return best_.value();
}

/// Everything that is in and, of the open columns that the node allows, those of x ≠ 0, or all.
void Relaxation::take_columns(const Choices& choices, Index slots, const Vector* x) {
  columns_.clear();
  std::fill(entering_.begin(), entering_.end(), 0);
  for (Index i = 0; i < model_.dimension(); ++i) {
    const Choice choice = choices[at(model_.group_of[at(i)])];
    member_[at(i)] = choice == Choice::in || (choice == Choice::open && slots > 0 && (!x || (*x)[i] != 0.0));
    if (member_[at(i)]) columns_.push_back(i);
  }
}

/// a, θ and z at x. θ is what an infinitesimal part of one more group costs per unit of a.
void Relaxation::share_out(const Choices& choices, Index slots, const Vector& x) {
  const Index groups = model_.group_count();
  a_.setZero(groups);
  z_.setZero(groups);
  order_.clear();
  for (const Index i : columns_) {
    const Index g = model_.group_of[at(i)];
    if (choices[at(g)] != Choice::open) continue;
    if (a_[g] == 0.0 && (order_.empty() || order_.back() != g) &&
        std::find(order_.begin(), order_.end(), g) == order_.end())
      order_.push_back(g);
    a_[g] += singletons_ ? root_[i] * std::abs(x[i]) : weight_[i] * x[i] * x[i];
  }
  if (!singletons_) a_ = a_.cwiseSqrt();
  for (Index g = 0; g < groups; ++g)
    if (choices[at(g)] == Choice::in) z_[g] = 1.0;
  std::sort(order_.begin(), order_.end(), [&](Index p, Index q) { return a_[p] > a_[q]; });
  double rest = 0.0;
  for (const Index g : order_) rest += a_[g];
  theta_ = 0.0;
  tops_ = 0;
  if (slots <= 0) return;
  if (!model_.families.empty()) return share_out_by_families(choices, slots);
  const Index count = static_cast<Index>(order_.size());
  while (tops_ < count && tops_ < slots - 1 && a_[order_[at(tops_)]] * static_cast<double>(slots - tops_) > rest)
    rest -= a_[order_[at(tops_++)]];
  if (tops_ < count) theta_ = std::max(rest, 0.0) / static_cast<double>(slots - tops_);
  for (Index k = 0; k < count; ++k) {
    const Index g = order_[at(k)];
    z_[g] = k < tops_ ? 1.0 : theta_ > 0.0 ? std::min(1.0, a_[g] / theta_) : 0.0;
  }
  if (count <= slots)
    for (const Index g : order_) z_[g] = 1.0;
}

/// z = a/θ_f up to 1, where θ_f ≥ θ keeps family f within its count, and θ everything within the slots.
void Relaxation::share_out_by_families(const Choices& choices, Index slots) {
  const Index families = std::ssize(model_.families);
  const Room room(model_, choices, slots);
  const auto family = [&](Index g) { return model_.family_of[at(g)]; };
  Vector used(families + 1);                 // the last: groups in no family
  const auto use = [&](const auto& theta) {  // what z adds up to
    used.setZero();
    for (const Index g : order_) {
      const Index f = family(g) < 0 ? families : family(g);
      const double level = theta(f);
      used[f] += a_[g] <= 0.0 ? 0.0 : level > 0.0 ? std::min(1.0, a_[g] / level) : 1.0;
    }
  };
  const double largest = order_.empty() ? 0.0 : a_[order_.front()] * static_cast<double>(order_.size());
  const auto level_of = [&](const auto& too_much) {  // the least that is not, by bisection
    double low = 0.0, high = largest;
    if (!too_much(low)) return low;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (too_much(middle) ? low : high) = middle;
    }
    return high;
  };
  family_theta_ = Vector::Zero(families);
  for (Index f = 0; f < families; ++f)
    family_theta_[f] = level_of([&](double level) {
      use([&](Index) { return level; });
      return used[f] > static_cast<double>(room.of_family(f));
    });
  const Vector own = family_theta_;
  theta_ = level_of([&](double level) {
    use([&](Index f) { return f < families ? std::max(own[f], level) : level; });
    return used.sum() > static_cast<double>(slots);
  });
  family_theta_ = own.cwiseMax(theta_);
  for (const Index g : order_) {
    const double level = theta_of(g);
    z_[g] = a_[g] <= 0.0 ? 0.0 : level > 0.0 ? std::min(1.0, a_[g] / level) : 1.0;
  }
}

double Relaxation::theta_of(Index group) const {
  if (model_.families.empty() || model_.family_of[at(group)] < 0) return theta_;
  return family_theta_.size() > 0 ? family_theta_[model_.family_of[at(group)]] : theta_;
}

/// For groups of one variable: which piece of Ω each column is on.
void Relaxation::assign_roles(const Choices& choices, Index slots, const Vector& x) {
  share_out(choices, slots, x);
  std::fill(role_.begin(), role_.end(), Role::none);
  for (const Index i : columns_)
    if (!open(choices, i)) role_[at(i)] = Role::in;
  const bool room = static_cast<Index>(order_.size()) <= slots;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Index i = model_.groups[at(order_[k])].front();
    const double sign = entering_[at(i)] != 0 ? entering_[at(i)] : x[i];
    role_[at(i)] = room || static_cast<Index>(k) < tops_ ? Role::top : sign < 0.0 ? Role::negative : Role::positive;
  }
}

void Relaxation::bounds_of_columns(const Choices& choices) {
  const Index size = static_cast<Index>(columns_.size());
  lower_.resize(size);
  upper_.resize(size);
  for (Index k = 0; k < size; ++k) {
    const Index i = columns_[at(k)];
    const bool hull = open(choices, i);
    lower_[k] = hull ? model_.hull_lower[i] : model_.rows.lower[i];
    upper_[k] = hull ? model_.hull_upper[i] : model_.rows.upper[i];
  }
}

/// Without Ω: the QP itself.
void Relaxation::build_plain(const Choices& choices) {
  H_ = split_.Q0(columns_, columns_);
  H_.diagonal() += split_.delta(columns_);  // Q itself, also where δ < 0
  q_ = model_.c(columns_);
  bounds_of_columns(choices);
}

void Relaxation::build_pieces(const Choices& choices, Index slots) {
  const Index size = static_cast<Index>(columns_.size());
  H_.resize(size, size);
  q_ = model_.c(columns_);
  bounds_of_columns(choices);
  Vector& tail = trial_;
  for (Index k = 0; k < size; ++k) {
    const Index i = columns_[at(k)];
    const Role role = role_[at(i)];
    tail[i] = role == Role::positive ? root_[i] : role == Role::negative ? -root_[i] : 0.0;
    if (role == Role::positive) lower_[k] = std::max(lower_[k], 0.0);
    if (role == Role::negative) upper_[k] = std::min(upper_[k], 0.0);
  }
  const double share = 1.0 / static_cast<double>(std::max<Index>(slots - tops_, 1));
  for (Index k = 0; k < size; ++k) {
    const Index i = columns_[at(k)];
    const double factor = share * tail[i];
    for (Index l = 0; l < size; ++l) {
      const Index j = columns_[at(l)];
      H_(l, k) = split_.Q0(j, i) + factor * tail[j];
    }
    const Role role = role_[at(i)];
    if (role == Role::in || role == Role::top) H_(k, k) += weight_[i];
  }
  for (const Index i : columns_) tail[i] = 0.0;
}

void Relaxation::build_majoriser(const Choices& choices) {
  constexpr double least_share = 1e-3, entering_share = 0.1;
  build_plain(choices);
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Index i = columns_[k];
    const double share = entering_[at(i)] != 0 ? entering_share : std::max(z_[model_.group_of[at(i)]], least_share);
    if (open(choices, i)) H_(static_cast<Index>(k), static_cast<Index>(k)) += weight_[i] * (1.0 / share - 1.0);
  }
}

double Relaxation::evaluate(const Choices& choices, Index slots, const Vector& x) {
  share_out(choices, slots, x);
  double value = model_.constant;
  for (const Index i : columns_) {
    double Qx = 0.0;
    for (const Index j : columns_) Qx += split_.Q0(j, i) * x[j];
    value += x[i] * (0.5 * Qx + model_.c[i]);
    if (!open(choices, i)) value += 0.5 * weight_[i] * x[i] * x[i];
  }
  for (const Index g : order_)
    if (z_[g] > 0.0) value += 0.5 * a_[g] * a_[g] / z_[g];
  return value;
}

/// Towards the minimiser of the piece, as far as the relaxation falls; true for a whole step.
bool Relaxation::step(const Choices& choices, Index slots, const Vector& target, Vector& x, double& value) {
  constexpr int most_halvings = 8;
  const Vector start = x;
  double share = 1.0, best = value;
  Vector best_x = x;
  for (int k = 0; k <= most_halvings; ++k, share *= 0.5) {
    x = start + share * (target - start);
    const double now = evaluate(choices, slots, x);
    if (now < best) {
      best = now, best_x = x;
      if (k == 0) break;
    } else if (best < value || k == most_halvings) {
      break;  // convex along the segment: past the minimum
    }
  }
  const bool moved = best < value, whole = moved && (best_x - target).squaredNorm() == 0.0;
  const bool settled = !moved && (target - start).norm() <= 1e-9 * start.norm();
  x = best_x;
  value = best;
  return whole || settled || !moved;
}

void Relaxation::drop_zeros(const Choices& choices, Vector& x) {
  const double small = 1e-13 * x.cwiseAbs().maxCoeff();
  std::erase_if(columns_, [&](Index i) {
    const bool came = std::exchange(entering_[at(i)], 0) != 0;
    if (!open(choices, i) || std::abs(x[i]) > small) return false;
    x[i] = 0.0;
    member_[at(i)] = 0;
    if (came) tabu_[at(i)] = 1;  // it came in and went at once: not again at this node
    return true;
  });
}

/// Lets in the columns that would lower the relaxation most.
bool Relaxation::price(const Choices& choices, Index slots, const DualBound& at_x) {
  constexpr std::size_t most_entering = 8;
  if (slots <= 0) return false;
  const Vector& g = at_x.gradient();
  std::vector<std::pair<double, Index>> gains;
  const double tolerance = 1e-10 * g.cwiseAbs().maxCoeff();
  for (Index i = 0; i < model_.dimension(); ++i) {
    if (member_[at(i)] || tabu_[at(i)] || !open(choices, i)) continue;
    const double toll =
        singletons_ || a_[model_.group_of[at(i)]] == 0.0 ? theta_of(model_.group_of[at(i)]) * root_[i] : 0.0;
    const double up = model_.hull_upper[i] > 0.0 ? -g[i] - toll : 0.0;
    const double down = model_.hull_lower[i] < 0.0 ? g[i] - toll : 0.0;
    const double gain = std::max(up, down);
    if (gain > tolerance) gains.emplace_back(gain * gain / (split_.Q0(i, i) + weight_[i] + 1e-300), i);
  }
  if (gains.size() > most_entering) {
    std::nth_element(gains.begin(), gains.begin() + most_entering, gains.end(), std::greater<>());
    gains.resize(most_entering);
  }
  for (const auto& [gain, i] : gains) {
    columns_.push_back(i);
    member_[at(i)] = 1;
    entering_[at(i)] = g[i] < 0.0 ? 1 : -1;
  }
  return !gains.empty();
}

void Relaxation::fill_columns(const Vector& compact, Vector& full) const {
  full.setZero(model_.dimension());
  for (std::size_t k = 0; k < columns_.size(); ++k) full[columns_[k]] = compact[static_cast<Index>(k)];
}

}  // namespace pendec::sparse
