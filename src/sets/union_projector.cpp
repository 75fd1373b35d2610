#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/union_of.hpp"
#include "squares.hpp"

namespace pendec {
namespace {

// Bounds are kept this much, relative, below what was computed, so that rounding can neither hide a nearer part nor
// part a tie.
constexpr double slack = 1e-11;

// A part that is not the nearest is followed until its distance is seen to exceed this multiple of the best one: the
// better its bound, the longer it can be left alone.
constexpr double follow = 1.5;

}  // namespace

/// What is known about one part.
struct UnionProjector::Part {
  Set set;
  std::shared_ptr<const PreparedConstraints> polyhedron;  // if it is one: its solver can give up early
  std::unique_ptr<DualActiveSet> solver;                  // … made when the part is met for the second time
  std::unique_ptr<Projector> projector;                   // otherwise
  bool met = false;

  // {u : ⟨normal, u⟩ ≤ offset} contains the part, ‖normal‖ = 1; empty: not known yet.
  Vector normal;
  double offset = 0.0;

  /// Lower bound of the distance of z by the half-space.
  double bound(In z) const { return normal.size() == 0 ? 0.0 : normal.dot(z) - offset - slack * detail::norm(z); }
};

UnionProjector::UnionProjector(const std::vector<Set>& parts)
    : last_(parts.front().dimension()), trial_(parts.front().dimension()) {
  for (const Set& set : parts) {
    Part part;
    part.set = set;
    if (const auto* polyhedron = set.as<Polyhedron>(); polyhedron && polyhedron->prepared)
      part.polyhedron = polyhedron->prepared;
    else
      part.projector = set.projector();
    parts_.push_back(std::move(part));
  }
}

UnionProjector::~UnionProjector() = default;

void UnionProjector::project(In z, Out y) {
  ++work_.calls;
  if (z.hasNaN()) {
    y = z;
    return;
  }
  if (!z.allFinite()) return parts_.front().set.project(z, y);
  walk_to(z);
  double best = distance(winner_, z, y, infinity);
  std::size_t winner = winner_;
  processed_.clear();
  // Ascending bounds: once one exceeds the best distance, all others do. At distance 0 nothing can be nearer.
  while (!heap_.empty() && best > 0.0 && heap_.front().key - path_ <= best * (1.0 + slack) + slack * path_) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    Entry entry = heap_.back();
    heap_.pop_back();
    double bound = best - uncertainty(winner_);
    if (entry.part != winner_) {
      bound = parts_[entry.part].bound(z);
      ++work_.bounds;
      if (bound <= best * (1.0 + slack)) {
        const double reached = distance(entry.part, z, trial_, follow * best);
        bound = reached < infinity ? reached - uncertainty(entry.part)
                                   : std::max(parts_[entry.part].bound(z), follow * best * (1.0 - slack));
        if (reached < best || (reached == best && entry.part < winner)) {
          best = reached;
          winner = entry.part;
          y = trial_;
        }
      }
    }
    processed_.push_back({bound + path_, entry.part});
  }
  for (const Entry& entry : processed_) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  winner_ = winner;
}

double UnionProjector::error() const { return 0.5 * uncertainty(winner_); }

/// The part may be nearer by this than its last projection y: ‖z' − y‖ is the distance of some z' with
/// ‖z' − z‖ ≤ error().
double UnionProjector::uncertainty(std::size_t k) const {
  const auto& projector = parts_[k].projector;
  return projector ? 2.0 * projector->error() : 0.0;
}

/// Adds the way from the last point to the path: a distance changes by no more than that.
void UnionProjector::walk_to(In z) {
  const double step = heap_.empty() ? 0.0 : detail::norm(z - last_) * (1.0 + slack);
  path_ += step;
  if (heap_.empty() || !std::isfinite(path_)) {
    first_bounds(z);
  } else if (path_ > 1e3 * detail::norm(z) + 1e3 * step) {
    for (Entry& entry : heap_) entry.key -= path_;  // keeps the order; else slack · path would become all there is
    path_ = 0.0;
  }
  last_ = z;
}

/// Distances to the farthest half-spaces of polyhedra, one pass over their rows; 0 for other parts.
void UnionProjector::first_bounds(In z) {
  path_ = 0.0;
  heap_.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    double bound = 0.0;
    if (const auto& polyhedron = parts_[k].polyhedron; polyhedron && polyhedron->data.b.size() > 0) {
      const LinearConstraints& data = polyhedron->data;
      slack_.noalias() = *polyhedron->A * z;
      slack_ -= data.b;
      bound = slack_.cwiseProduct(polyhedron->row_scale).maxCoeff() - slack * detail::norm(z);
    }
    heap_.push_back({std::max(bound, 0.0), k});
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  winner_ = heap_.front().part;
}

/// ‖z − Π_k(z)‖ with y = Π_k(z), or infinity if it is known to exceed `most`. Renews the half-space.
double UnionProjector::distance(std::size_t k, In z, Out y, double most) {
  Part& part = parts_[k];
  ++work_.projections;
  if (part.polyhedron) return distance_to_polyhedron(part, z, y, most);
  part.projector->project(z, y);
  const double length = detail::norm(z - y);
  if (part.set.convex() && length > 0.0 && part.projector->error() == 0.0) {
    part.normal = (z - y) / length;
    part.offset = part.normal.dot(y) + slack * detail::norm(y);
  }
  return length;
}

double UnionProjector::distance_to_polyhedron(Part& part, In z, Out y, double most) {
  DualActiveSet* solver = part.solver.get();
  if (!solver && part.met) {
    part.solver = std::make_unique<DualActiveSet>(part.polyhedron);
    solver = part.solver.get();
  } else if (!solver) {  // most parts are met once and never again: they need no memory of their own
    if (!visitor_)
      visitor_ = std::make_unique<DualActiveSet>(part.polyhedron);
    else
      visitor_->bind(part.polyhedron);
    solver = visitor_.get();
  }
  part.met = true;
  const bool reached = solver->project(z, y, most) != QpStatus::cutoff;
  if (solver->separation(part.normal, part.offset))
    part.offset += slack * (std::abs(part.offset) + detail::norm(z));
  else
    part.normal.resize(0);
  return reached ? detail::norm(z - y) : infinity;
}

}  // namespace pendec
