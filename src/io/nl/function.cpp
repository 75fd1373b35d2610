#include "function.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "pendec/io/file_error.hpp"

namespace pendec::io::nl {
namespace {

Index place_of(const LinearPart::value_type& term) { return term.first; }
double& value_of(LinearPart::value_type& term) { return term.second; }
std::pair<Index, Index> place_of(const QuadraticTerm& term) { return {term.i, term.j}; }
double& value_of(QuadraticTerm& term) { return term.value; }

/// Each place once, in their order; what is but the rounding of larger terms that cancelled is zero, and left out.
/// Returns how large those were that cancelled elsewhere.
template <class Term>
double gather(std::vector<Term>& terms) {
  constexpr double rounding = 1e-14;
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return place_of(a) < place_of(b); });
  double cancelled = 0.0;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < terms.size();) {
    Term sum = terms[k];
    double size = std::abs(value_of(sum));
    for (++k; k < terms.size() && place_of(terms[k]) == place_of(sum); ++k) {
      value_of(sum) += value_of(terms[k]);
      size += std::abs(value_of(terms[k]));
    }
    const double left = std::abs(value_of(sum));
    if (left <= rounding * size) continue;
    if (left < size) cancelled = std::max(cancelled, size);
    terms[kept++] = sum;
  }
  terms.resize(kept);
  return cancelled;
}

}  // namespace

// Function -----

double Function::coefficient(Index variable) const {
  const auto found = std::lower_bound(linear.begin(), linear.end(), variable,
                                      [](const auto& term, Index i) { return term.first < i; });
  return found != linear.end() && found->first == variable ? found->second : 0.0;
}

double Function::value(In x, TapeRunner& runner) const {
  double total = constant;
  for (const auto& [i, c] : linear) total += c * x[i];
  for (const QuadraticTerm& p : products) total += p.value * x[p.i] * x[p.j];
  for (const Tape& tape : tapes) total += tape.weight * runner.value(tape, x);
  return total;
}

double Function::add_gradient(In x, double factor, Out out, TapeRunner& runner) const {
  double total = constant;
  for (const auto& [i, c] : linear) {
    total += c * x[i];
    out[i] += factor * c;
  }
  for (const QuadraticTerm& p : products) {
    total += p.value * x[p.i] * x[p.j];
    out[p.i] += factor * p.value * x[p.j];
    out[p.j] += factor * p.value * x[p.i];
  }
  for (const Tape& tape : tapes) {
    total += tape.weight * runner.value(tape, x);
    const double* gradient = runner.gradient(tape);
    for (std::size_t k = 0; k < tape.variables.size(); ++k)
      out[tape.variables[k]] += factor * tape.weight * gradient[k];
  }
  return total;
}

void Function::add_pieces(In x, std::vector<int>& out, TapeRunner& runner) const {
  for (const Tape& tape : tapes) {
    runner.value(tape, x);
    runner.add_pieces(tape, out);
  }
}

Function Function::scaled(double factor) const {
  Function out = *this;
  out.constant *= factor;
  out.cancelled *= std::abs(factor);
  for (auto& [i, c] : out.linear) c *= factor;
  for (QuadraticTerm& p : out.products) p.value *= factor;
  for (Tape& tape : out.tapes) tape.weight *= factor;
  return out;
}

Function Function::without(Index variable) const {
  Function out = *this;
  std::erase_if(out.linear, [&](const auto& term) { return term.first == variable; });
  return out;
}

void Function::renumber(const std::vector<Index>& place) {
  for (auto& [i, c] : linear) i = place[at(i)];
  for (QuadraticTerm& p : products) {
    p.i = place[at(p.i)];
    p.j = place[at(p.j)];
    if (p.i > p.j) std::swap(p.i, p.j);
  }
  cancelled = std::max({cancelled, gather(linear), gather(products)});
  for (Tape& tape : tapes)
    for (Index& i : tape.variables) i = place[at(i)];
}

// FunctionBuilder -----

