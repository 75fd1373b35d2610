// pendec model.nl [-AMPL] [key=value …]: a model in, a .sol out.
#include "cli/ampl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <new>
#include <numeric>
#include <optional>
#include <system_error>

#include "cli/interrupt.hpp"
#include "cli/report.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/nl.hpp"
#include "pendec/io/number.hpp"
#include "pendec/version.hpp"

namespace pendec::cli {
namespace {

/// What the options of a model may say besides the options of the library.
struct AmplOption {
  std::string_view name, text;
};
constexpr AmplOption own_options[] = {
    {"gap", "a proof ends where f is within this share of its bound: solved, code 1 (1e-6)"},
    {"method", "automatic, pd, pdlm or alm"},
    {"objno", "the objective, from 1 (1); 0: none, a feasible point"},
    {"outlev", "0: nothing with -AMPL; 1: the message; 2: the whole result (0)"},
    {"preset", "default, or paper"},
    {"result", "write the result as JSON, as pendec solve does with -o, to this file"},
    {"route", "automatic, general, or the name of a route"},
    {"seconds", "give up after this many seconds, which may all go into a proof"},
    {"timing", "taken, for strings of options that solvers share, and without effect, as is version"},
    {"wantsol", "a sum of 1: write a .sol; 2: print variables; 4: print duals; 8: no message"}};

struct AmplCall {
  std::string stub, sol;  // sol: of -o
  bool ampl = false, write = false, echo = true;
  std::vector<std::string> words;  // of options
};

struct AmplRequest {
  Options options;
  std::optional<double> gap;
  bool seconds = false, proof_seconds = false;  // were given
  Index objective = -1;                         // from 0
  int outlev = 0, wantsol = 0;
  std::string result;  // file of the whole result
};

/// Names may come in capitals, and may say whose they are.
std::string plain_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* prefix : {"pendec.", "pendec:"})
    if (name.starts_with(prefix)) return name.substr(7);
  return name;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const AmplOption& o : own_options) names.emplace_back(o.name);
  for (const OptionText& o : describe(Options{})) names.push_back(o.name);
  return names;
}

int small_integer(const std::string& name, const std::string& value, int most) {
  const auto number = io::parse_number(value);
  if (!number || *number != std::floor(*number) || *number < 0.0 || *number > most)
    throw InvalidArgument(name, value, fmt::format("an integer from 0 to {}", most));
  return static_cast<int>(*number);
}

void apply(const std::string& name, const std::string& value, AmplRequest& to) {
  if (name == "timing" || name == "version") return;
  if (name == "seconds" || name == "timelimit" || name == "timelim") {
    set_option(to.options, "limits.seconds", value);
    to.seconds = true;
  } else if (name == "route") {
    set_option(to.options, "driver.route", value);
  } else if (name == "gap") {
    const auto number = io::parse_number(value);
    if (!number || !(*number >= 0.0)) throw InvalidArgument("gap", value, "a number from 0");
    to.gap = to.options.driver.gap = *number;
  } else if (name == "outlev") {
    to.outlev = small_integer(name, value, 9);
  } else if (name == "result") {
    to.result = value;
  } else if (name == "wantsol") {
    to.wantsol = small_integer(name, value, 15);
  } else if (name == "objno") {
    const int number = small_integer(name, value, 1'000'000'000);
    to.objective = number == 0 ? io::NlOptions::no_objective : number - 1;
  } else {
    to.proof_seconds = to.proof_seconds || name == "driver.proof_seconds";
    const std::vector<std::string> names = known_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        return letters_apart(name, a) < letters_apart(name, b);
      });
      throw InvalidArgument("the option", name,
                            fmt::format("a known one, such as {}; pendec -= lists them", *nearest));
    }
    set_option(to.options, name, value);
  }
}

std::vector<std::pair<std::string, std::string>> settings_of(const AmplCall& call) {
  std::vector<std::pair<std::string, std::string>> settings;
  if (const char* environment = std::getenv("pendec_options")) settings = ampl_settings(ampl_words(environment));
  const auto own = ampl_settings(call.words);
  settings.insert(settings.end(), own.begin(), own.end());
  for (auto& [name, value] : settings) name = plain_name(name);
  return settings;
}

/// Whether a .sol is written comes first: it is where the caller reads what is wrong with the others.
void read_request(const AmplCall& call, AmplRequest& request) {
  const auto settings = settings_of(call);
  for (const auto& [name, value] : settings)
    if (name == "wantsol") apply(name, value, request);
  Method method = Method::automatic;
  std::string preset = "default";
  for (const auto& [name, value] : settings) {  // these say what others start from
    if (name == "method") method = by_name<Method>("method", value);
    if (name == "preset") preset = value;
  }
  if (preset != "default" && preset != "paper") throw InvalidArgument("preset", preset, "default or paper");
  if (preset == "paper" || method != Method::automatic) {
    request.options = preset == "paper" ? paper_preset(method) : default_preset(method);
    request.options.method = method;
  }
  for (const auto& [name, value] : settings)
    if (name != "method" && name != "preset") apply(name, value, request);
  double& proof = request.options.driver.proof_seconds;
  if (request.seconds && !request.proof_seconds) proof = std::max(proof, request.options.limits.seconds);
  validate(request.options);
}

