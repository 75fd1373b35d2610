#include "file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "../granted_size.hpp"
#include "../text.hpp"
#include "evaluate.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/io/number.hpp"

namespace pendec::io::nl {
namespace {

constexpr int any_number = -1;

/// An operation of the format, and how many arguments it has.
struct KnownOp {
  int code;
  int arguments;
  const char* name;
  bool read;
};

constexpr auto known_ops = std::to_array<KnownOp>({{0, 2, "+", true},
                                                   {1, 2, "-", true},
                                                   {2, 2, "*", true},
                                                   {3, 2, "/", true},
                                                   {4, 2, "mod", false},
                                                   {5, 2, "^", true},
                                                   {6, 2, "less", true},
                                                   {11, any_number, "min", true},
                                                   {12, any_number, "max", true},
                                                   {13, 1, "floor", false},
                                                   {14, 1, "ceil", false},
                                                   {15, 1, "abs", true},
                                                   {16, 1, "-", true},
                                                   {20, 2, "or", true},
                                                   {21, 2, "and", true},
                                                   {22, 2, "<", true},
                                                   {23, 2, "<=", true},
                                                   {24, 2, "==", true},
                                                   {28, 2, ">=", true},
                                                   {29, 2, ">", true},
                                                   {30, 2, "!=", true},
                                                   {34, 1, "not", true},
                                                   {35, 3, "if", true},
                                                   {37, 1, "tanh", true},
                                                   {38, 1, "tan", true},
                                                   {39, 1, "sqrt", true},
                                                   {40, 1, "sinh", true},
                                                   {41, 1, "sin", true},
                                                   {42, 1, "log10", true},
                                                   {43, 1, "log", true},
                                                   {44, 1, "exp", true},
                                                   {45, 1, "cosh", true},
                                                   {46, 1, "cos", true},
                                                   {47, 1, "atanh", true},
                                                   {48, 2, "atan2", true},
                                                   {49, 1, "atan", true},
                                                   {50, 1, "asinh", true},
                                                   {51, 1, "asin", true},
                                                   {52, 1, "acosh", true},
                                                   {53, 1, "acos", true},
                                                   {54, any_number, "sum", true},
                                                   {55, 2, "div", false},
                                                   {56, 2, "precision", false},
                                                   {57, 2, "round", false},
                                                   {58, 2, "trunc", false},
                                                   {59, any_number, "count", false},
                                                   {60, any_number, "numberof", false},
                                                   {61, any_number, "numberof", false},
                                                   {62, 2, "atleast", false},
                                                   {63, 2, "atmost", false},
                                                   {64, any_number, "piecewise-linear", false},
                                                   {65, 3, "if of strings", false},
                                                   {66, 2, "exactly", false},
                                                   {67, 2, "!atleast", false},
                                                   {68, 2, "!atmost", false},
                                                   {69, 2, "!exactly", false},
                                                   {70, any_number, "forall", false},
                                                   {71, any_number, "exists", false},
                                                   {72, 3, "==> else", false},
                                                   {73, 2, "<==>", false},
                                                   {74, any_number, "alldiff", false},
                                                   {75, 2, "^", true},
                                                   {76, 1, "^2", true},
                                                   {77, 2, "^", true}});

/// What is read in either form: the text from a place on.
class NlText {
 public:
  NlText(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  [[noreturn]] void fail(const std::string& problem) const {
    if (binary) throw FileError(name_, fmt::format("byte {}: {}", begin_, problem));
    throw FileError(name_, problem, std::max<Index>(line_, 1));
  }

  bool done() {
    begin_ = place_;
    if (!binary)  // blank lines at the end
      return text_.find_first_not_of(" \t\r\n", place_) == std::string_view::npos;
    return place_ >= text_.size();
  }

  std::size_t left() const { return text_.size() - place_; }
  bool ends_with_a_line() const { return binary || text_.ends_with('\n'); }

  /// The rest of the header's or a segment's line, without its comment. Only of texts.
  std::string_view line() {
    if (place_ >= text_.size()) {
      ++line_;
      fail("the file ends here, in the middle of the model");
    }
    const std::size_t end = std::min(text_.find('\n', place_), text_.size());
    std::string_view found = text_.substr(place_, end - place_);
    place_ = std::min(end + 1, text_.size());
    ++line_;
    found = found.substr(0, found.find('#'));
    while (!found.empty() && std::isspace(static_cast<unsigned char>(found.back()))) found.remove_suffix(1);
    return found;
  }

  /// The letter that a segment, a node or a bound begins with; what follows it on its line are `words`.
  char letter() {
    begin_ = place_;
    if (binary) {
      need(1);
      return text_[place_++];
    }
    rest_ = line();
    if (rest_.empty()) fail("an empty line");
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }
  /// A line of numbers.
  void begin_line() {
    begin_ = place_;
    if (!binary) rest_ = line();
  }
  void end_line() const {
    if (!binary && rest_.find_first_not_of(" \t") != std::string_view::npos)
      fail(fmt::format("{} where the line should end", detail::excerpt(rest_)));
  }

  std::string_view word() {
    const std::size_t from = std::min(rest_.find_first_not_of(" \t"), rest_.size());
    const std::size_t to = std::min(rest_.find_first_of(" \t", from), rest_.size());
    const std::string_view found = rest_.substr(from, to - from);
    rest_.remove_prefix(to);
    if (found.empty()) fail("a number is missing at the end of the line");
    return found;
  }

  Index integer() {
    if (binary) return raw<std::int32_t>();
    const std::string_view text = word();
    Index value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      fail(fmt::format("{} is not an integer", detail::excerpt(text)));
    return value;
  }
  Index small_integer() { return binary ? raw<std::int16_t>() : integer(); }

  /// Infinite where bounds may be.
  double number(bool infinite = false) {
    double value = 0.0;
    if (binary) {
      value = raw<double>();
    } else {
      const std::string_view text = word();
      const auto read = parse_number(text);
      if (!read) fail(fmt::format("{} is not a number", detail::excerpt(text)));
      value = *read;
    }
    if (std::isnan(value) || (!infinite && std::isinf(value))) fail("a number that is not finite");
    return value;
  }

  /// lower ≤ an integer < upper.
  Index integer_in(Index lower, Index upper, const char* what) {
    const Index value = integer();
    if (value < lower || value >= upper)
      fail(upper > lower ? fmt::format("{} is {}; expected {} to {}", what, value, lower, upper - 1)
                         : fmt::format("{} is {}; there are none", what, value));
    return value;
  }

  std::string name() {
    if (!binary) return std::string(word());
    const Index length = integer();
    if (length < 0 || length > 4096) fail("a name that is too long");
    need(at(length));
    std::string found(text_.substr(place_, at(length)));
    place_ += at(length);
    return found;
  }

  bool binary = false;

 private:
  void need(std::size_t bytes) const {
    if (left() < bytes) fail("the file ends here, in the middle of the model");
  }
  template <class T>
  T raw() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, text_.data() + place_, sizeof(T));
    place_ += sizeof(T);
    return value;
  }

