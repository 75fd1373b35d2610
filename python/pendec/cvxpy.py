"""CVXPY's convex quadratic problems with finite choices: few nonzeros, semicontinuous variables, complementarity.

The optimum is proved, or a bound says how far it may be; values, duals and status are in the problem, as after its
`solve`. Importing this module makes `problem.solve(method="pendec", …)` known to CVXPY.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

try:
    import cvxpy
except ImportError as missing:
    raise ImportError("pendec.cvxpy needs CVXPY, which is not installed: pip install cvxpy") from missing

import scipy.sparse as sp
from cvxpy.atoms.affine.affine_atom import AffAtom
from cvxpy.atoms.affine.binary_operators import DivExpression
from cvxpy.atoms.affine.unary_operators import NegExpression
from cvxpy.constraints import Equality, Inequality, NonNeg, NonPos, Zero
from cvxpy.reductions.solution import Solution, failure_solution
from cvxpy.reductions.solvers.qp_solvers.qp_solver import QpSolver
from cvxpy.reductions.solvers.utilities import extract_dual_value, get_dual_values

from . import _choices
from ._arrays import bounds, number, whole
from ._result import Interrupted, Result, Status

__all__ = ["solve"]

inf = float("inf")


def solve(
    problem: Any,
    cardinality: Any = (),
    semicontinuous: Any = (),
    group_counts: Any = (),
    complementary: Any = (),
    *,
    seconds: float = 10.0,
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Solves a convex quadratic problem of CVXPY with choices, and writes values, duals and status into it.

    Args:
        problem: a `cvxpy.Problem` that is a quadratic program by CVXPY's rules; its variables may be boolean.
        cardinality: a list of (w, most): at most so many entries of w are not 0.
        semicontinuous: a list of (w, lower, upper): each entry of w is 0 or between these.
        group_counts: a list of (w, groups, counts): of the entries of w with the indices groups[k] at most counts[k]
            are not 0. The entries of a matrix are numbered column by column.
        complementary: a list of (a, b): a ≥ 0, b ≥ 0, and in each place one of them is 0.
        seconds: a limit for the proof.
        options: as in `minimize`, by their dotted names.

    Each w, a and b is a variable or an affine expression of the problem's variables. Where the problem has a single
    variable of several entries, w may be left out: `cardinality=10`, `semicontinuous=(0.02, 0.3)`.

    The result has `fun`, the value of the objective, and `bound` and `gap`: no point is better than the bound, which is
    above `fun` where the problem maximises. `values` has the variables by name. CVXPY's status is `optimal` where the
    optimum was proved, `infeasible` where that was; a feasible point without proof is `user_limit` or
    `optimal_inaccurate`. Duals are those of the problem with its choices as they were found.
    """
    _require_quadratic(problem)
    choices = _Choices(problem)
    for k, (w, most) in enumerate(_listed(problem, "cardinality", "w, most", cardinality)):
        choices.count(w, [slice(None)], [most], f"cardinality[{k}]")
    for k, (w, lower, upper) in enumerate(_listed(problem, "semicontinuous", "w, lower, upper", semicontinuous)):
        choices.bound(w, lower, upper, f"semicontinuous[{k}]")
    for k, (w, groups, counts) in enumerate(_listed(problem, "group_counts", "w, groups, counts", group_counts)):
        choices.count(w, groups, counts, f"group_counts[{k}]")
    for k, (a, b) in enumerate(_listed(problem, "complementary", "a, b", complementary)):
        choices.complement(a, b, f"complementary[{k}]")

    if not problem.variables() and not choices.definitions:  # CVXPY's form has a column at least
        choices.definitions.append(cvxpy.Variable() == 0)
    stated = cvxpy.Problem(problem.objective, problem.constraints + choices.definitions)
    for parameter in stated.parameters():
        if parameter.value is None:
            raise cvxpy.error.ParameterError(f"the parameter {parameter.name()} has no value")
    data, chain, inverse = stated.get_problem_data(_Pendec())
    settings = {"driver.proof_seconds": number(seconds, "seconds"), **(options or {})}
    asked = {"choices": choices, "sizes": _sizes(stated, chain), "options": settings}
    solved = chain.solve_via_data(stated, data, solver_opts=asked)
    solved.constant += inverse[-1]["offset"]
    core = solved.result
    if _status(solved) == cvxpy.SOLVER_ERROR:
        if core.status == Status.interrupted:
            raise Interrupted(core)
        raise cvxpy.error.SolverError(f"no feasible point was found, and no proof that there is none: {core.message}")
    problem.unpack_results(solved, chain, inverse)

    fun = float(problem.value)
    bound = -solved.bound if isinstance(problem.objective, cvxpy.Maximize) else solved.bound
    result = Result(
        fun=fun,
        bound=bound,
        gap=0.0 if fun == bound else abs(fun - bound) / abs(fun) if fun else inf,
        success=core.success,
        status=solved.status,
        message=core.message if solved.status == core.status else "proven optimal",
        values={variable.name(): variable.value for variable in problem.variables()},
        **{key: core[key] for key in ("nodes", "seconds", "route", "why_not", "method", "certificate")},
    )
    problem.solver_stats.extra_stats = result
    if core.status == Status.interrupted:
        raise Interrupted(result)
    return result


