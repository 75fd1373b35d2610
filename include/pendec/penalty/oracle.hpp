// The problem as the methods see it: every call counted, projections timed, NaN noticed.
#pragma once

#include <memory>
#include <stdexcept>

#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// A callback returned NaN or infinity where a number is needed. Caught by the run, which reports `not_finite`.
struct NotFinite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class PENDEC_EXPORT Oracle {
 public:
  explicit Oracle(const Problem& problem);

  const Problem& problem() const { return problem_; }
  Index dimension() const { return problem_.dimension(); }

  double f(In x);  // may be NaN: line searches step back from such points
  double f(In x, Vector& workspace);
  double f_and_gradient(In x, Out gradient);
  void G(In x, Out out);
  void adjoint(In x, In w, Out out);
  void project_C(In w, Out out);
  void project_D(In z, Out y);  // throws NotFinite when the projection is not finite

  Counts counts;
  Times times;

 private:
  const Problem& problem_;
  std::unique_ptr<Projector> projector_D_, projector_C_;
  Vector scratch_;
};

}  // namespace pendec
