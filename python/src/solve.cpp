// Problems, solve(), the solvers of unions and pairs, and problem files.
#include <nanobind/stl/filesystem.h>

#include "pendec/io/problem_file.hpp"
#include "python.hpp"

namespace pendec::python {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// `settings` on top of those of a file, as `pendec solve` takes them.
Options make_options(const std::optional<std::string>& preset, const Settings& settings,
                     io::OptionSettings chosen = {}) {
  if (preset) chosen.preset = *preset;
  for (const auto& [name, value] : settings) chosen.settings.push_back({name, value});
  return chosen.options();
}

/// Shows each iterate to `callback`, which returns True to stop.
Observer make_observer(const Shared& callback) {
  return [callback](const OuterIterate& iterate) {
    const nb::gil_scoped_acquire lock;
    try {
      const nb::object stop = (*callback)(to_dict(iterate));
      if (!may_continue()) throw nb::python_error();
      return !nb::cast<bool>(stop);
    } catch (const nb::python_error& error) {
      if (!Interruption::took(error)) throw;
      return false;
    }
  };
}

/// The work of a solver that observers may watch, with what Python's functions and callbacks need around it.
template <class Work>
Result observed(bool calls_python, nb::object callback, Work work) {
  Observer observer;
  const auto desk = std::make_shared<Desk>();
  if (!callback.is_none()) {
    observer = make_observer(Shared(std::move(callback)));
    if (!calls_python)
      observer = [desk, here = std::move(observer)](const OuterIterate& iterate) {
        return desk->ask([&] { return here(iterate); });
      };
  }
  return interruptible(
      calls_python,
      [work = std::move(work), observer](std::stop_token stop) {
        return work(Hooks{.observer = observer, .stop = std::move(stop)});
      },
      desk);
}

Result python_solve(const Problem& problem, const Vector& x0, const std::string& preset, const Settings& settings,
                    bool calls_python, nb::object callback) {
  return observed(calls_python, std::move(callback),
                  [problem, x0, options = make_options(preset, settings)](const Hooks& hooks) {
                    return solve(problem, x0, options, hooks);
                  });
}

Problem make_problem(Objective f, std::optional<Map> G, std::optional<Set> C, std::optional<Set> D) {
  Problem problem{.f = std::move(f)};
  if (G) problem.G = std::move(*G);
  if (C) problem.C = std::move(*C);
  if (D) problem.D = std::move(*D);
  return problem.completed();
}

Result python_disjunctive(const Problem& problem, const Vector& x0, const nb::dict& given, const std::string& preset,
                          const Settings& settings, bool calls_python) {
  auto options = fields_from<DisjunctiveOptions>(given);
  options.method = make_options(preset, settings);
  return interruptible(calls_python, [problem, x0, options](std::stop_token stop) {
    return solve_disjunctive(problem, x0, options, {.stop = std::move(stop)});
  });
}

PairKind pair_kind(const std::string& name) {
  for (const PairKind kind : {PairKind::complementarity, PairKind::switching, PairKind::vanishing, PairKind::either})
    if (to_string(kind) == name) return kind;
  throw InvalidArgument("kind", name, "complementarity, switching, vanishing or either");
}

/// Of one kind, or, with bounds of H, mixed complementarity.
std::vector<PairConstraint> pair_constraints(const std::string& kind, const Map& F, const Map& H,
                                             const std::optional<std::pair<Vector, Vector>>& bounds) {
  if (bounds) return mixed_complementarity(F, H, bounds->first, bounds->second);
  return {{pair_kind(kind), F, H}};
}

Result python_pairs(const Problem& base, const std::vector<PairConstraint>& pairs, const Vector& x0,
                    const std::string& preset, const Settings& settings, bool calls_python, nb::object callback) {
  const PairProgram program{.f = base.f, .G = base.G, .C = base.C, .X = base.D, .pairs = pairs};
  return observed(calls_python, std::move(callback),
                  [program, x0, options = make_options(preset, settings)](const Hooks& hooks) {
                    return solve_pairs(program, x0, options, hooks);
                  });
}

Result solve_file(const io::ProblemFile& file, const std::optional<std::string>& preset, const Settings& settings) {
  return interruptible(false, [file, options = make_options(preset, settings, file.options)](std::stop_token stop) {
    const Hooks hooks{.stop = std::move(stop)};
    if (file.pairs) return solve_pairs(*file.pairs, file.start.head(file.pairs->dimension()), options, hooks);
    return solve(file.problem, file.start, options, hooks);
  });
}

nb::list option_rows(const std::string& preset, const Settings& settings) {
  nb::list rows;
  for (const OptionText& row : describe(make_options(preset, settings)))
    rows.append(nb::make_tuple(row.name, row.value, row.text));
  return rows;
}

}  // namespace

void bind_solve(nb::module_& m) {
  nb::class_<Problem>(m, "Problem")
      .def(nb::new_(&make_problem), nb::arg("f"), nb::arg("G").none(), nb::arg("C").none(), nb::arg("D").none())
      .def_prop_ro("dimension", &Problem::dimension)
      .def(
          "certify",
          [](const Problem& p, const Vector& y, const std::optional<Vector>& lambda) {
            return to_dict(certify(p, y, lambda));
          },
          nb::arg("y"), nb::arg("lambda_").none());
  m.def("solve", &python_solve, nb::arg("problem"), nb::arg("x0"), nb::arg("preset"), nb::arg("settings"),
        nb::arg("calls_python"), nb::arg("callback").none());
  m.def("solve_disjunctive", &python_disjunctive);
  nb::class_<PairConstraint>(m, "PairConstraint");
  m.def("pair_constraints", &pair_constraints, nb::arg("kind"), nb::arg("F"), nb::arg("H"), nb::arg("bounds").none());
  m.def("solve_pairs", &python_pairs, nb::arg("problem"), nb::arg("pairs"), nb::arg("x0"), nb::arg("preset"),
        nb::arg("settings"), nb::arg("calls_python"), nb::arg("callback").none());

  nb::class_<io::ProblemFile>(m, "ProblemFile")
      .def_ro("name", &io::ProblemFile::name)
      .def_ro("start", &io::ProblemFile::start)
      .def("to_json", [](const io::ProblemFile& file) { return io::to_json(file); })
      .def("solve", &solve_file, nb::arg("preset").none(), nb::arg("settings"))
      .def("verify", [](const io::ProblemFile& file, const Result& result) {
        std::vector<std::pair<std::string, bool>> claims;
        for (const Claim& c : verify(file.problem, result)) claims.emplace_back(c.name, c.holds);
        return claims;
      });
  m.def("read_problem",
        [](const std::filesystem::path& path, bool confine) { return io::read_problem(path, confine); });
  m.def("parse_problem", [](const std::string& text, const std::filesystem::path& folder, bool confine) {
    return io::parse_problem(text, folder, "problem", confine);
  });
  m.def("option_rows", &option_rows);
}

}  // namespace pendec::python
