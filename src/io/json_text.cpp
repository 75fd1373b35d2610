#include "json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pendec/io/file_error.hpp"

namespace pendec::io {
namespace {

constexpr std::size_t max_depth = 64;
constexpr std::size_t max_keys = 256;  // ordered objects look keys up one by one

/// Reads without building anything, so that what is refused costs no memory.
class Examiner final : public nlohmann::json_sax<Json> {
 public:
  explicit Examiner(std::string_view source_name) : source_name_(source_name) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }

  bool key(string_t& name) override {
    auto& keys = keys_.back();
    if (std::find(keys.begin(), keys.end(), name) != keys.end())
      refuse(fmt::format("the key \"{}\" occurs twice in one object", name));
    if (keys.size() == max_keys) refuse(fmt::format("more than {} keys in one object", max_keys));
    keys.push_back(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    position_ = position;
    message_ = error.what();
    return false;
  }

  std::size_t position() const { return position_; }
  const std::string& message() const { return message_; }

 private:
  [[noreturn]] void refuse(const std::string& problem) const { throw FileError(source_name_, problem); }

  bool enter() {
    if (keys_.size() == max_depth) refuse(fmt::format("nested deeper than {} levels", max_depth));
    keys_.emplace_back();
    return true;
  }
  bool leave() { return keys_.pop_back(), true; }

  std::string_view source_name_;
  std::vector<std::vector<std::string>> keys_;
  std::size_t position_ = 0;
  std::string message_;
};

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …" without what FileError
/// says itself.
std::string plain(std::string message) {
  if (const auto bracket = message.find("] "); bracket != std::string::npos) message.erase(0, bracket + 2);
  if (message.starts_with("parse error at line"))
    if (const auto colon = message.find(": "); colon != std::string::npos) message.erase(0, colon + 2);
  return message;
}

[[noreturn]] void refuse_syntax(std::string_view text, std::string_view source_name, const Examiner& examiner) {
  const std::string_view before = text.substr(0, examiner.position() > 0 ? examiner.position() - 1 : 0);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto last = before.rfind('\n');
  const auto column = before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1;
  throw FileError(source_name, plain(examiner.message()), line, static_cast<Index>(column));
}

bool is_flat(const Json& value) {
  return std::none_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
}

void append(std::string& out, const Json& value, std::size_t indent) {
  if (!value.is_structured() || value.empty()) {
    out += value.dump();
    return;
  }
  const bool is_object = value.is_object();
  const bool one_line = !is_object && is_flat(value);
  const std::string inner = one_line ? "" : "\n" + std::string(indent + 2, ' ');
  out += is_object ? '{' : '[';
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    if (!first) out += one_line ? ", " : ",";
    first = false;
    out += inner;
    if (is_object) out += Json(key).dump() + ": ";
    append(out, item, indent + 2);
  }
  if (!one_line) out += "\n" + std::string(indent, ' ');
  out += is_object ? '}' : ']';
}

}  // namespace

Json parse_json(std::string_view text, std::string_view source_name) {
  Examiner examiner(source_name);
  if (!Json::sax_parse(text, &examiner)) refuse_syntax(text, source_name, examiner);
  return Json::parse(text);
}

std::string pretty(const Json& value) {
  std::string out;
  append(out, value, 0);
  return out += '\n';
}

}  // namespace pendec::io
