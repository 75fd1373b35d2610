#include "presolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pendec/io/file_error.hpp"

namespace pendec::io::nl {
namespace {

constexpr double bound_rounding = 1e-9;      // bounds that contradict each other by less are meant to be equal
constexpr double least_coefficient = 1e-13;  // less is left of terms that cancelled before they were written

double size_of(double a, double b) {
  return 1.0 + std::max(std::isfinite(a) ? std::abs(a) : 0.0, std::isfinite(b) ? std::abs(b) : 0.0);
}

/// Do (side − constant)/coefficient say where bounds are, or how terms of these sizes were rounded?
bool is_determined(double coefficient, double cancelled, double lower, double upper, double constant,
                   double constants) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const auto side_is = [&](double side) {
    return !std::isfinite(side) || epsilon * (std::abs(side) + constants) <=
                                       bound_rounding * (std::abs(coefficient) + std::abs(side - constant));
  };
  return epsilon * cancelled <= bound_rounding * std::abs(coefficient) && side_is(lower) && side_is(upper);
}

class Presolver {
 public:
  Presolver(const File& file, Index objective, const std::vector<char>& untouched,
            const std::vector<std::string>& names)
      : file_(file), objective_(objective), untouched_(untouched), names_(names), builder_(file) {}

  Presolved run() {
    out_.maximise = objective_ >= 0 && file_.maximise[at(objective_)] != 0;
    out_.row_bounds = file_.row_bounds;
    out_.start = file_.start;
    out_.lower = file_.lower;
    out_.upper = file_.upper;
    out_.fixed = Vector::Zero(file_.variables);
    out_.place.assign(at(file_.variables), 0);
    if (objective_ >= 0) out_.objective = builder_.function(file_.objective_bodies[at(objective_)]);
    for (const Body& body : file_.row_bodies) out_.rows.push_back(builder_.function(body));
    out_.commons = builder_.commons_of(pointers(out_.objective, out_.rows));
    dropped_.assign(at(file_.rows), 0);
    is_fixed_.assign(at(file_.variables), 0);
    check_pairs();
    find_rows();
    fix_variables();
    bounds_of_rows();
    functions_of_what_is_left();
    find_copies();
    number_variables();
    collect_rows();
    return std::move(out_);
  }

 private:
  std::string name_of_variable(Index i) const {
    return at(i) < names_.size() ? names_[at(i)] : fmt::format("x[{}]", i);
  }

  static std::vector<const Function*> pointers(const Function& objective, const std::vector<Function>& rows) {
    std::vector<const Function*> out{&objective};
    for (const Function& row : rows) out.push_back(&row);
    return out;
  }

  void check_pairs() {
    in_pair_.assign(at(file_.variables), 0);
    for (Index r = 0; r < file_.rows; ++r) {
      const Row& row = file_.row_bounds[at(r)];
      if (row.variable < 0) continue;
      const bool lower = std::isfinite(file_.lower[row.variable]), upper = std::isfinite(file_.upper[row.variable]);
      if (((row.bounds_of_variable & 1) != 0 && !lower) || ((row.bounds_of_variable & 2) != 0 && !upper))
        throw FileError("the model", fmt::format("row {} is complementary to a bound of {} that is not there", r,
                                                 name_of_variable(row.variable)));
      ++in_pair_[at(row.variable)];
    }
  }

  void contradict(std::string why) {
    if (out_.contradiction.empty()) out_.contradiction = std::move(why);
  }

  void fix_variables() {
    for (Index i = 0; i < file_.variables; ++i) fix_if_equal(i);
  }

  void fix_if_equal(Index i) {
    double &lower = out_.lower[i], &upper = out_.upper[i];
    if (lower - upper > bound_rounding * size_of(lower, upper))
      return contradict(file_.discrete[at(i)]
                            ? fmt::format("no integer lies between the bounds of {}", name_of_variable(i))
                            : fmt::format("the bounds of {} contradict each other", name_of_variable(i)));
    if (lower > upper) lower = upper = 0.5 * (lower + upper);
    if (lower != upper || std::exchange(is_fixed_[at(i)], 1)) return;
    out_.fixed[i] = lower;
    builder_.fix(i, lower);
    fixed_any_ = true;
    for (const Index r : rows_of_[at(i)])
      if (--left_in_[at(r)] <= 1) waiting_.push_back(r);
  }