  std::string_view text_, rest_;
  std::string name_;
  std::size_t place_ = 0, begin_ = 0;
  Index line_ = 0;
};

class NlParser {
 public:
  NlParser(std::string_view text, std::string_view name) : in_(text, name), size_(std::ssize(text)) {}

  File header() {
    read_header();
    return std::move(file_);
  }

  File all() {
    read_header();
    prepare();
    while (!in_.done()) segment();
    finish();
    return std::move(file_);
  }

 private:
  // Header -----

  std::vector<Index> numbers_of_line(std::size_t least, const char* what) {
    std::vector<Index> numbers;
    in_.begin_line();
    for (std::size_t k = 0; k < least; ++k) numbers.push_back(in_.integer());
    for (const Index value : numbers)
      if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
        in_.fail(fmt::format("{} is no count of {}", value, what));
    return numbers;
  }

  /// "g3 1 1 0": the form, and words that belong to the modelling language.
  void read_options() {
    const char form = in_.letter();
    if (form != 'g' && form != 'b') in_.fail("no .nl file: it begins neither with g nor with b");
    file_.binary = form == 'b';
    const Index count = in_.integer_in(0, 10, "the number of options");
    for (Index k = 0; k < count; ++k)
      file_.options.push_back(static_cast<int>(in_.integer_in(-2147483647, 2147483648, "an option")));
    file_.has_tolerance = count >= 2 && file_.options[1] == 3;
    if (file_.has_tolerance) file_.tolerance = in_.number();
  }

