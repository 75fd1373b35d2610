#include "experiments/reproduce/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "experiments/reproduce/plan.hpp"

namespace pendec::experiments {
namespace {

using RowFilter = std::function<bool(const Row&)>;

std::vector<const Row*> those(const std::vector<Row>& rows, const RowFilter& filter) {
  std::vector<const Row*> out;
  for (const Row& row : rows)
    if (filter(row)) out.push_back(&row);
  return out;
}

/// The run of another algorithm on the same instance, or nothing.
const Row* beside(const std::vector<Row>& rows, const Row& row, std::string_view algorithm, std::string_view mode) {
  for (const Row& other : rows)
    if (other.experiment == row.experiment && other.instance == row.instance && other.algorithm == algorithm &&
        other.mode == mode)
      return &other;
  return nullptr;
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

bool is_correlation(const Row& row) {
  return row.experiment == "table-6.4" || row.experiment == "table-6.5" || row.experiment == "table-6.6";
}

bool is_decomposition(const Row& row) { return row.algorithm.starts_with("PD") || row.algorithm.starts_with("pd_"); }

bool is_portfolio(const Row& row) { return row.experiment == "figure-6.1" || row.experiment == "table-6.3"; }

bool is_disjunctive(const Row& row) { return row.experiment == "table-6.7" || row.experiment == "figure-6.3"; }

/// One unit of the last digit that the paper prints.
double last_digit(const Row& row) {
  if (row.experiment == "table-6.1") return 0.01;
  if (row.experiment == "table-6.3") return std::pow(10.0, std::floor(std::log10(std::abs(row.paper.f))) - 2.0);
  return 0.1;
}

/// The least seconds of the paper's runs on the instance of ours: of all, and of those that end as low as it.
struct Race {
  double all = infinity, as_good = infinity;
};

Race race(const std::vector<Row>& rows, const Row& ours) {
  constexpr double tolerance = 1e-4;
  Race out;
  for (const Row& row : rows) {
    if (row.experiment != ours.experiment || row.instance != ours.instance || row.mode != paper_mode) continue;
    if (row.algorithm == "single-task") continue;  // another problem
    out.all = std::min(out.all, row.seconds);
    if (row.f <= ours.f + tolerance * std::abs(ours.f) && row.infeasibility <= tolerance)
      out.as_good = std::min(out.as_good, row.seconds);
  }
  return out;
}

void add_overview(const std::vector<Row>& rows, std::vector<Finding>& out) {
  std::size_t total = 0, proved = 0, compared = 0, fastest = 0, fastest_of_good = 0;
  for (const Row* ours : those(rows, [](const Row& r) {
         return r.mode == default_mode && r.algorithm != "ALM" && r.experiment != "table-6.2";
       })) {
    ++total;
    proved += is_certified(*ours);
    const Race result = race(rows, *ours);
    if (result.all == infinity) continue;
    ++compared;
    fastest += ours->seconds < result.all;
    fastest_of_good += ours->seconds < result.as_good;
  }
  if (total == 0) return;
  std::string text = fmt::format("It proved the global optimum on {} of {} instances.", proved, total);
  if (compared > 0)
    text += fmt::format(
        " It was faster than every algorithm of the paper, run with the paper's settings in the same program, "
        "on {} of {}, and faster than every one that ended within 1e-4 of its value, relative, on {}.",
        fastest, compared, fastest_of_good);
  out.push_back({"Our default", text});
}

/// Are all counts of a row of Table 6.2 within three standard errors of the printed ones? Both are draws of so many
/// starts, so the variance of a share p is p(1 − p)(1/ours + 1/theirs).
bool same_ends(const Row& row) {
  const auto total = [](const std::vector<Index>& counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), Index{0}));
  };
  const double ours = total(row.ends), theirs = total(row.paper_ends);
  for (std::size_t k = 0; k < row.ends.size(); ++k) {
    const auto our_count = static_cast<double>(row.ends[k]), their_count = static_cast<double>(row.paper_ends[k]);
    const double share = (our_count + their_count) / (ours + theirs);
    const double error = std::sqrt(share * (1.0 - share) * (1.0 / ours + 1.0 / theirs));
    if (std::abs(our_count / ours - their_count / theirs) > 3.0 * error) return false;
  }
  return true;
}

