// Objectives and rows: what is linear and quadratic in them as numbers, the rest as tapes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "file.hpp"
#include "pendec/core/operator.hpp"
#include "tape.hpp"

namespace pendec::io::nl {

using SparseEntry = Eigen::Triplet<double>;

/// value · x_i x_j, i ≤ j.
struct QuadraticTerm {
  Index i = 0, j = 0;
  double value = 0.0;
};

/// constant + Σ c_i x_i + Σ q_ij x_i x_j + Σ weight · tape, every variable and product once, in their order. Tapes
/// alone know common expressions, as variables after those of the model: see Commons.
struct Function {
  double constant = 0.0;
  LinearPart linear;
  std::vector<QuadraticTerm> products;
  std::vector<Tape> tapes;
  double cancelled = 0.0;  // the largest terms that add up to a coefficient: its rounding is relative to them

  bool is_affine() const { return products.empty() && tapes.empty(); }
  bool is_quadratic() const { return tapes.empty(); }
  double coefficient(Index variable) const;  // in the linear part

  double value(In x, TapeRunner& runner) const;
  /// out += factor · ∇; returns the value.
  double add_gradient(In x, double factor, Out out, TapeRunner& runner) const;
  /// ∇ᵀd.
  double slope_along(In x, In d, TapeRunner& runner) const;

  /// Appends which piece each part takes at x that is smooth in pieces alone.
  void add_pieces(In x, std::vector<int>& out, TapeRunner& runner) const;

  /// factor · this, and a linear term left out.
  Function scaled(double factor) const;
  Function without(Index variable) const;
  /// The variables by other numbers; none may be left out.
  void renumber(const std::vector<Index>& place);

  /// visit(variable) for each, some more than once.
  template <class Visit>
  void for_each_variable(Visit visit) const {
    for (const auto& [i, value] : linear) visit(i);
    for (const QuadraticTerm& p : products) visit(p.i), visit(p.j);
    for (const Tape& tape : tapes)
      for (const Index i : tape.variables) visit(i);
  }
};

/// Common expressions z that several functions use: variables for these, evaluated once for all of them. Each is a
/// function of x and of those before it; what is said about x follows by the chain rule.
struct Commons {
  struct Definition {
    Index place = 0;  // of its value in (x, z)
    Function function;
  };

  Index variables = 0;                       // x
  Index size = 0;                            // (x, z)
  std::vector<Definition> definitions = {};  // each after those that it uses

  bool empty() const { return definitions.empty(); }

  /// (x, z).
  Vector values(In x, TapeRunner& runner) const;
  /// (d, z'd) at (x, z).
  Vector push_forward(In at, In d, TapeRunner& runner) const;
  /// Slopes by x and z with all others held become those where z follows what it is made of.
  void pull_back(In at, Out slopes, TapeRunner& runner) const;
  /// d(x, z)/dx, with the same entries everywhere.
  SparseMatrix jacobian(In at, TapeRunner& runner) const;

  /// Those that these functions need, directly or not.
  Commons used_by(std::span<const Function> functions) const;
  void renumber(const std::vector<Index>& place);
};

/// Functions from the trees of a file. Sums are taken apart, down to their terms and into common expressions; terms
/// of degree two or less are multiplied out, each other one becomes a tape. Common expressions whose copies would be
/// long are variables in it, by their numbers in the file.
class FunctionBuilder {
 public:
  explicit FunctionBuilder(const File& file);
  ~FunctionBuilder();

  /// Variables with a value are replaced by it; from here on.
  void fix(Index variable, double value);
  Function function(const Body& body);

  /// Those that these functions, and the common expressions themselves, have as variables.
  Commons commons_of(std::span<const Function* const> functions);

 private:
  struct Polynomial;

  void find_shared();
  void flatten(Function& into, const Body& body);
  std::optional<double> number(std::int64_t root) const;
  bool may_be_polynomial(std::int64_t root);
  std::optional<Polynomial> polynomial(std::int64_t root);
  const std::optional<Polynomial>& of_common(Index k);
  std::optional<Polynomial> common_polynomial(Index k);
  bool apply(Op op, std::int32_t arguments, std::vector<Polynomial>& stack);
  Tape tape(std::int64_t root, double weight);
  bool may_expand(std::size_t terms);

  const File& file_;
  std::vector<std::optional<double>> fixed_;
  std::vector<Index> order_;  // of common expressions, in which each stands after those that it uses
  std::vector<char> shared_;  // common expressions that are variables where they are no polynomials
  std::vector<std::optional<Polynomial>> common_;
  bool stale_ = true;  // the polynomials of common expressions are to be made
  std::int64_t expansion_left_;
};

}  // namespace pendec::io::nl
