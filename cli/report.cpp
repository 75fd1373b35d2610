#include "cli/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/show.hpp"
#include "cli/solver_command.hpp"
#include "pendec/core/error.hpp"

namespace pendec::cli {

void add_confine(CLI::App& command, bool& confine) {
  command.add_flag(
      "--confine,!--no-confine", confine,
      fmt::format("Refuse data files outside the folder of the problem file{}", confine ? " (default)" : ""));
}

std::string in_words_of_the_command_line(const InvalidArgument& error) {
  static constexpr std::pair<std::string_view, std::string_view> others[] = {{"LinearModel.b", "--target, row "},
                                                                             {"SparseQp.Q", "the matrix"}};
  const std::string& field = error.field();
  const auto told = [&](const std::string& option) {
    return fmt::format("{} is {}; expected {}", option, error.value(), error.expected());
  };
  for (const auto& [name, words] : others)
    if (field == name || field.starts_with(fmt::format("{}[", name)))
      return told(std::string(words) + field.substr(name.size()));
  for (const char* owner : {"Options.", "Problem.", "SparseQp.", "LinearModel."})
    if (field.find(owner) != std::string::npos) return told(typed(field.substr(field.rfind('.') + 1)));
  return error.what();
}

void add_solvers(CLI::App& app, Job& job) {
  add_solve(app, job);
  add_sparse(app, job);
  add_portfolio(app, job);
  add_disjunctive(app, job);
  add_correlation(app, job);
  add_multitask(app, job);
  add_complete(app, job);
  add_maxcut(app, job);
}

int exit_code(Status status) {
  if (succeeded(status)) return solved;
  return status == Status::interrupted ? interrupted : not_solved;
}

namespace {

/// A member of details on one line; nothing for what is longer.
template <class T>
std::string on_one_line(const T& value) {
  if constexpr (detail::is_optional<T>)
    return value ? on_one_line(*value) : "";
  else if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return value.size() > 1 ? fmt::format("{:.12g}", fmt::join(value, ", ")) : "";
  else if constexpr (std::is_same_v<T, double>)
    return std::isfinite(value) ? computed(value) : "";
  else if constexpr (std::is_integral_v<T>)
    return to_text(value);
  else
    return "";
}

template <class T>
void print_members(const T& owner) {
  detail::for_each_member(owner, [](std::string_view name, const auto& value) {
    using Member = std::remove_cvref_t<decltype(value)>;
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    if constexpr (std::is_same_v<Member, std::optional<PortfolioDetails>>) {
      if (value) print_members(*value);
    } else if (const std::string text = on_one_line(value); !text.empty()) {
      print_row(words, text);
    }
  });
}

}  // namespace

void print_row(std::string_view name, const std::string& value) { show("{:<14} {}\n", name, value); }

void print_status(const Result& r) { print_row("status", fmt::format("{}: {}", to_string(r.status), r.message)); }

void print_stationarity(const Result& r) {
  const Certificate& c = r.certificate;
  const std::string remark = fmt::format("(relative{}{})", c.lambda_given ? "" : "; multiplier estimated",
                                         c.exact_normals ? "" : "; normals of D sampled");
  print_row("stationarity", computed(c.relative_stationarity(), "{:.1e} " + remark));
}

void print_work(const Result& r) { print_row("work", work_of(r)); }

void print_result(const Result& r) {
  print_status(r);
  print_row("method", r.method);
  if (r.has_point() && r.status != Status::infeasible) {
    print_row("objective", computed(r.f));
    if (r.bound > -infinity) print_row("bound", fmt::format("{:.12g} (proven; gap {:.1e})", r.bound, r.gap()));
    if (!r.search.branch.empty())
      print_row("branch",
                r.search.branch +
                    (r.search.exchange_optimal && r.search.neighbours > 0
                         ? fmt::format("; all {} branches one exchange away solved, none better", r.search.neighbours)
                         : ""));
    print_row("infeasibility", computed(r.certificate.relative_infeasibility(), "{:.1e} (relative)"));
    print_stationarity(r);
  }
  std::visit([](const auto& details) { print_members(details); }, r.details);
  print_work(r);
}

std::string computed(double value, std::string_view format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "not computed";
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",;\"\t\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

std::vector<std::string> csv_cells(std::vector<std::string> names) {
  for (std::string& name : names) name = csv_cell(name);
  return names;
}

std::string csv_of(const Matrix& rows, const std::vector<std::string>& columns, const std::vector<std::string>& heads,
                   const std::string& of_heads) {
  std::string text = of_heads;
  for (const std::string& name : columns) text += ',' + csv_cell(name);
  if (!columns.empty()) text += '\n';
  for (Index i = 0; i < rows.rows(); ++i) {
    if (!heads.empty()) text += heads[static_cast<std::size_t>(i)];
    for (Index j = 0; j < rows.cols(); ++j) text += (j > 0 || !heads.empty() ? "," : "") + to_text(rows(i, j));
    text += '\n';
  }
  return text;
}

std::string csv_of(std::vector<std::string> names, In values) {
  for (Index i = std::ssize(names); i < values.size(); ++i) names.push_back(to_text(i));
  return csv_of(Matrix(values), {"value"}, csv_cells(std::move(names)), "variable");
}

std::string csv_of(const std::vector<Result>& path, const std::vector<std::string>& names,
                   const std::string& of_heads, const std::function<std::string(const Result&)>& head) {
  std::vector<std::string> heads;
  Matrix rows(std::ssize(path), std::ssize(names));
  for (const Result& r : path) {
    if (!r.has_point()) continue;
    rows.row(std::ssize(heads)) = r.y.transpose();
    heads.push_back(head(r));
  }
  return csv_of(rows.topRows(std::ssize(heads)), names, heads, of_heads);
}

}  // namespace pendec::cli