struct FunctionBuilder::Polynomial {
  double constant = 0.0;
  LinearPart linear = {};
  std::vector<QuadraticTerm> products = {};
  double cancelled = 0.0;

  bool is_constant() const { return linear.empty() && products.empty(); }
  std::size_t terms() const { return linear.size() + products.size(); }
  double largest() const {
    double size = std::abs(constant);
    for (const auto& [i, c] : linear) size = std::max(size, std::abs(c));
    for (const QuadraticTerm& p : products) size = std::max(size, std::abs(p.value));
    return size;
  }
  void scale(double factor) {
    constant *= factor;
    cancelled *= std::abs(factor);
    for (auto& [i, c] : linear) c *= factor;
    for (QuadraticTerm& p : products) p.value *= factor;
  }
  /// The smaller is copied into the larger.
  void add(Polynomial other) {
    if (other.terms() > terms()) std::swap(*this, other);
    constant += other.constant;
    cancelled = std::max(cancelled, other.cancelled);
    linear.insert(linear.end(), other.linear.begin(), other.linear.end());
    products.insert(products.end(), other.products.begin(), other.products.end());
  }
  void tidy() { cancelled = std::max({cancelled, gather(linear), gather(products)}); }
};

FunctionBuilder::FunctionBuilder(const File& file)
    : file_(file),
      fixed_(at(file.variables)),
      common_(file.common.size()),
      work_left_(10'000'000 + 200 * static_cast<std::int64_t>(file.nodes.size())),
      expansion_left_(20'000'000),
      flattening_left_(200'000 + 20 * static_cast<std::int64_t>(file.nodes.size())) {}

FunctionBuilder::~FunctionBuilder() = default;

void FunctionBuilder::fix(Index variable, double value) {
  fixed_[at(variable)] = value;
  stale_ = true;
}

/// A file may say little that unfolds to much: common expressions made of common expressions.
void FunctionBuilder::spend(std::int64_t work) {
  work_left_ -= work;
  if (work_left_ < 0) throw FileError("the model", "its common expressions unfold to more than fits");
}

bool FunctionBuilder::may_expand(std::size_t terms) {
  expansion_left_ -= static_cast<std::int64_t>(terms);
  return expansion_left_ >= 0;
}

Function FunctionBuilder::function(const Body& body) {
  Function out;
  for (const auto& [i, c] : body.linear)
    if (fixed_[at(i)])
      out.constant += c * *fixed_[at(i)];
    else
      out.linear.emplace_back(i, c);
  if (body.tree.end > body.tree.begin) flatten(out, body.tree.end - 1, 1.0);
  out.cancelled = std::max({out.cancelled, gather(out.linear), gather(out.products)});
  return out;
}

std::optional<double> FunctionBuilder::number(std::int64_t root) const {
  const ExprNode& node = file_.nodes[at(root)];
  if (node.op == Op::number) return node.value;
  const Index i = static_cast<Index>(node.value);
  if (node.op == Op::variable && i < file_.variables) return fixed_[at(i)];
  return std::nullopt;
}

void FunctionBuilder::flatten(Function& into, std::int64_t top, double top_weight) {
  const auto add = [&](Polynomial known, double weight) {
    known.scale(weight);
    into.constant += known.constant;
    into.linear.insert(into.linear.end(), known.linear.begin(), known.linear.end());
    into.products.insert(into.products.end(), known.products.begin(), known.products.end());
    into.cancelled = std::max(into.cancelled, known.cancelled);
  };
  std::vector<std::pair<std::int64_t, double>> open{{top, top_weight}};
  while (!open.empty()) {
    const auto [root, weight] = open.back();
    open.pop_back();
    spend(1);
    const ExprNode& node = file_.nodes[at(root)];
    const auto number_here = number(root);
    if (number_here) {
      into.constant += weight * *number_here;
      continue;
    }
    const std::int64_t last = root - 1;  // the root of the last argument
    const std::int64_t first = node.arguments == 2 ? file_.nodes[at(last)].begin - 1 : last;
    switch (node.op) {
      case Op::variable: {
        const Index i = static_cast<Index>(node.value);
        if (i < file_.variables) {
          into.linear.emplace_back(i, weight);
          continue;
        }
        const Body& body = file_.common[at(i - file_.variables)];
        if (auto known = of_common(i - file_.variables); known && may_expand(known->terms())) {
          add(std::move(*known), weight);
          continue;
        }
        if (std::any_of(body.linear.begin(), body.linear.end(),
                        [&](const auto& t) { return t.first >= file_.variables; }))
          break;  // which has no node of its own
        flattening_left_ -= body.tree.end - body.tree.begin + 1;
        if (flattening_left_ < 0) break;  // it may be one that doubles another one, and so on: as one tape
        for (const auto& [j, c] : body.linear)
          if (fixed_[at(j)])
            into.constant += weight * c * *fixed_[at(j)];
          else
            into.linear.emplace_back(j, weight * c);
        if (body.tree.end > body.tree.begin) open.emplace_back(body.tree.end - 1, weight);
        continue;
      }
      case Op::plus:
        open.emplace_back(first, weight);
        open.emplace_back(last, weight);
        continue;
      case Op::minus:
        open.emplace_back(first, weight);
        open.emplace_back(last, -weight);
        continue;
      case Op::negative:
        open.emplace_back(last, -weight);
        continue;
      case Op::sum: {
        std::int64_t child = last;
        for (std::int32_t k = 0; k < node.arguments; ++k) {
          open.emplace_back(child, weight);
          child = file_.nodes[at(child)].begin - 1;
        }
        continue;
      }
      case Op::times:
        if (const auto factor = number(first)) {
          open.emplace_back(last, weight * *factor);
          continue;
        }
        if (const auto factor = number(last)) {
          open.emplace_back(first, weight * *factor);
          continue;
        }
        break;
      case Op::divide:
        if (const auto by = number(last); by && *by != 0.0 && std::isfinite(weight / *by)) {
          open.emplace_back(first, weight / *by);
          continue;
        }
        break;
      default:
        break;
    }
    if (weight == 0.0) continue;
    if (auto known = polynomial(root))
      add(std::move(*known), weight);
    else
      into.tapes.push_back(tape(root, weight));
  }
}

std::optional<FunctionBuilder::Polynomial> FunctionBuilder::of_common(Index k) {
  if (stale_) {  // all of them, those that others use before them: no depth of recursion is enough for every file
    stale_ = false;
    std::vector<Index> order(common_.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return file_.common[at(a)].tree.begin < file_.common[at(b)].tree.begin; });
    for (const Index i : order) common_[at(i)] = common_polynomial(i);
  }
  return common_[at(k)];
}

