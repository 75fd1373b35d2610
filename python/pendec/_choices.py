"""Convex quadratic programs with choices among their columns, by the route that proves the optimum."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from scipy.sparse.linalg import lsqr, splu

from . import maps, objectives, sets
from ._arrays import Array
from ._problem import Constraint, minimize
from ._result import Interrupted, Result, Status

Pivots = list[tuple[int, int]]  # an equation and the column that it is solved for
Budget = tuple[Any, int]  # columns of which at most so many are not 0

gap = 1e-9  # relative: what is proved
rounding = 1e-13  # of the terms of a sum: what is left of them is 0
nothing = 1e-15  # of the entries of other rows: rows so small with a right-hand side of 0 are what data left of 0
feasible = 1e-6  # relative: what may be violated by a point that is given for one
margin = 1e-3  # relative: bounds are wider by so much, so that no multiplier belongs to them
small = 1e-3  # of the largest in its row: no number to divide by


@dataclass
class Program:
    """min ½xᵀPx + qᵀx + constant s.t. A x = b, F x ≤ g; columns marked in `choice` are 0 or in [lower, upper], within all
    budgets."""

    P: Any
    q: Array
    constant: float
    A: Any
    b: Array
    F: Any
    g: Array
    choice: Any
    lower: Array
    upper: Array
    budgets: list[Budget]


@dataclass
class Solved:
    """A point with multipliers of the convex program that its choice leaves: P x + q + Aᵀλ + Fᵀμ with μ ≥ 0 is zero but
    for the columns that are chosen among.

    `result` is that of the program without the columns that equations give; to its objective `constant` is added.
    `convex`: there was nothing to choose.
    """

    result: Result
    constant: float
    convex: bool
    x: Array
    equations: Array
    inequalities: Array

    @property
    def fun(self) -> float:
        return self.result.fun + self.constant

    @property
    def bound(self) -> float:
        return self.result.bound + self.constant

    @property
    def status(self) -> Status:
        """With the constant there may be more for f − bound to be small beside."""
        closed = self.fun - self.bound <= gap * abs(self.fun)
        return Status.optimal if closed and self.result.status == Status.converged else self.result.status


@dataclass
class Sizes:
    """Of a program's numbers: the sums of the absolute values of the terms that made them."""

    q: Array
    A: Any
    b: Array
    F: Any
    g: Array


def solve(program: Program, sizes: Sizes, variable: Array, options: Mapping[str, Any]) -> Solved:
    """`variable`: the number of the variable that each column is an entry of."""
    given = _without_noise(program, sizes)
    units = _units(given, variable)
    program = _in_units(given, units)
    reduced, steps, equations, inequalities = _reduced(_with_real_choices(program))
    found = _solve_reduced(reduced, units.f, options)
    x = found.x
    for step in reversed(steps):
        x = step.T @ x + step.t
    lam, mu = np.zeros(program.b.size), np.zeros(program.g.size)
    lam[equations], mu[inequalities] = np.split(found.of_rows, [equations.size])
    if steps:  # there the columns that were put in are stationary
        row, column = (np.concatenate([getattr(step, name) for step in steps]) for name in ("row", "column"))
        gradient = program.P @ x + program.q + program.A.T @ lam + program.F.T @ mu
        lam[row] = splu(sp.csc_array(program.A[row][:, column].T)).solve(-gradient[column])
    lam, mu = np.split(np.concatenate([lam, mu]) / units.rows, [lam.size])
    return Solved(found.result, reduced.constant, found.convex, units.columns * x, lam, mu)


