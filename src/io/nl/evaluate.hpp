// The value of one operation, and its derivatives by its arguments.
#pragma once

#include <span>

#include "file.hpp"

namespace pendec::io::nl {

double evaluate(Op op, std::span<const double> arguments);

/// Which of its pieces an operation that is smooth in pieces takes; −1: it has but one.
int piece(Op op, std::span<const double> arguments);

/// Of operations with up to two arguments. What is linear in pieces has the derivatives of the piece.
struct Partials {
  double a = 0.0, b = 0.0;              // first
  double aa = 0.0, ab = 0.0, bb = 0.0;  // second
};
Partials partials(Op op, double a, double b, double value);

}  // namespace pendec::io::nl
