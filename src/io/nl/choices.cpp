#include "choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
    const double lower = std::ceil(file.lower[i]), upper = std::floor(file.upper[i]);
    if (!(lower >= 0.0 && upper <= 1.0))
      refuse_model(fmt::format("the integer variable {} has bounds {:g} to {:g}: only binary ones, 0 to 1, are taken",
                               shown_name(i, names), file.lower[i], file.upper[i]));
    if (lower > upper)
      refuse_model(fmt::format("no integer lies between the bounds of {}, {:g} and {:g}", shown_name(i, names),
                               file.lower[i], file.upper[i]));
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
      out.groups.push_back({variables, 1});
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
    groups[group[at(i)]].variables.push_back(i);
    if (limit[at(i)] == 0.0) continue;
    const auto [known, first] = limits.try_emplace(group[at(i)], limit[at(i)]);
    if (!first && known->second != limit[at(i)])
      refuse_model(fmt::format("card_limit is {:g} for {} and {:g} for others of its group", limit[at(i)],
                               shown_name(i, names), known->second));
  }
  if (const Suffix* all = file.suffix("card_limit", 3); all && !all->values.empty())
    out.most = count(all->values.front().second, "the problem");
  if (out.most >= 0 && groups.empty()) {  // of all variables
    CountedGroup every;
    for (Index i = 0; i < file.variables; ++i) every.variables.push_back(i);
    every.most = std::min(out.most, file.variables);
    out.most = -1;
    out.groups.push_back(std::move(every));
    return;
  }
  for (auto& [which, counted] : groups) {
    const auto known = limits.find(which);
    if (known == limits.end() && out.most < 0)
      refuse_model(fmt::format("the card_group {:g} has no card_limit", which));
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
  const auto left = [&](const std::vector<Index>& variables) {
    std::vector<Index> out;
    for (const Index i : variables)
      if (p.place[at(i)] >= 0) out.push_back(i);
    return out;
  };
  const auto is_fixed_away_from_zero = [&](Index i) { return p.place[at(i)] < 0 && p.fixed[i] != 0.0; };

  // nonzeros that are counted, semicontinuous variables -----
  std::vector<Index> counted;
  std::vector<std::vector<Index>> groups;
  std::vector<Index> most;
  Index total = choices.most;
  for (const CountedGroup& group : choices.groups) {
    Index limit = group.most;
    for (const Index i : group.variables)
      if (is_fixed_away_from_zero(i)) --limit, total -= total > 0 ? 1 : 0;
    if (limit < 0)
      refuse_model(fmt::format("more variables of a group are fixed than its limit allows to be nonzero"));
    const std::vector<Index> variables = left(group.variables);
    if (variables.empty()) continue;
    groups.emplace_back();
    for (const Index i : variables) {
      groups.back().push_back(std::ssize(counted));
      counted.push_back(i);
    }
    most.push_back(std::min(limit, std::ssize(variables)));
  }
  std::vector<char> in_group(choices.least.size(), 0);
  for (const Index i : counted) in_group[at(i)] = 1;
  for (std::size_t i = 0; i < choices.least.size(); ++i)
    if (choices.least[i] != 0.0 && !in_group[i] && p.place[i] >= 0) counted.push_back(static_cast<Index>(i));
  if (!counted.empty()) {
    const Index k = std::ssize(counted);
    Vector lower(k), upper(k);
    for (Index j = 0; j < k; ++j) {
      const Index i = counted[at(j)];
      lower[j] = p.lower[i];
      upper[j] = p.upper[i];
      if (lower[j] > 0.0 || upper[j] < 0.0)
        refuse_model(fmt::format("{}, which a suffix lets be zero, has bounds {:g} to {:g} without 0",
                                 shown_name(i, names), lower[j], upper[j]));
      if (choices.least[at(i)] == 0.0) continue;
      if (!(choices.least[at(i)] > 0.0) || choices.least[at(i)] > upper[j] || lower[j] < 0.0)
        refuse_model(
            fmt::format("semicont_lower of {} is {:g}; expected a positive number up to its upper bound {:g}, and a "
                        "lower bound of 0",
                        shown_name(i, names), choices.least[at(i)], upper[j]));
      lower[j] = choices.least[at(i)];
    }
    take(counted);
    const Index s = total < 0 ? k : std::min(total, k);
    if (groups.empty())
      parts.push_back(SparseBox(lower, upper, s));
    else if (groups.size() == 1 && std::ssize(groups.front()) == k)
      parts.push_back(SparseBox(lower, upper, std::min(s, most.front())));
    else
      parts.push_back(GroupCounts(lower, upper, groups, most, s));
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

  // 0 or 1, or what their bounds leave of these -----
  const std::vector<Index> binary = left(choices.binary);
  for (const std::vector<double>& values : {std::vector{0.0, 1.0}, std::vector{0.0}, std::vector{1.0}}) {
    std::vector<Index> some;
    for (const Index i : binary) {
      const bool zero = p.lower[i] <= 0.0, one = p.upper[i] >= 1.0;
      if (zero == (values.front() == 0.0) && one == (values.back() == 1.0)) some.push_back(i);
    }
    if (some.empty()) continue;
    take(some);
    parts.push_back(FiniteValues(std::ssize(some), values));
  }

  // bounds -----
  std::vector<Index> rest;
  for (Index k = 0; k < n; ++k)
    if (!placed[at(k)]) rest.push_back(p.kept[at(k)]);
  if (!rest.empty()) {
    Vector lower(std::ssize(rest)), upper(lower.size());
    for (std::size_t j = 0; j < rest.size(); ++j) {
      lower[static_cast<Index>(j)] = p.lower[rest[j]];
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
