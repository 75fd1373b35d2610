#include "pendec/maps/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

Stack::Stack(std::vector<Map> parts_) : parts(std::move(parts_)), offsets{0} {
  require(!parts.empty(), "Stack.maps.size()", Index{0}, "at least 1");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto field = fmt::format("Stack.maps[{}]", k);
    require(static_cast<bool>(parts[k]), field, std::string("missing"), "a map");
    require_dimension(field + ".input_dimension()", parts[k].input_dimension(), input_dimension());
    offsets.push_back(offsets.back() + parts[k].output_dimension());
  }
}

void Stack::evaluate(In x, Out out) const {
  for (std::size_t k = 0; k < parts.size(); ++k)
    parts[k].evaluate(x, out.segment(offsets[k], offsets[k + 1] - offsets[k]));
}

void Stack::adjoint(In x, In w, Out out) const {
  Vector part(x.size());
  out.setZero();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].adjoint(x, w.segment(offsets[k], offsets[k + 1] - offsets[k]), part);
    out += part;
  }
}

Matrix Stack::jacobian(In x) const {
  Matrix J(output_dimension(), input_dimension());
  for (std::size_t k = 0; k < parts.size(); ++k)
    J.middleRows(offsets[k], offsets[k + 1] - offsets[k]) = parts[k].jacobian(x);
  return J;
}

bool Stack::has_hessian() const {
  return std::all_of(parts.begin(), parts.end(), [](const Map& part) { return part.has_hessian(); });
}

void Stack::hessian_times(In x, In w, In d, Out out) const {
  Vector part(x.size());
  out.setZero();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].hessian_times(x, w.segment(offsets[k], offsets[k + 1] - offsets[k]), d, part);
    out += part;
  }
}

std::optional<ConstantJacobian> Stack::constant_jacobian() const {
  if (!std::all_of(parts.begin(), parts.end(), [](const Map& part) { return part.is_affine(); })) return std::nullopt;
  return ConstantJacobian{};
}

bool Stack::convex() const {
  return std::all_of(parts.begin(), parts.end(), [](const Map& part) { return part.convex(); });
}

}  // namespace pendec