  /// Affine rows by their variables; those of one variable, or none, wait.
  void find_rows() {
    rows_of_.resize(at(file_.variables));
    left_in_.assign(at(file_.rows), 0);
    for (Index r = 0; r < file_.rows; ++r) {
      const Function& body = out_.rows[at(r)];
      if (file_.row_bounds[at(r)].variable >= 0 || !body.is_affine()) continue;
      for (const auto& [i, c] : body.linear) rows_of_[at(i)].push_back(r);
      left_in_[at(r)] = std::ssize(body.linear);
      if (left_in_[at(r)] <= 1) waiting_.push_back(r);
    }
  }

  /// Rows of one variable become bounds, which may fix it, which may leave one variable in other rows.
  void bounds_of_rows() {
    for (std::size_t k = 0; k < waiting_.size() && out_.contradiction.empty(); ++k)
      if (!dropped_[at(waiting_[k])]) bounds_of_row(waiting_[k]);
  }

  void bounds_of_row(Index r) {
    const Function& body = out_.rows[at(r)];
    const Row& row = file_.row_bounds[at(r)];
    Index variable = -1;
    double coefficient = 0.0, constant = body.constant, constants = std::abs(constant);
    for (const auto& [i, c] : body.linear) {
      if (is_fixed_[at(i)]) {
        constant += c * out_.fixed[i];
        constants += std::abs(c * out_.fixed[i]);
      } else {
        variable = i;
        coefficient = c;
      }
    }
    const bool empty = variable < 0 || (std::abs(coefficient) < least_coefficient && holds(constant, row));
    if (!empty && (untouched_[at(variable)] ||
                   !is_determined(coefficient, body.cancelled, row.lower, row.upper, constant, constants)))
      return;
    dropped_[at(r)] = 1;
    if (empty)
      empty_row(r, constant, row);
    else
      singleton_row(r, variable, coefficient, row.lower - constant, row.upper - constant);
  }

  static bool holds(double value, const Row& row) {
    const double slack = 10.0 * bound_rounding * size_of(row.lower, row.upper);
    return value >= row.lower - slack && value <= row.upper + slack;
  }

  void empty_row(Index r, double constant, const Row& row) {
    if (!holds(constant, row))
      contradict(
          fmt::format("row {} has no variable left, and its value {:g} is outside of its bounds", r, constant));
  }

  void singleton_row(Index r, Index i, double coefficient, double lower, double upper) {
    lower /= coefficient;
    upper /= coefficient;
    if (coefficient < 0.0) std::swap(lower, upper);
    SingletonRow row{.row = r, .variable = i, .coefficient = coefficient};
    if (lower > out_.lower[i]) {
      out_.lower[i] = lower;
      row.at_lower = true;
    }
    if (upper < out_.upper[i]) {
      out_.upper[i] = upper;
      row.at_upper = true;
    }
    if (row.at_lower || row.at_upper) out_.singletons.push_back(row);
    fix_if_equal(i);
  }

  /// With fixed variables as the numbers that they are.
  void functions_of_what_is_left() {
    objective_left_ = out_.objective;
    rows_left_ = out_.rows;
    out_.commons_left = out_.commons;
    if (!fixed_any_) return;
    const auto rebuilt = [&](const Function& f, const Body& body) {
      bool touched = false;
      f.for_each_variable([&](Index i) { touched = touched || i >= file_.variables || is_fixed_[at(i)] != 0; });
      return touched ? builder_.function(body) : f;
    };
    if (objective_ >= 0) objective_left_ = rebuilt(out_.objective, file_.objective_bodies[at(objective_)]);
    for (std::size_t r = 0; r < rows_left_.size(); ++r) rows_left_[r] = rebuilt(out_.rows[r], file_.row_bodies[r]);
    out_.commons_left = builder_.commons_of(pointers(objective_left_, rows_left_));
    // what the user's functions are built with no longer changes: rows are told in all variables
  }

