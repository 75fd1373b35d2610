// A nonlinear expression of a few variables as a list of operations: values forwards, derivatives backwards.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate.hpp"
#include "pendec/core/types.hpp"

namespace pendec::io::nl {

/// e(x[variables]). Slots 0, …, k − 1 are the variables, then one for each step, the last of which is e.
struct Tape {
  struct Step {
    Op op;
    std::int32_t first = 0, count = 0;  // of its arguments among `arguments`
    double value = 0.0;                 // of a number; of a sum with coefficients: what is added
    bool weighted = false;              // a sum whose arguments have coefficients
  };

  double weight = 1.0;
  std::vector<Index> variables = {};  // distinct, in their order
  std::vector<Step> steps = {};
  std::vector<std::int32_t> arguments = {};  // slots
  std::vector<double> coefficients = {};     // beside the arguments of weighted sums

  std::size_t slots() const { return variables.size() + steps.size(); }
};

/// Evaluates tapes one after the other in memory of its own, which it keeps.
class TapeRunner {
 public:
  /// e at x; what follows is for this tape and this point.
  double value(const Tape& tape, In x);

  /// Appends the pieces that were taken, of all steps that have several; after value().
  void add_pieces(const Tape& tape, std::vector<int>& out);

  /// ∂e by its variables, in their order.
  const double* gradient(const Tape& tape);

  /// ∇²e d for d given in the order of the variables; after gradient().
  const double* hessian_times(const Tape& tape, const double* d);

 private:
  std::vector<double> values_, adjoints_, dots_, adjoint_dots_, arguments_;
  std::vector<Partials> partials_;
};

}  // namespace pendec::io::nl