/// Why no value can be compared with a printed one, for rows of which none can.
std::string why_incomparable(const std::vector<const Row*>& rows) {
  const auto printed = [](const Row* r) { return std::isfinite(r->paper.f); };
  if (std::none_of(rows.begin(), rows.end(), printed)) return "The paper prints no values for these runs.";
  const bool drawn =
      std::any_of(rows.begin(), rows.end(), [&](const Row* r) { return printed(r) && !is_disjunctive(*r); });
  return drawn
             ? "The instances of these runs were generated, and the printed values belong to the paper's own draws: "
               "with --data the instances are the paper's."
             : "The paper's disjunctive programs were never published: the printed values belong to other draws of "
               "the same kind.";
}

/// Values and iteration counts on the paper's own instances.
std::string agreement_of_values(const std::vector<const Row*>& printed_rows) {
  std::size_t agree = 0, counted = 0, same_count = 0;
  std::vector<std::string> others;
  bool portfolios = false;  // among them
  for (const Row* row : printed_rows) {
    const bool same = std::abs(row->f - row->paper.f) <= last_digit(*row) * (1.0 + 1e-9);
    agree += same;
    if (!same) {
      portfolios = portfolios || is_portfolio(*row);
      others.push_back(
          fmt::format("{} {} ({:.6g}, printed {:.6g})", row->instance, row->algorithm, row->f, row->paper.f));
    }
    if (row->paper.iterations <= 0) continue;
    ++counted;
    same_count += std::abs(static_cast<double>(row->inner - row->paper.iterations)) <=
                  0.005 * static_cast<double>(row->paper.iterations);
  }
  std::string text = fmt::format(
      "{} of {} values of the paper's algorithms agree with the printed ones to one unit of the last digit printed.",
      agree, printed_rows.size());
  if (counted > 0) text += fmt::format(" {} of {} iteration counts agree within 0.5 %.", same_count, counted);
  if (!others.empty()) {
    const std::size_t shown = std::min<std::size_t>(others.size(), 12);
    text += " The others: ";
    for (std::size_t k = 0; k < shown; ++k) text += (k ? ", " : "") + others[k];
    text += shown < others.size() ? fmt::format(" and {} more.", others.size() - shown) : std::string(".");
    if (portfolios) text += " The portfolios were computed with a wrong projection, of which more below.";
  }
  return text;
}

void add_agreement(const std::vector<Row>& rows, std::vector<Finding>& out) {
  const auto papers = those(rows, [](const Row& r) { return r.mode == paper_mode; });
  if (papers.empty()) return;
  const auto values = those(rows, [](const Row& r) {
    return r.mode == paper_mode && r.same_instance && std::isfinite(r.paper.f) && r.ends.empty();
  });
  const auto counts = those(rows, [](const Row& r) { return !r.ends.empty() && !r.paper_ends.empty(); });
  std::string text;
  if (!values.empty()) text += agreement_of_values(values);
  if (!counts.empty())
    text += fmt::format("{}{} of {} rows of Table 6.2 agree with the printed counts within three standard errors.",
                        text.empty() ? "" : " ",
                        std::count_if(counts.begin(), counts.end(), [](const Row* r) { return same_ends(*r); }),
                        counts.size());
  out.push_back({"The printed values", text.empty() ? why_incomparable(papers) : text});
}