def _without_noise(program: Program, sizes: Sizes) -> Program:
    """What cancelled up to rounding is 0, otherwise 3·(0.1 x) − 0.3 x = 0 would be an equation for x.

    Data may have cancelled before anyone saw its terms: rows with a right-hand side of 0 that are negligible beside
    what other rows have in each of their columns.
    """
    tidied = {name: _tidy(getattr(program, name), getattr(sizes, name)) for name in ("q", "A", "b", "F", "g")}
    rows = sp.coo_array(sp.vstack([tidied["A"], tidied["F"]]))
    largest = np.zeros(program.q.size)
    np.maximum.at(largest, rows.col, np.abs(rows.data))
    beside = np.abs(rows.data) > nothing * largest[rows.col]
    says = np.bincount(rows.row, beside, rows.shape[0]) > 0.0
    says |= np.concatenate([tidied["b"], tidied["g"]]) != 0.0
    kept = _by_rows(sp.diags_array(says.astype(float)) @ rows)
    tidied["A"], tidied["F"] = kept[: program.b.size], kept[program.b.size :]
    return replace(program, **tidied)


def _with_real_choices(program: Program) -> Program:
    """Without budgets that allow everything, and choices that are then none."""
    budgets = [(columns, most) for columns, most in program.budgets if most < columns.size]
    limited = (program.lower > -np.inf) | (program.upper < np.inf)
    for columns, _ in budgets:
        limited[columns] = True
    return replace(program, budgets=budgets, choice=program.choice & limited)


# Columns that equations give -----


@dataclass
class Step:
    """x = T x + t puts in for each column what an equation says; no equation has another's column."""

    row: Any  # of the program as it was given
    column: Any
    T: Any
    t: Array


def _reduced(program: Program) -> tuple[Program, list[Step], Any, Any]:
    """The program without columns that an equation gives; the steps to it, and the equations and inequalities left.

    What is chosen should be what f curves in: a column that is a chosen one in other units is replaced by it, and names
    of residuals or factors vanish from the objective.
    """
    steps: list[Step] = []
    equations = np.arange(program.b.size)
    while found := _names_of_choices(program) or _definitions(program):
        row, column = np.transpose(found)
        T, t = _substitution(program, row, column)
        steps.append(Step(equations[row], column, T, t))
        left = np.setdiff1d(np.arange(equations.size), row)
        program, equations = _without(program, column, T, t, left), equations[left]
    says = (np.diff(program.A.indptr) > 0) | (program.b != 0.0)
    limits = (np.diff(program.F.indptr) > 0) | (program.g < 0.0)
    program = replace(program, A=program.A[says], b=program.b[says], F=program.F[limits], g=program.g[limits])
    return program, steps, equations[says], np.flatnonzero(limits)


def _names_of_choices(program: Program) -> Pivots:
    """Equations of two columns one of which is chosen, or both where they vanish together."""
    A = program.A
    found: Pivots = []
    gone: set[int] = set()
    stay: set[int] = set()
    for row in np.flatnonzero(np.diff(A.indptr) == 2):
        i, j = (int(k) for k in A.indices[A.indptr[row] : A.indptr[row + 1]])
        if program.choice[i]:
            i, j = j, i  # i is to go
        apart = program.choice[i] and program.b[row] != 0.0
        usable = abs(A[row, i]) >= rounding * abs(A[row, j])
        if not program.choice[j] or apart or not usable or i in gone | stay or j in gone:
            continue
        found.append((int(row), i))
        gone.add(i)
        stay.add(j)
    return found


def _definitions(program: Program) -> Pivots:
    """Columns that are in one equation, in no inequality and free, one for each equation."""
    A = sp.csc_array(program.A)
    alone = (np.diff(A.indptr) == 1) & (np.diff(sp.csc_array(program.F).indptr) == 0) & ~program.choice
    columns = np.flatnonzero(alone)
    if columns.size == 0:
        return []
    rows, entries = A.indices[A.indptr[columns]], np.abs(A.data[A.indptr[columns]])
    usable = entries >= small * abs(program.A).max(axis=1).toarray().ravel()[rows]
    return [(row, column) for row, column in dict(zip(rows[usable].tolist(), columns[usable].tolist())).items()]