  void read_header() {
    read_options();
    const auto sizes = numbers_of_line(3, "variables, rows or objectives");
    file_.variables = sizes[0];
    file_.rows = sizes[1];
    file_.objectives = sizes[2];
    if (file_.variables == 0) in_.fail("a model without variables");
    // a variable without a line of its own costs memory: as many as the file has bytes are enough
    if (file_.variables + file_.rows + file_.objectives > size_ + detail::granted_size)
      in_.fail("more variables, rows and objectives than the file has bytes");
    const auto optional = [&] {
      try {
        return in_.integer();
      } catch (const FileError&) {
        return Index{0};
      }
    };
    file_.ranges = optional();
    file_.equations = optional();
    if (optional() > 0) in_.fail("logical constraints, which have no derivatives");
    const auto nonlinear = numbers_of_line(2, "nonlinear rows or objectives");
    file_.nonlinear_rows = nonlinear[0];
    file_.pairs = optional() + optional();
    numbers_of_line(2, "network rows");
    const auto variables = numbers_of_line(3, "nonlinear variables");
    in_.begin_line();
    const Index network = in_.integer();
    functions_ = in_.integer();
    const Index arithmetic = optional();
    const auto discrete = numbers_of_line(5, "discrete variables");
    const auto nonzeros = numbers_of_line(2, "nonzeros");
    nonzeros_of_rows_ = nonzeros[0];
    nonzeros_of_objectives_ = nonzeros[1];
    numbers_of_line(2, "longest names");
    const auto common = numbers_of_line(5, "common expressions");
    for (const Index count : common) common_ += count;
    if (common_ > size_) in_.fail("more common expressions than the file has bytes");
    if (file_.binary && arithmetic != (std::endian::native == std::endian::little ? 1 : 2))
      in_.fail(fmt::format("binary numbers of another machine (arithmetic {})", arithmetic));
    if (nonlinear[0] > file_.rows || network < 0) in_.fail("more nonlinear rows than rows");
    mark_discrete(variables, discrete);
  }

  /// Nonlinear variables come first: those of rows and objectives, of rows, of objectives; then linear ones. In each
  /// group the discrete ones are the last; among the linear ones binary variables before integer ones.
  void mark_discrete(const std::vector<Index>& nonlinear, const std::vector<Index>& discrete) {
    const Index n = file_.variables;
    const Index both = nonlinear[2], in_rows = std::max(nonlinear[0], both);
    const Index in_objectives = std::max(nonlinear[1], in_rows);
    if (in_objectives > n) in_.fail("more nonlinear variables than variables");
    file_.discrete.assign(at(n), 0);
    const auto mark = [&](Index begin, Index end, Index count) {
      if (count > end - begin) in_.fail("more discrete variables than variables");
      std::fill(file_.discrete.begin() + (end - count), file_.discrete.begin() + end, 1);
    };
    mark(0, both, discrete[2]);
    mark(both, in_rows, discrete[3]);
    mark(in_rows, in_objectives, discrete[4]);
    mark(in_objectives, n, discrete[0] + discrete[1]);
  }

  // Segments -----

  void prepare() {
    const Index n = file_.variables, m = file_.rows;
    in_.binary = file_.binary;
    file_.row_bodies.resize(at(m));
    file_.objective_bodies.resize(at(file_.objectives));
    file_.maximise.assign(at(file_.objectives), 0);
    file_.common.resize(at(common_));
    file_.row_bounds.resize(at(m));
    file_.lower.setConstant(n, -infinity);
    file_.upper.setConstant(n, infinity);
    file_.start.setZero(n);
    defined_.assign(at(common_), 0);
    for (auto* seen : {&rows_seen_, &linear_rows_seen_}) seen->assign(at(m), 0);
    for (auto* seen : {&objectives_seen_, &linear_objectives_seen_}) seen->assign(at(file_.objectives), 0);
    if (functions_ > 0 && !file_.binary) return;  // their names come in the segments
    if (functions_ > 0) in_.fail("imported functions, which are not known here");
  }

