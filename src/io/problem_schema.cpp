// The JSON Schema of problem files, made from the tables that the reader uses.
#include <fmt/format.h>

#include "json_text.hpp"
#include "pendec/core/options.hpp"
#include "pendec/io/catalogue.hpp"

namespace pendec::io {
namespace {

Json ref(std::string_view name) { return {{"$ref", fmt::format("#/$defs/{}", name)}}; }
Json array_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
Json any_of(std::vector<Json> choices) { return {{"anyOf", std::move(choices)}}; }

/// An object with these properties and no others.
Json object(Json properties, std::vector<std::string_view> required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json of_kind(Kind kind) {
  switch (kind) {
    case Kind::dimension:
    case Kind::integer:
      return {{"type", "integer"}};
    case Kind::number:
      return {{"type", "number"}};
    case Kind::vector:
      return ref("vector");
    case Kind::bounds:
      return ref("bounds");
    case Kind::bound:
      return ref("bound");
    case Kind::matrix:
      return ref("matrix");
    case Kind::indices:
      return array_of({{"type", "integer"}});
    case Kind::names:
      return array_of({{"type", "string"}});
    case Kind::groups:
      return array_of(array_of({{"type", "integer"}}));
    case Kind::rectangles:
      return array_of(array_of(ref("bound")));
    case Kind::set:
      return ref("set");
    case Kind::sets:
      return array_of(ref("set"));
    case Kind::blocks:
      return array_of(object({{"name", {{"type", "string"}}}, {"set", ref("set")}}, {"set"}));
    case Kind::terms:
      return array_of(object({{"weight", {{"type", "number"}}}, {"objective", ref("objective")}}, {"objective"}));
    case Kind::maps:
      return array_of(ref("map"));
  }
  return {};
}

Json entry_schema(const Entry& entry) {
  Json properties = {{"type", {{"const", entry.name}}}};
  std::vector<std::string_view> required{"type"};
  for (const Parameter& p : entry.parameters) {
    Json schema = of_kind(p.kind);
    schema["description"] = p.text;
    properties[std::string(p.name)] = std::move(schema);
    if (p.required) required.push_back(p.name);
  }
  Json out = object(std::move(properties), std::move(required));
  out["description"] = entry.text;
  return out;
}

Json table_schema(const std::vector<Entry>& table) {
  std::vector<Json> choices;
  for (const Entry& entry : table) choices.push_back(entry_schema(entry));
  return {{"oneOf", std::move(choices)}};
}

Json option_schema(const OptionText& option) {
  Json out;
  if (std::holds_alternative<bool>(option.typed))
    out = {{"type", "boolean"}};
  else if (std::holds_alternative<std::string>(option.typed))
    out = {{"type", "string"}};
  else if (std::holds_alternative<Index>(option.typed))
    out = {{"type", "integer"}};
  else
    out = any_of({{{"type", "number"}}, {{"const", "inf"}}});
  out["description"] = option.text;
  return out;
}

/// Options by dotted name, or in an object for each group.
Json options_schema() {
  Json properties = Json::object();
  for (const OptionText& option : describe(Options{})) {
    properties[option.name] = option_schema(option);
    const auto dot = option.name.find('.');
    if (dot == std::string::npos) continue;
    Json& group = properties[option.name.substr(0, dot)];
    if (group.is_null()) group = object(Json::object(), {});
    group["properties"][option.name.substr(dot + 1)] = option_schema(option);
  }
  return object(std::move(properties), {});
}

}  // namespace

std::string problem_schema() {
  const Json number = {{"type", "number"}};
  const Json integer = {{"type", "integer"}};
  const Json text = {{"type", "string"}};
  const Json file = object({{"file", text}}, {"file"});
  const Json bound = any_of({number, {{"enum", {"inf", "-inf", nullptr}}}});
  Json definitions = {
      {"file", file},
      {"vector", any_of({number, array_of(number), ref("file")})},
      {"bound", bound},
      {"bounds", any_of({ref("bound"), array_of(ref("bound")), ref("file")})},
      {"matrix", any_of({array_of(array_of(number)), object({{"toeplitz", ref("vector")}}, {"toeplitz"}),
                         object({{"diagonal", ref("vector")}}, {"diagonal"}), ref("file")})},
      {"set", table_schema(sets())},
      {"objective", table_schema(objectives())},
      {"map", table_schema(maps())},
      {"options", options_schema()}};
  Json start = any_of({ref("vector"), ref("matrix"),
                       object({{"random", {{"enum", {"normal", "uniform"}}}}, {"scale", number}}, {"random"})});
  Json properties = {
      {"pendec", {{"const", 1}, {"description", "version of the format"}}},
      {"kind",
       {{"enum", {"problem", "pairs"}}, {"description", "how the problem is described; \"problem\" if left out"}}},
      {"name", text},
      {"description", text},
      {"objective", ref("objective")},
      {"space", array_of(object({{"name", text}, {"rows", integer}, {"cols", integer}}, {"name", "rows"}))},
      {"D", ref("set")},
      {"G", ref("map")},
      {"C", ref("set")},
      {"X", ref("set")},
      {"pairs", array_of(object({{"kind", {{"enum", {"complementarity", "switching", "vanishing", "either"}}}},
                                 {"F", ref("map")},
                                 {"H", ref("map")}},
                                {"kind", "F", "H"}))},
      {"start", std::move(start)},
      {"preset", {{"enum", {"default", "paper"}}}},
      {"options", ref("options")},
      {"seed", {{"type", "integer"}, {"minimum", 0}}}};
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "Problem file of pendec, version 1: min f(x) s.t. G(x) in C, x in D"}};
  schema.update(object(std::move(properties), {"pendec", "objective"}));
  schema["dependentRequired"] = {{"G", {"C"}}, {"C", {"G"}}};
  // the keys of one kind do not occur in the other
  schema["if"] = {{"properties", {{"kind", {{"const", "pairs"}}}}}, {"required", {"kind"}}};
  schema["then"] = {{"required", {"pairs"}}, {"properties", {{"D", false}, {"space", false}}}};
  schema["else"] = {{"properties", {{"pairs", false}, {"X", false}}}};
  schema["$defs"] = std::move(definitions);
  return pretty(schema);
}

}  // namespace pendec::io
