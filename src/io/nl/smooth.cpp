#include "smooth.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "pendec/core/quadratic_form.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/objectives/quadratic.hpp"

namespace pendec::io::nl {
namespace {

using SparseEntry = Eigen::Triplet<double>;

/// One for each thread: tapes are run in it, one after the other.
TapeRunner& tape_runner() {
  thread_local TapeRunner one;
  return one;
}

/// A sparse matrix whose entries are added up in the same order every time.
class Pattern {
 public:
  Pattern() = default;
  Pattern(Index rows, Index cols, const std::vector<SparseEntry>& entries) : matrix_(rows, cols) {
    matrix_.setFromTriplets(entries.begin(), entries.end());
    matrix_.makeCompressed();
    const auto* outer = matrix_.outerIndexPtr();
    const auto* inner = matrix_.innerIndexPtr();
    places_.reserve(entries.size());
    for (const SparseEntry& e : entries)
      places_.push_back(std::lower_bound(inner + outer[e.col()], inner + outer[e.col() + 1], e.row()) - inner);
  }

  /// fill(add) calls add(k, value) for the entries of the constructor, for each as often as it likes.
  template <class Fill>
  SparseMatrix filled(Fill fill) const {
    SparseMatrix out = matrix_;
    double* values = out.valuePtr();
    std::fill(values, values + out.nonZeros(), 0.0);
    fill([&](std::size_t k, double value) { values[places_[k]] += value; });
    return out;
  }

 private:
  SparseMatrix matrix_;
  std::vector<std::ptrdiff_t> places_;
};

/// Where the second derivatives of functions are, both triangles: of their products one after the other, and a block
/// for tapes of the same variables, which may be as many as there are rows, each with all variables.
class HessianPattern {
 public:
  HessianPattern(Index n, std::span<const Function> functions) {
    std::vector<SparseEntry> entries;
    std::map<std::vector<Index>, std::size_t> blocks;
    for (const Function& f : functions) {
      Begins& begins = begins_.emplace_back();
      begins.products = entries.size();
      for (const QuadraticTerm& p : f.products) {
        entries.emplace_back(static_cast<int>(p.i), static_cast<int>(p.j), 0.0);
        entries.emplace_back(static_cast<int>(p.j), static_cast<int>(p.i), 0.0);
      }
      for (const Tape& tape : f.tapes) {
        const auto [block, first] = blocks.try_emplace(tape.variables, entries.size());
        begins.tapes.push_back(block->second);
        if (!first) continue;
        for (const Index j : tape.variables)
          for (const Index i : tape.variables) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), 0.0);
      }
    }
    pattern_ = Pattern(n, n, entries);
  }

  /// Σ factor(k) ∇²f_k, f_k those of the constructor.
  template <class Factor>
  SparseMatrix hessian(std::span<const Function> functions, In x, Factor factor) const {
    return pattern_.filled([&](auto add) {
      for (std::size_t k = 0; k < functions.size(); ++k)
        if (const double weight = factor(k); weight != 0.0) add_hessian(functions[k], begins_[k], x, weight, add);
    });
  }

 private:
  struct Begins {
    std::size_t products = 0;
    std::vector<std::size_t> tapes;
  };

  /// A diagonal product is there twice, and so is its share.
  template <class Add>
  static void add_hessian(const Function& f, const Begins& begins, In x, double factor, Add add) {
    TapeRunner& run = tape_runner();
    std::size_t place = begins.products;
    for (const QuadraticTerm& p : f.products) {
      add(place++, factor * p.value);
      add(place++, factor * p.value);
    }
    std::vector<double> direction;
    std::vector<double> columns;
    for (std::size_t t = 0; t < f.tapes.size(); ++t) {
      const Tape& tape = f.tapes[t];
      const std::size_t k = tape.variables.size();
      const double weight = factor * tape.weight;
      run.value(tape, x);
      run.gradient(tape);
      direction.assign(k, 0.0);
      columns.resize(k * k);
      for (std::size_t j = 0; j < k; ++j) {
        direction[j] = 1.0;
        const double* column = run.hessian_times(tape, direction.data());
        std::copy(column, column + k, columns.begin() + static_cast<std::ptrdiff_t>(j * k));
        direction[j] = 0.0;
      }
      place = begins.tapes[t];
      for (std::size_t j = 0; j < k; ++j)
        for (std::size_t i = 0; i < k; ++i) add(place++, weight * 0.5 * (columns[j * k + i] + columns[i * k + j]));
    }
  }

  Pattern pattern_;
  std::vector<Begins> begins_;  // of each function
};

void add_hessian_times(const Function& f, In x, double factor, In d, Out out) {
  if (factor == 0.0) return;
  TapeRunner& run = tape_runner();
  for (const QuadraticTerm& p : f.products) {
    out[p.i] += factor * p.value * d[p.j];
    out[p.j] += factor * p.value * d[p.i];
  }
  std::vector<double> direction;
  for (const Tape& tape : f.tapes) {
    direction.clear();
    for (const Index i : tape.variables) direction.push_back(d[i]);
    run.value(tape, x);
    run.gradient(tape);
    const double* product = run.hessian_times(tape, direction.data());
    for (std::size_t k = 0; k < tape.variables.size(); ++k)
      out[tape.variables[k]] += factor * tape.weight * product[k];
  }
}

Vector linear_part(const Function& f, Index n) {
  Vector c = Vector::Zero(n);
  for (const auto& [i, value] : f.linear) c[i] += value;
  return c;
}