// Flags -----

int print_version() {
  fmt::print("pendec {}\n", version);
  return solved;
}

int print_options() {
  fmt::print("options, as name=value after the model or in pendec_options\n\n");
  for (const AmplOption& o : own_options) fmt::print("  {:<28}{}\n", o.name, o.text);
  fmt::print("\n");
  for (const OptionText& o : describe(Options{}))
    if (std::none_of(std::begin(own_options), std::end(own_options),
                     [&](const AmplOption& own) { return own.name == o.name; }))
      fmt::print("  {:<28}{} ({})\n", o.name, o.text, o.value);
  return solved;
}

int print_usage() {
  fmt::print(
      "usage: pendec [options] stub[.nl] [-AMPL] [name=value ...]\n\n"
      "  --   end of options\n"
      "  -=   list the names that name=value may have\n"
      "  -?   this text; pendec --help has that of the other commands\n"
      "  -!   list the result codes\n"
      "  -e   do not echo the assignments\n"
      "  -oF  write the solution to the file F\n"
      "  -s   write stub.sol, also without -AMPL\n"
      "  -v   the version\n");
  return solved;
}

int print_codes() {
  fmt::print(
      "solve_result_num\n\n"
      "    0  optimal, proved\n"
      "    1  within the gap asked for, proved\n"
      "    2  feasible and stationary, verified (locally solved)\n"
      "  100  the method's own tests hold, the certificate does not\n"
      "  101  feasible, and nothing better was found; not certified\n"
      "  200  infeasible, proved\n"
      "  201  infeasible, and stationary for the infeasibility\n"
      "  300  unbounded\n"
      "  400  time limit\n"
      "  401  iteration limit\n"
      "  402  node limit\n"
      "  403  limit of the penalty parameter\n"
      "  404  interrupted\n"
      "  500  the model or an option is not what it should be: the message says why\n"
      "  501  no feasible point was found\n"
      "  502  a function was not finite\n");
  return solved;
}

AmplCall call_of(const std::vector<std::string>& arguments) {
  AmplCall call;
  bool flags = true;
  for (const std::string& word : arguments) {
    if (word == "-AMPL") {
      call.ampl = true;
    } else if (flags && word == "--") {
      flags = false;
    } else if (flags && call.stub.empty() && word == "-s") {
      call.write = true;
    } else if (flags && call.stub.empty() && word == "-e") {
      call.echo = false;
    } else if (flags && call.stub.empty() && word.starts_with("-o") && word.size() > 2) {
      call.sol = word.substr(2);
      call.write = true;
    } else if (call.stub.empty()) {
      if (flags && word.starts_with("-"))
        throw InvalidArgument("the flag", word, "one of those that pendec -? lists");
      call.stub = word;
    } else {
      call.words.push_back(word);
    }
  }
  if (call.stub.empty()) throw InvalidArgument("the model", "missing", "the name of an .nl file");
  if (call.stub.ends_with(".nl")) call.stub.resize(call.stub.size() - 3);
  call.write = call.write || call.ampl;
  if (call.sol.empty()) call.sol = call.stub + ".sol";
  return call;
}

// Solving -----

/// Proved, up to the gap that was asked for.
void accept_gap(const AmplRequest& request, Result& r) {
  if (!request.gap || r.status == Status::optimal || !r.has_point()) return;
  const bool feasible = r.certificate.relative_infeasibility() <= r.options.driver.tolerance;
  if (feasible && r.gap() <= *request.gap) {
    r.status = Status::gap_limit;
    r.message = fmt::format("within the gap asked for: f - bound = {:.1e}", r.f - r.bound);
  }
}

void print_values(const char* what, const std::vector<std::string>& names, const Vector& values) {
  for (Index i = 0; i < values.size(); ++i)
    show("{:<24} {:.12g}\n",
         static_cast<std::size_t>(i) < names.size() ? names[static_cast<std::size_t>(i)]
                                                    : fmt::format("{}[{}]", what, i),
         values[i]);
}