def _substitution(program: Program, row: Any, column: Any) -> tuple[Any, Array]:
    n = program.q.size
    divisor = np.array([program.A[k] for k in zip(row, column)])
    t = np.zeros(n)
    t[column] = program.b[row] / divisor
    kept = np.ones(n)
    kept[column] = 0.0
    stays = sp.csr_array(sp.diags(kept))
    spread = sp.csr_array((1.0 / divisor, (column, np.arange(row.size))), shape=(n, row.size))
    return sp.csr_array(stays - spread @ (program.A[row] @ stays)), t


def _without(program: Program, column: Any, T: Any, t: Array, left: Any) -> Program:
    lower, upper, choice, budgets = program.lower.copy(), program.upper.copy(), program.choice.copy(), program.budgets
    for i in column[program.choice[column]]:
        j = int(T.indices[T.indptr[i]])
        low, high = np.sort([lower[i] / T[i, j], upper[i] / T[i, j]])
        lower[j], upper[j] = max(lower[j], low), min(upper[j], high)
        budgets = [(np.where(columns == i, j, columns), most) for columns, most in budgets]
        choice[i] = False
    absT, P, A, F = abs(T), program.P, program.A[left], program.F
    P = _tidy(T.T @ P @ T, absT.T @ abs(P) @ absT)
    return Program(
        P=sp.csr_array(0.5 * (P + P.T)),
        q=_tidy(T.T @ (program.P @ t + program.q), absT.T @ (abs(program.P) @ abs(t) + abs(program.q))),
        constant=program.constant + float(t @ (0.5 * (program.P @ t) + program.q)),
        A=_tidy(A @ T, abs(A) @ absT),
        b=_tidy(program.b[left] - A @ t, abs(program.b[left]) + abs(A) @ abs(t)),
        F=_tidy(F @ T, abs(F) @ absT),
        g=_tidy(program.g - F @ t, abs(program.g) + abs(F) @ abs(t)),
        choice=choice,
        lower=lower,
        upper=upper,
        budgets=budgets,
    )


# Units -----


@dataclass
class Units:
    columns: Array
    rows: Array  # of A, then of F
    f: float


def _units(program: Program, variable: Array) -> Units:
    """Powers of 2 that bring the numbers of the program as near to 1 as may be, one for the entries of a variable.

    What follows compares with 1. The squares of the logarithms have the least sum (Curtis, Reid: On the automatic
    scaling of matrices for Gaussian elimination, 1972).
    """
    rows, right = sp.coo_array(sp.vstack([program.A, program.F])), np.concatenate([program.b, program.g])
    of_row, of_f = variable.max() + 1, variable.max() + 1 + right.size
    each, i, curvature = variable, np.arange(right.size), program.P.diagonal()
    numbers, of = [], []  # log₂ |number| + Σ sign · log₂ unit = 0
    for values, *units in (
        (rows.data, (1.0, variable[rows.col]), (-1.0, of_row + rows.row)),
        (right, (-1.0, of_row + i)),
        (curvature, (2.0, each), (-1.0, np.full(each.size, of_f))),
        (program.q, (1.0, each), (-1.0, np.full(each.size, of_f))),
        (np.where(program.choice, program.lower, 0.0), (-1.0, each)),
        (np.where(program.choice, program.upper, 0.0), (-1.0, each)),
    ):
        known = np.flatnonzero(np.isfinite(values) & (values != 0.0))
        numbers.append(np.log2(np.abs(values[known])))
        k = np.arange(known.size)
        parts = [sp.csr_array((np.full(k.size, s), (k, at[known])), shape=(k.size, of_f + 1)) for s, at in units]
        of.append(sum(parts[1:], parts[0]))
    logarithms = lsqr(sp.csr_array(sp.vstack(of)), -np.concatenate(numbers))[0]
    units = np.exp2(np.round(logarithms))
    return Units(units[variable], units[of_row:of_f], units[of_f])