def _solve_method(problem: Any, solver: None = None, verbose: bool = False, **choices: Any) -> float:
    """`problem.solve(method="pendec", …)`, with the arguments that callers of CVXPY always give."""
    if solver is not None:
        raise ValueError(f"solver is {solver!r}; expected none with method='pendec'")
    result = solve(problem, **choices)
    if verbose:
        print(result)
    return problem.value


cvxpy.Problem.register_solve("pendec", _solve_method)


# What is asked for -----


class _Choices:
    """Every expression of which entries are chosen is a variable of its own, so that it has columns in CVXPY's form."""

    def __init__(self, problem: Any):
        self.variables = problem.variables()
        self.definitions: list[Any] = []
        self.bounds: list[tuple[Any, Any, Any]] = []  # of chosen entries of a variable
        self.budgets: list[tuple[list[tuple[Any, Any]], int]] = []  # at most so many of these entries of variables
        self._named: dict[int, tuple[Any, Any]] = {}  # with the expression: while it is kept, no other has its id

    def bound(self, w: Any, lower: Any, upper: Any, field: str) -> None:
        name = self._name(w, field)
        low = bounds(lower, name.size, -inf, f"{field}: lower")
        high = bounds(upper, name.size, inf, f"{field}: upper")
        wrong = np.flatnonzero(~(low <= high))
        if wrong.size:
            i = wrong[0]
            raise ValueError(f"{field}: entry {i} has the bounds {low[i]:g} and {high[i]:g}; expected lower <= upper")
        self.bounds.append((name, low, high))

    def count(self, w: Any, groups: Sequence[Any], counts: Sequence[Any], field: str) -> None:
        name = self._name(w, field)
        if len(groups) != len(counts):
            raise ValueError(f"{field} has {len(groups)} groups and {len(counts)} counts; expected as many")
        self.bounds.append((name, np.full(name.size, -inf), np.full(name.size, inf)))
        for k, (group, most) in enumerate(zip(groups, counts)):
            if whole(most, f"{field}: the count") < 0:
                raise ValueError(f"{field}: the count is {most}; expected at least 0")
            if not isinstance(group, slice):
                group = np.array([whole(i, f"{field}: an index") for i in group], dtype=int)
                wrong = group[(group < 0) | (group >= name.size)]
                if wrong.size:
                    raise ValueError(f"{field}: group {k} has the index {wrong[0]}; expected 0 to {name.size - 1}")
            self.budgets.append(([(name, group)], whole(most, field)))

    def complement(self, a: Any, b: Any, field: str) -> None:
        if np.shape(a) != np.shape(b):
            raise ValueError(f"{field} has expressions of shapes {np.shape(a)} and {np.shape(b)}; expected one shape")
        pair = [self._name(w, field) for w in (a, b)]
        for name in pair:
            self.bounds.append((name, np.zeros(name.size), np.full(name.size, inf)))
        self.budgets += [([(name, slice(i, i + 1)) for name in pair], 1) for i in range(pair[0].size)]

    def _name(self, w: Any, field: str) -> Any:
        if id(w) in self._named:
            return self._named[id(w)][1]
        if not isinstance(w, cvxpy.Expression) or not w.is_affine() or not w.is_real():
            raise ValueError(f"{field} has {_short(w)}; expected a real variable or affine expression of CVXPY")
        known = {variable.id for variable in self.variables}
        for variable in w.variables():
            if variable.id not in known:
                raise ValueError(f"{field} has the variable {variable.name()}; expected variables of the problem")
        name = cvxpy.Variable(w.shape)
        self.definitions.append(name == w)
        self._named[id(w)] = w, name
        return name


