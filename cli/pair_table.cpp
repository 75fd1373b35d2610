#include "cli/pair_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/show.hpp"

namespace pendec::cli {
namespace {

/// What is rounding beside `scale` is shown as zero, unless the scale is out of all proportion; files have all
/// digits.
double shown(double value, double scale) { return std::abs(value) <= 1e-12 * std::min(scale, 1e3) ? 0.0 : value; }

}  // namespace

void print_leading(const Vector& x) {
  constexpr Index most = 20;
  const double scale = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
  for (Index i = 0; i < std::min(x.size(), most); ++i) show("  x[{}] = {:.10g}\n", i, shown(x[i], scale));
  if (x.size() > most) show("  ... {} more: --output or --json has them\n", x.size() - most);
}

void print_pair_table(const Result& r) {
  const PairsDetails& p = r.pairs();
  show("{:<15}{}\n", "stationary",
       p.stationarity == PairStationarity::none ? "not verified" : fmt::format("{}", to_string(p.stationarity)));
  print_leading(p.x);
  double scale = p.x.size() > 0 ? p.x.cwiseAbs().maxCoeff() : 0.0, nu_scale = r.certificate.gradient_scale;
  for (const PairReport& pair : p.table) {
    scale = std::max({scale, std::abs(pair.F), std::abs(pair.H)});
    nu_scale = std::max({nu_scale, std::abs(pair.nu_F), std::abs(pair.nu_H)});
  }
  const double feasible = r.options.driver.tolerance * std::max(r.certificate.feasibility_scale, scale);
  show("\n  pair   row            F            H         nu_F         nu_H\n");
  for (const PairReport& pair : p.table)
    show("{:>6}{:>6} {:>12.5g} {:>12.5g} {:>12.5g} {:>12.5g}{}{}\n", pair.constraint, pair.row, shown(pair.F, scale),
         shown(pair.H, scale), shown(pair.nu_F, nu_scale), shown(pair.nu_H, nu_scale),
         pair.biactive ? "  biactive" : "",
         pair.violation > feasible ? fmt::format("  violated by {:.2g}", pair.violation) : "");
}

}  // namespace pendec::cli
