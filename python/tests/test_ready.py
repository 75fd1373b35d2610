"""The ready solvers: what they prove, and their agreement with elementary computations."""

from itertools import combinations

import numpy as np
import pendec
import pytest
from pendec import objectives, sets


def test_sparse_qp_proves_the_optimum_of_enumeration(quadratic):
    Q, c = quadratic
    r = pendec.sparse_qp(Q, c, 3)
    best = min(-0.5 * c[list(S)] @ np.linalg.solve(Q[np.ix_(S, S)], c[list(S)]) for S in combinations(range(20), 3))
    assert r.success and r.status == pendec.Status.optimal
    assert r.fun == pytest.approx(best, rel=1e-9)
    assert r.lower_bound <= best + 1e-12 * abs(best)


def test_sparse_qp_takes_bounds_constraints_and_choices(quadratic):
    Q, c = quadratic
    r = pendec.sparse_qp(Q, c, 4, E=np.ones((1, 20)), d=[1.0], lower=0.0, upper=1.0, forced_in=[3], forced_out=[5])
    assert r.success and r.x.sum() == pytest.approx(1.0) and r.x.min() >= 0 and r.x[5] == 0
    with pytest.raises(ValueError, match="A and b belong together"):
        pendec.sparse_qp(Q, c, 4, A=np.ones((1, 20)))
    with pytest.raises(ValueError, match=r"Q has shape \(2, 3\)"):
        pendec.sparse_qp(np.ones((2, 3)), [0, 0], 1)


def regression_data(rng):
    X = rng.normal(size=(80, 15))
    return X, X[:, [1, 5, 7]] @ [1.0, 2.0, -1.0] + 0.5 + 0.1 * rng.normal(size=80)


def test_sparse_regression_finds_the_features(rng):
    X, y = regression_data(rng)
    fit = pendec.sparse_regression(X, y, 3)
    assert fit.certified and fit.support == [1, 5, 7]
    design = np.column_stack([X[:, [1, 5, 7]], np.ones(80)])
    exact = np.linalg.lstsq(design, y, rcond=None)[0]
    assert np.allclose([*fit.coef[[1, 5, 7]], fit.intercept], exact)
    path = pendec.sparse_regression(X, y, [1, 2, 3, 4], folds=4)
    assert [f.s for f in path] == [1, 2, 3, 4] and min(path, key=lambda f: f.bic).s == 3


@pytest.mark.parametrize("loss", ["squared", "logistic", "huber", "poisson"])
def test_sparse_and_dense_data_agree(rng, loss):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = regression_data(rng)
    X[np.abs(X) < 0.3] = 0.0
    target = {"logistic": np.where(y > 0, 1.0, -1.0), "poisson": np.floor(np.abs(y))}.get(loss, y)
    dense = pendec.sparse_regression(X, target, 3, loss=loss)
    compressed = pendec.sparse_regression(sparse.csr_matrix(X), target, 3, loss=loss)
    assert dense.support == compressed.support and np.allclose(dense.coef, compressed.coef, atol=1e-6)


def test_the_estimators_are_estimators_of_scikit_learn():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator in (pendec.SparseRegression(), pendec.SparseLogisticRegression()):
            checks.check_estimator(estimator)


def test_portfolios_are_certified_and_their_frontier_rises(rng):
    returns = 0.01 * rng.normal(size=(250, 12)) + 0.001 * rng.normal(size=12)
    p = pendec.portfolio(returns, 3)
    covariance = np.cov(returns.T)
    assert p.success and p.x.sum() == pytest.approx(1.0) and np.count_nonzero(p.x) <= 3
    assert p.volatility == pytest.approx(np.sqrt(p.x @ covariance @ p.x))
    assert pendec.portfolio(covariance=covariance, s=3).fun == pytest.approx(p.fun)
    frontier = pendec.portfolio(returns, 3, frontier=5)
    assert np.all(np.diff([q.mean for q in frontier]) > 0) and np.all(np.diff([q.volatility for q in frontier]) > 0)
    with pytest.raises(ValueError, match="either returns or covariance"):
        pendec.portfolio()


def test_the_nearest_correlation_matrix(rng):
    A = rng.uniform(-1, 1, size=(15, 15))
    A = (A + A.T) / 2
    np.fill_diagonal(A, 1.0)
    r = pendec.nearest_correlation(A)
    assert r.success and r.certified and np.allclose(np.diag(r.x), 1.0)
    assert np.linalg.eigvalsh(r.x).min() > -1e-10
    low = pendec.nearest_correlation(A, 3)
    assert low.success and np.linalg.matrix_rank(low.x, 1e-8) <= 3 and low.fun >= r.lower_bound - 1e-9


def test_completion_recovers_a_matrix_of_low_rank(rng):
    L = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 20))
    seen = np.where(rng.random(L.shape) < 0.6, L, np.nan)
    r = pendec.complete(seen, 2)
    assert r.success and np.allclose(r.x, L, atol=1e-5)


def test_multitask_regression_keeps_the_rank(rng):
    tasks = [(rng.normal(size=(40, 5)), np.sign(rng.normal(size=40))) for _ in range(6)]
    r = pendec.multitask_logistic(tasks, 1)
    assert r.success and np.allclose(r.W, r.U + r.V) and np.linalg.matrix_rank(r.V, 1e-8) <= 1


def test_cuts_are_between_relaxation_and_bound(rng):
    W = np.triu(rng.random((25, 25)) < 0.3, 1).astype(float)
    W = W + W.T
    r = pendec.maxcut(W)
    assert r.fun == pytest.approx(0.25 * np.sum(W * (1 - np.outer(r.x, r.x)))) and r.fun <= r.upper_bound


def test_a_union_is_solved_to_its_proven_optimum():
    parts = [sets.Box([k, k], [k + 0.5, k + 0.5]) for k in range(-5, 6)]
    r = pendec.disjunctive(objectives.SquaredDistance([0.8, 0.9]), [3.0, -4.0], parts)
    assert r.status == pendec.Status.optimal and r.lower_bound == pytest.approx(r.fun, abs=1e-5)
    assert r.part == 6 and np.allclose(r.x, [1, 1], atol=1e-6) and sum(r.parts.values()) == 11


@pytest.mark.parametrize("functions", [False, True])
def test_complementarity_is_stationary_in_the_right_sense(functions):
    pairs = pendec.Pairs([[1.0, 0.0]], [[0.0, 1.0]])
    if functions:
        pairs = pendec.Pairs(lambda x: x[:1], lambda x: x[1:], jac=(lambda x: [[1, 0]], lambda x: [[0, 1]]))
    r = pendec.mpcc(objectives.SquaredDistance([1.0, 1.5]), [0.5, 0.5], pairs)
    assert r.success and r.stationarity == "S" and np.allclose(r.x, [0, 1.5], atol=1e-6)