def _listed(problem: Any, field: str, form: str, given: Any) -> list[tuple[Any, ...]]:
    """Tuples of the given form; where w is left out, it is the problem's only variable of several entries."""
    size = len(form.split(","))
    parts = tuple(given) if np.iterable(given) and not isinstance(given, cvxpy.Expression) else (given,)
    is_entry = lambda part: isinstance(part, (tuple, list)) and bool(part) and isinstance(part[0], cvxpy.Expression)
    if all(map(is_entry, parts)):
        entries = [tuple(part) for part in parts]
    elif form.startswith("w") and len(parts) == size - 1 and not any(map(is_entry, parts)):
        several = [variable for variable in problem.variables() if variable.size > 1]
        if len(several) != 1:
            raise ValueError(
                f"{field} names no variable, and {len(several)} have several entries; expected a list of ({form})"
            )
        entries = [(several[0], *parts)]
    else:
        entries = [parts]
    for entry in entries:
        if len(entry) != size or not isinstance(entry[0], cvxpy.Expression):
            raise ValueError(f"{field} has {_short(entry)}; expected a list of ({form})")
    return entries


def _require_quadratic(problem: Any) -> None:
    """With the reason; what is not convex CVXPY refuses itself."""
    if not isinstance(problem, cvxpy.Problem):
        raise TypeError(f"problem is {problem!r}; expected a cvxpy.Problem")
    for variable in problem.variables():
        for attribute in ("integer", "PSD", "NSD", "hermitian", "complex", "imag"):
            if variable.attributes.get(attribute) and not (attribute == "integer" and _is_a_number(variable)):
                raise ValueError(f"the variable {variable.name()} is {attribute}; expected real or boolean ones")
    if not problem.is_dcp():
        return
    for k, constraint in enumerate(problem.constraints):
        linear = isinstance(constraint, (Equality, Zero))
        piecewise = isinstance(constraint, (Inequality, NonNeg, NonPos)) and constraint.expr.is_pwl()
        if not (linear or piecewise):
            raise ValueError(
                f"the problem is no quadratic program: constraints[{k}], {_short(constraint)}, is neither linear nor"
                " piecewise linear"
            )
    if not problem.objective.args[0].is_qpwa():
        raise ValueError(
            f"the problem is no quadratic program: its objective, {_short(problem.objective)}, is neither quadratic nor"
            " piecewise linear"
        )


def _is_a_number(variable: Any) -> bool:
    """Its bounds leave one integer for each entry."""
    ends = variable.attributes.get("bounds") or ()
    if len(ends) != 2 or any(end is None or isinstance(end, cvxpy.Expression) for end in ends):
        return False
    low, high = ends
    return bool(np.all((low == high) & (low == np.round(low))))


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else text[:77] + "…"


# CVXPY's side of a solver -----