def _in_units(program: Program, units: Units) -> Program:
    """f keeps its own."""
    columns = sp.diags_array(units.columns)
    of_A, of_F = np.split(units.rows, [program.b.size])
    return replace(
        program,
        P=sp.csr_array(columns @ program.P @ columns),
        q=units.columns * program.q,
        A=sp.csr_array(sp.diags_array(1.0 / of_A) @ program.A @ columns),
        b=program.b / of_A,
        F=sp.csr_array(sp.diags_array(1.0 / of_F) @ program.F @ columns),
        g=program.g / of_F,
        lower=program.lower / units.columns,
        upper=program.upper / units.columns,
    )


# What is left -----


class Found(NamedTuple):
    """A result, its point in the program's columns, the multipliers of A x = b and F x ≤ g; was there nothing to
    choose?"""

    result: Result
    x: Array
    of_rows: Array
    convex: bool = False


def _solve_reduced(program: Program, unit: float, options: Mapping[str, Any]) -> Found:
    program = _without_zeros(program)
    if not _is_decided(program):
        return _solve_choices(program, unit, options)
    n = program.q.size
    found = _solve_choices(_with_switch(program), unit, options)
    if found.result.bound == -np.inf and found.result.status != Status.interrupted:  # other routes know more then
        found = _solve_choices(program, unit, options)
    return found._replace(x=found.x[:n], convex=True)


def _solve_choices(given: Program, unit: float, options: Mapping[str, Any]) -> Found:
    program, most = _with_disjoint_budgets(given)
    box = _implied_bounds(program, *_simple_bounds(program))
    curved = abs(program.P).sum(axis=0) > 0.0
    provable = np.isfinite(np.array(box)[:, _used(program) & ~curved]).all()
    first = options if provable else {**options, "driver.proof_seconds": 0.0}
    found = _minimized(program, most, box, np.zeros(program.q.size), first)
    ends = Status.interrupted, Status.unbounded
    if not provable and found.result.status not in ends:
        if found.result.certificate.relative_infeasibility <= feasible:
            box, points = _simple_bounds(program), [np.zeros(program.q.size)]
            if curved.any():
                relaxation = _relaxation(program)
                points.append(relaxation.x)
                box = _level_set(program, relaxation, found.result.fun, unit)
                if relaxation.result.status == Status.interrupted:
                    found.result["status"] = Status.interrupted
            box = _implied_bounds(program, *box)
            f = found.result.fun + margin * (unit + abs(found.result.fun))
            try:
                box = _linear_bounds(program, *box, f, points, 0.25 * options["driver.proof_seconds"])
            except KeyboardInterrupt:
                found.result["status"] = Status.interrupted
        if found.result.status != Status.interrupted:
            found = _minimized(program, most, box, found.x, options)
    copies = np.arange(given.b.size, program.b.size)
    return found._replace(x=found.x[: given.q.size], of_rows=np.delete(found.of_rows, copies))


def _without_zeros(program: Program) -> Program:
    """Without columns that are chosen among but may be 0 only, and budgets that then allow everything."""
    zero = program.choice & ((program.lower > program.upper) | ((program.lower == 0.0) & (program.upper == 0.0)))
    for columns, most in program.budgets:
        zero[columns] |= most == 0
    kept = sp.diags_array((~zero).astype(float))
    budgets = [(columns[~zero[columns]], most) for columns, most in program.budgets]
    return replace(
        program,
        P=_by_rows(kept @ program.P @ kept),
        q=np.where(zero, 0.0, program.q),
        A=_by_rows(program.A @ kept),
        F=_by_rows(program.F @ kept),
        choice=program.choice & ~zero,
        budgets=[(columns, most) for columns, most in budgets if most < columns.size],
    )


def _is_decided(program: Program) -> bool:
    """Nothing is left to choose: what is marked is in an interval with 0."""
    contains_0 = (program.lower <= 0.0) & (program.upper >= 0.0)
    return not program.budgets and bool(contains_0[program.choice].all())


