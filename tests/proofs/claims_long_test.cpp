#include <gtest/gtest.h>

#include "tests/proofs/claims.hpp"

namespace pendec {

/// 100 000 instances in all, one third of them nasty.
TEST_P(Claims, AreTrueOnManyMore) { check(400, 20'000); }

}  // namespace pendec