std::optional<FunctionBuilder::Polynomial> FunctionBuilder::common_polynomial(Index k) {
  const Body& body = file_.common[at(k)];
  Polynomial total;
  if (body.tree.end > body.tree.begin) {
    auto tree = polynomial(body.tree.end - 1);
    if (!tree) return std::nullopt;
    total = std::move(*tree);
  }
  for (const auto& [j, c] : body.linear) {
    if (j >= file_.variables) {
      auto other = of_common(j - file_.variables);
      if (!other || !may_expand(other->terms())) return std::nullopt;
      other->scale(c);
      total.add(std::move(*other));
    } else if (fixed_[at(j)]) {
      total.constant += c * *fixed_[at(j)];
    } else {
      total.linear.emplace_back(j, c);
    }
  }
  total.tidy();
  if (!may_expand(total.terms())) return std::nullopt;
  return total;
}

/// The tree as a polynomial of degree two; nothing where it is none, or too long.
std::optional<FunctionBuilder::Polynomial> FunctionBuilder::polynomial(std::int64_t root) {
  std::vector<Polynomial> stack;
  for (std::int64_t k = file_.nodes[at(root)].begin; k <= root; ++k) {
    const ExprNode& node = file_.nodes[at(k)];
    spend(1);
    if (const auto value = number(k)) {
      stack.push_back({.constant = *value});
    } else if (node.op == Op::variable) {
      const Index i = static_cast<Index>(node.value);
      if (i < file_.variables) {
        stack.push_back({.linear = {{i, 1.0}}});
        continue;
      }
      auto known = of_common(i - file_.variables);
      if (!known || !may_expand(known->terms())) return std::nullopt;
      stack.push_back(std::move(*known));
    } else if (!apply(node.op, node.arguments, stack)) {
      return std::nullopt;
    }
  }
  stack.back().tidy();
  return std::move(stack.back());
}

