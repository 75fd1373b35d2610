// Random instances of every class of problems that comes with bounds or proofs, held against the truth: no `optimal`
// that is not, no bound beyond the optimum, no `infeasible` or `unbounded` that is not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pendec/core/random.hpp"

namespace pendec::reference {

/// Where the numbers of an instance come from: a generator, or the bytes of a fuzzer.
class Draw {
 public:
  virtual ~Draw() = default;
  virtual double uniform() = 0;  // [0, 1)

  double between(double a, double b) { return a + (b - a) * uniform(); }
  Index below(Index n) { return static_cast<Index>(uniform() * static_cast<double>(n)); }
  bool chance(double p) { return uniform() < p; }
  double plain();  // a number of few digits, between −3 and 3
  Matrix matrix(Index rows, Index cols);
  Vector vector(Index n) { return matrix(n, 1); }
};

class RandomDraw final : public Draw {
 public:
  explicit RandomDraw(std::uint64_t seed) : random_(seed) {}
  double uniform() override { return random_.uniform(); }

 private:
  Random random_;
};

/// Two bytes a number; zeros where they end.
class BytesDraw final : public Draw {
 public:
  explicit BytesDraw(std::string_view bytes) : bytes_(bytes) {}
  double uniform() override;

 private:
  std::string_view bytes_;
};

struct Verdict {
  std::string wrong;     // empty: everything that was claimed is true
  bool proved = false;   // a global optimum was claimed, or that there is no feasible point
  bool refused = false;  // the instance was not accepted
};

inline constexpr std::string_view claim_classes[] = {"sparse_qp",   "union",   "front_door",
                                                     "correlation", "max_cut", "regression"};

/// Nasty: singular and nearly singular matrices, condition to 1e16, scales of 1e±150, denormal numbers, repeated,
/// redundant and contradictory rows, boxes of width zero.
Verdict check_claims(std::string_view problem_class, Draw& draw, bool nasty);

}  // namespace pendec::reference