def _with_switch(program: Program) -> Program:
    """With a column of a choice of its own, 0 or 1, that is in nothing: the route that proves takes problems with
    choices, and any has columns then."""
    return replace(
        program,
        P=sp.csr_array(sp.block_diag([program.P, sp.csr_array((1, 1))])),
        q=np.append(program.q, 0.0),
        A=_wider(program.A, 1),
        F=_wider(program.F, 1),
        choice=np.append(program.choice, True),
        lower=np.append(program.lower, 1.0),
        upper=np.append(program.upper, 1.0),
    )


def _minimized(
    program: Program, most: int, box: tuple[Array, Array], start: Array, options: Mapping[str, Any]
) -> Found:
    """At most so many columns chosen in all, all columns in a box that needs no multipliers."""
    low, high = box
    chosen = np.flatnonzero(program.choice)
    others = np.flatnonzero(~program.choice & _used(program))
    order = np.concatenate([chosen, others])
    blocks: list[Any] = []
    if chosen.size:
        place = np.zeros(program.q.size, dtype=int)
        place[chosen] = np.arange(chosen.size)
        lower = np.where(program.lower == -np.inf, np.minimum(low, 0.0), program.lower)
        upper = np.where(program.upper == np.inf, np.maximum(high, 0.0), program.upper)
        blocks.append(
            sets.GroupCounts(
                chosen.size,
                [place[columns].tolist() for columns, _ in program.budgets],
                [most for _, most in program.budgets],
                most,
                lower[chosen],
                upper[chosen],
            )
        )
    if others.size:
        blocks.append(sets.Box(low[others], high[others]))
    rows = sp.csr_array(sp.vstack([program.A, program.F]))[:, order]
    ends = np.concatenate([program.b, np.full(program.g.size, -np.inf)]), np.concatenate([program.b, program.g])
    try:
        result = minimize(
            objectives.Quadratic(program.P[:, order][order], program.q[order]),
            start[order],
            constraints=Constraint(maps.Affine(rows), sets.Box(*ends)) if rows.shape[0] else (),
            set=sets.Product(blocks),
            options=options,
        )
    except Interrupted as stopped:  # its point may do
        result = stopped.result
    x = np.zeros(program.q.size)
    if result.x.size == order.size:
        x[order] = result.x
    of_rows = np.concatenate([*result.multipliers["constraints"], np.zeros(rows.shape[0])])[: rows.shape[0]]
    return Found(result, x, of_rows)


def _used(program: Program) -> Any:
    """Columns that are in something."""
    return sum(abs(M).sum(axis=0) for M in (program.P, program.A, program.F)) + abs(program.q) > 0.0


def _relaxation(program: Program) -> Found:
    """Without choices."""
    relaxed = replace(program, choice=np.zeros(program.q.size, dtype=bool), budgets=[])
    return _minimized(relaxed, 0, _simple_bounds(program), np.zeros(program.q.size), {})


def _level_set(program: Program, relaxation: Found, f: float, unit: float) -> tuple[Array, Array]:
    """Bounds of the points that are no worse than f, where the program curves in all columns that it curves in at all:
    without choices f grows from its solution z by at least ½(x − z)ᵀP(x − z)."""
    solved, slack = 1e-5, 1e-3  # relative: the second makes up for what the first lets pass
    independent = 1e-9
    low, high = _simple_bounds(program)
    result, z = relaxation.result, relaxation.x
    curved = np.flatnonzero(program.P.diagonal() > 0.0)
    try:
        factor = np.linalg.cholesky(program.P[:, curved][curved].toarray())
    except np.linalg.LinAlgError:
        return low, high
    left = np.square(np.diag(factor)) / program.P.diagonal()[curved]  # 0 but for rounding where P is singular
    certificate = result.certificate
    if (
        not left.min(initial=1.0) >= independent
        or not max(certificate.relative_infeasibility, certificate.relative_stationarity) <= solved
    ):
        return low, high
    rise = f - result.fun + slack * (unit + abs(f) + abs(result.fun))
    reach = np.sqrt(2.0 * rise * np.square(np.linalg.inv(factor)).sum(axis=0)) + slack * (1.0 + np.abs(z[curved]))
    low[curved] = np.maximum(low[curved], z[curved] - reach)
    high[curved] = np.minimum(high[curved], z[curved] + reach)
    return low, high


