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