Operator hessian_of_products(const Function& f, Index n) {
  std::vector<SparseEntry> entries;
  for (const QuadraticTerm& p : f.products) {
    entries.emplace_back(static_cast<int>(p.i), static_cast<int>(p.j), p.value);
    entries.emplace_back(static_cast<int>(p.j), static_cast<int>(p.i), p.value);
  }
  SparseMatrix Q(n, n);
  Q.setFromTriplets(entries.begin(), entries.end());
  Q.makeCompressed();
  return Q;
}

/// ½xᵀQx + cᵀx + constant.
struct QuadraticOfModel {
  QuadraticOfModel(const Function& f, Index n)
      : form(hessian_of_products(f, n), linear_part(f, n)), constant(f.constant), surely_convex(f.products.empty()) {}

  Index dimension() const { return form.dimension(); }
  double value_and_gradient(In x, Out g) const { return constant + form.value_and_gradient(x, g); }
  const Operator& constant_hessian() const { return form.Q; }
  bool convex() const { return surely_convex; }
  Matrix curvature_below(In, In, In) const { return form.Q.dense(); }
  std::optional<QuadraticForm> quadratic_form() const {
    auto out = form.quadratic_form();
    if (out) out->constant += constant;
    return out;
  }
  double magnitude(In x, Out gradient) const { return std::abs(constant) + form.magnitude(x, gradient); }
  Index summands() const { return form.summands() + 1; }

  Quadratic form;
  double constant;
  bool surely_convex;  // it is linear; of others curvature_below() tells
};

struct FunctionOfModel {
  FunctionOfModel(Function function, Index dimension)
      : f(std::make_shared<const Function>(std::move(function))),
        pattern(std::make_shared<const HessianPattern>(dimension, std::span(f.get(), 1))),
        n(dimension) {}

  Index dimension() const { return n; }
  double value(In x) const { return f->value(x, tape_runner()); }
  double value_and_gradient(In x, Out g) const {
    g.setZero();
    return f->add_gradient(x, 1.0, g, tape_runner());
  }
  void hessian_times(In x, In d, Out out) const {
    out.setZero();
    add_hessian_times(*f, x, 1.0, d, out);
  }
  Operator hessian(In x) const {
    return pattern->hessian(std::span(f.get(), 1), x, [](std::size_t) { return 1.0; });
  }

  std::shared_ptr<const Function> f;
  std::shared_ptr<const HessianPattern> pattern;
  Index n;
};

struct RowsOfModel {
  RowsOfModel(std::vector<Function> functions, Index dimension)
      : rows(std::make_shared<const std::vector<Function>>(std::move(functions))), n(dimension) {
    std::vector<SparseEntry> entries;
    for (std::size_t r = 0; r < rows->size(); ++r)
      (*rows)[r].for_each_variable(
          [&](Index i) { entries.emplace_back(static_cast<int>(r), static_cast<int>(i), 0.0); });
    jacobian_pattern = std::make_shared<const Pattern>(output_dimension(), n, entries);
    hessian_pattern = std::make_shared<const HessianPattern>(n, *rows);
  }

  Index input_dimension() const { return n; }
  Index output_dimension() const { return std::ssize(*rows); }
  void evaluate(In x, Out out) const {
    for (Index r = 0; r < output_dimension(); ++r) out[r] = (*rows)[at(r)].value(x, tape_runner());
  }
  void adjoint(In x, In w, Out out) const {
    out.setZero();
    for (Index r = 0; r < output_dimension(); ++r)
      if (w[r] != 0.0) (*rows)[at(r)].add_gradient(x, w[r], out, tape_runner());
  }
  void derivative(In x, In d, Out out) const { out = jacobian(x).times(d); }
  Operator jacobian(In x) const {
    TapeRunner& run = tape_runner();
    return jacobian_pattern->filled([&](auto add_at) {
      std::size_t place = 0;
      const auto add = [&](double value) { add_at(place++, value); };
      for (const Function& f : *rows) {
        for (const auto& [i, c] : f.linear) add(c);
        for (const QuadraticTerm& p : f.products) {
          add(p.value * x[p.j]);
          add(p.value * x[p.i]);
        }
        for (const Tape& tape : f.tapes) {
          run.value(tape, x);
          const double* gradient = run.gradient(tape);
          for (std::size_t k = 0; k < tape.variables.size(); ++k) add(tape.weight * gradient[k]);
        }
      }
    });
  }
  void hessian_times(In x, In w, In d, Out out) const {
    out.setZero();
    for (Index r = 0; r < output_dimension(); ++r) add_hessian_times((*rows)[at(r)], x, w[r], d, out);
  }
  Operator hessian(In x, In w) const {
    return hessian_pattern->hessian(*rows, x, [&](std::size_t r) { return w[static_cast<Index>(r)]; });
  }

  std::shared_ptr<const std::vector<Function>> rows;
  std::shared_ptr<const Pattern> jacobian_pattern;
  std::shared_ptr<const HessianPattern> hessian_pattern;
  Index n;
};

}  // namespace

Objective objective_of(Function f, Index n) {
  if (f.is_quadratic()) return QuadraticOfModel(f, n);
  return FunctionOfModel(std::move(f), n);
}

Map map_of(std::vector<Function> rows, Index n) {
  if (!std::all_of(rows.begin(), rows.end(), [](const Function& f) { return f.is_affine(); }))
    return RowsOfModel(std::move(rows), n);
  std::vector<SparseEntry> entries;
  Vector shift(std::ssize(rows));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto& [i, c] : rows[r].linear) entries.emplace_back(static_cast<int>(r), static_cast<int>(i), c);
    shift[static_cast<Index>(r)] = rows[r].constant;
  }
  SparseMatrix A(std::ssize(rows), n);
  A.setFromTriplets(entries.begin(), entries.end());
  A.makeCompressed();
  return Affine(std::move(A), std::move(shift));
}

}  // namespace pendec::io::nl
