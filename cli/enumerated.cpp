#include "cli/enumerated.hpp"

#ifdef PENDEC_ENUMERATION

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "experiments/enumeration.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/union_of.hpp"

namespace pendec::cli {
namespace {

/// {x : A x ≤ b}?
bool has_rows_only(const Set& part) {
  const auto* polyhedron = part.as<Polyhedron>();
  if (!polyhedron) return false;
  const LinearConstraints& rows = polyhedron->prepared->data;
  return rows.b.size() > 0 && rows.d.size() == 0 && (rows.lower.array() == -infinity).all() &&
         (rows.upper.array() == infinity).all();
}

bool can_be_enumerated(const Problem& problem) {
  const auto* parts = problem.D.as<UnionOf>();
  if (!parts || !std::all_of(parts->parts.begin(), parts->parts.end(), has_rows_only)) return false;
  if (!problem.has_G()) return true;
  const auto* C = problem.C.as<Box>();
  return C && (C->lower.array() == -infinity).all() && (C->upper.array() == 0.0).all();
}

}  // namespace

std::optional<Enumerated> enumerated(const Problem& problem, In start, const std::function<bool()>& stop) {
  if (!can_be_enumerated(problem)) return std::nullopt;
  const auto begin = std::chrono::steady_clock::now();
  experiments::Enumeration found = experiments::enumerate_parts(problem, start, 0, stop);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return Enumerated{std::move(found.x), found.f, seconds.count(),
                    fmt::format("{} of {} parts feasible", found.solved, problem.D.as<UnionOf>()->parts.size())};
}

}  // namespace pendec::cli

#else

namespace pendec::cli {

std::optional<Enumerated> enumerated(const Problem&, In, const std::function<bool()>&) { return std::nullopt; }

}  // namespace pendec::cli

#endif