void print_solved(const AmplCall& call, const AmplRequest& request, const io::NlModel& model, const Result& r) {
  const bool message = (request.wantsol & 8) == 0 && (!call.ampl || request.outlev > 0);
  if (message) fmt::print("{}\n", io::nl_message(model, r));
  if (request.outlev > 1) print_result(r);
  const bool by_itself = !call.write && request.wantsol == 0;
  if (!r.has_point()) return;
  const io::NlSolution solution = io::nl_solution(model, r);
  if (by_itself || (request.wantsol & 2) != 0) print_values("x", model.variables, solution.x);
  if ((request.wantsol & 4) != 0) print_values("row", model.rows, solution.duals);
}

bool writes_solution(const AmplCall& call, const AmplRequest& request) {
  return call.write || (request.wantsol & 1) != 0;
}

/// The caller reads a .sol and nothing else: what went wrong is told there, where the header says for how many
/// variables.
int refused(const AmplCall& call, const std::string& text, const std::string& why) {
  const io::NlHeader header = io::parse_nl_header(text, call.stub + ".nl");
  io::write_atomically(call.sol, io::to_sol(header, fmt::format("pendec {}: {}", version, why), 500));
  show(stderr, "pendec: {}\n", why);
  return solved;
}

/// Reads the request first: it says who is told about all that follows.
Result solve_model(const AmplCall& call, AmplRequest& request, io::NlModel& model) {
  read_request(call, request);
  if (!request.result.empty()) io::require_writable(request.result);
  model = io::read_nl(call.stub + ".nl", {.objective = request.objective});
  if (call.echo && !call.ampl)
    for (const std::string& word : call.words) show("{}\n", word);
  if (writes_solution(call, request)) io::require_writable(call.sol);
  const Interrupt interrupt;
  return io::solve_nl(model, request.options, {.stop = interrupt.token()});
}

}  // namespace

std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> ampl_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool open = false;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
      word += c;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (open) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      if (c == '"' || c == '\'') quote = c;
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

std::vector<std::pair<std::string, std::string>> ampl_settings(const std::vector<std::string>& words) {
  const auto unquoted = [](std::string value) {
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
      return value.substr(1, value.size() - 2);
    return value;
  };
  std::vector<std::string> parts;  // names, "=" and values
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      parts.push_back(equals == 0 && word.size() > 1 ? word.substr(1) : word);
      continue;
    }
    parts.push_back(word.substr(0, equals));
    parts.push_back(equals + 1 < word.size() ? word.substr(equals + 1) : "=");
  }
  std::erase(parts, "=");
  std::vector<std::pair<std::string, std::string>> settings;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::string name = unquoted(parts[k]);
    const bool last = k + 1 == parts.size();
    if (const std::string plain = plain_name(name); plain == "version" || plain == "timing") {  // may stand alone
      const bool alone = last || !io::parse_number(unquoted(parts[k + 1]));
      settings.emplace_back(name, alone ? "1" : unquoted(parts[++k]));
      continue;
    }
    if (last) throw InvalidArgument("the option", name, "name=value");
    settings.emplace_back(name, unquoted(parts[++k]));
  }
  return settings;
}

bool is_ampl_call(const std::vector<std::string>& arguments, bool is_command) {
  if (arguments.empty()) return false;
  const std::string& first = arguments.front();
  for (const char* flag : {"-v", "-=", "-?", "-!", "-s", "-e", "--"})
    if (first == flag) return true;
  if (first.starts_with("-o")) return true;
  if (first.starts_with("-")) return false;
  std::error_code none;
  return first.ends_with(".nl") || std::find(arguments.begin(), arguments.end(), "-AMPL") != arguments.end() ||
         (!is_command && std::filesystem::is_regular_file(first + ".nl", none));
}

int run_ampl(const std::vector<std::string>& arguments) {
  const std::string& first = arguments.front();
  if (first == "-v") return print_version();
  if (first == "-=") return print_options();
  if (first == "-?") return print_usage();
  if (first == "-!") return print_codes();
  const AmplCall call = call_of(arguments);
  const std::string text = io::read_text(call.stub + ".nl");
  AmplRequest request;
  io::NlModel model;
  Result r;
  try {
    r = solve_model(call, request, model);
  } catch (const InvalidArgument& error) {  // an option, say
    if (!writes_solution(call, request)) throw;
    return refused(call, text, error.what());
  } catch (const io::FileError& error) {
    if (!writes_solution(call, request)) throw;
    return refused(call, text, error.what());
  } catch (const std::bad_alloc&) {
    if (!writes_solution(call, request)) throw;
    return refused(call, text, "out of memory: the model is too large for this machine");
  }
  accept_gap(request, r);
  const bool write = writes_solution(call, request);
  if (write) io::write_atomically(call.sol, io::to_sol(model, r));
  if (!request.result.empty()) io::write_atomically(request.result, to_json(r));
  print_solved(call, request, model, r);
  return write ? solved : exit_code(r.status);
}

}  // namespace pendec::cli