bool FunctionBuilder::apply(Op op, std::int32_t arguments, std::vector<Polynomial>& stack) {
  const auto pop = [&] {
    Polynomial last = std::move(stack.back());
    stack.pop_back();
    return last;
  };
  const auto multiplied = [&](Polynomial a, Polynomial b) -> std::optional<Polynomial> {
    if (b.is_constant()) std::swap(a, b);
    if (a.is_constant()) {
      b.scale(a.constant);
      return b;
    }
    if (!a.products.empty() || !b.products.empty() || !may_expand(a.linear.size() * b.linear.size()))
      return std::nullopt;
    Polynomial out{.constant = a.constant * b.constant,
                   .cancelled = std::max(a.cancelled * b.largest(), b.cancelled * a.largest())};
    for (const auto& [i, c] : a.linear) out.linear.emplace_back(i, c * b.constant);
    for (const auto& [j, d] : b.linear) out.linear.emplace_back(j, d * a.constant);
    for (const auto& [i, c] : a.linear)
      for (const auto& [j, d] : b.linear) out.products.push_back({std::min(i, j), std::max(i, j), c * d});
    out.tidy();
    return out;
  };
  switch (op) {
    case Op::plus:
    case Op::minus:
    case Op::sum: {
      Polynomial total = pop();
      if (op == Op::minus) total.scale(-1.0);
      for (std::int32_t k = 1; k < arguments; ++k) total.add(pop());
      stack.push_back(std::move(total));
      return true;
    }
    case Op::negative:
      stack.back().scale(-1.0);
      return true;
    case Op::times: {
      auto product = multiplied(pop(), pop());
      if (!product) return false;
      stack.push_back(std::move(*product));
      return true;
    }
    case Op::divide: {
      const Polynomial by = pop();
      if (!by.is_constant() || by.constant == 0.0) return false;
      stack.back().scale(1.0 / by.constant);
      return true;
    }
    case Op::power:
    case Op::square: {
      const Polynomial exponent = op == Op::square ? Polynomial{.constant = 2.0} : pop();
      if (!exponent.is_constant()) return false;
      if (exponent.constant == 1.0) return true;
      if (stack.back().is_constant()) {
        stack.back().constant = std::pow(stack.back().constant, exponent.constant);
        return std::isfinite(stack.back().constant);
      }
      if (exponent.constant != 2.0) return false;
      stack.back().tidy();
      const Polynomial base = pop();
      auto square = multiplied(base, base);
      if (!square) return false;
      stack.push_back(std::move(*square));
      return true;
    }
    default:
      return false;
  }
}

