#include "choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "pendec/core/free.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/group_counts.hpp"
#include "pendec/sets/indexed.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/sparse_box.hpp"
#include "pendec/sets/union_of.hpp"
#include "pendec/sets/values.hpp"
#include "presolve.hpp"

namespace pendec::io::nl {
namespace {

std::string shown_name(Index i, const std::vector<std::string>& names) {
  return at(i) < names.size() ? names[at(i)] : fmt::format("x[{}]", i);
}

[[noreturn]] void refuse_model(const std::string& why) { throw FileError("the model", why); }

std::vector<double> values_of(const File& file, const char* name) {
  std::vector<double> out(at(file.variables), 0.0);
  if (const Suffix* suffix = file.suffix(name, 0))
    for (const auto& [i, value] : suffix->values) out[at(i)] = value;
  return out;
}

void read_binary(const File& file, const std::vector<std::string>& names, Choices& out) {
  for (Index i = 0; i < file.variables; ++i) {
    if (!file.discrete[at(i)]) continue;
    const double lower = file.lower[i], upper = file.upper[i];
    if (lower >= upper) continue;  // a number, or a contradiction
    if (lower != 0.0 || upper != 1.0)
      refuse_model(fmt::format("the integer variable {} has bounds {:g} to {:g}: only binary ones, 0 to 1, are taken",
                               shown_name(i, names), lower, upper));
    out.binary.push_back(i);
  }
}

void read_sos(const File& file, const std::vector<std::string>& names, Choices& out) {
  const std::vector<double> number = values_of(file, "sosno"), ref = values_of(file, "ref");
  std::map<double, std::vector<Index>> sets;
  for (Index i = 0; i < file.variables; ++i)
    if (number[at(i)] != 0.0) sets[number[at(i)]].push_back(i);
  for (auto& [which, variables] : sets) {
    for (std::size_t k = 1; k < variables.size(); ++k)
      if (which < 0.0 && std::count_if(variables.begin(), variables.end(),
                                       [&](Index i) { return ref[at(i)] == ref[at(variables[k])]; }) > 1)
        refuse_model(fmt::format("the suffix ref has {} for more than one variable of a set of SOS2, among them {}",
                                 ref[at(variables[k])], shown_name(variables[k], names)));
    std::stable_sort(variables.begin(), variables.end(), [&](Index a, Index b) { return ref[at(a)] < ref[at(b)]; });
    if (which > 0.0)
      out.groups.push_back({.variables = variables, .most = 1});
    else if (variables.size() > 2)
      out.neighbours.push_back(variables);
  }
}

void read_counts(const File& file, const std::vector<std::string>& names, Choices& out) {
  const std::vector<double> group = values_of(file, "card_group"), limit = values_of(file, "card_limit");
  std::map<double, CountedGroup> groups;
  const auto count = [&](double value, const std::string& whose) {
    if (!(value >= 0.0) || value != std::floor(value) || value > 1e9)
      refuse_model(fmt::format("card_limit of {} is {:g}; expected an integer from 0", whose, value));
    return static_cast<Index>(value);
  };
  std::map<double, double> limits;
  for (Index i = 0; i < file.variables; ++i) {
    if (limit[at(i)] != 0.0 && group[at(i)] == 0.0)
      refuse_model(fmt::format("{} has a card_limit but no card_group", shown_name(i, names)));
    if (group[at(i)] == 0.0) continue;
    CountedGroup& counted = groups[group[at(i)]];
    counted.in_budget = true;
    counted.variables.push_back(i);
    if (limit[at(i)] == 0.0) continue;
    const auto [known, first] = limits.try_emplace(group[at(i)], limit[at(i)]);
    if (!first && known->second != limit[at(i)])
      refuse_model(fmt::format("card_limit is {:g} for {} and {:g} for others of its group", limit[at(i)],
                               shown_name(i, names), known->second));
  }
  if (const Suffix* all = file.suffix("card_limit", 3); all && !all->values.empty())
    out.most = count(all->values.front().second, "the problem");
  if (out.most && groups.empty()) {  // of all variables
    CountedGroup every{.in_budget = true};
    for (Index i = 0; i < file.variables; ++i) every.variables.push_back(i);
    every.most = file.variables;
    out.groups.push_back(std::move(every));
    return;
  }
  for (auto& [which, counted] : groups) {
    const auto known = limits.find(which);
    if (known == limits.end() && !out.most) refuse_model(fmt::format("the card_group {:g} has no card_limit", which));
    counted.most = std::ssize(counted.variables);
    if (known != limits.end())
      counted.most = std::min(counted.most, count(known->second, fmt::format("the group {:g}", which)));
    out.groups.push_back(std::move(counted));
  }
}

void require_apart(const File& file, const std::vector<std::string>& names, const Choices& choices) {
  std::vector<char> seen(at(file.variables), 0);
  const auto take = [&](Index i) {
    if (std::exchange(seen[at(i)], 1))
      refuse_model(fmt::format("{} is in more than one of: binary, sosno, card_group", shown_name(i, names)));
  };
  for (const Index i : choices.binary) take(i);
  for (const auto& set : choices.neighbours)
    for (const Index i : set) take(i);
  for (const Index i : choices.binary)
    if (choices.least[at(i)] != 0.0)
      refuse_model(fmt::format("{} is binary and semicontinuous", shown_name(i, names)));
  for (const auto& set : choices.neighbours)
    for (const Index i : set)
      if (choices.least[at(i)] != 0.0)
        refuse_model(fmt::format("{} is in SOS2 and semicontinuous", shown_name(i, names)));
  for (const CountedGroup& group : choices.groups)
    for (const Index i : group.variables) take(i);
}

}  // namespace

bool Choices::empty() const {
  return binary.empty() && groups.empty() && neighbours.empty() &&
         std::all_of(least.begin(), least.end(), [](double value) { return value == 0.0; });
}

std::vector<char> Choices::touched(Index variables) const {
  std::vector<char> out(at(variables), 0);
  for (const CountedGroup& group : groups)
    for (const Index i : group.variables) out[at(i)] = 1;
  for (const auto& set : neighbours)
    for (const Index i : set) out[at(i)] = 1;
  for (const Index i : binary) out[at(i)] = 1;
  for (std::size_t i = 0; i < least.size(); ++i)
    if (least[i] != 0.0) out[i] = 1;
  return out;
}

Choices choices_of(const File& file, const std::vector<std::string>& names) {
  Choices out;
  out.least = values_of(file, "semicont_lower");
  read_binary(file, names, out);
  read_sos(file, names, out);
  read_counts(file, names, out);
  require_apart(file, names, out);
  return out;
}

void round_bounds_of_integers(File& file) {
  constexpr double rounding = 1e-9;
  for (Index i = 0; i < file.variables; ++i) {
    if (!file.discrete[at(i)]) continue;
    file.lower[i] = std::ceil(file.lower[i] - rounding) + 0.0;  // no −0
    file.upper[i] = std::floor(file.upper[i] + rounding) + 0.0;
  }
}

namespace {

bool is_away_from_zero(const Presolved& p, Index i) { return p.lower[i] > 0.0 || p.upper[i] < 0.0; }

Index nonzeros_for_sure(const Presolved& p, const CountedGroup& group) {
  return std::count_if(group.variables.begin(), group.variables.end(),
                       [&](Index i) { return is_away_from_zero(p, i); });
}

}  // namespace

std::string contradiction_of(const Choices& choices, const Presolved& p, const std::vector<std::string>& names) {
  Index total = 0;
  for (const CountedGroup& group : choices.groups) {
    const Index nonzeros = nonzeros_for_sure(p, group);
    if (nonzeros > group.most)
      return fmt::format("{} variables of a group have bounds without 0, {} may be nonzero, {} among them", nonzeros,
                         group.most, shown_name(group.variables.front(), names));
    if (group.in_budget) total += nonzeros;
  }
  if (choices.most && total > *choices.most)
    return fmt::format("{} variables of all groups have bounds without 0, {} may be nonzero", total, *choices.most);
  for (std::size_t i = 0; i < choices.least.size(); ++i) {
    const double value = p.fixed[static_cast<Index>(i)], least = choices.least[i];
    if (least > 0.0 && p.lower[static_cast<Index>(i)] == p.upper[static_cast<Index>(i)] && value != 0.0 &&
        value < least - 1e-9 * (1.0 + least))
      return fmt::format("{} is fixed at {:g}, between 0 and its semicont_lower {:g}",
                         shown_name(static_cast<Index>(i), names), value, least);
  }
  return {};
}

Set domain_of(const Choices& choices, const Presolved& p, const std::vector<std::string>& names) {
  const Index n = std::ssize(p.kept);
  std::vector<Set> parts;
  std::vector<Index> order;
  std::vector<char> placed(at(n), 0);
  const auto take = [&](const std::vector<Index>& variables) {
    for (const Index i : variables) {
      order.push_back(p.place[at(i)]);
      placed[at(p.place[at(i)])] = 1;
    }
  };
  const auto is_left = [&](Index i) { return p.place[at(i)] >= 0; };
  const auto left = [&](const std::vector<Index>& variables) {
    std::vector<Index> out;
    std::copy_if(variables.begin(), variables.end(), std::back_inserter(out), is_left);
    return out;
  };

  // nonzeros that are counted, semicontinuous variables -----
  Vector least = p.lower;  // lower bounds where a variable is not zero
  for (std::size_t i = 0; i < choices.least.size(); ++i) {
    const double given = choices.least[i];
    const Index variable = static_cast<Index>(i);
    if (given == 0.0 || !is_left(variable)) continue;
    if (!(given > 0.0) || given > p.upper[variable] || p.lower[variable] < 0.0)
      refuse_model(
          fmt::format("semicont_lower of {} is {:g}; expected a positive number up to its upper bound {:g}, and a "
                      "lower bound of 0",
                      shown_name(variable, names), given, p.upper[variable]));
    least[variable] = std::max(given, p.lower[variable]);
  }
  const auto add_counts = [&](const std::vector<CountedGroup>& given, const std::vector<Index>& semicontinuous,
                              Index total) {
    std::vector<Index> counted;
    std::vector<std::vector<Index>> groups;
    std::vector<Index> most;
    for (const CountedGroup& group : given) {
      std::vector<Index> places;
      for (const Index i : group.variables) {
        if (!is_left(i) || is_away_from_zero(p, i)) continue;
        places.push_back(std::ssize(counted));
        counted.push_back(i);
      }
      if (places.empty()) continue;
      most.push_back(std::min(group.most - nonzeros_for_sure(p, group), std::ssize(places)));
      groups.push_back(std::move(places));
    }
    counted.insert(counted.end(), semicontinuous.begin(), semicontinuous.end());
    if (counted.empty()) return;
    const Index k = std::ssize(counted), s = std::min(total, k);
    take(counted);
    Vector lower = least(counted), upper = p.upper(counted);
    if (groups.empty())
      parts.push_back(SparseBox(std::move(lower), std::move(upper), s));
    else if (groups.size() == 1 && std::ssize(groups.front()) == k)
      parts.push_back(SparseBox(std::move(lower), std::move(upper), std::min(s, most.front())));
    else
      parts.push_back(GroupCounts(std::move(lower), std::move(upper), std::move(groups), std::move(most), s));
  };
  std::vector<char> in_group(choices.least.size(), 0);
  for (const CountedGroup& group : choices.groups)
    for (const Index i : group.variables) in_group[at(i)] = 1;
  std::vector<Index> semicontinuous;
  for (std::size_t i = 0; i < choices.least.size(); ++i)
    if (const Index variable = static_cast<Index>(i);
        choices.least[i] != 0.0 && !in_group[i] && is_left(variable) && !is_away_from_zero(p, variable))
      semicontinuous.push_back(variable);
  if (choices.most) {  // of which what is in no card_group knows nothing
    std::vector<CountedGroup> in_budget, others;
    Index total = *choices.most;
    for (const CountedGroup& group : choices.groups) {
      (group.in_budget ? in_budget : others).push_back(group);
      if (group.in_budget) total -= nonzeros_for_sure(p, group);
    }
    add_counts(in_budget, {}, total);
    add_counts(others, semicontinuous, n);
  } else {
    add_counts(choices.groups, semicontinuous, n);
  }

  // two neighbours -----
  for (const auto& set : choices.neighbours) {
    const std::vector<Index> variables = left(set);
    if (std::ssize(variables) != std::ssize(set)) refuse_model("a variable of a set of SOS2 is fixed");
    const Index k = std::ssize(variables);
    Vector lower(k), upper(k);
    for (Index j = 0; j < k; ++j) {
      lower[j] = p.lower[variables[at(j)]];
      upper[j] = p.upper[variables[at(j)]];
      if (lower[j] > 0.0 || upper[j] < 0.0)
        refuse_model(fmt::format("{}, in SOS2, has bounds without 0", shown_name(variables[at(j)], names)));
    }
    std::vector<Set> pieces;
    for (Index j = 0; j + 1 < k; ++j) {
      Vector low = Vector::Zero(k), high = Vector::Zero(k);
      low.segment(j, 2) = lower.segment(j, 2);
      high.segment(j, 2) = upper.segment(j, 2);
      pieces.push_back(Box(std::move(low), std::move(high)));
    }
    take(variables);
    parts.push_back(UnionOf(std::move(pieces)));
  }

  if (const std::vector<Index> binary = left(choices.binary); !binary.empty()) {
    take(binary);
    parts.push_back(FiniteValues(std::ssize(binary), {0.0, 1.0}));
  }

  // bounds -----
  std::vector<Index> rest;
  for (Index k = 0; k < n; ++k)
    if (!placed[at(k)]) rest.push_back(p.kept[at(k)]);
  if (!rest.empty()) {
    Vector lower(std::ssize(rest)), upper(lower.size());
    for (std::size_t j = 0; j < rest.size(); ++j) {
      lower[static_cast<Index>(j)] = least[rest[j]];
      upper[static_cast<Index>(j)] = p.upper[rest[j]];
    }
    take(rest);
    const bool free = (lower.array() == -infinity).all() && (upper.array() == infinity).all();
    parts.push_back(free ? Set(Free(lower.size())) : Set(Box(std::move(lower), std::move(upper))));
  }
  Set D = parts.size() == 1 ? parts.front() : Set(Product(std::move(parts)));
  if (std::is_sorted(order.begin(), order.end())) return D;
  return Indexed(n, std::move(order), D);
}

}  // namespace pendec::io::nl