  /// Of a variable that is only in one equation, where it is linear, and
  ///   is all that there is in one complementarity row: F is the equation solved for it;
  ///   or has its bounds for one complementarity row alone: H is.
  void find_copies() {
    const Index n = file_.variables;
    std::vector<Index> uses(at(n), 0), equation(at(n), -1), pair_row(at(n), -1);
    std::vector<Index> last_row(at(n), -1);
    const auto keep = [&](Index i) {
      if (i < n) uses[at(i)] += 3;
    };
    objective_left_.for_each_variable(keep);
    for (const Commons::Definition& z : out_.commons_left.definitions) z.function.for_each_variable(keep);
    for (Index r = 0; r < file_.rows; ++r) {
      if (dropped_[at(r)]) continue;
      const bool pair = file_.row_bounds[at(r)].variable >= 0;
      rows_left_[at(r)].for_each_variable([&](Index i) {
        if (i >= n) return;
        if (std::exchange(last_row[at(i)], r) != r) ++uses[at(i)];
        (pair ? pair_row : equation)[at(i)] = r;
      });
    }
    std::vector<Index> complement_of(at(n), -1);
    for (Index r = 0; r < file_.rows; ++r)
      if (const Index v = file_.row_bounds[at(r)].variable; v >= 0) complement_of[at(v)] = r;
    copy_of_.assign(at(n), -1);
    for (Index i = 0; i < n; ++i) {
      const Index e = equation[at(i)];
      if (is_fixed_[at(i)] || untouched_[at(i)] || e < 0 || dropped_[at(e)]) continue;
      const Row& row = file_.row_bounds[at(e)];
      const double coefficient = rows_left_[at(e)].coefficient(i);
      if (row.lower != row.upper || coefficient == 0.0 || !linear_only(rows_left_[at(e)], i)) continue;
      const bool body = in_pair_[at(i)] == 0 && uses[at(i)] == 2 && pair_row[at(i)] >= 0 &&
                        is_all_of(rows_left_[at(pair_row[at(i)])], i) && !std::isfinite(out_.lower[i]) &&
                        !std::isfinite(out_.upper[i]);
      const bool side = in_pair_[at(i)] == 1 && uses[at(i)] == 1 && bounds_are_for(complement_of[at(i)], i);
      if (!body && !side) continue;
      copy_of_[at(i)] = std::ssize(out_.copies);
      out_.copies.push_back({.variable = i,
                             .row = e,
                             .pair_row = body ? pair_row[at(i)] : -1,
                             .coefficient = coefficient,
                             .value = row.lower});
      dropped_[at(e)] = 1;
    }
    for (const Copy& copy : out_.copies) {
      if (copy.pair_row < 0) continue;
      Function& body = rows_left_[at(copy.pair_row)];
      const double factor = body.coefficient(copy.variable), constant = body.constant;
      body = solved_for(copy).scaled(factor);
      body.constant += constant;
    }
  }

  /// (value − rest of the row)/coefficient.
  Function solved_for(const Copy& copy) const {
    Function out = rows_left_[at(copy.row)].without(copy.variable).scaled(-1.0 / copy.coefficient);
    out.constant += copy.value / copy.coefficient;
    return out;
  }

  static bool linear_only(const Function& f, Index i) {
    for (const QuadraticTerm& p : f.products)
      if (p.i == i || p.j == i) return false;
    for (const Tape& tape : f.tapes)
      if (std::find(tape.variables.begin(), tape.variables.end(), i) != tape.variables.end()) return false;
    return true;
  }
  static bool is_all_of(const Function& f, Index i) {
    return f.is_affine() && f.linear.size() == 1 && f.linear.front().first == i;
  }
  bool bounds_are_for(Index r, Index i) const {
    const int k = file_.row_bounds[at(r)].bounds_of_variable;
    return std::isfinite(out_.lower[i]) == ((k & 1) != 0) && std::isfinite(out_.upper[i]) == ((k & 2) != 0) &&
           out_.lower[i] == file_.lower[i] && out_.upper[i] == file_.upper[i] && k != 0;
  }

  void number_variables() {
    const Index n = file_.variables;
    for (Index i = 0; i < n; ++i) {
      const bool left = !is_fixed_[at(i)] && copy_of_[at(i)] < 0;
      out_.place[at(i)] = left ? std::ssize(out_.kept) : -1;
      if (left) out_.kept.push_back(i);
    }
    for (Index i = 0; i < n && out_.kept.empty(); ++i)  // a problem has a variable
      if (copy_of_[at(i)] < 0) {
        out_.place[at(i)] = 0;
        out_.kept.push_back(i);
      }
    place_ = out_.place;
    Commons& z = out_.commons_left;
    place_.resize(at(std::max(n, z.size)), -1);
    z.variables = std::ssize(out_.kept);
    for (Index r = 0; r < file_.rows; ++r) z.variables += is_mixed(file_.row_bounds[at(r)]) ? 2 : 0;
    z.size = z.variables;
    for (const Commons::Definition& definition : z.definitions) place_[at(definition.place)] = z.size++;
    z.renumber(place_);
  }

