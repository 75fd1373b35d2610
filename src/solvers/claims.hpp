// Claims of results, one by one, as verify() collects them.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "pendec/core/error.hpp"
#include "pendec/solvers/verify.hpp"

namespace pendec::detail {

/// Equal up to rounding: relative to the numbers themselves, and to the scale of what they were computed from.
inline bool same_number(double claimed, double found, double scale) {
  const bool both_unknown = !std::isfinite(claimed) && !std::isfinite(found);
  return both_unknown || std::abs(claimed - found) <= 1e-9 * std::abs(found) + 1e-10 * scale;  // false for NaN
}

class Claims {
 public:
  std::vector<Claim> all;

  bool claim(std::string name, std::string claimed, std::string found, bool holds) {
    all.push_back({std::move(name), std::move(claimed), std::move(found), holds});
    return holds;
  }
  bool number(const std::string& name, double claimed, double found, double scale) {
    return claim(name, pendec::to_text(claimed), pendec::to_text(found), same_number(claimed, found, scale));
  }
  bool flag(const std::string& name, bool claimed, bool found) {
    const auto text = [](bool value) { return value ? "true" : "false"; };
    return claim(name, text(claimed), text(found), claimed == found);
  }
  bool size(const std::string& name, Index claimed, Index expected) {
    return claim(name + ".size()", pendec::to_text(claimed), pendec::to_text(expected), claimed == expected);
  }
  bool finite(const std::string& name, MatrixIn values) {
    const bool ok = values.allFinite();
    return claim(name, ok ? "finite" : "not finite", "finite numbers", ok);
  }
  bool vector(const std::string& name, const Vector& claimed, const Vector& found, double scale) {
    if (!size(name, claimed.size(), found.size())) return false;
    const double difference = found.size() > 0 ? (claimed - found).norm() : 0.0;
    return claim(name, "as written", "different by " + pendec::to_text(difference),
                 difference <= 1e-9 * found.norm() + 1e-10 * scale);
  }
  /// At most `most`, as it should be.
  bool at_most(const std::string& name, double found, double most) {
    return claim(name, "at most " + pendec::to_text(most), pendec::to_text(found), found <= most);
  }
  bool support(const SparseDetails& d, In coefficients) {
    std::vector<Index> found;
    for (Index i = 0; i < coefficients.size(); ++i)
      if (coefficients[i] != 0.0) found.push_back(i);
    return claim("details.support", pendec::to_text(std::ssize(d.support)) + " indices",
                 pendec::to_text(std::ssize(found)) + " nonzeros", d.support == found);
  }
  void status(const Result& r, bool holds, std::string found) {
    claim("status", std::string(to_string(r.status)), std::move(found), holds);
  }
};

/// A result of a ready solver, which may come without x and mu. `offset`: what the problem leaves out of f.
std::vector<Claim> verify_ready(const Problem& problem, const Result& result, double offset);

}  // namespace pendec::detail
