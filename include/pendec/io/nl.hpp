// Models in .nl files, as AMPL, Pyomo and JuMP write them, and .sol files, as these read them: docs/modelling.md.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pendec/core/result.hpp"
#include "pendec/export.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/methods/run.hpp"

namespace pendec::io {

namespace nl {
struct Presolved;
}

/// What a header promises: enough for a .sol that says why nothing was solved.
struct NlHeader {
  Index variables = 0, rows = 0, objectives = 0, pairs = 0;
  std::vector<int> options = {};  // to be written back
  bool has_tolerance = false;     // among them
  double tolerance = 0.0;
};

/// A model, presolved: `file` is the problem in the variables that are left, with f to be minimised.
struct PENDEC_EXPORT NlModel {
  NlHeader header;
  bool maximise = false;
  Index objective = 0;                                 // the one that is solved for; −1: none
  std::vector<std::string> variables = {}, rows = {};  // their names, where there are files that tell
  std::string contradiction = {};                      // why no point is feasible, where presolve finds that
  ProblemFile file = {};                               // with pairs, `problem` has their slacks
  std::shared_ptr<const nl::Presolved> presolved = {};

  /// The user's numbers at a point of the user's variables, for those who check derivatives.
  double objective_value(In x) const;
  Vector row_values(In x) const;
  Vector start() const;
};

/// A solution in the user's variables and sense.
struct NlSolution {
  Vector x, duals, reduced_costs;
  double f = 0.0, bound = 0.0;  // the bound is infinite where none is known
};

/// What may be chosen where a file leaves it open.
struct NlOptions {
  static constexpr Index no_objective = -2;

  Index objective = -1;  // from 0; −1: the first, where there is one; no_objective: 0
};

/// Throws FileError that names file, line and what is wrong, or what of it is not supported.
PENDEC_EXPORT NlModel read_nl(const std::filesystem::path& path, const NlOptions& options = {});
PENDEC_EXPORT NlModel parse_nl(std::string_view text, std::string_view source = "model",
                               const NlOptions& options = {});
PENDEC_EXPORT NlHeader parse_nl_header(std::string_view text, std::string_view source = "model");

/// solve_pairs() or solve(), from the start of the file.
PENDEC_EXPORT Result solve_nl(const NlModel& model, const Options& options = {}, const Hooks& hooks = {});

/// Duals are those of AMPL: ∂f/∂(right-hand side), in the user's sense.
PENDEC_EXPORT NlSolution nl_solution(const NlModel& model, const Result& result);

/// AMPL's number for a status: 0 – 99 solved, 100 solved with doubt, 200 infeasible, 300 unbounded, 400 a limit,
/// 500 failure.
PENDEC_EXPORT int solve_result_num(const Result& result);

/// One or two lines: what ended how, f, bound, gap, certificate.
PENDEC_EXPORT std::string nl_message(const NlModel& model, const Result& result);

/// The text of a .sol, with the suffixes bound, gap and stationarity of the objective and rc of the variables.
PENDEC_EXPORT std::string to_sol(const NlModel& model, const Result& result);
/// The same where nothing was solved: the message alone.
PENDEC_EXPORT std::string to_sol(const NlHeader& header, std::string_view message, int solve_result_num);

}  // namespace pendec::io
