#pragma once

namespace pendec::cli {

/// Solves the showcase problems with PD, PDLM and ALM and prints a table (or one JSON object a line). Exit code 0 if
/// every run ends at a point as good as a stationary one can be expected to be: 2 if one has no certificate.
int demo(bool json);

}  // namespace pendec::cli