Tape FunctionBuilder::tape(std::int64_t root, double weight) {
  // Variables first: their slots come before all others. Common expressions are entered once each.
  Tape out;
  out.weight = weight;
  std::vector<Index> entered;  // common expressions, those that are used by others first
  std::unordered_map<Index, std::int32_t> slot_of_variable, slot_of_common;
  const auto see = [&](Index i) {
    if (i < file_.variables) {
      if (!fixed_[at(i)] && slot_of_variable.try_emplace(i).second) out.variables.push_back(i);
      return false;
    }
    return true;
  };
  {
    std::vector<Index> waiting;
    std::unordered_map<Index, char> seen;
    const auto look = [&](const Tree& tree, const LinearPart* linear) {
      spend(tree.end - tree.begin + 1);
      for (std::int64_t k = tree.begin; k < tree.end; ++k)
        if (file_.nodes[at(k)].op == Op::variable)
          if (const Index i = static_cast<Index>(file_.nodes[at(k)].value); see(i) && seen.try_emplace(i, 1).second)
            waiting.push_back(i);
      if (linear)
        for (const auto& [i, c] : *linear)
          if (see(i) && seen.try_emplace(i, 1).second) waiting.push_back(i);
    };
    look({file_.nodes[at(root)].begin, root + 1}, nullptr);
    while (!waiting.empty()) {
      const Index i = waiting.back();
      waiting.pop_back();
      entered.push_back(i);
      const Body& body = file_.common[at(i - file_.variables)];
      look(body.tree, &body.linear);
    }
    // A definition stands before its uses in the file, and the nodes are in the order of the file.
    std::sort(entered.begin(), entered.end(), [&](Index a, Index b) {
      const Tree &left = file_.common[at(a - file_.variables)].tree,
                 &right = file_.common[at(b - file_.variables)].tree;
      return left.begin < right.begin;
    });
  }
  std::sort(out.variables.begin(), out.variables.end());  // those of the same variables are recognised by them
  for (std::size_t k = 0; k < out.variables.size(); ++k)
    slot_of_variable[out.variables[k]] = static_cast<std::int32_t>(k);
  const auto slots = [&] { return static_cast<std::int32_t>(out.variables.size() + out.steps.size()); };
  const auto step = [&](Tape::Step what) {
    const std::int32_t slot = slots();
    out.steps.push_back(what);
    return slot;
  };
  const auto slot_of = [&](Index i) {
    if (i >= file_.variables) return slot_of_common.at(i);
    if (fixed_[at(i)]) return step({.op = Op::number, .value = *fixed_[at(i)]});
    return slot_of_variable.at(i);
  };
  const auto enter = [&](const Tree& tree) {
    std::vector<std::int32_t> stack;
    for (std::int64_t k = tree.begin; k < tree.end; ++k) {
      const ExprNode& node = file_.nodes[at(k)];
      if (node.op == Op::number) {
        stack.push_back(step({.op = Op::number, .value = node.value}));
      } else if (node.op == Op::variable) {
        stack.push_back(slot_of(static_cast<Index>(node.value)));
      } else {
        const auto first = static_cast<std::int32_t>(out.arguments.size());
        out.arguments.insert(out.arguments.end(), stack.end() - node.arguments, stack.end());
        stack.resize(stack.size() - static_cast<std::size_t>(node.arguments));
        stack.push_back(step({.op = node.op, .first = first, .count = node.arguments}));
      }
    }
    return stack.back();
  };
  for (const Index i : entered) {
    const Body& body = file_.common[at(i - file_.variables)];
    std::vector<std::pair<std::int32_t, double>> terms;
    if (body.tree.end > body.tree.begin) terms.emplace_back(enter(body.tree), 1.0);
    for (const auto& [j, c] : body.linear) terms.emplace_back(slot_of(j), c);
    out.coefficients.resize(out.arguments.size(), 1.0);
    const auto first = static_cast<std::int32_t>(out.arguments.size());
    for (const auto& [slot, c] : terms) {
      out.arguments.push_back(slot);
      out.coefficients.push_back(c);
    }
    slot_of_common[i] =
        step({.op = Op::sum, .first = first, .count = static_cast<std::int32_t>(terms.size()), .weighted = true});
  }
  const std::int32_t end = enter({file_.nodes[at(root)].begin, root + 1});
  if (end != slots() - 1) {  // the root is a common expression or a variable by itself
    out.coefficients.resize(out.arguments.size(), 1.0);
    const auto first = static_cast<std::int32_t>(out.arguments.size());
    out.arguments.push_back(end);
    out.coefficients.push_back(1.0);
    step({.op = Op::sum, .first = first, .count = 1, .weighted = true});
  }
  out.coefficients.resize(out.arguments.size(), 1.0);
  return out;
}

}  // namespace pendec::io::nl