  void segment() {
    const char kind = in_.letter();
    switch (kind) {
      case 'F': {
        in_.integer(), in_.integer(), in_.integer();
        in_.fail(fmt::format("the imported function {} is not known here", detail::excerpt(in_.name())));
      }
      case 'S':
        return suffix();
      case 'V':
        return common_expression();
      case 'C': {
        const Index i = in_.integer_in(0, file_.rows, "the row");
        once(rows_seen_, i, "row");
        in_.end_line();
        file_.row_bodies[at(i)].tree = tree();
        return;
      }
      case 'L':
        in_.fail("a logical constraint, which has no derivatives");
      case 'O': {
        const Index i = in_.integer_in(0, file_.objectives, "the objective");
        once(objectives_seen_, i, "objective");
        file_.maximise[at(i)] = in_.integer_in(0, 2, "the sense of an objective") == 1;
        in_.end_line();
        file_.objective_bodies[at(i)].tree = tree();
        return;
      }
      case 'd':
        once(kind);
        return pairs_of_numbers(file_.rows, [](Index, double) {});
      case 'x':
        once(kind);
        return pairs_of_numbers(file_.variables, [&](Index i, double value) { file_.start[i] = value; });
      case 'r':
        once(kind);
        in_.end_line();
        return row_bounds();
      case 'b':
        once(kind);
        in_.end_line();
        return variable_bounds();
      case 'k':
      case 'K':
        once('k');
        return column_counts();
      case 'J': {
        const Index i = in_.integer_in(0, file_.rows, "the row");
        once(linear_rows_seen_, i, "the linear part of row");
        return linear(file_.row_bodies[at(i)].linear, nonzeros_of_rows_);
      }
      case 'G': {
        const Index i = in_.integer_in(0, file_.objectives, "the objective");
        once(linear_objectives_seen_, i, "the linear part of objective");
        return linear(file_.objective_bodies[at(i)].linear, nonzeros_of_objectives_);
      }
      default:
        in_.fail(fmt::format("{} begins no segment", detail::excerpt(std::string(1, kind))));
    }
  }

  void once(std::vector<char>& seen, Index i, const char* what) const {
    if (std::exchange(seen[at(i)], 1)) in_.fail(fmt::format("{} {} for a second time", what, i));
  }
  void once(char segment) {
    if (has(segment)) in_.fail(fmt::format("segment {} for a second time", segment));
    segments_ += segment;
  }
  bool has(char segment) const { return segments_.find(segment) != std::string::npos; }

  /// Counts that promise more than the file can hold are refused before anything is reserved.
  Index count(Index least_bytes, const char* what) {
    const Index found = in_.integer();
    if (found < 0 || found > static_cast<Index>(in_.left()) / least_bytes + 1)
      in_.fail(fmt::format("{} {}: more than the file has", found, what));
    return found;
  }

  void suffix() {
    const Index kind = in_.integer_in(0, 8, "the kind of a suffix");
    const Index n = count(4, "values of a suffix");
    Suffix& s = file_.suffixes.emplace_back();
    s.name = in_.name();
    s.kind = static_cast<int>(kind & 3);
    in_.end_line();
    const Index most = s.kind == 0 ? file_.variables : s.kind == 1 ? file_.rows : s.kind == 2 ? file_.objectives : 1;
    for (Index k = 0; k < n; ++k) {
      in_.begin_line();
      const Index i = in_.integer_in(0, most, "the index of a suffix");
      s.values.emplace_back(i, (kind & 4) != 0 || !file_.binary ? in_.number() : static_cast<double>(in_.integer()));
      in_.end_line();
    }
  }

  void common_expression() {
    const Index n = file_.variables;
    const Index i = in_.integer_in(n, n + common_, "the common expression") - n;
    const Index terms = count(4, "linear terms");
    in_.integer();  // which rows use it
    in_.end_line();
    once(defined_, i, "common expression");
    defined_[at(i)] = 0;  // not by itself
    Body& body = file_.common[at(i)];
    for (Index k = 0; k < terms; ++k) {
      in_.begin_line();
      const Index j = in_.integer_in(0, n + common_, "a variable");
      require_defined(j);
      const double coefficient = in_.number();
      body.linear.emplace_back(j, coefficient);
      in_.end_line();
    }
    body.tree = tree();
    defined_[at(i)] = 1;
  }

