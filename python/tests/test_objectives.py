"""Objectives: their formulas, gradients, convexity, and what they refuse."""

import pickle

import numpy as np
import pytest
from pendec import objectives

x = np.array([0.5, -1.0, 2.0])
Q = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 3.0]])
A = np.random.default_rng(2).normal(size=(6, 3))
b = np.random.default_rng(3).normal(size=6)
labels = np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
counts = np.array([0.0, 1.0, 2.0, 0.0, 3.0, 1.0])
t = A @ x


def huber(r, delta=1.345):
    return np.where(np.abs(r) <= delta, r**2 / 2, delta * (np.abs(r) - delta / 2)).sum()


catalogue = {
    "quadratic": (objectives.Quadratic(Q, [1, 0, 2]), x @ Q @ x / 2 + x @ [1, 0, 2], True),
    "indefinite": (objectives.Quadratic(np.diag([1.0, -1.0, 0.0])), (x[0] ** 2 - x[1] ** 2) / 2, False),
    "distance": (objectives.SquaredDistance([1, 2, 3], [1, 1, 0.5]), (0.25 + 9 + 0.5) / 2, True),
    "least squares": (objectives.LeastSquares(A, b), np.sum((t - b) ** 2) / 2, True),
    "logistic": (objectives.Logistic(A, labels), np.log1p(np.exp(-labels * t)).sum(), True),
    "linear": (objectives.Linear([1, 2, 3]), 4.5, True),
    "squared model": (
        objectives.LinearModel(A, b, "squared", ridge=0.5),
        np.sum((t - b) ** 2) / 2 + 0.25 * x @ x,
        True,
    ),
    "logistic model": (objectives.LinearModel(A, labels, "logistic"), np.log1p(np.exp(-labels * t)).sum(), True),
    "huber model": (objectives.LinearModel(A, b, "huber"), huber(t - b), True),
    "poisson model": (objectives.LinearModel(A, counts, "poisson"), np.sum(np.exp(t) - counts * t), True),
    "with intercept": (
        objectives.LinearModel(A[:, :2], b, intercept=True),
        np.sum((A[:, :2] @ x[:2] + x[2] - b) ** 2) / 2,
        True,
    ),
    "sum": (
        objectives.Sum([(2.0, objectives.Linear([1, 2, 3])), (0.5, objectives.SquaredDistance([0, 0, 0]))]),
        9.0 + x @ x / 4,
        True,
    ),
    "difference": (
        objectives.Sum([(-1.0, objectives.Logistic(A, labels))]),
        -np.log1p(np.exp(-labels * t)).sum(),
        False,
    ),
}


@pytest.mark.parametrize("name", catalogue)
def test_objectives_are_their_formulas(name):
    f, value, convex = catalogue[name]
    assert f(x) == pytest.approx(value, rel=1e-12) and f.dimension == 3
    assert f.convex <= convex  # known to be, never by mistake
    assert objectives.check(f, x) == []
    step = 1e-6
    differences = [(f(x + e) - f(x - e)) / (2 * step) for e in step * np.eye(3)]
    assert np.allclose(f.gradient(x), differences, atol=1e-5)
    assert pickle.loads(pickle.dumps(f))(x) == f(x)


def test_sparse_data_are_the_same_as_dense():
    sparse = pytest.importorskip("scipy.sparse")
    f = objectives.LinearModel(sparse.csr_matrix(A), b, "huber", intercept=True)
    g = objectives.LinearModel(A, b, "huber", intercept=True)
    z = np.append(x, 0.3)
    assert f(z) == pytest.approx(g(z)) and np.allclose(f.gradient(z), g.gradient(z))
    assert pickle.loads(pickle.dumps(f))(z) == f(z)


