#include "experiments/reproduce/rows_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "experiments/reproduce/build.hpp"
#include "pendec/io/file.hpp"
#include "pendec/version.hpp"

namespace pendec::experiments {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson number(double value) { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(); }

double read_number(const OrderedJson& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? unknown : found->get<double>();
}

OrderedJson trace_json(const std::vector<Progress>& trace) {
  OrderedJson out = OrderedJson::array();
  for (const Progress& p : trace)
    out.push_back(
        {number(p.seconds), p.projections, number(p.f), number(p.coupling), number(p.violation), number(p.tau)});
  return out;
}

/// The value of the first line "key : value" of /proc/cpuinfo.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

}  // namespace

OrderedJson to_json(const Row& row) {
  OrderedJson out{{"experiment", row.experiment},
                  {"instance", row.instance},
                  {"algorithm", row.algorithm},
                  {"mode", row.mode},
                  {"f", number(row.f)},
                  {"paper_f", number(row.paper.f)},
                  {"same_instance", row.same_instance},
                  {"infeasibility", number(row.infeasibility)},
                  {"explained", number(row.explained)},
                  {"stationarity", number(row.stationarity)},
                  {"lower_bound", number(row.lower_bound)},
                  {"gap", number(row.gap)},
                  {"status", row.status},
                  {"outer", row.outer},
                  {"inner", row.inner},
                  {"projections", row.projections},
                  {"paper_iterations", row.paper.iterations < 0 ? OrderedJson() : OrderedJson(row.paper.iterations)},
                  {"seconds", row.seconds},
                  {"cpu_seconds", row.cpu_seconds},
                  {"projection_seconds", row.projection_seconds},
                  {"paper_seconds", number(row.paper.seconds)}};
  if (!row.ends.empty()) out["ends"] = row.ends;
  if (!row.paper_ends.empty()) out["paper_ends"] = row.paper_ends;
  if (!row.trace.empty()) out["trace"] = trace_json(row.trace);
  return out;
}

Row row_from_json(const OrderedJson& object) {
  Row row{.experiment = object.at("experiment"),
          .instance = object.at("instance"),
          .algorithm = object.at("algorithm"),
          .mode = object.at("mode")};
  row.f = read_number(object, "f");
  row.paper = {.f = read_number(object, "paper_f"), .seconds = read_number(object, "paper_seconds")};
  if (const auto& iterations = object.at("paper_iterations"); !iterations.is_null())
    row.paper.iterations = iterations.get<Index>();
  row.same_instance = object.at("same_instance");
  row.infeasibility = read_number(object, "infeasibility");
  row.explained = read_number(object, "explained");
  row.stationarity = read_number(object, "stationarity");
  row.lower_bound = read_number(object, "lower_bound");
  row.gap = read_number(object, "gap");
  row.status = object.at("status");
  row.outer = object.at("outer");
  row.inner = object.at("inner");
  row.projections = object.at("projections");
  row.seconds = object.at("seconds");
  row.cpu_seconds = object.at("cpu_seconds");
  row.projection_seconds = object.at("projection_seconds");
  if (object.contains("ends")) row.ends = object["ends"].get<std::vector<Index>>();
  if (object.contains("paper_ends")) row.paper_ends = object["paper_ends"].get<std::vector<Index>>();
  if (object.contains("trace"))
    for (const OrderedJson& point : object["trace"]) {
      const auto at = [&](std::size_t k) { return point.at(k).is_null() ? unknown : point.at(k).get<double>(); };
      Progress p;
      p.seconds = at(0);
      p.projections = point.at(1).get<Index>();
      p.f = at(2);
      p.coupling = at(3);
      p.violation = at(4);
      p.tau = at(5);
      row.trace.push_back(p);
    }
  return row;
}

RowsFile read_rows(const std::filesystem::path& path) {
  std::istringstream text(io::read_text(path));
  RowsFile out;
  std::size_t line_number = 0;
  for (std::string line; std::getline(text, line);) {
    ++line_number;
    try {
      const OrderedJson object = OrderedJson::parse(line);
      if (line_number == 1)
        out.header = object.at("header");
      else
        out.rows.push_back(row_from_json(object));
    } catch (const nlohmann::json::exception& error) {
      if (line_number > 1 && text.peek() == std::istringstream::traits_type::eof()) break;  // cut off
      throw io::FileError(path.string(), fmt::format("not a row of results: {}", error.what()),
                          static_cast<Index>(line_number));
    }
  }
  return out;
}

void write_rows(const std::filesystem::path& path, const OrderedJson& header, const std::vector<Row>& rows) {
  std::string text = OrderedJson{{"header", header}}.dump() + '\n';
  for (const Row& row : rows) text += to_json(row).dump() + '\n';
  io::write_atomically(path, text);
}

OrderedJson machine_header() {
  return {{"program", fmt::format("pendec {}", version)},
          {"commit", build_commit},
          {"compiler", build_compiler},
          {"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
}

}  // namespace pendec::experiments