  /// Between two bounds, neither of which is the other.
  bool is_mixed(const Row& row) const {
    return row.variable >= 0 && row.bounds_of_variable == 3 && file_.lower[row.variable] != file_.upper[row.variable];
  }

  Function renumbered(Function f) const {
    f.renumber(place_);
    return f;
  }

  /// H: how far a variable is above its lower, or below its upper bound.
  Function distance_to(Index variable, bool upper) const {
    const double bound = upper ? file_.upper[variable] : file_.lower[variable], sign = upper ? -1.0 : 1.0;
    Function out;
    if (const Index copy = copy_of_[at(variable)]; copy >= 0) {
      out = solved_for(out_.copies[at(copy)]).scaled(sign);
    } else if (is_fixed_[at(variable)]) {
      out.constant = sign * out_.fixed[variable];
    } else {
      out.linear = {{variable, sign}};
    }
    out.constant -= sign * bound;
    return renumbered(std::move(out));
  }

  void keep_row(Index r, double lower, double upper) {
    out_.kept_rows.push_back(r);
    out_.row_lower.push_back(lower);
    out_.row_upper.push_back(upper);
  }

  void collect_rows() {
    objective_left_.renumber(place_);
    out_.objective_left = std::move(objective_left_);
    for (Index r = 0; r < file_.rows; ++r) {
      const Row& row = file_.row_bounds[at(r)];
      if (dropped_[at(r)]) continue;
      rows_left_[at(r)].renumber(place_);
      const Function& body = rows_left_[at(r)];
      const Index v = row.variable;
      if (v < 0) {
        if (row.lower - row.upper > bound_rounding * size_of(row.lower, row.upper))
          contradict(fmt::format("the bounds of row {} contradict each other", r));
        if (std::isfinite(row.lower) || std::isfinite(row.upper))
          keep_row(r, row.lower, std::max(row.lower, row.upper));
        continue;
      }
      const bool lower = (row.bounds_of_variable & 1) != 0, upper = (row.bounds_of_variable & 2) != 0;
      const bool point = lower && upper && file_.lower[v] == file_.upper[v];
      if (point) continue;  // the row may be anything
      if (!lower && !upper)
        keep_row(r, 0.0, 0.0);
      else if (is_mixed(row))
        out_.mixed.push_back({.F = body,
                              .to_lower = distance_to(v, false),
                              .to_upper = distance_to(v, true),
                              .row = r,
                              .variable = v});
      else
        out_.pairs.push_back({.F = upper ? body.scaled(-1.0) : body,
                              .H = distance_to(v, upper),
                              .row = r,
                              .sign = upper ? -1.0 : 1.0,
                              .variable = v,
                              .H_slope = upper ? -1.0 : 1.0});
    }
    for (const Index r : out_.kept_rows) out_.functions.push_back(std::move(rows_left_[at(r)]));
  }

  const File& file_;
  Index objective_;
  const std::vector<char>& untouched_;
  const std::vector<std::string>& names_;
  FunctionBuilder builder_;
  Presolved out_;
  Function objective_left_;
  std::vector<Function> rows_left_;  // in the user's variables, fixed ones as numbers
  std::vector<char> dropped_, is_fixed_;
  std::vector<std::vector<Index>> rows_of_;  // affine ones, of each variable
  std::vector<Index> left_in_;               // how many of their variables are not fixed
  std::vector<Index> waiting_;               // rows to be looked at, in this order
  std::vector<Index> in_pair_;
  std::vector<Index> place_;    // as in Presolved, and of common expressions
  std::vector<Index> copy_of_;  // its place among the copies; −1: none
  bool fixed_any_ = false;
};

}  // namespace

Vector Presolved::restored(In reduced) const {
  Vector x = fixed;
  for (std::size_t k = 0; k < kept.size(); ++k) x[kept[k]] = reduced[static_cast<Index>(k)];
  TapeRunner runner;
  Vector all = commons.values(x, runner);  // copies are in none of them
  for (const Copy& copy : copies) {
    all[copy.variable] = 0.0;
    all[copy.variable] = (copy.value - rows[at(copy.row)].value(all, runner)) / copy.coefficient;
  }
  return all.head(x.size());
}

Presolved presolve(const File& file, Index objective, const std::vector<char>& untouched,
                   const std::vector<std::string>& names) {
  return Presolver(file, objective, untouched, names).run();
}

}  // namespace pendec::io::nl