  template <class Keep>
  void pairs_of_numbers(Index most, Keep keep) {
    const Index n = count(4, "numbers");
    in_.end_line();
    for (Index k = 0; k < n; ++k) {
      in_.begin_line();
      const Index i = in_.integer_in(0, most, "an index");
      keep(i, in_.number());
      in_.end_line();
    }
  }

  /// `missing`: of the terms that the header promises.
  void linear(LinearPart& terms, Index& missing) {
    const Index n = count(4, "linear terms");
    missing -= n;
    in_.end_line();
    for (Index k = 0; k < n; ++k) {
      in_.begin_line();
      const Index j = in_.integer_in(0, file_.variables, "a variable");
      terms.emplace_back(j, in_.number());
      in_.end_line();
    }
  }

  void column_counts() {
    const Index n = count(1, "columns");
    in_.end_line();
    for (Index k = 0; k < n; ++k) {
      in_.begin_line();
      in_.integer();
      in_.end_line();
    }
  }

  /// Between: 0 both, 1 upper, 2 lower, 3 none, 4 equal.
  void interval(char kind, double& lower, double& upper) {
    if (kind == '0' || kind == '2' || kind == '4') lower = in_.number(true);
    if (kind == '0' || kind == '1') upper = in_.number(true);
    if (kind == '4') upper = lower;
    if (kind < '0' || kind > '4') in_.fail(fmt::format("{} is no kind of bounds", detail::excerpt({&kind, 1})));
    if (lower == infinity || upper == -infinity) in_.fail("bounds that no number lies between");
  }

  void row_bounds() {
    for (Row& row : file_.row_bounds) {
      const char kind = in_.letter();
      if (kind == '5') {
        row.bounds_of_variable = static_cast<int>(in_.integer_in(0, 4, "the kind of a complementarity"));
        row.variable = in_.integer_in(1, file_.variables + 1, "the variable of a complementarity") - 1;
      } else {
        interval(kind, row.lower, row.upper);
      }
      in_.end_line();
    }
  }

  void variable_bounds() {
    for (Index i = 0; i < file_.variables; ++i) {
      interval(in_.letter(), file_.lower[i], file_.upper[i]);
      in_.end_line();
    }
  }

  // Expressions -----

  void require_defined(Index variable) const {
    if (variable >= file_.variables && !defined_[at(variable - file_.variables)])
      in_.fail(fmt::format("v{} is used before it is defined", variable));
  }

  void leaf(Op op, double value) {
    const auto place = static_cast<std::int64_t>(file_.nodes.size());
    file_.nodes.push_back({.op = op, .begin = place, .value = value});
  }

  /// Prefix notation: operations wait for their arguments on a stack, however deep the tree is.
  Tree tree() {
    struct Open {
      Op op;
      std::int32_t arguments, missing;
      std::int64_t begin;
    };
    const auto begin = static_cast<std::int64_t>(file_.nodes.size());
    std::vector<Open> open;
    do {
      const char kind = in_.letter();
      bool complete = true;
      switch (kind) {
        case 'n':
          leaf(Op::number, in_.number());
          break;
        case 's':
          leaf(Op::number, static_cast<double>(in_.small_integer()));
          break;
        case 'l':
          leaf(Op::number, static_cast<double>(in_.integer()));
          break;
        case 'v': {
          const Index i = in_.integer_in(0, file_.variables + common_, "a variable");
          require_defined(i);
          leaf(Op::variable, static_cast<double>(i));
          break;
        }
        case 'o': {
          const KnownOp& known = operation(in_.integer());
          Index arguments = known.arguments;
          in_.end_line();
          if (arguments == any_number) {
            in_.begin_line();
            arguments = count(1, "arguments");
            if (arguments < 1) in_.fail(fmt::format("{} of nothing", known.name));
          }
          const int code = known.code == 75 || known.code == 77 ? 5 : known.code;
          open.push_back({static_cast<Op>(code), static_cast<std::int32_t>(arguments),
                          static_cast<std::int32_t>(arguments), static_cast<std::int64_t>(file_.nodes.size())});
          complete = false;
          break;
        }
        case 'f':
          in_.fail("a call of an imported function, which is not known here");
        case 'h':
          in_.fail("a text where numbers are computed");
        default:
          in_.fail(fmt::format("{} begins no expression", detail::excerpt(std::string(1, kind))));
      }
      in_.end_line();
      while (complete && !open.empty() && --open.back().missing == 0) {
        close(open.back().op, open.back().arguments, open.back().begin);
        open.pop_back();
      }
    } while (!open.empty());
    return {begin, static_cast<std::int64_t>(file_.nodes.size())};
  }

