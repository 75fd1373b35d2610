#include "pendec/core/random.hpp"

#include <bit>
#include <cmath>

namespace pendec {

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {  // splitmix64
    seed += 0x9e3779b97f4a7c15U;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    word = z ^ (z >> 31);
  }
}

std::uint64_t Random::bits() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  for (;;) {
    const double u = uniform(-1.0, 1.0);
    const double v = uniform(-1.0, 1.0);
    const double s = u * u + v * v;
    if (s >= 1.0 || s == 0.0) continue;
    const double scale = std::sqrt(-2.0 * std::log(s) / s);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }
}

Index Random::below(Index n) {
  const auto bound = static_cast<std::uint64_t>(n);
  const std::uint64_t rest = (0U - bound) % bound;  // 2^64 mod n values are refused
  for (;;) {
    const std::uint64_t r = bits();
    if (r >= rest) return static_cast<Index>(r % bound);
  }
}

Vector Random::uniform_vector(Index n, double a, double b) {
  Vector v(n);
  for (double& entry : v) entry = uniform(a, b);
  return v;
}

Vector Random::normal_vector(Index n) {
  Vector v(n);
  for (double& entry : v) entry = normal();
  return v;
}

Matrix Random::normal_matrix(Index rows, Index cols) {
  Matrix m(rows, cols);
  for (double& entry : m.reshaped()) entry = normal();
  return m;
}

}  // namespace pendec
