#include "option_settings.hpp"

#include <algorithm>
#include <variant>

namespace pendec::io {
namespace {

/// A JSON value as the text that set_option reads; the type must be that of the option.
std::string option_text(const Node& node, const OptionValue& like) {
  const Json& value = node.json();
  if (std::holds_alternative<bool>(like)) {
    if (!value.is_boolean()) node.refuse("true or false");
    return value.get<bool>() ? "true" : "false";
  }
  if (std::holds_alternative<std::string>(like)) return node.text();
  if (value == "inf") return "inf";
  if (std::holds_alternative<Index>(like)) {
    // "no limit" as a number, 2⁶³ − 1, which readers of JSON that know only doubles round up
    if (value.is_number() && value.get<double>() >= 0x1p63) return "inf";
    return to_text(node.integer());
  }
  return to_text(node.number());
}

void append_settings(const Node& node, const std::string& prefix, std::vector<Setting>& out) {
  static const std::vector<OptionText> known = describe(Options{});
  if (!node.json().is_object()) node.refuse("an object");
  for (const auto& [key, value] : node.json().items()) {
    const Node child = *node.find(key);
    if (value.is_object()) {
      append_settings(child, prefix + key + ".", out);
      continue;
    }
    const std::string name = prefix + key;
    const auto option = std::find_if(known.begin(), known.end(), [&](const OptionText& o) { return o.name == name; });
    if (option == known.end())
      throw PathError(child.path(), "an unknown option", "one of those that `pendec list options` shows");
    Setting setting{name, option_text(child, option->typed)};
    try {
      Options scratch;
      set_option(scratch, setting.name, setting.value);
    } catch (const InvalidArgument& error) {
      throw PathError(child.path(), error.value(), error.expected());
    }
    out.push_back(std::move(setting));
  }
}

}  // namespace

std::vector<Setting> read_settings(const Node& node) {
  std::vector<Setting> out;
  append_settings(node, "", out);
  return out;
}

Json settings_json(const std::vector<Setting>& settings) {
  Json out = Json::object();
  for (const Setting& s : settings) {
    Options one;
    set_option(one, s.name, s.value);
    for (const OptionText& row : describe(one))
      if (row.name == s.name) out[s.name] = option_json(row);
  }
  return out;
}

Options OptionSettings::options() const {
  Options chosen;
  for (const Setting& s : settings)
    if (s.name == "method") set_option(chosen, s.name, s.value);
  if (preset != "default" && preset != "paper") throw InvalidArgument("preset", preset, "default or paper");
  Options out = preset == "paper" ? paper_preset(chosen.method) : default_preset(chosen.method);
  for (const Setting& s : settings) set_option(out, s.name, s.value);
  validate(out);
  return out;
}

}  // namespace pendec::io
