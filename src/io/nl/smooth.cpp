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
  HessianPattern() = default;
  HessianPattern(Index n, std::span<const Function* const> functions) {
    std::vector<SparseEntry> entries;
    std::map<std::vector<Index>, std::size_t> blocks;
    for (const Function* const one : functions) {
      const Function& f = *one;
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
  SparseMatrix hessian(std::span<const Function* const> functions, In x, Factor factor) const {
    return pattern_.filled([&](auto add) {
      for (std::size_t k = 0; k < functions.size(); ++k)
        if (const double weight = factor(k); weight != 0.0) add_hessian(*functions[k], begins_[k], x, weight, add);
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

/// Functions of x, by way of common expressions z: w ↦ Σ w_r f_r(x, z(x)) and its derivatives.
class Rows {
 public:
  Rows(std::vector<Function> functions, const Commons& all) : rows_(std::move(functions)), z_(all.used_by(rows_)) {
    std::vector<SparseEntry> entries;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      rows_[r].for_each_variable(
          [&](Index i) { entries.emplace_back(static_cast<int>(r), static_cast<int>(i), 0.0); });
      functions_.push_back(&rows_[r]);
    }
    for (const Commons::Definition& z : z_.definitions) functions_.push_back(&z.function);
    jacobian_pattern_ = Pattern(size(), z_.size, entries);
    hessian_pattern_ = HessianPattern(z_.size, functions_);
  }
  Rows(const Rows&) = delete;  // functions_ point into it
  Rows& operator=(const Rows&) = delete;

  Index dimension() const { return z_.variables; }
  Index size() const { return std::ssize(rows_); }

  void values(In x, Out out) const {
    TapeRunner& run = tape_runner();
    const Vector at_point = z_.values(x, run);
    for (Index r = 0; r < size(); ++r) out[r] = rows_[at(r)].value(at_point, run);
  }
  /// Returns Σ w_r f_r.
  double gradient(In x, In w, Out out) const {
    TapeRunner& run = tape_runner();
    const Vector at_point = z_.values(x, run);
    double total = 0.0;
    out = slopes(at_point, w, total).head(dimension());
    return total;
  }
  SparseMatrix jacobian(In x) const {
    TapeRunner& run = tape_runner();
    const Vector at_point = z_.values(x, run);
    SparseMatrix J = jacobian_pattern_.filled([&](auto add_at) {
      std::size_t place = 0;
      const auto add = [&](double value) { add_at(place++, value); };
      for (const Function& f : rows_) {
        for (const auto& [i, c] : f.linear) add(c);
        for (const QuadraticTerm& p : f.products) {
          add(p.value * at_point[p.j]);
          add(p.value * at_point[p.i]);
        }
        for (const Tape& tape : f.tapes) {
          run.value(tape, at_point);
          const double* gradient = run.gradient(tape);
          for (std::size_t k = 0; k < tape.variables.size(); ++k) add(tape.weight * gradient[k]);
        }
      }
    });
    if (z_.empty()) return J;
    return J * z_.jacobian(at_point, run);
  }
  void hessian_times(In x, In w, In d, Out out) const {
    TapeRunner& run = tape_runner();
    const Vector at_point = z_.values(x, run), along = z_.push_forward(at_point, d, run);
    Vector product = Vector::Zero(z_.size);
    for (Index r = 0; r < size(); ++r) add_hessian_times(rows_[at(r)], at_point, w[r], along, product);
    if (!z_.empty()) {
      double total = 0.0;
      const Vector slope = slopes(at_point, w, total);
      for (auto z = z_.definitions.rbegin(); z != z_.definitions.rend(); ++z) {
        add_hessian_times(z->function, at_point, slope[z->place], along, product);
        z->function.add_gradient(at_point, product[z->place], product, run);
      }
    }
    out = product.head(dimension());
  }
  SparseMatrix hessian(In x, In w) const {
    TapeRunner& run = tape_runner();
    const Vector at_point = z_.values(x, run);
    double total = 0.0;
    const Vector slope = z_.empty() ? Vector() : slopes(at_point, w, total);
    const SparseMatrix H = hessian_pattern_.hessian(functions_, at_point, [&](std::size_t k) {
      return k < rows_.size() ? w[static_cast<Index>(k)] : slope[z_.definitions[k - rows_.size()].place];
    });
    if (z_.empty()) return H;
    const SparseMatrix J = z_.jacobian(at_point, run);
    const SparseMatrix half = J.transpose() * SparseMatrix(H * J), other = half.transpose();
    return 0.5 * (half + other);  // symmetric to the last digit
  }

 private:
  /// Whole slopes of Σ w_r f_r by (x, z).
  Vector slopes(const Vector& at_point, In w, double& total) const {
    TapeRunner& run = tape_runner();
    Vector out = Vector::Zero(z_.size);
    for (Index r = 0; r < size(); ++r)
      if (w[r] != 0.0) total += w[r] * rows_[at(r)].add_gradient(at_point, w[r], out, run);
    z_.pull_back(at_point, out, run);
    return out;
  }

  std::vector<Function> rows_;
  Commons z_;
  std::vector<const Function*> functions_;  // rows, then what z are
  Pattern jacobian_pattern_;
  HessianPattern hessian_pattern_;
};

struct FunctionOfModel {
  Index dimension() const { return f->dimension(); }
  double value(In x) const {
    Vector out(1);
    f->values(x, out);
    return out[0];
  }
  double value_and_gradient(In x, Out g) const { return f->gradient(x, Vector::Ones(1), g); }
  void hessian_times(In x, In d, Out out) const { f->hessian_times(x, Vector::Ones(1), d, out); }
  Operator hessian(In x) const { return f->hessian(x, Vector::Ones(1)); }

  std::shared_ptr<const Rows> f;  // one
};

struct RowsOfModel {
  Index input_dimension() const { return rows->dimension(); }
  Index output_dimension() const { return rows->size(); }
  void evaluate(In x, Out out) const { rows->values(x, out); }
  void adjoint(In x, In w, Out out) const { rows->gradient(x, w, out); }
  void derivative(In x, In d, Out out) const { out = jacobian(x).times(d); }
  Operator jacobian(In x) const { return rows->jacobian(x); }
  void hessian_times(In x, In w, In d, Out out) const { rows->hessian_times(x, w, d, out); }
  Operator hessian(In x, In w) const { return rows->hessian(x, w); }

  std::shared_ptr<const Rows> rows;
};

}  // namespace

Objective objective_of(Function f, const Commons& commons) {
  if (f.is_quadratic()) return QuadraticOfModel(f, commons.variables);
  return FunctionOfModel{std::make_shared<const Rows>(std::vector{std::move(f)}, commons)};
}

Map map_of(std::vector<Function> rows, const Commons& commons) {
  if (!std::all_of(rows.begin(), rows.end(), [](const Function& f) { return f.is_affine(); }))
    return RowsOfModel{std::make_shared<const Rows>(std::move(rows), commons)};
  std::vector<SparseEntry> entries;
  Vector shift(std::ssize(rows));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto& [i, c] : rows[r].linear) entries.emplace_back(static_cast<int>(r), static_cast<int>(i), c);
    shift[static_cast<Index>(r)] = rows[r].constant;
  }
  SparseMatrix A(std::ssize(rows), commons.variables);
  A.setFromTriplets(entries.begin(), entries.end());
  A.makeCompressed();
  return Affine(std::move(A), std::move(shift));
}

}  // namespace pendec::io::nl
