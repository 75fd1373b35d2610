#include "branch_and_bound.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>
#include <utility>

namespace pendec::sparse {
namespace {

struct Node {
  Choices choices;
  std::vector<std::pair<Index, double>> x;  // nonzeros of the parent's relaxation
  double bound;
  Index number;  // of equal bounds the younger node first: it is deeper
};

struct Later {
  bool operator()(const std::unique_ptr<Node>& a, const std::unique_ptr<Node>& b) const {
    return a->bound != b->bound ? a->bound > b->bound : a->number < b->number;
  }
};

class Search {
 public:
  Search(const Model& model, Relaxation& relaxation, Supports& supports, const Limits& limits)
      : model_(model), relaxation_(relaxation), supports_(supports), limits_(limits) {}

  SearchOutcome run(const Vector& root_x) {
    x_ = root_x;
    push(model_.root, -infinity);
    while (!open_.empty()) {
      if (out_.nodes >= limits_.nodes || limits_.expired()) break;
      std::unique_ptr<Node> node = pop();
      if (node->bound >= cutoff()) {
        close(node->bound);
        continue;
      }
      process(*node);
      if (out_.nodes % report_interval == 0)
        limits_.report(out_.nodes, std::min(closed_, open_.empty() ? infinity : open_.front()->bound));
    }
    out_.bound = closed_;
    if (!open_.empty()) {  // rounding excuses none of these
      out_.bound = std::min(out_.bound, open_.front()->bound);
      out_.rounding = 0.0;
    }
    return out_;
  }

 private:
  /// A bound from here on closes a node.
  double cutoff() const {
    return supports_.has_point() ? supports_.best().f - supports_.allowed_gap(limits_.gap) : infinity;
  }

  void close(double bound) { closed_ = std::min(closed_, bound); }

  void push(Choices choices, double bound) {
    auto node = std::make_unique<Node>(Node{std::move(choices), {}, bound, out_.nodes});
    for (Index i = 0; i < x_.size(); ++i)
      if (x_[i] != 0.0) node->x.emplace_back(i, x_[i]);
    open_.push_back(std::move(node));
    std::push_heap(open_.begin(), open_.end(), Later());
  }

  std::unique_ptr<Node> pop() {
    std::pop_heap(open_.begin(), open_.end(), Later());
    std::unique_ptr<Node> node = std::move(open_.back());
    open_.pop_back();
    return node;
  }

  void process(Node& node) {
    ++out_.nodes;
    const Index slots = sparse::slots(model_, node.choices);
    x_.setZero(model_.dimension());
    for (const auto& [i, value] : node.x) x_[i] = value;
    Relaxation::Outcome relaxed = relaxation_.solve(node.choices, slots, x_, cutoff());
    Relaxation* source = &relaxation_;
    if (relaxed.infeasible) return;
    std::unique_ptr<Relaxation> local;
    if (relaxed.bound ==
        -infinity) {  // Q is singular and some variables have no bounds: perhaps not on these columns
      local = on_remaining(node.choices);
      if (local) relaxed = local->solve(node.choices, slots, x_, cutoff()), source = local.get();
    }
    const double bound = std::max(relaxed.bound, node.bound);
    if (bound >= cutoff()) return close(bound);
    supports_.round(node.choices, source->shares());
    if (bound >= cutoff()) return close(bound);
    if (relaxed.bound + relaxed.allowance >= supports_.best().f) {  // nothing but rounding lies between
      out_.rounding = std::max(out_.rounding, relaxed.allowance);
      return close(bound);
    }
    if (is_leaf(node.choices, slots)) return close(bound);
    if (relaxed.bound > -infinity) fix(node.choices, *source);
    const Index group = branching_group(node.choices, source->shares());
    if (group < 0) return push(std::move(node.choices), bound);  // all fixed by the bound: a leaf now
    const double if_in = std::max(bound, source->best_bound().if_in(group));
    const double if_out = std::max(bound, source->best_bound().if_out(group));
    Choices in = node.choices, out = std::move(node.choices);
    in[at(group)] = Choice::in;
    out[at(group)] = Choice::out;
    shut(model_, in);
    push_or_close(std::move(in), if_in);
    push_or_close(std::move(out), if_out);
  }

  void push_or_close(Choices choices, double bound) {
    if (bound >= cutoff()) return close(bound);
    push(std::move(choices), bound);
  }

  static bool is_leaf(const Choices& choices, Index slots) {
    return slots == 0 || std::none_of(choices.begin(), choices.end(), [](Choice c) { return c == Choice::open; });
  }

  /// A relaxation whose split need only hold on the columns that the node has left.
  std::unique_ptr<Relaxation> on_remaining(const Choices& choices) const {
    std::vector<Index> remaining;
    for (Index i = 0; i < model_.dimension(); ++i)
      if (choices[at(model_.group_of[at(i)])] != Choice::out) remaining.push_back(i);
    if (remaining.empty() || static_cast<Index>(remaining.size()) == model_.dimension()) return nullptr;
    auto split = first_split(*model_.Q, remaining, Deadline());
    return split ? std::make_unique<Relaxation>(model_, std::move(*split), limits_.expired) : nullptr;
  }

  /// Groups whose other choice is excluded by the bound.
  void fix(Choices& choices, const Relaxation& relaxation) {
    const double limit = cutoff();
    const DualBound& bound = relaxation.best_bound();
    Room room(model_, choices, sparse::slots(model_, choices));
    for (Index g = 0; g < model_.group_count(); ++g) {
      if (choices[at(g)] != Choice::open) continue;
      const double if_in = bound.if_in(g), if_out = bound.if_out(g);
      if (if_in >= limit) {
        close(if_in);
        choices[at(g)] = Choice::out;
      } else if (if_out >= limit && room.fits(g)) {
        close(if_out);
        choices[at(g)] = Choice::in;
        room.take(g);
      }
    }
    if (!model_.families.empty()) shut(model_, choices);
  }

  /// Of the groups that the relaxation takes in part, the one with most of it; else one that it takes at all.
  Index branching_group(const Choices& choices, const Vector& shares) const {
    Index best = -1;
    std::pair<bool, double> best_rank{false, -1.0};
    for (Index g = 0; g < model_.group_count(); ++g) {
      if (choices[at(g)] != Choice::open) continue;
      double weight = 0.0;
      for (const Index i : model_.groups[at(g)])
        weight += std::abs(x_[i]) * std::sqrt(std::max((*model_.Q)(i, i), 0.0));
      const std::pair rank{shares[g] > 1e-9 && shares[g] < 1.0 - 1e-9, weight};
      if (rank > best_rank) best = g, best_rank = rank;
    }
    return best;
  }

  const Model& model_;
  Relaxation& relaxation_;
  Supports& supports_;
  const Limits& limits_;
  std::vector<std::unique_ptr<Node>> open_;
  double closed_ = infinity;  // least bound of what has been closed
  Vector x_;
  SearchOutcome out_;
};

}  // namespace

SearchOutcome branch_and_bound(const Model& model, Relaxation& relaxation, Supports& supports, const Vector& root_x,
                               const Limits& limits) {
  return Search(model, relaxation, supports, limits).run(root_x);
}

}  // namespace pendec::sparse