def _implied_bounds(program: Program, low: Array, high: Array) -> tuple[Array, Array]:
    """What rows and bounds [low, high] imply for each column, a little wider, so that no multiplier belongs to it.

    Besides, a column that f is linear in, and no equation has, may go as far as f falls, to the first inequality that
    holds it. CVXPY writes norms and maxima with such columns, and no proof is possible where they have no bounds.
    """
    most_rounds = 10
    linear = ~program.choice & (abs(program.P).sum(axis=0) == 0.0) & (abs(program.A).sum(axis=0) == 0.0)
    sign = np.where(linear & (program.q < 0.0), -1.0, 1.0)  # sign · x is to fall
    low, high = np.where(sign < 0.0, -high, low), np.where(sign < 0.0, -low, high)
    rows = sp.coo_array(sp.vstack([program.F, program.A, -program.A]))
    right = np.concatenate([program.g, program.b, -program.b])
    row, column, entry = rows.row, rows.col, rows.data * sign[rows.col]
    positive, holds = entry > 0.0, linear[column] & (entry < 0.0)

    def room(where_positive: Array, where_negative: Array) -> Array:
        """What a row leaves to each of its columns with the others at these ends; none where one is infinite."""
        ends = entry * np.where(positive, where_positive[column], where_negative[column])
        infinite = ~np.isfinite(ends)
        finite = np.where(infinite, 0.0, ends)
        others = np.bincount(row, finite, right.size)[row] - finite
        unknown = np.bincount(row, infinite, right.size)[row] - infinite
        return np.where(unknown > 0.0, np.nan, (right[row] - others) / entry)

    for _ in range(most_rounds):
        at_most, at_least, needed = room(low, high), room(high, low), np.full(sign.size, -np.inf)
        np.maximum.at(needed, column[holds], np.where(np.isnan(at_least), np.inf, at_least)[holds])
        lower, upper = low.copy(), np.where(needed > -np.inf, np.minimum(high, needed), high)
        np.fmin.at(upper, column[positive], at_most[positive])
        np.fmax.at(lower, column[~positive], at_most[~positive])
        known = np.isfinite(low).sum() + np.isfinite(high).sum()
        sound = lower <= upper  # what contradicts itself is for the solver to prove
        low, high = np.where(sound, lower, low), np.where(sound, upper, high)
        if not sound.all() or np.isfinite(low).sum() + np.isfinite(high).sum() == known:
            break
    low, high = low - margin * (1.0 + np.abs(low)), high + margin * (1.0 + np.abs(high))
    low, high = np.where(low <= high, low, -np.inf), np.where(low <= high, high, np.inf)
    return np.where(sign < 0.0, -high, low), np.where(sign < 0.0, -low, high)


def _linear_bounds(
    program: Program, low: Array, high: Array, f: float, points: list[Array], seconds: float
) -> tuple[Array, Array]:
    """What all rows together imply for columns without bounds, with tangents of the objective at these points ≤ f.

    Norms and sums of the largest in constraints bound their columns only so.
    """
    until = time.monotonic() + seconds
    low, high = low.copy(), high.copy()
    without = np.flatnonzero(_used(program) & ~(np.isfinite(low) & np.isfinite(high)))
    tangents = sp.csr_array([program.P @ z + program.q for z in points])
    F = sp.vstack([program.F, tangents])
    g = np.concatenate([program.g, [f + 0.5 * z @ (program.P @ z) for z in points]])
    for i in without:
        for ends, sign in ((low, 1.0), (high, -1.0)):
            if np.isfinite(ends[i]) or time.monotonic() > until:
                continue
            cost = np.zeros(program.q.size)
            cost[i] = sign
            found = linprog(cost, F, g, program.A, program.b, np.column_stack([low, high]))
            if found.status == 0:
                ends[i] = sign * (found.fun - margin * (1.0 + abs(found.fun)))
    return low, high


