#include "pendec/io/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "../report/option_json.hpp"
#include "node.hpp"
#include "option_settings.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/problem_file.hpp"

namespace pendec::io {
namespace {

constexpr std::size_t max_result_bytes = std::size_t{1} << 30U;

Node get(const Node& node, std::string_view key) { return node.at(key, "a value: results have this key"); }

double number(const Node& node, double otherwise) { return node.json().is_null() ? otherwise : node.number(); }

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// null where the number was not finite.
Vector vector(const Node& node) {
  node.expect_array("an array of numbers");
  return node.bounds(nan);
}

bool boolean(const Node& node) {
  if (!node.json().is_boolean()) node.refuse("true or false");
  return node.json().get<bool>();
}

Status status(const Node& node) {
  const std::string name = node.text();
  for (int s = 0; s <= static_cast<int>(Status::gap_limit); ++s)
    if (to_string(static_cast<Status>(s)) == name) return static_cast<Status>(s);
  node.refuse("a status");
}

Certificate certificate(const Node& node) {
  Certificate c;
  const std::pair<const char*, double Certificate::*> residuals[] = {
      {"distance_C", &Certificate::distance_C},
      {"distance_D", &Certificate::distance_D},
      {"epsilon", &Certificate::epsilon},
      {"z", &Certificate::z},
      {"natural", &Certificate::natural},
      {"m_residual", &Certificate::m_residual},
      {"infeasibility_gradient", &Certificate::infeasibility_gradient},
      {"gradient_scale", &Certificate::gradient_scale},
      {"feasibility_scale", &Certificate::feasibility_scale},
      {"jacobian_scale", &Certificate::jacobian_scale},
      {"point_scale", &Certificate::point_scale}};
  for (const auto& [key, member] : residuals) c.*member = number(get(node, key), infinity);
  c.lambda_given = boolean(get(node, "lambda_given"));
  c.exact_normals = boolean(get(node, "exact_normals"));
  c.lambda = vector(get(node, "tuple_lambda"));
  c.z_vector = vector(get(node, "tuple_z"));
  return c;
}

PairCertificate pair_certificate(const Node& node) {
  PairCertificate c;
  const std::pair<const char*, double PairCertificate::*> residuals[] = {{"distance_C", &PairCertificate::distance_C},
                                                                         {"coupling", &PairCertificate::coupling},
                                                                         {"epsilon", &PairCertificate::epsilon},
                                                                         {"natural", &PairCertificate::natural},
                                                                         {"normal", &PairCertificate::normal}};
  for (const auto& [key, member] : residuals) c.*member = number(get(node, key), infinity);
  c.exact_normals = boolean(get(node, "exact_normals"));
  return c;
}

Counts counts(const Node& node) {
  Counts c;
  const std::pair<const char*, Index Counts::*> all[] = {{"f", &Counts::f},
                                                         {"gradient", &Counts::gradient},
                                                         {"G", &Counts::G},
                                                         {"adjoint", &Counts::adjoint},
                                                         {"project_C", &Counts::project_C},
                                                         {"project_D", &Counts::project_D},
                                                         {"outer", &Counts::outer},
                                                         {"inner", &Counts::inner},
                                                         {"x_steps", &Counts::x_steps},
                                                         {"fallbacks", &Counts::fallbacks}};
  for (const auto& [key, member] : all) c.*member = get(node, key).integer();
  return c;
}

std::vector<Progress> trace(const Node& node) {
  std::vector<Progress> rows(node.expect_array("an array of rows"));
  const std::pair<const char*, Index Progress::*> integers[] = {
      {"outer", &Progress::outer}, {"inner", &Progress::inner}, {"projections", &Progress::projections}};
  const std::pair<const char*, double Progress::*> numbers[] = {
      {"tau", &Progress::tau},           {"f", &Progress::f},
      {"coupling", &Progress::coupling}, {"violation", &Progress::violation},
      {"gradient", &Progress::gradient}, {"seconds", &Progress::seconds}};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Node row = node[k];
    for (const auto& [key, member] : integers) rows[k].*member = get(row, key).integer();
    for (const auto& [key, member] : numbers) rows[k].*member = number(get(row, key), nan);
  }
  return rows;
}

/// The entry `pairs`; without the result itself.
PairResult pairs(const Node& node) {
  PairResult p;
  p.x = vector(get(node, "x"));
  const std::string type = get(node, "stationarity").text();
  for (const auto known : {PairStationarity::none, PairStationarity::M, PairStationarity::S})
    if (to_string(known) == type) p.stationarity = known;
  if (to_string(p.stationarity) != type) get(node, "stationarity").refuse("none, M or S");
  const Node table = get(node, "table");
  p.pairs.resize(table.expect_array("an array of rows"));
  for (std::size_t k = 0; k < p.pairs.size(); ++k) {
    const Node row = table[k];
    const auto violation = row.find("violation");  // earlier files have none
    p.pairs[k] = {.constraint = get(row, "constraint").integer(),
                  .row = get(row, "row").integer(),
                  .F = number(get(row, "F"), nan),
                  .H = number(get(row, "H"), nan),
                  .nu_F = number(get(row, "nu_F"), nan),
                  .nu_H = number(get(row, "nu_H"), nan),
                  .biactive = boolean(get(row, "biactive")),
                  .violation = violation ? number(*violation, nan) : nan};
  }
  return p;
}

/// The entry `disjunctive`; without the result itself.
DisjunctiveResult disjunctive(const Node& node) {
  DisjunctiveResult d;
  d.part = get(node, "part").integer();
  const std::pair<const char*, Index PartCounts::*> all[] = {{"screened", &PartCounts::screened},
                                                             {"bounded", &PartCounts::bounded},
                                                             {"infeasible", &PartCounts::infeasible},
                                                             {"solved", &PartCounts::solved},
                                                             {"unresolved", &PartCounts::unresolved}};
  for (const auto& [key, member] : all) d.parts.*member = get(node, key).integer();
  d.bounds = vector(get(node, "bounds"));
  return d;
}

ResultFile result_of(const Node& root) {
  const Node version = root.at(
      "pendec_result", "the version of the format, 1: results of `pendec solve` and `pendec disjunctive` have it");
  if (version.integer() != 1) version.refuse("1, the version of the format that this program reads");
  ResultFile file;
  Result& r = file.result;
  r.version = get(root, "version").text();
  r.status = status(get(root, "status"));
  r.message = get(root, "message").text();
  r.method = get(root, "method").text();
  r.f = number(get(root, "f"), nan);
  r.f_x = number(get(root, "f_x"), nan);
  const Node search = get(root, "search");
  r.search = {get(search, "branch").text(), get(search, "solved").integer(), get(search, "neighbours").integer(),
              boolean(get(search, "exchange_optimal"))};
  r.bound = number(get(root, "bound"), -infinity);
  r.tau = number(get(root, "tau"), nan);
  r.certificate = certificate(get(root, "certificate"));
  r.pair = pair_certificate(get(root, "pair"));
  r.counts = counts(get(root, "counts"));
  const Node seconds = get(root, "seconds");
  r.times = {get(seconds, "total").number(), get(seconds, "project_D").number(), get(seconds, "polish").number()};
  r.x = vector(get(root, "x"));
  r.y = vector(get(root, "y"));
  r.lambda = vector(get(root, "lambda"));
  r.mu = vector(get(root, "mu"));
  r.trace = trace(get(root, "trace"));
  r.options = OptionSettings{.settings = read_settings(get(root, "options"))}.options();
  if (const auto entry = root.find("pairs")) {
    file.pairs = pairs(*entry);
    file.pairs->result = r;
  }
  if (const auto entry = root.find("disjunctive")) {
    file.disjunctive = disjunctive(*entry);
    file.disjunctive->result = r;
  }
  file.digest = get(root, "digest").text();
  return file;
}

}  // namespace

ResultFile parse_result(std::string_view text, std::string_view source_name) {
  const Json json = parse_json(text, source_name);
  Source source;
  const Node root(json, "", source);
  if (!json.is_object()) throw InvalidArgument("the file", "not an object", "a result as `pendec solve` writes it");
  ResultFile file = result_of(root);
  file.expected_digest = digest(json);
  return file;
}

ResultFile read_result(const std::filesystem::path& path) {
  const std::string text = read_text(path, max_result_bytes);
  try {
    return parse_result(text, path.string());
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", path.string(), error.field()), error.value(), error.expected());
  }
}

void write_result(const std::filesystem::path& path, const Result& result) {
  write_atomically(path, to_json(result));
}

}  // namespace pendec::io