void add_true_alm(const std::vector<Row>& rows, std::vector<Finding>& out) {
  std::vector<double> iterations, seconds;
  bool cut_short = false;  // then the ratios are too small
  std::size_t fastest = 0, total = 0;
  for (const Row* row : those(
           rows, [](const Row& r) { return is_correlation(r) && r.algorithm == "ALM" && r.mode == default_mode; })) {
    if (const Row* published = beside(rows, *row, "ALM", paper_mode)) {
      iterations.push_back(static_cast<double>(published->inner) /
                           static_cast<double>(std::max<Index>(row->inner, 1)));
      seconds.push_back(published->seconds / row->seconds);
      cut_short = cut_short || published->status == to_string(Status::max_time);
    }
    double best = infinity;
    for (const Row& other : rows)
      if (other.experiment == row->experiment && other.instance == row->instance && other.algorithm.starts_with("PD"))
        best = std::min(best, other.seconds);
    if (best == infinity) continue;
    ++total;
    fastest += row->seconds < best;
  }
  if (iterations.empty() && total == 0) return;
  std::string text =
      "The paper finds the augmented Lagrangian method slow on correlation matrices. The published program leaves "
      "out the spectral step that gives its inner method the name: every iteration starts from the same step length.";
  if (!iterations.empty())
    text += fmt::format(
        " With Barzilai-Borwein steps it needs {}{:.0f} times fewer iterations and {:.0f} times less time (medians "
        "of "
        "{} instances).",
        cut_short ? "at least " : "", middle(iterations), middle(seconds), iterations.size());
  if (total > 0)
    text += fmt::format(" It is then faster than every penalty decomposition run here on {} of {} matrices.", fastest,
                        total);
  out.push_back({"The true augmented Lagrangian method", text,
                 fastest > 0 || (!iterations.empty() && middle(iterations) > 1.0)});
}

void add_projection_error(const std::vector<Row>& rows, std::vector<Finding>& out) {
  const auto pdlm = those(rows, [](const Row& r) {
    return is_portfolio(r) && r.algorithm == "PDLM" && r.mode == paper_mode && std::isfinite(r.gap);
  });
  if (pdlm.empty()) return;
  const auto below = std::count_if(pdlm.begin(), pdlm.end(), [](const Row* r) { return r->f < r->lower_bound; });
  std::string text =
      "The published program adds one component too many when it projects onto the simplex, so the "
      "printed portfolio results of PD, PDLM and ALM belong to a slightly different problem. Here the "
      "projection is the correct one.";
  for (const Row* row : pdlm)
    if (row->instance == "FF48" && row->same_instance)
      text += fmt::format(" On FF48 PDLM then reaches {:.4g} instead of the printed {:.3g}.", row->f, row->paper.f);
  if (below > 0)
    text += fmt::format(
        " {} of {} values of PDLM lie below the proven optimum: its points are infeasible by up to the "
        "tolerance 1e-5.",
        below, pdlm.size());
  out.push_back({"The projection onto the simplex", text, true});
}

void add_freezing(const std::vector<Row>& rows, std::vector<Finding>& out) {
  const auto decomposed = those(rows, [](const Row& r) {
    return r.mode == paper_mode && r.ends.empty() && std::isfinite(r.stationarity) && is_decomposition(r);
  });
  if (decomposed.empty()) return;
  std::size_t uncertified = 0;
  std::vector<double> residuals;
  for (const Row* row : decomposed) {
    uncertified += row->status != "converged";
    residuals.push_back(row->stationarity);
  }
  out.push_back(
      {"Freezing",
       fmt::format("The paper stops when the penalty function decreases little, which proves nothing: with a "
                   "growing penalty the steps shrink wherever the method is. Of {} runs of penalty decomposition "
                   "with the paper's settings {} end at points that are not verified to be stationary to 1e-6; the "
                   "median residual is {:.0e}.",
                   decomposed.size(), uncertified, middle(residuals)),
       uncertified > 0});
}

void add_multitask(const std::vector<Row>& rows, std::vector<Finding>& out) {
  std::string cases;
  std::size_t total = 0, better = 0;
  bool generated = false;
  for (const Row* row : those(
           rows, [](const Row& r) { return r.experiment == "figure-6.2" && r.algorithm == "multitask_logistic"; })) {
    const Row* best = nullptr;
    for (const Row& other : rows)
      if (other.experiment == row->experiment && other.instance == row->instance && other.mode == paper_mode &&
          (!best || other.f < best->f))
        best = &other;
    if (!best) continue;
    ++total;
    generated = generated || !row->same_instance;
    better += best->f - row->f > 1e-4 * std::abs(row->f);
    cases += fmt::format("; {}: {:.4f} in {:.2g} s, against {:.4f} by {} in {:.2g} s", row->instance, row->f,
                         row->seconds, best->f, best->algorithm, best->seconds);
  }
  if (total == 0) return;
  out.push_back(
      {better > 0 ? "Better minima of the multitask problems" : "The minima of the multitask problems",
       fmt::format(
           "On {} of {} problems the best of the paper's settings stays above our minimum by more than "
           "1e-4, relative{}.{}",
           better, total, cases,
           generated ? " These tasks are generated; those of the paper, the landmine fields, come with --data." : ""),
       better > 0});
}

