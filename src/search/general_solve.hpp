// What the general methods make of a problem: one method as it is or, by default, several starts in units of the
// problem, polished, and a search among the branches around what they find.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pendec/core/deadline.hpp"
#include "pendec/core/result.hpp"
#include "pendec/methods/run.hpp"

namespace pendec::detail {

/// Refers to all of its arguments. The result is the best point, in the user's units, without a certificate.
class GeneralSolve {
 public:
  GeneralSolve(const Problem& problem, const RunStart& start, const Options& options, const Hooks& hooks,
               Result& result);
  ~GeneralSolve();

  /// The settings that a route begins with; none: those of the general methods.
  void set_route(std::optional<Options> settings);
  /// Also in units of curvature.
  void use_units_of_curvature();
  void execute();

  const Deadline& deadline() const;
  double point_scale() const;             // the unit of x that normalisation found; 0 if there was none
  bool bottomless() const;                // the best point is feasible, and f so low there that it falls for ever
  std::string pick(bool feasible) const;  // what `automatic` picked, and why

 private:
  class Driver;
  std::unique_ptr<Driver> driver_;
};

}  // namespace pendec::detail