@pytest.mark.parametrize("name", ["quadratic", "least squares", "logistic"])
def test_sparse_matrices_are_read_by_every_objective_with_a_matrix(name):
    sparse = pytest.importorskip("scipy.sparse")
    f, g = {
        "quadratic": (objectives.Quadratic(sparse.csr_matrix(Q), [1, 0, 2]), objectives.Quadratic(Q, [1, 0, 2])),
        "least squares": (objectives.LeastSquares(sparse.coo_matrix(A), b), objectives.LeastSquares(A, b)),
        "logistic": (objectives.Logistic(sparse.csc_matrix(A), labels), objectives.Logistic(A, labels)),
    }[name]
    assert f(x) == pytest.approx(g(x), rel=1e-13) and np.allclose(f.gradient(x), g.gradient(x))
    assert objectives.check(f, x) == [] and pickle.loads(pickle.dumps(f))(x) == f(x)


def test_sparse_matrices_are_not_made_dense():
    sparse = pytest.importorskip("scipy.sparse")
    n = 500_000  # n² numbers would fill any memory
    eye, ones = sparse.identity(n, format="csc"), np.ones(n)
    assert objectives.Quadratic(eye)(ones) == pytest.approx(n / 2)
    assert objectives.LeastSquares(eye, np.zeros(n))(ones) == pytest.approx(n / 2)
    assert objectives.Logistic(eye, ones)(0.0 * ones) == pytest.approx(n * np.log(2.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: objectives.Quadratic([[1.0, 2.0], [0.0, 1.0]]), "symmetric"),
        (lambda: objectives.Quadratic(np.ones((2, 3))), r"\(2, 3\)"),
        (lambda: objectives.Quadratic(Q, [1, 2]), r"\(2,\).*\(3,\)"),
        (lambda: objectives.Quadratic([[np.nan]]), "nan"),
        (lambda: objectives.SquaredDistance([1, 2], [-1, 1]), "weights"),
        (lambda: objectives.SquaredDistance([1, 2], [1, 1, 1]), r"\(3,\).*\(2,\)"),
        (lambda: objectives.LeastSquares(A, b[:5]), r"\(5,\).*\(6,\)"),
        (lambda: objectives.Logistic(A, counts), "labels"),
        (lambda: objectives.Linear([np.inf]), "inf"),
        (lambda: objectives.LinearModel(A, b, "cubic"), "cubic"),
        (lambda: objectives.LinearModel(A, b, "poisson"), "b"),
        (lambda: objectives.LinearModel(A, b, ridge=-1.0), "ridge"),
        (lambda: objectives.Sum([]), "at least one|terms"),
        (lambda: objectives.Sum([(1.0, objectives.Linear([1])), (1.0, objectives.Linear([1, 2]))]), "2"),
        (lambda: objectives.Linear([1, 2])([1, 2, 3]), r"\(3,\).*\(2,\)"),
    ],
)
def test_misuse_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("diagonal", [None, 0.5, [1.0, 2.0, 3.0, 4.0]])
def test_a_quadratic_may_be_given_by_factors(diagonal):
    B = np.arange(8.0).reshape(4, 2) - 3.0
    Q = B @ B.T + (0 if diagonal is None else np.diag(np.broadcast_to(diagonal, 4)))
    f, z = objectives.Quadratic(factor=B, diagonal=diagonal, c=1.0), np.array([1.0, -2.0, 0.5, 3.0])
    assert np.isclose(f(z), 0.5 * z @ Q @ z + z.sum()) and np.allclose(f.gradient(z), Q @ z + 1.0)
    assert objectives.check(f, z) == [] and f._core.hessian(z).stored_entries <= 12
    assert np.array_equal(pickle.loads(pickle.dumps(f)).gradient(z), f.gradient(z))
    for wrong in ({}, {"Q": Q, "factor": B}, {"Q": Q, "diagonal": np.ones(4)}, {"factor": B, "diagonal": np.ones(3)}):
        with pytest.raises(ValueError, match="expected"):
            objectives.Quadratic(**wrong)
