#include "model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../sets/bounds.hpp"
#include "pendec/core/error.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/group_counts.hpp"
#include "pendec/sets/group_sparse.hpp"
#include "pendec/sets/indexed.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/sparse_box.hpp"

namespace pendec::sparse {
namespace {

void require_index(const char* field, Index i, Index n) {
  require(0 <= i && i < n, field, i, fmt::format("indices from 0 to {}", n - 1));
}

void require_symmetric(MatrixIn Q) {
  const double scale = Q.cwiseAbs().maxCoeff();
  for (Index j = 0; j < Q.cols(); ++j)
    for (Index i = 0; i < j; ++i)
      if (std::abs(Q(i, j) - Q(j, i)) > 1e-12 * scale)
        throw InvalidArgument(fmt::format("SparseQp.Q({}, {})", i, j), to_text(Q(i, j)),
                              fmt::format("a symmetric matrix; Q({}, {}) is {}", j, i, to_text(Q(j, i))));
}

LinearConstraints checked_rows(const SparseQp& problem) {
  const Index n = problem.dimension();
  const LinearConstraints& given = problem.constraints;
  LinearConstraints rows = LinearConstraints::none(n);
  const auto take = [&](const std::string& left, const std::string& right, Operator LinearConstraints::*matrix,
                        Vector LinearConstraints::*vector) {
    if ((given.*matrix).rows() == 0 && (given.*vector).size() == 0) return;
    require_dimension(left + ", columns", (given.*matrix).cols(), n);
    require_dimension(right, (given.*vector).size(), (given.*matrix).rows());
    (given.*matrix).require_finite(left);
    require_finite(right, given.*vector);
    rows.*matrix = given.*matrix, rows.*vector = given.*vector;
  };
  take("SparseQp.constraints.A", "SparseQp.constraints.b", &LinearConstraints::A, &LinearConstraints::b);
  take("SparseQp.constraints.E", "SparseQp.constraints.d", &LinearConstraints::E, &LinearConstraints::d);
  if (given.lower.size() > 0 || given.upper.size() > 0) {
    require_dimension("SparseQp.constraints.lower", given.lower.size(), n);
    require_dimension("SparseQp.constraints.upper", given.upper.size(), n);
    detail::require_bounds("SparseQp.constraints", given.lower, given.upper);
    rows.lower = given.lower, rows.upper = given.upper;
  }
  return rows;
}

/// Groups as given, then one for every variable that is in none; those are always in.
void make_groups(const SparseQp& problem, Rules& rules) {
  const Index n = problem.dimension();
  rules.group_of.assign(at(n), -1);
  for (const auto& group : problem.groups) {
    require(!group.empty(), "SparseQp.groups", "an empty group", "at least one index in every group");
    for (const Index i : group) {
      require_index("SparseQp.groups", i, n);
      Index& owner = rules.group_of[at(i)];
      require(owner < 0, "SparseQp.groups", i, "every index in at most one group");
      owner = rules.group_count();
    }
    rules.groups.push_back(group);
    std::sort(rules.groups.back().begin(), rules.groups.back().end());
  }
  rules.root.assign(problem.groups.size(), Choice::open);
  rules.s = problem.s;
  for (Index i = 0; i < n; ++i) {
    Index& owner = rules.group_of[at(i)];
    if (owner >= 0) continue;
    owner = rules.group_count();
    rules.groups.push_back({i});
    const bool grouped = !problem.groups.empty();
    rules.root.push_back(grouped ? Choice::in : Choice::open);
    if (grouped) ++rules.s;
  }
}

void force(const SparseQp& problem, Rules& rules) {
  const Index n = problem.dimension();
  const auto choice = [&](Index i) -> Choice& { return rules.root[at(rules.group_of[at(i)])]; };
  for (const Index i : problem.forced_in) {
    require_index("SparseQp.forced_in", i, n);
    choice(i) = Choice::in;
  }
  for (const Index i : problem.forced_out) {
    require_index("SparseQp.forced_out", i, n);
    require(choice(i) != Choice::in, "SparseQp.forced_out", i,
            "no variable (or group) that is forced in or always in");
    choice(i) = Choice::out;
  }
  const Index left = slots(rules, rules.root);
  require(left >= 0, "SparseQp.forced_in", rules.s - left, fmt::format("at most s = {} forced in", rules.s));
  if (rules.families.empty()) return;
  const Room room(rules, rules.root, left);
  for (std::size_t f = 0; f < rules.families.size(); ++f)
    require(room.of_family(static_cast<Index>(f)) >= 0, "SparseQp.forced_in", rules.families[f].most,
            "no more variables of a budget than it allows");
  shut(rules, rules.root);
}

void take_budgets(const SparseQp& problem, Rules& rules) {
  if (problem.budgets.empty()) return;
  require(rules.singletons(), "SparseQp.budgets", "given for groups of several variables",
          "groups of one variable each: larger ones have one count, s");
  const Index count = problem.groups.empty() ? problem.dimension() : std::ssize(problem.groups);
  rules.family_of.assign(rules.groups.size(), -1);
  Index most = 0;
  for (const Budget& budget : problem.budgets) {
    require(budget.most >= 0, "SparseQp.budgets", budget.most, "counts >= 0");
    for (const Index g : budget.atoms) {
      require_index("SparseQp.budgets", g, count);
      require(rules.family_of[at(g)] < 0, "SparseQp.budgets", g, "every index in at most one budget");
      rules.family_of[at(g)] = std::ssize(rules.families);
    }
    rules.families.push_back(budget);
    most += std::min(budget.most, static_cast<Index>(std::ssize(budget.atoms)));
  }
  most += std::count(rules.family_of.begin(), rules.family_of.end(), -1);
  rules.s = std::min(rules.s, most);
}

/// One pass over the rows: Σ aᵢxᵢ ≤ b bounds each xᵢ by what the others can reach at least. Widened by far more than
/// rounding can do.
void tighten(Model& model) {
  constexpr double margin = 1e-9;
  const Index n = model.dimension();
  Vector low = model.hull_lower, high = model.hull_upper;
  const auto row = [&](const auto& a, double b) {  // aᵀx ≤ b
    double least = 0.0, size = std::abs(b);
    Index infinite = 0, where = -1;
    for (Index i = 0; i < n; ++i) {
      const double t = a[i] > 0.0 ? a[i] * low[i] : a[i] < 0.0 ? a[i] * high[i] : 0.0;
      if (std::isinf(t)) {
        ++infinite, where = i;
      } else {
        least += t, size += std::abs(t);
      }
    }
    if (infinite > 1) return;
    for (Index i = 0; i < n; ++i) {
      if (a[i] == 0.0 || (infinite == 1 && i != where)) continue;
      const double own = infinite == 1 ? 0.0 : a[i] > 0.0 ? a[i] * low[i] : a[i] * high[i];
      const double limit = (b - (least - own) + margin * size) / a[i];
      if (a[i] > 0.0) {
        high[i] = std::min(high[i], std::max(limit, 0.0));
      } else {
        low[i] = std::max(low[i], std::min(limit, 0.0));
      }
    }
  };
  for (Index j = 0; j < model.rows.b.size(); ++j) row(model.A->row(j), model.rows.b[j]);
  for (Index j = 0; j < model.rows.d.size(); ++j) {
    row(model.E->row(j), model.rows.d[j]);
    row(-model.E->row(j), -model.rows.d[j]);
  }
  model.reach_lower = model.rows.lower.cwiseMax(low);
  model.reach_upper = model.rows.upper.cwiseMin(high);
}

/// |Σ eᵢⱼxᵢxⱼ| ≤ n γ Σ qᵢᵢxᵢ² for |eᵢⱼ| ≤ γ√(qᵢᵢqⱼⱼ).
void take_errors(const SparseQp& problem, Model& model) {
  const Index n = problem.dimension();
  const SparseQp::DataError& error = problem.error;
  require(error.Q >= 0.0 && std::isfinite(error.Q), "SparseQp.error.Q", error.Q, "a number >= 0");
  require(error.constant >= 0.0 && std::isfinite(error.constant), "SparseQp.error.constant", error.constant,
          "a number >= 0");
  if (error.c.size() > 0) {
    require_dimension("SparseQp.error.c", error.c.size(), n);
    require_finite("SparseQp.error.c", error.c);
    require(error.c.minCoeff() >= 0.0, "SparseQp.error.c", error.c.minCoeff(), "numbers >= 0");
  }
  model.curvature_error = static_cast<double>(n) * error.Q * model.Q->diagonal().cwiseAbs();
  model.c_error = error.c.size() > 0 ? error.c : Vector(Vector::Zero(n));
  model.constant_error = error.constant;
}

}  // namespace

Index slots(const Rules& rules, const Choices& choices) {
  return rules.s - static_cast<Index>(std::count(choices.begin(), choices.end(), Choice::in));
}

Room::Room(const Rules& rules, Index all) : rules_(&rules), all_(all) {
  families_.reserve(rules.families.size());
  for (const Budget& family : rules.families) families_.push_back(family.most);
}

Room::Room(const Rules& rules, const Choices& choices, Index slots) : Room(rules, slots) {
  if (families_.empty()) return;
  for (std::size_t g = 0; g < choices.size(); ++g)
    if (choices[g] == Choice::in && rules.family_of[g] >= 0) --families_[at(rules.family_of[g])];
}

Index Room::left_of(Index group) const {
  if (families_.empty() || rules_->family_of[at(group)] < 0) return 1;
  return families_[at(rules_->family_of[at(group)])];
}

void Room::take(Index group) {
  --all_;
  if (!families_.empty() && rules_->family_of[at(group)] >= 0) --families_[at(rules_->family_of[at(group)])];
}

void shut(const Rules& rules, Choices& choices) {
  const Room room(rules, choices, slots(rules, choices));
  for (std::size_t g = 0; g < choices.size(); ++g)
    if (choices[g] == Choice::open && !room.fits(static_cast<Index>(g))) choices[g] = Choice::out;
}

Set support_set(const Rules& rules) {
  const Index n = rules.dimension();
  std::vector<Index> order, open;
  for (const Choice wanted : {Choice::in, Choice::out, Choice::open})
    for (Index i = 0; i < n; ++i)
      if (rules.root[at(rules.group_of[at(i)])] == wanted) (wanted == Choice::open ? open : order).push_back(i);
  const Index fixed = static_cast<Index>(order.size()), free = static_cast<Index>(open.size());
  Vector lower(n), upper(n);
  for (Index k = 0; k < n; ++k) {
    const Index i = k < fixed ? order[at(k)] : open[at(k - fixed)];
    const bool out = rules.root[at(rules.group_of[at(i)])] == Choice::out;
    lower[k] = out ? 0.0 : rules.rows.lower[i];
    upper[k] = out ? 0.0 : rules.rows.upper[i];
  }
  const Index left = std::min(slots(rules, rules.root), free);
  Set few;
  if (free > 0 && !rules.families.empty()) {
    std::vector<std::vector<Index>> groups;
    std::vector<Index> counts;
    const Room room(rules, rules.root, left);
    for (std::size_t f = 0; f < rules.families.size(); ++f) {
      groups.emplace_back();
      counts.push_back(room.of_family(static_cast<Index>(f)));
      for (std::size_t k = 0; k < open.size(); ++k)
        if (rules.family_of[at(rules.group_of[at(open[k])])] == static_cast<Index>(f))
          groups.back().push_back(static_cast<Index>(k));
    }
    few = GroupCounts(lower.tail(free), upper.tail(free), std::move(groups), std::move(counts), left);
  } else if (free > 0 && rules.singletons()) {
    few = SparseBox(lower.tail(free), upper.tail(free), left);
  } else if (free > 0) {
    std::vector<Index> place(at(n), -1);
    for (std::size_t k = 0; k < open.size(); ++k) place[at(open[k])] = static_cast<Index>(k);
    std::vector<std::vector<Index>> groups;
    for (const auto& group : rules.groups) {
      if (place[at(group.front())] < 0) continue;
      groups.emplace_back();
      for (const Index i : group) groups.back().push_back(place[at(i)]);
    }
    const Index most = std::min(left, static_cast<Index>(groups.size()));
    few = GroupSparse(free, std::move(groups), most);
  }
  if (fixed == 0) return few;
  const Set bounds = Box(lower.head(fixed), upper.head(fixed));
  order.insert(order.end(), open.begin(), open.end());
  return Indexed(n, std::move(order), free > 0 ? Set(Product({bounds, few})) : bounds);
}

Rules make_rules(const SparseQp& problem) {
  require(problem.s >= 0, "SparseQp.s", problem.s, "s >= 0");
  Rules rules;
  rules.rows = checked_rows(problem);
  make_groups(problem, rules);
  rules.s = std::min(rules.s, rules.group_count());
  take_budgets(problem, rules);
  force(problem, rules);
  for (const auto& group : rules.groups)
    for (const Index i : group)
      require(group.size() == 1 || (rules.rows.lower[i] <= 0.0 && rules.rows.upper[i] >= 0.0),
              "SparseQp.constraints.lower", rules.rows.lower[i],
              "bounds that include 0 for variables in groups: semicontinuous groups are not supported");
  return rules;
}

Model make_model(const SparseQp& problem) {
  const Index n = problem.dimension();
  require(n > 0, "SparseQp.c", n, "at least one variable");
  require_dimension("SparseQp.Q, rows", problem.Q.rows(), n);
  require_dimension("SparseQp.Q, columns", problem.Q.cols(), n);
  problem.Q.require_finite("SparseQp.Q");
  require_finite("SparseQp.c", problem.c);
  require(std::isfinite(problem.constant), "SparseQp.constant", problem.constant, "a finite number");
  Model model;
  static_cast<Rules&>(model) = make_rules(problem);
  model.Q = DenseMatrix(problem.Q);
  require_symmetric(*model.Q);
  if (*model.Q != model.Q->transpose()) model.Q = DenseMatrix(0.5 * (*model.Q + model.Q->transpose()));
  model.c = problem.c;
  model.constant = problem.constant;
  take_errors(problem, model);
  model.A = DenseMatrix(model.rows.A);
  model.E = DenseMatrix(model.rows.E);
  model.hull_lower = model.rows.lower.cwiseMin(0.0);
  model.hull_upper = model.rows.upper.cwiseMax(0.0);
  tighten(model);
  return model;
}

}  // namespace pendec::sparse
