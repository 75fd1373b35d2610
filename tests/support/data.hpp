// Data for golden tests; a test that needs it skips, visibly, where it is not there.
#pragma once

#include <gtest/gtest.h>

#include "experiments/instances.hpp"

#define PENDEC_REQUIRE_DATA(variable)                                                \
  const auto found_##variable = pendec::experiments::data_folder(PENDEC_SOURCE_DIR); \
  if (!found_##variable) GTEST_SKIP() << "needs the data folder (PENDEC_DATA)";      \
  const std::filesystem::path variable = *found_##variable
