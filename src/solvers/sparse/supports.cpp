#include "supports.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "../../subsolvers/exact.hpp"
#include "../../subsolvers/verified.hpp"

namespace pendec::sparse {
namespace {

Chosen with(Chosen chosen, Index group) {
  chosen.insert(std::lower_bound(chosen.begin(), chosen.end(), group), group);
  return chosen;
}

Chosen without(Chosen chosen, Index group) {
  std::erase(chosen, group);
  return chosen;
}

}  // namespace

Vector without_dust(In x, double scale) {
  constexpr double dust = 1e-14;
  return (x.array().abs() > dust * scale).select(x, 0.0);
}

Supports::Supports(const Model& model, std::function<bool()> expired)
    : model_(model), expired_(std::move(expired)), qp_(model), bound_(model) {}

Vector Supports::best_x() const {
  Vector x = Vector::Zero(model_.dimension());
  x(best_.columns) = best_.x;
  return x;
}

double Supports::allowed_gap(double relative) const { return std::max(relative * std::abs(best_.f), rounding()); }

double Supports::polish(Chosen chosen) {
  std::erase_if(chosen, [&](Index g) { return model_.root[at(g)] != Choice::open; });
  for (Index g = 0; g < model_.group_count(); ++g)
    if (model_.root[at(g)] == Choice::in) chosen.push_back(g);
  std::sort(chosen.begin(), chosen.end());
  if (static_cast<Index>(chosen.size()) > model_.s) return infinity;
  if (!model_.families.empty()) {
    Room room(model_, model_.s);
    for (const Index g : chosen) {
      if (!room.fits(g)) return infinity;
      room.take(g);
    }
  }
  if (const auto found = known_.find(chosen); found != known_.end()) return found->second;
  const double f = solve(chosen).f;
  return known_.emplace(std::move(chosen), f).first->second = f;
}

void Supports::round(const Choices& choices, const Vector& shares) {
  Chosen chosen;
  std::vector<std::pair<double, Index>> open;
  for (Index g = 0; g < model_.group_count(); ++g) {
    if (choices[at(g)] == Choice::in) chosen.push_back(g);
    if (choices[at(g)] == Choice::open && shares[g] > 0.0) open.emplace_back(-shares[g], g);
  }
  Room room(model_, choices, model_.s - static_cast<Index>(chosen.size()));
  if (model_.families.empty() && std::ssize(open) > room.all()) {
    std::nth_element(open.begin(), open.begin() + room.all(), open.end());
    open.resize(at(room.all()));
  } else {
    std::sort(open.begin(), open.end());
  }
  for (const auto& [share, g] : open)
    if (room.fits(g)) room.take(g), chosen.push_back(g);
  polish(std::move(chosen));
}

Room Supports::room_beside(const Chosen& chosen) const {
  Room room(model_, model_.s);
  for (const Index g : chosen) room.take(g);
  return room;
}

Chosen Supports::open_beside(const Chosen& chosen) const {
  Chosen others;
  for (Index g = 0; g < model_.group_count(); ++g)
    if (model_.root[at(g)] == Choice::open && !std::binary_search(chosen.begin(), chosen.end(), g))
      others.push_back(g);
  return others;
}

const Polished& Supports::solve(const Chosen& chosen) {
  ++solved_;
  Polished& p = current_;
  p.columns.clear();
  for (const Index g : chosen)
    p.columns.insert(p.columns.end(), model_.groups[at(g)].begin(), model_.groups[at(g)].end());
  const Index size = static_cast<Index>(p.columns.size());
  H_ = (*model_.Q)(p.columns, p.columns);
  q_ = model_.c(p.columns), lower_ = model_.rows.lower(p.columns), upper_ = model_.rows.upper(p.columns);
  const QpResult& qp = qp_.solve(p.columns, lower_, upper_, H_, q_);
  p.f = infinity;
  const bool drifts = qp_.recession().size() > 0;
  if (drifts && proves_unbounded(p.columns, qp_.recession())) unbounded_ = true;
  const bool settled =
      qp.status == QpStatus::optimal || (qp.status == QpStatus::infeasible && qp_.excludes_all_points());
  if (drifts || !settled) unsettled_ = true;
  if (qp.status != QpStatus::optimal && !drifts) return p;
  p.x = qp.x.cwiseMax(lower_).cwiseMin(upper_);
  for (Index k = 0; k < size; ++k)  // an active bound holds exactly, so that zeros are zero
    if (qp.bounds.size() == size && qp.bounds[k] != 0.0) p.x[k] = qp.bounds[k] < 0.0 ? lower_[k] : upper_[k];
  p.lambda = qp.rows;
  p.nu = qp.equalities;
  if (!satisfies_rows(p)) {
    double scale = 0.0;  // of what x is computed from: itself, and where its entries would be without rows
    for (Index k = 0; k < size; ++k)
      scale = std::max({scale, std::abs(p.x[k]), H_(k, k) > 0.0 ? std::abs(q_[k]) / H_(k, k) : 0.0});
    p.x = without_dust(p.x, scale).cwiseMax(lower_).cwiseMin(upper_);  // a row of nothing but dust is violated by it
    if (!satisfies_rows(p)) {  // badly scaled rows and bounds: the QP was not solved to the accuracy they need
      unsettled_ = true;
      return p;
    }
  }
  const double quadratic = 0.5 * p.x.dot(H_ * p.x);
  p.f = quadratic + p.x.dot(q_) + model_.constant;
  p.size = quadratic + p.x.cwiseAbs().dot(q_.cwiseAbs()) + std::abs(model_.constant);
  if (p.f < best_.f) best_ = p, best_choice_ = chosen;
  return p;
}

/// Each row relative to its own terms.
bool Supports::satisfies_rows(const Polished& p) const {
  constexpr double tolerance = 1e-9;
  const auto holds = [&](const DenseMatrix& rows, const Vector& right, bool equations) {
    for (Index j = 0; j < right.size(); ++j) {
      double sum = -right[j], size = std::abs(right[j]);
      for (std::size_t k = 0; k < p.columns.size(); ++k) {
        const double term = (*rows)(j, p.columns[k]) * p.x[static_cast<Index>(k)];
        sum += term, size += std::abs(term);
      }
      if (!((equations ? std::abs(sum) : sum) <= tolerance * size)) return false;
    }
    return true;
  };
  return holds(model_.A, model_.rows.b, false) && holds(model_.E, model_.rows.d, true);
}

/// A direction d of the constraints with Hd = 0 and cᵀd < 0, without any rounding: nothing curves along it, not even
/// little.
bool Supports::proves_unbounded(const std::vector<Index>& columns, const Vector& direction) const {
  const Matrix flat = detail::flat_directions(H_);
  Vector d = flat * (flat.transpose() * direction);
  if (model_.curvature_error.maxCoeff() > 0.0 || model_.c_error.maxCoeff() > 0.0) return false;
  if (!(d.norm() > 0.5 * direction.norm()) || !detail::to_small_fractions(d)) return false;
  const LinearConstraints rows{Matrix((*model_.A)(Eigen::all, columns)),
                               model_.rows.b,
                               Matrix((*model_.E)(Eigen::all, columns)),
                               model_.rows.d,
                               lower_,
                               upper_};
  return detail::is_ray_of_descent(H_, q_, rows, d);
}

/// Groups that may be added to `base`, most promising first; those whose bound excludes them are left out.
void Supports::rank_additions(const Split& split, const Chosen& base, const Polished& from, double cutoff) {
  Choices choices = model_.root;
  for (const Index g : base) choices[at(g)] = Choice::in;
  bound_.evaluate(split, choices, 1, from.columns, from.x, from.lambda, from.nu);
  ranked_.clear();
  for (Index g = 0; g < model_.group_count(); ++g) {
    if (choices[at(g)] != Choice::open || bound_.if_in(g) >= cutoff) continue;
    double score = 0.0;  // the decrease with the others held where they are
    for (const Index i : model_.groups[at(g)]) {
      const double slope = bound_.gradient()[i], curvature = (*model_.Q)(i, i);
      const double t = curvature > 0.0 ? -slope / curvature : slope < 0.0 ? 1.0 : -1.0;
      const double step = std::clamp(t, model_.hull_lower[i], model_.hull_upper[i]);
      score += step * (slope + 0.5 * curvature * step);
    }
    ranked_.emplace_back(score, g);
  }
  std::sort(ranked_.begin(), ranked_.end());
}

/// Polishes `base` with each promising group added; true as soon as one improves the best point.
bool Supports::try_additions(const Split& split, const Chosen& base, Index most_trials, bool& complete) {
  const double before = best_.f, needed = rounding();
  const Polished from = solve(base);
  if (from.f < infinity) {
    known_[base] = from.f;
    rank_additions(split, base, from, before - needed);
  } else {
    ranked_.clear();
    for (const Index g : open_beside(base)) ranked_.emplace_back(0.0, g);
  }
  if (best_.f < before - needed) return true;
  if (static_cast<Index>(ranked_.size()) > most_trials) complete = false, ranked_.resize(at(most_trials));
  for (const auto& [score, g] : ranked_) {
    if (expired_()) {
      complete = false;
      return false;
    }
    polish(with(base, g));
    if (best_.f < before - needed) return true;
  }
  return false;
}

bool Supports::improve(const Split& split, bool exhaustive) {
  const Index most_trials = exhaustive ? model_.group_count() : 4;
  if (!has_point()) return false;
  bool complete = true;
  std::set<Chosen> left;  // where f falls without end in floating point a choice may seem to improve on itself
  for (bool improved = true; improved;) {
    improved = unsettled_ = false;
    complete = true;
    const Chosen chosen = best_choice_;
    if (!left.insert(chosen).second) return false;
    if (static_cast<Index>(chosen.size()) < model_.s && try_additions(split, chosen, most_trials, complete)) {
      improved = true;
      continue;
    }
    for (const Index g : chosen) {
      if (model_.root[at(g)] == Choice::in) continue;
      if (expired_()) return false;
      if (try_additions(split, without(chosen, g), most_trials, complete)) {
        improved = true;
        break;
      }
    }
  }
  return complete && !unsettled_ && !expired_();
}

void Supports::fill_up() {
  if (!has_point()) return;
  Chosen chosen = best_choice_;
  Room room = room_beside(chosen);
  for (const Index g : open_beside(best_choice_))
    if (room.fits(g)) room.take(g), chosen = with(std::move(chosen), g);
  const double f = best_.f;
  if (chosen != best_choice_ && solve(chosen).f <= f + rounding()) best_ = current_, best_choice_ = std::move(chosen);
}

void Supports::greedy(const Split& split, const Vector& preference) {
  constexpr std::size_t trials = 3;
  Chosen chosen;
  for (Index g = 0; g < model_.group_count(); ++g)
    if (model_.root[at(g)] == Choice::in) chosen.push_back(g);
  while (static_cast<Index>(chosen.size()) < model_.s && !expired_()) {
    const Polished from = solve(chosen);
    if (from.f < infinity) {
      rank_additions(split, chosen, from, infinity);
    } else {
      ranked_.clear();
      const Room room = room_beside(chosen);
      for (const Index g : open_beside(chosen))
        if (room.fits(g)) ranked_.emplace_back(-preference[g], g);
      std::sort(ranked_.begin(), ranked_.end());
    }
    if (ranked_.empty()) return;
    if (ranked_.size() > trials) ranked_.resize(trials);
    Index pick = ranked_.front().second;
    double least = infinity;
    const auto candidates = ranked_;
    for (const auto& [score, g] : candidates)
      if (const double f = polish(with(chosen, g)); f < least) least = f, pick = g;
    if (from.f < infinity && !(least < from.f)) return;
    chosen = with(chosen, pick);
  }
}

}  // namespace pendec::sparse
