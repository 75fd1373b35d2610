// Settings of the paper's experiments that go beyond paper_preset(), shared by the program and the tests.
#pragma once

#include "pendec/core/options.hpp"

namespace pendec::experiments {

/// Table 6.1: PD with one of the x-updates; gradient descent with the authors' line search.
Options pd_with(XStep step);

/// PD, PDLM or ALM on sparse portfolios: tau0 and its growth for Figure 6.1 and for Table 6.3.
Options figure_6_1_options(Method method);
Options table_6_3_options(Method method);

/// Tables 6.4–6.6: ALM with the steps of Barzilai and Borwein that the published program leaves out, from x⁰ ∈ D.
Options true_alm_options();

/// Table 6.7 and Figure 6.3, Method::pdlm (the paper's PD) and Method::alm.
Options table_6_7_options(Method method);
Options figure_6_3_options(Method method);

}  // namespace pendec::experiments