void add_always_global(const std::vector<Row>& rows, std::vector<Finding>& out) {
  const auto missed = [&](std::string_view algorithm) {
    std::size_t total = 0, bad = 0, infeasible = 0;
    for (const Row* row : those(rows, [&](const Row& r) {
           return is_disjunctive(r) && r.algorithm == algorithm && std::isfinite(r.gap);
         })) {
      ++total;
      bad += !reaches_optimum(*row);
      infeasible += !reaches_optimum(*row) && row->gap < 0.0;
    }
    return std::tuple{bad, infeasible, total};
  };
  const auto [pd, pd_infeasible, pd_total] = missed("PD");
  const auto [alm, alm_infeasible, alm_total] = missed("ALM");
  if (pd_total == 0) return;
  out.push_back(
      {"\"Always the global optimizer\" on disjunctive programs",
       fmt::format("The paper reports that PD always found the global optimum of its disjunctive programs. On "
                   "draws of the same kind it ended elsewhere on {} of {} ({} infeasible, the others above the "
                   "proven optimum by more than 1e-4, relative); ALM on {} of {} ({} infeasible).",
                   pd, pd_total, pd_infeasible, alm, alm_total, alm_infeasible),
       pd > 0});
}

void add_side_claims(const std::vector<Row>& rows, std::vector<Finding>& out) {
  std::string text;
  for (const Row* row : those(rows, [](const Row& r) { return r.instance == "tau0=0.01"; }))
    text += fmt::format("{} with tau0 = 0.01 ended at the global minimum from {} of {} starts (Table 6.2). ",
                        row->algorithm, row->ends[0], row->ends[0] + row->ends[1] + row->ends[2] + row->ends[3]);
  const auto share = [&](const char* words, const RowFilter& filter) {
    std::vector<double> shares;
    for (const Row* row : those(rows, filter))
      if (row->seconds > 0.0 && row->projections > 0) shares.push_back(row->projection_seconds / row->seconds);
    if (!shares.empty())
      text += fmt::format("{}: {:.0f} % of the time in projections (median). ", words, 100.0 * middle(shares));
  };
  share("PD on disjunctive programs", [](const Row& r) { return is_disjunctive(r) && r.algorithm == "PD"; });
  share("ALM on disjunctive programs", [](const Row& r) { return is_disjunctive(r) && r.algorithm == "ALM"; });
  share("PD-exact-lower-level on correlation matrices",
        [](const Row& r) { return is_correlation(r) && r.algorithm == "PD-exact-lower-level"; });
  for (const Row* row : those(rows, [](const Row& r) { return r.algorithm == "PD-exact+mu"; }))
    if (const Row* plain = beside(rows, *row, "PD-exact", paper_mode))
      text += fmt::format(
          "Multipliers on X = Y, which the paper calls not helpful, change PD-exact on {} from {} to {} "
          "iterations and f from {:.7g} to {:.7g}. ",
          row->instance, plain->inner, row->inner, plain->f, row->f);
  if (text.empty()) return;
  text.pop_back();
  out.push_back({"Claims in the text", text});
}

}  // namespace

std::vector<Finding> findings(const std::vector<Row>& rows) {
  std::vector<Finding> out;
  add_overview(rows, out);
  add_agreement(rows, out);
  add_true_alm(rows, out);
  add_projection_error(rows, out);
  add_freezing(rows, out);
  add_multitask(rows, out);
  add_always_global(rows, out);
  add_side_claims(rows, out);
  return out;
}

}  // namespace pendec::experiments
