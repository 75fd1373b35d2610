// The figures that the paper prints: C. Kanzow, M. Lapucci, Inexact Penalty Decomposition Methods for Optimization
// Problems with Geometric Constraints, Comput. Optim. Appl. (2023), Section 6.
#pragma once

#include <array>
#include <string_view>

#include "experiments/reproduce/row.hpp"

namespace pendec::experiments {

/// Tables 6.1 and 6.3–6.7, by our names of experiment, instance and algorithm; nothing where nothing is printed.
Printed printed(std::string_view experiment, std::string_view instance, std::string_view algorithm);

/// Table 6.2: of 1000 runs, those that end at −41.33, −39, −36.33 and elsewhere. Below tau0 = 0.1, where the text
/// claims the same result as for 0.1, that one.
std::array<Index, 4> printed_ends(double tau0, bool multipliers);

}  // namespace pendec::experiments
