#include "pendec/core/projector.hpp"

namespace pendec {

LinearOperator::~LinearOperator() = default;
Projector::~Projector() = default;

std::optional<Factors> Projector::project(const LinearOperator&) { return std::nullopt; }

}  // namespace pendec
