#include "pendec/io/result_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "../core/json.hpp"
#include "node.hpp"
#include "option_settings.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/problem_file.hpp"

namespace pendec::io {
namespace {

constexpr std::size_t max_result_bytes = std::size_t{1} << 30U;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Node get(const Node& node, std::string_view key) { return node.at(key, "a value: results have this key"); }

/// The names of an enumeration, which begins with 0.
template <class E>
E by_name(const Node& node, E last, std::string_view expected) {
  const std::string name = node.text();
  for (int k = 0; k <= static_cast<int>(last); ++k)
    if (to_string(static_cast<E>(k)) == name) return static_cast<E>(k);
  node.refuse(expected);
}

// read(node, value) for everything that json_of() writes.
void read(const Node& node, Status& value) { value = by_name(node, Status::node_limit, "a status"); }
void read(const Node& node, PairStationarity& value) { value = by_name(node, PairStationarity::S, "none, M, B or S"); }
void read(const Node& node, std::string& value) { value = node.text(); }
void read(const Node& node, Index& value) { value = node.integer(); }
void read(const Node& node, bool& value) {
  if (!node.json().is_boolean()) node.refuse("true or false");
  value = node.json().get<bool>();
}

/// null where it was not finite: then what stands for "not known", if that is infinite, or NaN.
void read(const Node& node, double& value) {
  if (!node.json().is_null())
    value = node.number();
  else if (std::isfinite(value))
    value = nan;
}

void read(const Node& node, Vector& value) {
  node.expect_array("an array of numbers");
  value = node.bounds(nan);
}

void read(const Node& node, Matrix& value) {
  const auto rows = static_cast<Index>(node.expect_array("an array of rows"));
  const auto cols = rows > 0 ? static_cast<Index>(node[0].expect_array("an array of numbers")) : Index{0};
  value.resize(rows, cols);
  for (Index i = 0; i < rows; ++i) value.row(i) = node[static_cast<std::size_t>(i)].bounds(nan, cols);
}

template <class T>
void read(const Node& node, std::optional<T>& value);
template <class T>
void read(const Node& node, std::vector<T>& values);
void read(const Node& node, Details& details);

template <pendec::detail::Listed T>
void read(const Node& node, T& value) {
  pendec::detail::for_each_member(value, [&](std::string_view name, auto& member) { read(get(node, name), member); });
}

template <class T>
void read(const Node& node, std::optional<T>& value) {
  if (!node.json().is_null()) read(node, value.emplace());
}

template <class T>
void read(const Node& node, std::vector<T>& values) {
  values.resize(node.expect_array("an array"));
  for (std::size_t k = 0; k < values.size(); ++k) read(node[k], values[k]);
}

/// The alternative whose type is named.
template <std::size_t k = 0>
void read_details(const Node& node, const std::string& type, Details& details) {
  if constexpr (k < std::variant_size_v<Details>) {
    if (std::variant_alternative_t<k, Details>::type == type) return read(node, details.emplace<k>());
    read_details<k + 1>(node, type, details);
  } else {
    get(node, "type").refuse("a class of problems that this program knows");
  }
}
void read(const Node& node, Details& details) { read_details(node, get(node, "type").text(), details); }

constexpr Index format = 2;

ResultFile result_of(const Node& root) {
  const Node version =
      root.at("pendec_result", "the version of the format, 2: what commands write with --output has it");
  if (version.integer() != format) version.refuse("2, the version of the format that this program reads");
  ResultFile file;
  read(root, file.result);
  file.result.options = OptionSettings{.settings = read_settings(get(root, "options"))}.options();
  file.digest = get(root, "digest").text();
  file.expected_digest = digest(root.json());
  return file;
}

ResultFile the_only_one(std::vector<ResultFile> all) {
  if (all.size() != 1) throw InvalidArgument("the file", fmt::format("{} results", all.size()), "one result");
  return std::move(all.front());
}

}  // namespace

std::vector<ResultFile> parse_results(std::string_view text, std::string_view source_name) {
  const Json json = parse_json(text, source_name);
  Source source;
  const Node root(json, "", source);
  if (!json.is_object()) throw InvalidArgument("the file", "not an object", "a result as `pendec solve` writes it");
  const auto several = root.find("pendec_results");
  if (!several) return {result_of(root)};
  std::vector<ResultFile> all(several->expect_array("an array of results"));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = result_of((*several)[k]);
  return all;
}

ResultFile parse_result(std::string_view text, std::string_view source_name) {
  return the_only_one(parse_results(text, source_name));
}

std::vector<ResultFile> read_results(const std::filesystem::path& path) {
  const std::string text = read_text(path, max_result_bytes);
  try {
    return parse_results(text, path.string());
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", path.string(), error.field()), error.value(), error.expected());
  }
}

ResultFile read_result(const std::filesystem::path& path) { return the_only_one(read_results(path)); }

void write_result(const std::filesystem::path& path, const Result& result) {
  write_atomically(path, to_json(result));
}

}  // namespace pendec::io
