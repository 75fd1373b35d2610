// Ipopt, the interior-point method for large sparse nonlinear programs, where it is part of the build.
#pragma once

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"
#include "pendec/subsolvers/nlp.hpp"

namespace pendec {

/// Was the library built with Ipopt?
PENDEC_EXPORT bool has_ipopt();

/// nlp() by Ipopt (A. Wächter and L. Biegler, Math. Program. 106, 2006), with the sparse Jacobian of G and Hessian of
/// the Lagrangian; limited-memory where f or G has no Hessian, or one with too many entries. Functions are called
/// between the bounds of D, but for a last step onto the bounds, which is left out where one throws beyond them;
/// other rows of D are met in the limit. One runs at a time in a process: its linear solver is not reentrant; others
/// wait. Without Ipopt the status is `unavailable`.
PENDEC_EXPORT NlpResult ipopt(const Problem& problem, In x0, const NlpOptions& options = {});

}  // namespace pendec
