// What solvers of programs with alternatives know beyond a Result, as JSON.
#include <nlohmann/json.hpp>
#include <utility>

#include "option_json.hpp"
#include "pendec/solvers/disjunctive.hpp"
#include "pendec/solvers/pair_program.hpp"

namespace pendec {
namespace {

using Json = nlohmann::ordered_json;

/// The JSON of the result with one entry more; the digest covers it.
std::string extended(const Result& result, const char* key, Json entry) {
  Json out = Json::parse(to_json(result));
  out.erase("digest");
  out[key] = std::move(entry);
  out["digest"] = digest(out);
  return out.dump(2);
}

}  // namespace

std::string to_json(const DisjunctiveResult& d) {
  return extended(d.result, "disjunctive",
                  {{"part", d.part},
                   {"screened", d.parts.screened},
                   {"bounded", d.parts.bounded},
                   {"infeasible", d.parts.infeasible},
                   {"solved", d.parts.solved},
                   {"unresolved", d.parts.unresolved},
                   {"bounds", json_array(d.bounds)}});
}

std::string to_json(const PairResult& p) {
  Json table = Json::array();
  for (const PairReport& pair : p.pairs)
    table.push_back({{"constraint", pair.constraint},
                     {"row", pair.row},
                     {"F", json_number(pair.F)},
                     {"H", json_number(pair.H)},
                     {"nu_F", json_number(pair.nu_F)},
                     {"nu_H", json_number(pair.nu_H)},
                     {"biactive", pair.biactive},
                     {"violation", json_number(pair.violation)}});
  return extended(p.result, "pairs",
                  {{"x", json_array(p.x)}, {"stationarity", to_string(p.stationarity)}, {"table", std::move(table)}});
}

}  // namespace pendec