def _simple_bounds(program: Program) -> tuple[Array, Array]:
    """Those of the choice, and of rows of one column."""
    low = np.where(program.choice, np.minimum(program.lower, 0.0), -np.inf)
    high = np.where(program.choice, np.maximum(program.upper, 0.0), np.inf)
    for M, right, equal in ((program.A, program.b, True), (program.F, program.g, False)):
        for k in np.flatnonzero(np.diff(M.indptr) == 1):
            i, entry = M.indices[M.indptr[k]], M.data[M.indptr[k]]
            if equal or entry > 0.0:
                high[i] = min(high[i], right[k] / entry)
            if equal or entry < 0.0:
                low[i] = max(low[i], right[k] / entry)
    return low, high


def _with_disjoint_budgets(program: Program) -> tuple[Program, int]:
    """Budgets that share no columns, as the library counts, and how many columns may be chosen in all.

    A column that another budget counts already gets a copy, which vanishes with it.
    """
    count = int(program.choice.sum())
    of_all = lambda columns: columns.size == np.unique(columns).size == count
    in_all = [most for columns, most in program.budgets if of_all(columns)]
    parts = [(columns, most) for columns, most in program.budgets if not of_all(columns)]
    if not _repeated([columns for columns, _ in parts]).any():
        return replace(program, budgets=parts), min([*in_all, count])
    budgets = sorted(program.budgets, key=lambda budget: -budget[0].size)  # the larger ones keep what f curves in
    columns = np.concatenate([columns for columns, _ in budgets])
    again = np.flatnonzero(_repeated([columns]))
    originals, n = columns[again], program.q.size
    columns[again] = n + np.arange(again.size)
    split = np.split(columns, np.cumsum([c.size for c, _ in budgets])[:-1])
    copies = sp.csr_array((np.ones(again.size), (np.arange(again.size), originals)), shape=(again.size, n))
    longer = lambda v: np.concatenate([v, v[originals]])
    program = replace(
        program,
        P=sp.csr_array(sp.block_diag([program.P, sp.csr_array((again.size, again.size))])),
        q=np.concatenate([program.q, np.zeros(again.size)]),
        A=sp.csr_array(sp.vstack([_wider(program.A, again.size), sp.hstack([copies, -sp.eye(again.size)])])),
        b=np.concatenate([program.b, np.zeros(again.size)]),
        F=_wider(program.F, again.size),
        choice=longer(program.choice),
        lower=longer(program.lower),
        upper=longer(program.upper),
        budgets=[(own, most) for own, (_, most) in zip(split, budgets)],
    )
    return program, count + again.size


def _repeated(parts: list[Any]) -> Any:
    """Which entries were there before?"""
    entries = np.concatenate([np.zeros(0, dtype=int), *parts])
    first = np.unique(entries, return_index=True)[1]
    return ~np.isin(np.arange(entries.size), first)


def _tidy(sums: Any, sizes: Any) -> Any:
    """Sums with 0 where their terms, whose absolute values have the sums `sizes`, cancelled; a matrix by rows."""
    if isinstance(sums, np.ndarray):
        return np.where(np.abs(sums) > rounding * sizes, sums, 0.0)
    return _by_rows(sums.multiply(abs(sums) > rounding * sizes))


def _wider(M: Any, columns: int) -> Any:
    return sp.csr_array(sp.hstack([M, sp.csr_array((M.shape[0], columns))]))


def _by_rows(M: Any) -> Any:
    """Without entries that are 0."""
    M = sp.csr_array(M)
    M.eliminate_zeros()
    return M
