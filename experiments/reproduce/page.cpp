#include "experiments/reproduce/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/reproduce/build.hpp"
#include "experiments/reproduce/findings.hpp"
#include "experiments/reproduce/plan.hpp"
#include "experiments/reproduce/rows_file.hpp"
#include "experiments/reproduce/tables.hpp"

namespace pendec::experiments {
namespace {

std::string html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// JSON inside a script element: no "</script>" in a string may end it.
std::string embedded(const nlohmann::ordered_json& data) {
  std::string out;
  for (const char c : data.dump()) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string html_table(const std::string& caption, const std::vector<std::string>& columns, std::size_t names,
                       const std::vector<std::vector<std::string>>& rows) {
  const auto kind = [&](std::size_t j) { return j < names || columns[j] == "status" ? "" : " class=\"number\""; };
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table>"
      "<caption>{0}</caption>\n<thead><tr>",
      html(caption));
  for (std::size_t j = 0; j < columns.size(); ++j)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", kind(j), html(columns[j]));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    const bool ours = std::find(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(names), default_mode) !=
                      row.begin() + static_cast<std::ptrdiff_t>(names);
    out += ours ? "<tr class=\"ours\">" : "<tr>";
    for (std::size_t j = 0; j < row.size(); ++j) out += fmt::format("<td{}>{}</td>", kind(j), html(row[j]));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

/// The places of drawings; the script fills them.
std::string drawings(const std::string& experiment) {
  const auto canvas = [](std::string_view id, std::string_view label) {
    return fmt::format(
        "<figure><div class=\"chart\"><canvas id=\"{}\" role=\"img\" aria-label=\"{}\"></canvas></div>"
        "<figcaption>{}</figcaption></figure>\n",
        id, html(label), html(label));
  };
  if (experiment == "figure-6.1")
    return canvas(
               "profile-6.1",
               "Performance profile: share of instances on which a run ends within a multiple of the least time, at "
               "whatever value, as in the paper") +
           canvas("gap-6.1",
                  "Share of instances with at most this relative gap to the proven optimum; values below it, at "
                  "points that are infeasible, are at the left edge");
  if (experiment == "figure-6.3")
    return canvas("profile-6.3",
                  "Performance profile; a run that misses the global optimum counts as infinitely long");
  if (experiment == "figure-6.2")
    return canvas("trade-off", "Time against the distance of the objective from the best value known");
  return {};
}

std::string html_experiment(const Table& table, const std::vector<Row>& rows) {
  std::string out = fmt::format("<section id=\"{0}\" class=\"experiment\">\n<h2>{1}</h2>\n{2}", table.experiment,
                                html(table.title), drawings(table.experiment));
  out += html_table(table.title, table.columns, table.names, table.rows);
  for (const std::string& note : table.notes) out += fmt::format("<p class=\"note\">{}</p>\n", html(note));
  if (table.experiment == "figure-6.1" || table.experiment == "figure-6.3") {
    std::vector<Row> own;
    for (const Row& row : rows)
      if (row.experiment == table.experiment) own.push_back(row);
    const Table all = run_table(own);
    out += fmt::format("<details><summary>All {} runs</summary>\n{}</details>\n", own.size(),
                       html_table(table.title + ", run by run", all.columns, all.names, all.rows));
  }
  return out + "</section>\n";
}

/// The template with each {{name}} replaced; names occur in the template only, never in what replaces them.
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("{{", at);
    out += text.substr(at, open - at);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find("}}", open);
    const std::string_view name = text.substr(open + 2, close - open - 2);
    for (const auto& [key, value] : parts)
      if (key == name) out += value;
    at = close + 2;
  }
  return out;
}

}  // namespace

std::string page(const nlohmann::ordered_json& header, const Outcome& outcome) {
  const std::vector<Row>& rows = outcome.rows;
  std::string notice, summary, contents, sections, omitted;
  if (const std::string text = interruption(outcome); !text.empty())
    notice = fmt::format("<p class=\"notice\" role=\"note\">{}</p>\n", html(text));
  for (const Finding& finding : findings(rows))
    summary +=
        fmt::format("<li{}><strong>{}.</strong> {}</li>\n", finding.contradicts ? " class=\"contradicts\"" : "",
                    html(finding.heading), html(finding.text));
  for (const Table& table : tables(rows)) {
    contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", table.experiment, html(table.title));
    sections += html_experiment(table, rows);
  }
  for (const std::string& sentence : omissions(outcome)) omitted += fmt::format("<li>{}</li>\n", html(sentence));
  nlohmann::ordered_json data{{"rows", nlohmann::ordered_json::array()}};
  for (const Row& row : rows) {
    nlohmann::ordered_json object = to_json(row);
    object["solved"] = reaches_optimum(row);
    data["rows"].push_back(std::move(object));
  }
  std::string machine;
  for (const auto& [key, value] : header.items())
    machine += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html(key),
                           html(value.is_string() ? value.get<std::string>() : value.dump()));
  return filled(page_template, {{"style", std::string(page_style)},
                                {"notice", notice},
                                {"summary", summary.empty() ? "<li>No run is finished.</li>\n" : summary},
                                {"contents", contents},
                                {"sections", sections},
                                {"left_out", omitted.empty() ? "<li>nothing</li>" : omitted},
                                {"machine", machine},
                                {"data", embedded(data)},
                                {"chart", std::string(chart_library)},
                                {"script", std::string(page_script)}});
}

}  // namespace pendec::experiments
