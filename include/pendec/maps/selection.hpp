// Coordinates picked out of x, and their embedding back.
#pragma once

#include <vector>

#include "pendec/core/map.hpp"

namespace pendec {

/// G(x) = x[indices] + shift, distinct indices. The diagonal of a matrix, one block of a product, all of x.
struct PENDEC_EXPORT Selection {
  Selection(Index n, std::vector<Index> indices, Vector shift = {});

  static Selection identity(Index n);
  static Selection diagonal(Index n);  // of an n × n matrix

  Index input_dimension() const { return n; }
  Index output_dimension() const { return static_cast<Index>(indices.size()); }
  void evaluate(In x, Out out) const;
  void adjoint(In x, In w, Out out) const;
  void derivative(In x, In d, Out out) const;
  Operator constant_jacobian() const { return Operator::selection(n, indices); }

  Index n;
  std::vector<Index> indices;
  Vector shift;
};

/// The embedding t ↦ Σ_k t_k e_{indices[k]} into n coordinates: the chart of a support or of a zero pattern.
struct PENDEC_EXPORT Embedding {
  Embedding(Index n, std::vector<Index> indices);

  Index input_dimension() const { return static_cast<Index>(indices.size()); }
  Index output_dimension() const { return n; }
  void evaluate(In t, Out x) const;
  void adjoint(In t, In w, Out out) const;
  void derivative(In t, In d, Out out) const;
  Operator constant_jacobian() const { return Operator::embedding(n, indices); }

  Index n;
  std::vector<Index> indices;
};

}  // namespace pendec