class _Pendec(QpSolver):
    """A solver of quadratic programs for CVXPY; the choices come as an option."""

    MIP_CAPABLE = True

    def name(self) -> str:
        return "PENDEC"

    def import_solver(self) -> None:
        pass

    def cite(self, data: Any) -> str:
        return ""

    def solve_via_data(
        self, data: Any, warm_start: bool, verbose: bool, solver_opts: Any, solver_cache: Any = None
    ) -> Any:
        choices, n = solver_opts["choices"], data["n_var"]
        first = data["param_prob"].var_id_to_col
        lower, upper, chosen = np.full(n, -inf), np.full(n, inf), np.zeros(n, dtype=bool)

        def columns(variable: Any, entries: Any = slice(None)) -> Any:
            return first[variable.id] + np.arange(variable.size)[entries]

        boolean = np.array(data["bool_vars_idx"], dtype=int)
        lower[boolean] = upper[boolean] = 1.0
        chosen[boolean] = True
        for variable, low, high in choices.bounds:
            own = columns(variable)
            lower[own], upper[own] = np.maximum(lower[own], low), np.minimum(upper[own], high)
            chosen[own] = True
        program = _choices.Program(
            P=sp.csr_array(data["P"]),
            q=data["q"],
            constant=0.0,
            A=sp.csr_array(data["A"]),
            b=data["b"],
            F=sp.csr_array(data["F"]),
            g=data["G"],
            choice=chosen,
            lower=lower,
            upper=upper,
            budgets=[(np.concatenate([columns(*part) for part in parts]), most) for parts, most in choices.budgets],
        )
        variable = np.searchsorted(sorted(first.values()), np.arange(n), side="right") - 1
        return _choices.solve(program, solver_opts["sizes"], variable, solver_opts["options"])

    def invert(self, solved: Any, inverse_data: Any) -> Any:
        status, attributes = _status(solved), {"solve_time": solved.result.seconds}
        if status not in cvxpy.settings.SOLUTION_PRESENT:
            return failure_solution(status, attributes)
        if self.EQ_CONSTR in inverse_data:
            duals = {
                **get_dual_values(solved.equations, extract_dual_value, inverse_data[self.EQ_CONSTR]),
                **get_dual_values(solved.inequalities, extract_dual_value, inverse_data[self.NEQ_CONSTR]),
            }
        else:  # before CVXPY 1.8 one vector
            duals = {self.DUAL_VAR_ID: np.concatenate([solved.equations, solved.inequalities])}
        return Solution(status, solved.fun, {self.VAR_ID: solved.x}, duals, attributes)


def _sizes(problem: Any, chain: Any) -> _choices.Sizes:
    """CVXPY's form of the problem with the absolute value of each constant and no minus: how large the terms were."""
    *to_affine, to_matrices, solver = chain.reductions
    for reduction in to_affine:
        problem = reduction.apply(problem)[0]
    constraints = []
    for constraint in problem.constraints:
        size = sum(map(_absolute, constraint.args))
        constraints.append(Zero(size) if isinstance(constraint, (Equality, Zero)) else NonNeg(size))
    absolute = cvxpy.Problem(cvxpy.Minimize(_absolute(problem.objective.expr)), constraints)
    data = solver.apply(to_matrices.apply(absolute)[0])[0]
    return _choices.Sizes(abs(data["q"]), abs(data["A"]), abs(data["b"]), abs(data["F"]), abs(data["G"]))


def _absolute(expression: Any) -> Any:
    if expression.is_constant() and not isinstance(expression, AffAtom):
        return cvxpy.Constant(abs(expression.value))
    if not isinstance(expression, AffAtom):  # a variable, or a quadratic form in one
        return expression
    if isinstance(expression, DivExpression):  # what divides must not grow
        dividend, divisor = expression.args
        return expression.copy([_absolute(dividend), cvxpy.Constant(abs(divisor.value))])
    args = [_absolute(arg) for arg in expression.args]
    return args[0] if isinstance(expression, NegExpression) else expression.copy(args)


def _status(solved: _choices.Solved) -> str:
    """CVXPY's word for it; of a convex problem what is stationary is optimal."""
    status = solved.status
    if status in (Status.optimal, Status.gap_limit) or (status == Status.converged and solved.convex):
        return cvxpy.OPTIMAL
    if status == Status.infeasible:
        return cvxpy.INFEASIBLE
    if status == Status.unbounded:
        return cvxpy.UNBOUNDED
    if not solved.result.certificate.relative_infeasibility <= _choices.feasible:
        return cvxpy.SOLVER_ERROR
    limits = (Status.max_time, Status.max_iterations, Status.node_limit, Status.interrupted)
    return cvxpy.settings.USER_LIMIT if status in limits else cvxpy.OPTIMAL_INACCURATE
