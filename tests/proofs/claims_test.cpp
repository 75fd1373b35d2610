#include <gtest/gtest.h>

#include "tests/proofs/claims.hpp"

namespace pendec {

/// 2000 instances in all, one third of them nasty.
TEST_P(Claims, AreTrue) { check(0, 400); }

}  // namespace pendec
