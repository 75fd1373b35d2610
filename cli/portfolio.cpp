// pendec portfolio FILE: from returns to a certified sparse portfolio or to the efficient frontier.
#include "pendec/solvers/sparse/portfolio.hpp"

#include <algorithm>
#include <cmath>

#include "cli/columns.hpp"
#include "cli/report.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/csv.hpp"
#include "pendec/io/matrix_file.hpp"

namespace pendec::cli {
namespace {

struct PortfolioArguments {
  std::string returns, covariance, mean;
  std::string prices;  // log, simple: the table holds prices
  std::string missing = "refuse";
  double unit = 1.0;
  PortfolioOptions options;
  Forced forced;
  Index frontier = 0;
  const Outputs* outputs = nullptr;
};

/// Is this what a column of dates is called?
bool names_dates(std::string_view text) {
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* known : {"", "date", "day", "week", "month", "quarter", "year", "time", "period"})
    if (name == known) return true;
  return false;
}

/// A first column of labels: text, or numbers under a name for dates.
bool has_dates(const io::CsvTable& table) {
  if (table.rows() == 0 || table.columns() < 2) return false;
  if (!io::parse_number(table.text(0, 0))) return !table.is_missing(0, 0);
  if (!table.has_header()) return false;
  const std::string& name = table.names().front();
  return names_dates(name);
}

/// With the header that a word for dates in the first cell announces, though the names of assets may be numbers.
io::CsvTable read_dated_csv(const std::string& path, io::Allow allow) {
  io::CsvTable table = io::read_csv(path, {.allow = allow});
  if (table.has_header() || table.rows() < 2 || table.text(0, 0).empty() || !names_dates(table.text(0, 0)))
    return table;
  return io::read_csv(path, {.header = io::Header::yes, .allow = allow});
}

struct ReturnsTable {
  std::vector<std::string> assets;
  Matrix values;
  bool dates = false;  // in the first column
};

/// Without the rows, or the columns, that have a missing cell; says how many went.
ReturnsTable without_missing(ReturnsTable table, const std::string& how, bool quiet) {
  std::vector<Index> rows, columns;
  for (Index i = 0; i < table.values.rows(); ++i)
    if (how != "drop-rows" || !table.values.row(i).hasNaN()) rows.push_back(i);
  for (Index j = 0; j < table.values.cols(); ++j)
    if (how != "drop-assets" || !table.values.col(j).hasNaN()) columns.push_back(j);
  if (rows.empty() || columns.empty())
    throw InvalidArgument(
        "--missing", how,
        fmt::format("something that is left: every {} has a missing cell", rows.empty() ? "row" : "asset"));
  ReturnsTable kept{{}, table.values(rows, columns), table.dates};
  for (const Index j : columns) kept.assets.push_back(table.assets[static_cast<std::size_t>(j)]);
  const auto report = [&](Index left, Index all, const char* what) {
    if (left < all && !quiet)
      show(stderr, "pendec: {} of {} {} have a missing cell and are dropped\n", all - left, all, what);
  };
  report(kept.values.rows(), table.values.rows(), "rows");
  report(kept.values.cols(), table.values.cols(), "assets");
  return kept;
}

void refuse_missing(const io::CsvTable& table, const std::vector<Index>& columns) {
  for (const Index j : columns)
    for (Index i = 0; i < table.rows(); ++i)
      if (table.is_missing(i, j))
        throw table.error(i, j, "a missing cell; --missing drop-rows or drop-assets leaves it out");
}

/// Returns change their sign now and then.
void doubt_prices(const PortfolioArguments& a, const ReturnsTable& table) {
  constexpr Index enough_rows = 10;
  if (a.prices.empty() && !a.outputs->quiet && table.values.rows() >= enough_rows && table.values.minCoeff() > 0.0)
    show(stderr, "pendec: no cell of {} is negative; if they are prices, not returns, say --prices\n", a.returns);
}

/// Years first, as in 2024-12-28, they are in order as texts; returns of prices need the order of time.
void require_ascending(const io::CsvTable& table) {
  const std::string_view first = table.text(0, 0), last = table.text(table.rows() - 1, 0);
  const auto year_first = [](std::string_view date) {
    return date.size() >= 7 && date[4] == '-' &&
           std::all_of(date.begin(), date.begin() + 4, [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  if (year_first(first) && year_first(last) && first > last)
    throw table.error(0, 0,
                      fmt::format("prices begin at {} and end at {}; expected the earliest date first", first, last));
}

ReturnsTable read_returns(const PortfolioArguments& a) {
  if (a.missing != "refuse" && a.missing != "drop-rows" && a.missing != "drop-assets")
    throw InvalidArgument("--missing", a.missing, "refuse, drop-rows or drop-assets");
  const bool allow = a.missing != "refuse";
  const io::CsvTable csv = read_dated_csv(a.returns, {.missing = allow});
  require_few_columns(a.returns, csv.columns());
  const bool dates = has_dates(csv);
  std::vector<Index> columns;
  for (Index j = dates ? 1 : 0; j < csv.columns(); ++j) columns.push_back(j);
  if (!allow) refuse_missing(csv, columns);
  ReturnsTable table{{}, csv.numbers(columns), dates};
  const auto names = completed_names(a.returns, csv.names(), csv.columns(), "asset {}");
  for (const Index j : columns) table.assets.push_back(names[static_cast<std::size_t>(j)]);
  if (!a.prices.empty()) {
    if (a.prices != "log" && a.prices != "simple") throw InvalidArgument("--prices", a.prices, "log or simple");
    if (dates) require_ascending(csv);
    table.values = returns_of_prices(table.values, a.prices == "log");
  }
  if (allow) table = without_missing(std::move(table), a.missing, a.outputs->quiet);
  doubt_prices(a, table);
  return table;
}

/// The mean returns in the order of the assets, if the file has names at all.
Vector mean_in_order(const std::string& path, const std::vector<std::string>& assets) {
  const Vector mean = vector_option("--mean", path, static_cast<Index>(assets.size()));
  const io::Labels labels = path.empty() ? io::Labels{} : io::read_labels(path);
  const auto& names = labels.rows.size() == assets.size() ? labels.rows : labels.columns;
  if (names.size() != assets.size()) return mean;
  require_distinct(path, names);
  Vector sorted(mean.size());
  for (std::size_t i = 0; i < assets.size(); ++i) {
    const auto place = std::find(names.begin(), names.end(), assets[i]);
    if (place == names.end())
      throw io::FileError(path,
                          fmt::format("has no mean return of {}, an asset of the covariance matrix", assets[i]));
    sorted[static_cast<Index>(i)] = mean[place - names.begin()];
  }
  return sorted;
}

Moments given_moments(const PortfolioArguments& a) {
  Moments m;
  m.covariance = io::read_symmetric_matrix(a.covariance).dense();
  const io::Labels labels = io::read_labels(a.covariance);
  for (std::size_t i = 0; i < labels.rows.size() && i < labels.columns.size(); ++i)
    if (labels.rows[i] != labels.columns[i])
      throw io::FileError(a.covariance,
                          fmt::format("row {} is named {}, column {} is named {}; expected the same names", i + 1,
                                      labels.rows[i], i + 1, labels.columns[i]));
  m.assets = completed_names(a.covariance, labels.columns, m.covariance.rows(), "asset {}");
  m.mean = !labels.columns.empty() ? mean_in_order(a.mean, m.assets)
                                   : vector_option("--mean", a.mean, m.covariance.rows());
  return m;
}

Moments moments_of(const PortfolioArguments& a) {
  if (a.returns.empty() == a.covariance.empty())
    throw InvalidArgument("FILE", a.returns.empty() ? "missing" : a.returns,
                          "either a table of returns or --covariance, not both");
  if (!a.covariance.empty() && a.mean.empty() && (a.options.nu != 0.0 || a.options.min_return || a.frontier > 0))
    throw InvalidArgument("--mean", "missing", "the mean returns, where a portfolio is to have a large one");
  if (a.returns.empty()) return given_moments(a);
  ReturnsTable table = read_returns(a);
  if (a.outputs->people())
    show("{:<14} {} rows of {} of {} assets, {}\n", "table", table.values.rows(), "returns", table.assets.size(),
         table.dates ? "after a column of dates" : "no column of dates");
  return sample_moments(std::move(table.assets), a.unit * table.values);
}

void print_portfolio(const Result& r) {
  print_result(r);
  if (r.has_point()) show("\n");
  const SparseDetails& d = r.sparse();
  for (std::size_t k = 0; k < d.support.size(); ++k)
    show("  {:<20} {:>10.4f} %\n", d.names[k], 100.0 * r.y[d.support[k]]);
}

/// One line per point, the weights of all assets in columns.
std::string frontier_csv(const Moments& m, const std::vector<Result>& frontier) {
  return csv_of(frontier, m.assets, "mean,volatility,variance,bound,status", [](const Result& r) {
    const PortfolioDetails& p = *r.sparse().portfolio;
    return fmt::format("{},{},{},{},{}", p.mean, p.volatility, 2.0 * r.f, 2.0 * r.bound, to_string(r.status));
  });
}

void print_frontier(const Moments& m, const std::vector<Result>& frontier) {
  show("{:>12} {:>12} {:>10} {:<11} {:>7} {:>9}  {}\n", "mean return", "volatility", "gap", "status", "assets",
       "seconds", "largest weights");
  for (const Result& r : frontier) {
    if (!r.has_point()) {
      show("{}: {}\n", to_string(r.status), r.message);
      continue;
    }
    std::vector<Index> order = r.sparse().support;
    std::sort(order.begin(), order.end(), [&](Index i, Index j) { return std::abs(r.y[i]) > std::abs(r.y[j]); });
    std::string weights;
    for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 3); ++k)
      weights += fmt::format("{} {:.1f} %  ", m.assets[static_cast<std::size_t>(order[k])], 100.0 * r.y[order[k]]);
    const PortfolioDetails& p = *r.sparse().portfolio;
    show("{:>12.6g} {:>12.6g} {:>10.1e} {:<11} {:>7} {:>9.4f}  {}\n", p.mean, p.volatility, r.gap(),
         to_string(r.status), order.size(), r.times.total, weights);
  }
}

/// The data, and what the command line asks of a portfolio of it.
struct Wanted {
  Moments moments;
  PortfolioOptions options;

  explicit Wanted(const PortfolioArguments& a) : moments(moments_of(a)), options(a.options) {
    options.s = std::min(options.s, moments.size());
    a.forced.apply(moments.assets, options);
  }
};

int run_portfolio(Index points, Wanted& wanted, Run& run) {
  const Moments& m = wanted.moments;
  wanted.options.solver = run.with_stop(wanted.options.solver);
  if (points == 0) {
    Result r = sparse_portfolio(m, wanted.options);
    return run.report(
        r, [&] { return csv_of(m.assets, r.y); }, [&] { print_portfolio(r); });
  }
  std::vector<Result> frontier = efficient_frontier(m, points, wanted.options);
  if (std::ssize(frontier) < points && !run.to().quiet)
    show(stderr, "pendec: {} of {} points, then the search ended\n", frontier.size(), points);
  return run.report(
      frontier, {}, [&] { return frontier_csv(m, frontier); }, [&] { print_frontier(m, frontier); });
}

}  // namespace

void add_portfolio(CLI::App& app, Job& job) {
  const auto a = std::make_shared<PortfolioArguments>();
  SolverCommand command(app, "portfolio", "A portfolio of few assets, to the certified optimum");
  command.input("FILE", a->returns, "Table of returns (CSV): one row per date, one column per asset");
  auto* covariance =
      command.input("--covariance", a->covariance, "Instead of FILE: the covariance matrix (CSV, mtx, npy)");
  command.input("--mean", a->mean, "With --covariance: the mean returns; left out: zero")->needs(covariance);
  command->add_option("--prices", a->prices, "FILE holds prices: take their log or simple returns")
      ->type_name("log|simple")
      ->excludes(covariance);
  command->add_option("--unit", a->unit, "Factor of the returns, such as 0.01 for percent")
      ->check(positive())
      ->excludes(covariance);
  command->add_option("--missing", a->missing, "Missing cells: refuse, drop-rows or drop-assets")
      ->excludes(covariance);
  command.fields(a->options, {{"s", ",--assets"}});
  a->forced.declare(command, "Assets that may always be held, and count", "Assets that are never held");
  command->add_option("--frontier", a->frontier, "So many points of the efficient frontier instead")
      ->type_name("POINTS")
      ->check(CLI::Range(2, 100000))
      ->excludes(command->get_option("--nu"));
  command.fields(a->options.solver);
  a->outputs = &command.outputs("the weights, of a frontier a line a point,");
  command.solves(
      job, [a] { return Wanted(*a); },
      [a](Wanted& wanted, Run& run) { return run_portfolio(a->frontier, wanted, run); },
      [](const Wanted& wanted, const Result& claimed) { return verify(wanted.moments, wanted.options, claimed); });
}

}  // namespace pendec::cli
