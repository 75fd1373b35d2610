// Our own generator: the same seed gives the same numbers with every compiler and standard library.
#pragma once

#include <array>
#include <cstdint>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// xoshiro256++ (Blackman & Vigna 2021), seeded by splitmix64. Uniform doubles take the top 53 bits;
/// normal ones come from Marsaglia's polar method.
class PENDEC_EXPORT Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t bits();
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }  // [0, 1)
  double uniform(double a, double b) { return a + (b - a) * uniform(); }
  double normal();
  Index below(Index n);  // 0, …, n − 1, without modulo bias

  Vector uniform_vector(Index n, double a, double b);
  Vector normal_vector(Index n);
  Matrix normal_matrix(Index rows, Index cols);

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace pendec
