#include "cli/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/command.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"

namespace pendec::cli {

void add_confine(CLI::App& command, bool& confine) {
  command.add_flag(
      "--confine,!--no-confine", confine,
      fmt::format("Refuse data files outside the folder of the problem file{}", confine ? " (default)" : ""));
}

int exit_code(Status status) {
  if (succeeded(status)) return solved;
  return status == Status::interrupted ? interrupted : not_solved;
}

void print_row(std::string_view name, const std::string& value) { show("{:<15}{}\n", name, value); }

std::string computed(double value, std::string_view format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "not computed";
}

Json to_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Matrix& rows) {
  Json out = Json::array();
  for (Index i = 0; i < rows.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < rows.cols(); ++j) row.push_back(rows(i, j));
    out.push_back(std::move(row));
  }
  return out;
}

Json to_json(const Certificate& c) {
  return {{"relative_infeasibility", to_json(c.relative_infeasibility())},
          {"relative_stationarity", to_json(c.relative_stationarity())},
          {"distance_C", to_json(c.distance_C)},
          {"distance_D", to_json(c.distance_D)},
          {"epsilon", to_json(c.epsilon)},
          {"gradient_scale", to_json(c.gradient_scale)}};
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",;\"\t\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

void write_matrix(const std::filesystem::path& path, const Matrix& matrix) {
  std::string text;
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (j > 0) text += ',';
      text += to_text(matrix(i, j));
    }
    text += '\n';
  }
  write_output(path, text);
}

}  // namespace pendec::cli
