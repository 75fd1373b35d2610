#include "pendec/sets/singleton.hpp"

#include "pendec/core/error.hpp"

namespace pendec {

Singleton::Singleton(Vector point_) : point(std::move(point_)) {
  require(point.size() >= 1, "Singleton.point.size()", point.size(), "at least 1");
  require_finite("Singleton.point", point);
}

std::optional<LinearConstraints> Singleton::linear_constraints() const {
  LinearConstraints constraints = LinearConstraints::none(dimension());
  constraints.lower = constraints.upper = point;
  return constraints;
}

std::optional<Set> Singleton::scaled(In row) const { return Set(Singleton(point.cwiseQuotient(row))); }

}  // namespace pendec
