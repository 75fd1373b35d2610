#include "pendec/core/problem.hpp"

#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"

namespace pendec {

Problem Problem::completed() const {
  require(static_cast<bool>(f), "Problem.f", std::string("missing"), "an objective");
  Problem p = *this;
  const Index n = f.dimension();
  require(n >= 1, "Problem.f.dimension()", n, "at least 1");
  if (!p.D) p.D = Free(n);
  require_dimension("Problem.D.dimension()", p.D.dimension(), n);
  require(static_cast<bool>(G) == static_cast<bool>(C), G ? "Problem.C" : "Problem.G", std::string("missing"),
          "both a map G and a set C, or neither");
  if (G) {
    require_dimension("Problem.G.input_dimension()", G.input_dimension(), n);
    require(G.output_dimension() >= 1, "Problem.G.output_dimension()", G.output_dimension(), "at least 1");
    require_dimension("Problem.C.dimension()", C.dimension(), G.output_dimension());
    require(C.convex(), "Problem.C", C.name(), "a convex set (nonconvex ones belong into D)");
  }
  if (p.space.blocks().empty()) p.space = Space::vector(n);
  require_dimension("Problem.space.dimension()", p.space.dimension(), n);
  return p;
}

Vector Problem::lagrangian_gradient(In x, In lambda) const {
  Vector gradient(dimension());
  f.value_and_gradient(x, gradient);
  if (!has_G() || lambda.size() != G.output_dimension()) return gradient;
  Vector adjoint(dimension());
  G.adjoint(x, lambda, adjoint);
  return gradient + adjoint;
}

}  // namespace pendec
