#include "pendec/maps/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/core/scratch.hpp"

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
  Scratch part(x.size());
  out.setZero();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].adjoint(x, rows_of(w, k), *part);
    out += *part;
  }
}

void Stack::derivative(In x, In d, Out out) const {
  for (std::size_t k = 0; k < parts.size(); ++k)
    parts[k].derivative(x, d, out.segment(offsets[k], offsets[k + 1] - offsets[k]));
}

Operator Stack::jacobian(In x) const {
  std::vector<Operator> rows;
  for (const Map& part : parts) rows.push_back(part.jacobian(x));
  return Operator::stacked(std::move(rows));
}

bool Stack::has_jacobian() const {
  return std::all_of(parts.begin(), parts.end(), [](const Map& part) { return part.has_jacobian(); });
}

bool Stack::has_hessian() const {
  return std::all_of(parts.begin(), parts.end(), [](const Map& part) { return part.has_hessian(); });
}

void Stack::hessian_times(In x, In w, In d, Out out) const {
  Scratch part(x.size());
  out.setZero();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].hessian_times(x, rows_of(w, k), d, *part);
    out += *part;
  }
}

Operator Stack::hessian(In x, In w) const {
  std::vector<Operator> curved;
  for (std::size_t k = 0; k < parts.size(); ++k) curved.push_back(parts[k].hessian(x, rows_of(w, k)));
  return Operator::sum(std::move(curved));
}

std::optional<Operator> Stack::constant_jacobian() const {
  if (!std::all_of(parts.begin(), parts.end(), [](const Map& part) { return part.is_affine(); })) return std::nullopt;
  std::vector<Operator> rows;
  for (const Map& part : parts) rows.push_back(*part.constant_jacobian());
  return Operator::stacked(std::move(rows));
}

bool Stack::convex() const {
  return std::all_of(parts.begin(), parts.end(), [](const Map& part) { return part.convex(); });
}

std::optional<Operator> Stack::curvature_below(In at, In w) const {
  Matrix sum = Matrix::Zero(at.size(), at.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto part = parts[k].curvature_below(at, rows_of(w, k));
    if (!part) return std::nullopt;
    sum += part->dense();
  }
  return sum;
}

void Stack::tighten(In lower, In upper, Out least, Out greatest) const {
  for (std::size_t k = 0; k < parts.size(); ++k)
    parts[k].tighten(rows_of(lower, k), rows_of(upper, k), least, greatest);
}

void Stack::magnitude(In x, Out values, Out slopes) const {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Index begin = offsets[k], rows = offsets[k + 1] - begin;
    parts[k].magnitude(x, values.segment(begin, rows), slopes.segment(begin, rows));
  }
}

}  // namespace pendec