  const KnownOp& operation(Index code) const {
    const auto* known =
        std::find_if(known_ops.begin(), known_ops.end(), [&](const KnownOp& k) { return k.code == code; });
    if (known == known_ops.end()) in_.fail(fmt::format("o{} is no operation of this format", code));
    if (!known->read) in_.fail(fmt::format("the operation {} (o{}) is not supported", known->name, code));
    return *known;
  }

  /// What is made of numbers is a number.
  void close(Op op, std::int32_t arguments, std::int64_t begin) {
    auto& nodes = file_.nodes;
    bool constant = static_cast<std::int64_t>(nodes.size()) - begin == arguments;
    for (auto k = static_cast<std::size_t>(begin); constant && k < nodes.size(); ++k)
      constant = nodes[k].op == Op::number;
    if (constant) {
      std::vector<double> values;
      for (auto k = static_cast<std::size_t>(begin); k < nodes.size(); ++k) values.push_back(nodes[k].value);
      if (const double value = evaluate(op, values); std::isfinite(value)) {
        nodes.resize(static_cast<std::size_t>(begin));
        return leaf(Op::number, value);
      }
    }
    nodes.push_back({.op = op, .arguments = arguments, .begin = begin});
  }

  // -----

  /// Files that were cut off are models, too, but others.
  void finish() const {
    if (file_.rows > 0 && !has('r')) in_.fail("the bounds of the rows (segment r) are missing");
    if (!has('b')) in_.fail("the bounds of the variables (segment b) are missing");
    for (const auto& [missing, segment] : {std::pair{nonzeros_of_rows_, 'J'}, {nonzeros_of_objectives_, 'G'}})
      if (missing != 0)
        in_.fail(fmt::format("{} linear terms (segments {}) {} than the header has", std::abs(missing), segment,
                             missing > 0 ? "fewer" : "more"));
    if (!in_.ends_with_a_line()) in_.fail("the last line has no end: the file is cut off");
    for (Index i = 0; i < file_.rows; ++i)
      if (!rows_seen_[at(i)] && i < file_.nonlinear_rows) in_.fail(fmt::format("row {} (segment C) is missing", i));
    for (Index i = 0; i < file_.objectives; ++i)
      if (!objectives_seen_[at(i)]) in_.fail(fmt::format("objective {} (segment O) is missing", i));
    const Index pairs = std::count_if(file_.row_bounds.begin(), file_.row_bounds.end(),
                                      [](const Row& row) { return row.variable >= 0; });
    if (pairs != file_.pairs)
      in_.fail(fmt::format("{} complementarity rows where the header has {}", pairs, file_.pairs));
  }

  NlText in_;
  Index size_;
  File file_;
  Index functions_ = 0, common_ = 0;
  Index nonzeros_of_rows_ = 0, nonzeros_of_objectives_ = 0;  // that are still to come
  std::string segments_;                                     // seen of those that come once
  std::vector<char> defined_, rows_seen_, objectives_seen_, linear_rows_seen_, linear_objectives_seen_;
};

}  // namespace

const Suffix* File::suffix(std::string_view name, int kind) const {
  for (const Suffix& s : suffixes)
    if (s.name == name && s.kind == kind) return &s;
  return nullptr;
}

File parse_header(std::string_view text, std::string_view source) { return NlParser(text, source).header(); }

File parse(std::string_view text, std::string_view source) { return NlParser(text, source).all(); }

}  // namespace pendec::io::nl
