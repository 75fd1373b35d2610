#include "function.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace pendec::io::nl {
namespace {

/// Copies of common expressions may be as many steps longer than the file; beyond that they are shared.
constexpr std::int64_t longest_copies = 200;

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

double Function::slope_along(In x, In d, TapeRunner& runner) const {
  double total = 0.0;
  for (const auto& [i, c] : linear) total += c * d[i];
  for (const QuadraticTerm& p : products) total += p.value * (x[p.i] * d[p.j] + x[p.j] * d[p.i]);
  for (const Tape& tape : tapes) {
    runner.value(tape, x);
    const double* gradient = runner.gradient(tape);
    for (std::size_t k = 0; k < tape.variables.size(); ++k) total += tape.weight * gradient[k] * d[tape.variables[k]];
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

// Commons -----

Vector Commons::values(In x, TapeRunner& runner) const {
  Vector out(size);
  out << x, Vector::Zero(size - variables);
  for (const Definition& z : definitions) out[z.place] = z.function.value(out, runner);
  return out;
}

Vector Commons::push_forward(In at, In d, TapeRunner& runner) const {
  Vector out(size);
  out << d, Vector::Zero(size - variables);
  for (const Definition& z : definitions) out[z.place] = z.function.slope_along(at, out, runner);
  return out;
}

void Commons::pull_back(In at, Out slopes, TapeRunner& runner) const {
  for (auto z = definitions.rbegin(); z != definitions.rend(); ++z)
    if (const double slope = slopes[z->place]; slope != 0.0) z->function.add_gradient(at, slope, slopes, runner);
}

SparseMatrix Commons::jacobian(In at_point, TapeRunner& runner) const {
  std::vector<SparseEntry> entries;
  for (Index i = 0; i < variables; ++i) entries.emplace_back(static_cast<int>(i), static_cast<int>(i), 1.0);
  std::unordered_map<Index, std::pair<std::size_t, std::size_t>> rows;  // of z: where among the entries
  Vector slopes = Vector::Zero(size), row = Vector::Zero(variables);
  std::vector<char> seen(at(variables), 0);
  for (const Definition& z : definitions) {
    z.function.add_gradient(at_point, 1.0, slopes, runner);
    std::vector<Index> columns;
    const auto add = [&](Index column, double slope) {
      if (!std::exchange(seen[at(column)], 1)) columns.push_back(column);
      row[column] += slope;
    };
    z.function.for_each_variable([&](Index i) {
      const double slope = std::exchange(slopes[i], 0.0);  // some are visited twice
      if (i < variables) return add(i, slope);
      const auto [begin, end] = rows.at(i);
      for (std::size_t k = begin; k < end; ++k) add(entries[k].col(), slope * entries[k].value());
    });
    const std::size_t begin = entries.size();
    for (const Index column : columns) {
      entries.emplace_back(static_cast<int>(z.place), static_cast<int>(column), std::exchange(row[column], 0.0));
      seen[at(column)] = 0;
    }
    rows[z.place] = {begin, entries.size()};
  }
  SparseMatrix out(size, variables);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

Commons Commons::used_by(std::span<const Function> functions) const {
  std::vector<char> needed(at(size), 0);
  const auto need = [&](Index i) { needed[at(i)] = 1; };
  for (const Function& f : functions) f.for_each_variable(need);
  Commons out{.variables = variables, .size = size};
  for (auto z = definitions.rbegin(); z != definitions.rend(); ++z) {
    if (!needed[at(z->place)]) continue;
    z->function.for_each_variable(need);
    out.definitions.push_back(*z);
  }
  std::reverse(out.definitions.begin(), out.definitions.end());
  if (out.empty()) out.size = variables;
  return out;
}

void Commons::renumber(const std::vector<Index>& place) {
  for (Definition& z : definitions) {
    z.place = place[at(z.place)];
    z.function.renumber(place);
  }
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
      order_(file.common.size()),
      shared_(file.common.size()),
      common_(file.common.size()),
      expansion_left_(20'000'000) {
  std::iota(order_.begin(), order_.end(), Index{0});
  std::sort(order_.begin(), order_.end(),
            [&](Index a, Index b) { return file.common[at(a)].tree.begin < file.common[at(b)].tree.begin; });
  find_shared();
}

FunctionBuilder::~FunctionBuilder() = default;

/// Those that are long or used often, with what they have copies of themselves.
void FunctionBuilder::find_shared() {
  const Index n = file_.variables;
  std::vector<std::int64_t> uses(shared_.size(), 0), steps(shared_.size(), 0);
  const auto common_of = [&](const ExprNode& node) {
    return node.op == Op::variable ? static_cast<Index>(node.value) - n : -1;
  };
  const auto use = [&](Index k) {
    if (k >= 0) ++uses[at(k)];
  };
  for (const ExprNode& node : file_.nodes) use(common_of(node));
  for (const Body& body : file_.common)
    for (const auto& [j, c] : body.linear) use(j - n);
  const auto steps_of = [&](Index k) { return k < 0 || shared_[at(k)] ? 1 : steps[at(k)]; };
  for (const Index k : order_) {
    const Body& body = file_.common[at(k)];
    for (std::int64_t node = body.tree.begin; node < body.tree.end; ++node)
      steps[at(k)] += steps_of(common_of(file_.nodes[at(node)]));
    for (const auto& [j, c] : body.linear) steps[at(k)] += steps_of(j - n);
    shared_[at(k)] = (uses[at(k)] - 1) * steps[at(k)] > longest_copies;
  }
}

void FunctionBuilder::fix(Index variable, double value) {
  fixed_[at(variable)] = value;
  stale_ = true;
}

/// Polynomials of polynomials may have many terms. Where they have too many, they are no polynomials here.
bool FunctionBuilder::may_expand(std::size_t terms) {
  expansion_left_ -= static_cast<std::int64_t>(terms);
  return expansion_left_ >= 0;
}

Function FunctionBuilder::function(const Body& body) {
  Function out;
  flatten(out, body);
  out.cancelled = std::max({out.cancelled, gather(out.linear), gather(out.products)});
  return out;
}

Commons FunctionBuilder::commons_of(std::span<const Function* const> functions) {
  const Index n = file_.variables;
  std::vector<std::optional<Function>> found(file_.common.size());
  std::vector<char> seen(found.size(), 0);
  std::vector<Index> waiting;
  const auto see = [&](Index i) {
    if (i >= n && !std::exchange(seen[at(i - n)], 1)) waiting.push_back(i - n);
  };
  for (const Function* f : functions) f->for_each_variable(see);
  while (!waiting.empty()) {
    const Index k = waiting.back();
    waiting.pop_back();
    found[at(k)] = function(file_.common[at(k)]);
    found[at(k)]->for_each_variable(see);
  }
  Commons out{.variables = n, .size = n};
  for (const Index k : order_)
    if (found[at(k)]) out.definitions.push_back({n + k, std::move(*found[at(k)])});
  if (!out.empty()) out.size += std::ssize(file_.common);
  return out;
}

std::optional<double> FunctionBuilder::number(std::int64_t root) const {
  const ExprNode& node = file_.nodes[at(root)];
  if (node.op == Op::number) return node.value;
  const Index i = static_cast<Index>(node.value);
  if (node.op == Op::variable && i < file_.variables) return fixed_[at(i)];
  return std::nullopt;
}

void FunctionBuilder::flatten(Function& into, const Body& body) {
  struct Open {
    std::int64_t root;  // of a tree; −1: a variable
    Index variable;
    double weight;
  };
  std::vector<Open> open;
  const auto enter = [&](const Body& sum, double weight) {
    for (const auto& [i, c] : sum.linear) open.push_back({-1, i, weight * c});
    if (sum.tree.end > sum.tree.begin) open.push_back({sum.tree.end - 1, -1, weight});
  };
  const auto add = [&](Polynomial known, double weight) {
    known.scale(weight);
    into.constant += known.constant;
    into.cancelled = std::max(into.cancelled, known.cancelled);
    into.linear.insert(into.linear.end(), known.linear.begin(), known.linear.end());
    into.products.insert(into.products.end(), known.products.begin(), known.products.end());
  };
  const auto add_variable = [&](Index i, double weight) {
    if (i < file_.variables) {
      if (fixed_[at(i)])
        into.constant += weight * *fixed_[at(i)];
      else
        into.linear.emplace_back(i, weight);
      return;
    }
    const Index k = i - file_.variables;
    if (const auto& known = of_common(k); known && may_expand(known->terms()))
      add(*known, weight);
    else if (!shared_[at(k)])
      enter(file_.common[at(k)], weight);
    else if (weight != 0.0)
      into.tapes.push_back({.weight = weight, .variables = {i}});
  };
  enter(body, 1.0);
  while (!open.empty()) {
    const auto [root, variable, weight] = open.back();
    open.pop_back();
    if (root < 0) {
      add_variable(variable, weight);
      continue;
    }
    const ExprNode& node = file_.nodes[at(root)];
    const std::int64_t last = root - 1;  // the root of the last argument
    const std::int64_t first = node.arguments == 2 ? file_.nodes[at(last)].begin - 1 : last;
    switch (node.op) {
      case Op::number:
        into.constant += weight * node.value;
        continue;
      case Op::variable:
        add_variable(static_cast<Index>(node.value), weight);
        continue;
      case Op::plus:
        open.push_back({first, -1, weight});
        open.push_back({last, -1, weight});
        continue;
      case Op::minus:
        open.push_back({first, -1, weight});
        open.push_back({last, -1, -weight});
        continue;
      case Op::negative:
        open.push_back({last, -1, -weight});
        continue;
      case Op::sum: {
        std::int64_t child = last;
        for (std::int32_t k = 0; k < node.arguments; ++k) {
          open.push_back({child, -1, weight});
          child = file_.nodes[at(child)].begin - 1;
        }
        continue;
      }
      case Op::times:
        if (const auto factor = number(first)) {
          open.push_back({last, -1, weight * *factor});
          continue;
        }
        if (const auto factor = number(last)) {
          open.push_back({first, -1, weight * *factor});
          continue;
        }
        break;
      case Op::divide:
        if (const auto by = number(last); by && *by != 0.0 && std::isfinite(weight / *by)) {
          open.push_back({first, -1, weight / *by});
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

const std::optional<FunctionBuilder::Polynomial>& FunctionBuilder::of_common(Index k) {
  if (std::exchange(stale_, false))  // all of them, in their order: no depth of recursion is enough for every file
    for (const Index i : order_) common_[at(i)] = common_polynomial(i);
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

/// As far as its operations tell, before anything is copied.
bool FunctionBuilder::may_be_polynomial(std::int64_t root) {
  for (std::int64_t k = file_.nodes[at(root)].begin; k <= root; ++k) {
    const ExprNode& node = file_.nodes[at(k)];
    switch (node.op) {
      case Op::variable:
        if (const Index i = static_cast<Index>(node.value); i >= file_.variables && !of_common(i - file_.variables))
          return false;
        break;
      case Op::number:
      case Op::plus:
      case Op::minus:
      case Op::sum:
      case Op::negative:
      case Op::times:
      case Op::divide:
      case Op::power:
      case Op::square:
        break;
      default:
        return false;
    }
  }
  return true;
}

/// The tree as a polynomial of degree two; nothing where it is none, or too long.
std::optional<FunctionBuilder::Polynomial> FunctionBuilder::polynomial(std::int64_t root) {
  if (!may_be_polynomial(root)) return std::nullopt;
  std::vector<Polynomial> stack;
  for (std::int64_t k = file_.nodes[at(root)].begin; k <= root; ++k) {
    const ExprNode& node = file_.nodes[at(k)];
    if (const auto value = number(k)) {
      stack.push_back({.constant = *value});
    } else if (node.op == Op::variable) {
      const Index i = static_cast<Index>(node.value);
      if (i < file_.variables) {
        stack.push_back({.linear = {{i, 1.0}}});
        continue;
      }
      const auto& known = of_common(i - file_.variables);
      if (!known || !may_expand(known->terms())) return std::nullopt;
      stack.push_back(*known);
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
  // Variables first: their slots come before all others. Common expressions that are not shared are entered once.
  Tape out;
  out.weight = weight;
  std::vector<Index> entered;  // common expressions, those that are used by others first
  {
    std::vector<Index> waiting;
    std::unordered_set<Index> seen;
    const auto see = [&](Index i) {
      if ((i < file_.variables && fixed_[at(i)]) || !seen.insert(i).second) return;
      const bool variable = i < file_.variables || shared_[at(i - file_.variables)];
      (variable ? out.variables : waiting).push_back(i);
    };
    const auto look = [&](const Tree& tree) {
      for (std::int64_t k = tree.begin; k < tree.end; ++k)
        if (file_.nodes[at(k)].op == Op::variable) see(static_cast<Index>(file_.nodes[at(k)].value));
    };
    look({file_.nodes[at(root)].begin, root + 1});
    while (!waiting.empty()) {
      entered.push_back(waiting.back());
      waiting.pop_back();
      const Body& body = file_.common[at(entered.back() - file_.variables)];
      look(body.tree);
      for (const auto& [i, c] : body.linear) see(i);
    }
    // A definition stands before its uses in the file, and the nodes are in the order of the file.
    std::sort(entered.begin(), entered.end(), [&](Index a, Index b) {
      const Tree &left = file_.common[at(a - file_.variables)].tree,
                 &right = file_.common[at(b - file_.variables)].tree;
      return left.begin < right.begin;
    });
    std::sort(out.variables.begin(), out.variables.end());
  }
  std::unordered_map<Index, std::int32_t> slot_of_variable;  // also of common expressions
  for (const Index i : out.variables) slot_of_variable.emplace(i, static_cast<std::int32_t>(slot_of_variable.size()));
  const auto slots = [&] { return static_cast<std::int32_t>(out.variables.size() + out.steps.size()); };
  const auto step = [&](Tape::Step what) {
    const std::int32_t slot = slots();
    out.steps.push_back(what);
    return slot;
  };
  const auto slot_of = [&](Index i) {
    if (i < file_.variables && fixed_[at(i)]) return step({.op = Op::number, .value = *fixed_[at(i)]});
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
    slot_of_variable[i] =
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
