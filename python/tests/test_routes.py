"""minimize finds the class of a problem, and says what it found."""

import json
from pathlib import Path

import numpy as np
import pendec
import pytest
from pendec import objectives, sets

examples = Path(__file__).parents[2] / "examples" / "problems"


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    A = np.round(4 * rng.normal(size=(12, 7))) / 4
    return A, np.round(4 * rng.normal(size=12)) / 4


def test_every_statement_of_a_problem_takes_one_route_to_one_optimum(data, tmp_path):
    A, b = data
    n, s, x0 = 7, 3, np.full(7, 1 / 7)
    Q, c = A.T @ A, -A.T @ b
    simplex = pendec.Constraint(np.eye(n), sets.Simplex(n))
    sum_is_one = pendec.Constraint(np.ones((1, n)), sets.Singleton([1.0]))
    file = {
        "pendec": 1,
        "objective": {"type": "quadratic", "Q": Q.tolist(), "c": c.tolist()},
        "D": {"type": "sparse_simplex", "n": n, "s": s},
        "start": x0.tolist(),
    }
    results = [
        pendec.minimize(objectives.Quadratic(Q, c), x0, set=sets.SparseSimplex(n, s)),
        pendec.minimize(objectives.Quadratic(Q, c), x0, set=sets.Sparse(n, s), constraints=[simplex]),
        pendec.minimize(objectives.Quadratic(Q, c), x0, set=sets.SparseBox(0.0, None, s, n), constraints=[sum_is_one]),
        pendec.ProblemFile.parse(json.dumps(file)).solve(),
    ]
    squares = pendec.minimize(objectives.LeastSquares(A, b), x0, set=sets.SparseSimplex(n, s))
    for r in [*results, squares]:
        assert r.route == "sparse_qp" and r.status == pendec.Status.optimal and r.why_not == []
        assert r.bound <= r.fun <= r.bound + 1e-8
    for r in results:
        assert r.fun == pytest.approx(results[0].fun, abs=1e-8)
    assert squares.fun - 0.5 * b @ b == pytest.approx(results[0].fun, abs=1e-8)


def least_on_the_simplex(Q, c):
    """By all pairs: x_i = t, x_j = 1 - t, a parabola in t."""
    best = np.inf
    for i in range(len(c)):
        for j in range(len(c)):
            curvature = Q[i, i] - 2 * Q[i, j] + Q[j, j]
            slope = Q[i, j] - Q[j, j] + c[i] - c[j]
            t = np.clip(-slope / curvature, 0, 1) if curvature > 0 else float(slope < 0)
            best = min(best, 0.5 * curvature * t**2 + slope * t + 0.5 * Q[j, j] + c[j])
    return best


@pytest.mark.parametrize("seed", range(20))
def test_statements_of_random_problems_equal_enumeration(seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        n = int(rng.integers(3, 7))
        A, b = np.round(4 * rng.normal(size=(n + 2, n))) / 4, np.round(4 * rng.normal(size=n + 2)) / 4
        Q, c, order = A.T @ A, -A.T @ b, rng.permutation(n)
        units = rng.choice([0.25, 0.5, 2.0, 4.0], size=n)
        x0, one = np.full(n, 1 / n), sets.Singleton([1.0])
        few, simplex = sets.Sparse(n, 2), pendec.Constraint(np.eye(n), sets.Simplex(n))
        file = {
            "pendec": 1,
            "objective": {"type": "quadratic", "Q": Q.tolist(), "c": c.tolist()},
            "D": {"type": "sparse_simplex", "n": n, "s": 2},
            "start": x0.tolist(),
        }
        quadratic, squares = objectives.Quadratic(Q, c), objectives.LeastSquares(A, b)
        permuted = objectives.Quadratic(Q[np.ix_(order, order)], c[order])
        scaled = objectives.Quadratic(Q * np.outer(units, units), c * units)
        row = pendec.Constraint(units[None, :], one)
        statements = [
            (pendec.minimize(quadratic, x0, set=sets.SparseSimplex(n, 2)), 0.0),
            (pendec.minimize(squares, x0, set=sets.SparseSimplex(n, 2)), 0.5 * b @ b),
            (pendec.minimize(quadratic, x0, set=few, constraints=[simplex]), 0.0),
            (pendec.minimize(permuted, x0, set=sets.SparseSimplex(n, 2)), 0.0),
            (pendec.minimize(scaled, x0, set=sets.SparseBox(0.0, None, 2, n), constraints=[row]), 0.0),
            (pendec.ProblemFile.parse(json.dumps(file)).solve(), 0.0),
        ]
        best = least_on_the_simplex(Q, c)
        for r, constant in statements:
            assert r.route == "sparse_qp" and r.status == pendec.Status.optimal
            assert r.fun - constant == pytest.approx(best, abs=1e-8)


def test_a_count_per_group_is_proved(data):
    A, b = data
    D = sets.GroupCounts(7, [[0, 1, 2], [3, 4, 5]], [1, 1], 2)
    r = pendec.minimize(objectives.LeastSquares(A, b), np.zeros(7), set=D)
    assert r.route == "sparse_qp" and r.status == pendec.Status.optimal and D.contains(r.x, 0.0)
    pairs = [[i, j] for i in range(7) for j in range(7) if i < j and not (j < 3 or (i > 2 and j < 6))]
    best = min(0.5 * np.sum((A[:, S] @ np.linalg.lstsq(A[:, S], b, rcond=None)[0] - b) ** 2) for S in pairs)
    assert r.fun == pytest.approx(best, abs=1e-9)


def test_a_route_that_is_asked_for_is_taken_or_says_why_not(data):
    A, b = data
    f, D = objectives.LeastSquares(A, b), sets.Sparse(7, 2)
    general = pendec.minimize(f, np.zeros(7), set=D, options={"driver.route": "general"})
    assert general.route == "general" and general.status == pendec.Status.converged
    with pytest.raises(pendec.InvalidArgument, match="driver.route is correlation; .*semidefinite"):
        pendec.minimize(f, np.zeros(7), set=D, options={"driver.route": "correlation"})
    by_callback = pendec.minimize(lambda x: f(x), np.zeros(7), jac=lambda x: f.gradient(x), set=D)
    assert by_callback.route == "general"
    assert {"route": "sparse_qp", "reason": "f is not known to be quadratic"} in by_callback.why_not


def test_files_with_pairs_tell_the_type_of_stationarity():
    r = pendec.solve_file(examples / "switching.json")
    assert r.route == "pairs" and r.success and r.stationarity == "S" and len(r.pairs) == 1
