"""CVXPY's problems with choices: the optimum of the choices against enumeration by CVXPY itself."""

import itertools

import numpy as np
import pytest

import pendec

cp = pytest.importorskip("cvxpy", reason="CVXPY is not installed")
import pendec.cvxpy

seeds = range(30)


def random_problem(rng, n, bounded=True):
    """A convex quadratic problem of one of several forms, half of them maximised, and its variable."""
    w = cp.Variable(n)
    B, b = rng.normal(size=(n + 2, n)), rng.normal(size=n + 2)
    f = [
        lambda: 0.5 * cp.quad_form(w, B.T @ B / n + 0.1 * np.eye(n)) - b[:n] @ w + 1.5,
        lambda: cp.sum_squares(B @ w - b),
        lambda: cp.sum_squares(B @ w - b) + 0.3 * cp.norm1(w),
        lambda: cp.sum_squares(B @ w - 3 * b) + 0.2 * cp.max(w) + cp.sum(cp.pos(w - 0.2)),
        lambda: cp.sum_squares(w[: n // 2] - b[: n // 2]) + cp.quad_form(w, np.diag(rng.uniform(0.5, 2, n))) + 2 * w[0],
    ][rng.integers(5)]()
    constraints = [w >= rng.uniform(-2, -0.5), w <= rng.uniform(0.5, 2, n)] if bounded else []
    if rng.random() < 0.5:
        constraints.append(cp.sum(w) == rng.uniform(0.2, 1))
    if rng.random() < 0.5:
        constraints.append(rng.normal(size=(2, n)) @ w <= rng.uniform(0.5, 1, 2))
    objective = cp.Minimize(f) if rng.random() < 0.5 else cp.Maximize(-f)
    return cp.Problem(objective, constraints), w


def enumerated(problem, branches):
    """The best value over lists of constraints, each a convex problem for CVXPY; none: infeasible."""
    values = []
    for branch in branches:
        part = cp.Problem(problem.objective, problem.constraints + branch)
        part.solve(solver=cp.CLARABEL)
        if part.status in cp.settings.SOLUTION_PRESENT:
            values.append(part.value)
    best = max if isinstance(problem.objective, cp.Maximize) else min
    return best(values, default=None)


def check(problem, branches, **choices):
    expected = enumerated(problem, branches)
    for variable in problem.variables():
        variable.value = None
    result = pendec.cvxpy.solve(problem, **choices)
    if expected is None:
        assert problem.status == "infeasible"
        return None
    assert problem.status == "optimal" and result.certified and result.success, result
    assert problem.value == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert problem.value == problem.objective.value == result.fun
    sign = -1 if isinstance(problem.objective, cp.Maximize) else 1
    assert -1e-12 * (1 + abs(result.fun)) <= sign * (result.fun - result.bound) <= 1e-8 * (1 + abs(result.fun))
    assert all(np.max(constraint.violation()) <= 1e-8 for constraint in problem.constraints)
    return result


def zeros(n, nonzero):
    return [i for i in range(n) if i not in nonzero]


@pytest.mark.parametrize("seed", seeds)
def test_cardinality_is_that_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    n, most = 5, int(rng.integers(1, 4))
    problem, w = random_problem(rng, n)
    branches = [[w[zeros(n, chosen)] == 0] for chosen in itertools.combinations(range(n), most)]
    if check(problem, branches, cardinality=[(w, most)]):
        assert np.count_nonzero(w.value) <= most


@pytest.mark.parametrize("seed", seeds)
def test_semicontinuous_variables_are_those_of_enumeration(seed):
    rng = np.random.default_rng(100 + seed)
    n, least, most = 4, rng.uniform(0.1, 0.4), rng.uniform(0.45, 1.0)
    problem, w = random_problem(rng, n)
    branches = [
        [c for i in range(n) for c in ([w[i] >= least, w[i] <= most] if on[i] else [w[i] == 0])]
        for on in itertools.product([False, True], repeat=n)
    ]
    if check(problem, branches, semicontinuous=[(w, least, most)]):
        assert all(v == 0 or least - 1e-9 <= v <= most + 1e-9 for v in w.value)


@pytest.mark.parametrize("seed", seeds)
def test_counts_of_groups_are_those_of_enumeration(seed):
    rng = np.random.default_rng(200 + seed)
    n, groups, counts = 6, [[0, 1, 2], [3, 5]], [int(rng.integers(1, 3)), 1]
    problem, w = random_problem(rng, n)
    choices = itertools.product(*(itertools.combinations(g, k) for g, k in zip(groups, counts)))
    branches = [[w[zeros(n, {*a, *b, 4})] == 0] for a, b in choices]
    check(problem, branches, group_counts=[(w, groups, counts)])


@pytest.mark.parametrize("seed", seeds)
def test_complementary_pairs_are_those_of_enumeration(seed):
    rng = np.random.default_rng(300 + seed)
    n = 6
    problem, w = random_problem(rng, n)
    M, r = rng.normal(size=(3, n)), rng.normal(size=3)
    a, b = w[:3], (w[3:] if seed % 2 else M @ w + r)
    branches = [
        [a >= 0, b >= 0, *((a if side else b)[i] == 0 for i, side in enumerate(sides))]
        for sides in itertools.product([False, True], repeat=3)
    ]
    if check(problem, branches, complementary=[(a, b)]):
        assert np.max(np.abs(a.value * b.value)) <= 1e-9
