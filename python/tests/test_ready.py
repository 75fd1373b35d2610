"""The ready solvers: what they prove, and their agreement with elementary computations."""

import inspect
import json
import pickle
import re
from itertools import combinations
from time import perf_counter

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
    assert r.bound <= best + 1e-12 * abs(best)


def test_sparse_qp_takes_bounds_constraints_and_choices(quadratic):
    Q, c = quadratic
    r = pendec.sparse_qp(Q, c, 4, E=np.ones((1, 20)), d=[1.0], lower=0.0, upper=1.0, forced_in=[3], forced_out=[5])
    assert r.success and r.x.sum() == pytest.approx(1.0) and r.x.min() >= 0 and r.x[5] == 0
    with pytest.raises(ValueError, match="A and b belong together"):
        pendec.sparse_qp(Q, c, 4, A=np.ones((1, 20)))
    with pytest.raises(ValueError, match=r"Q has shape \(2, 3\)"):
        pendec.sparse_qp(np.ones((2, 3)), [0, 0], 1)


def test_sparse_qp_chooses_groups_and_respects_inequalities(quadratic):
    Q, c = quadratic
    pairs = [[2 * k, 2 * k + 1] for k in range(10)]
    r = pendec.sparse_qp(Q, c, 2, groups=pairs)
    best = min(
        -0.5 * c[S] @ np.linalg.solve(Q[np.ix_(S, S)], c[S]) for S in (a + b for a, b in combinations(pairs, 2))
    )
    assert r.success and r.fun == pytest.approx(best, rel=1e-9)
    limited = pendec.sparse_qp(Q, c, 3, A=np.ones((1, 20)), b=[0.1])
    assert limited.success and limited.x.sum() <= 0.1 + 1e-9 and limited.fun >= pendec.sparse_qp(Q, c, 3).fun


def test_sparse_qp_claims_no_more_than_it_proved(quadratic):
    Q, c = quadratic
    assert pendec.sparse_qp(Q, c, 3, certify=False).status == pendec.Status.converged
    stopped = pendec.sparse_qp(Q, c, 3, seconds=0.0)
    assert stopped.status == pendec.Status.max_time and not stopped.success
    assert stopped.bound <= pendec.sparse_qp(Q, c, 3).fun + 1e-12
    wide = pendec.sparse_qp(Q, c, 6, gap=0.5)
    assert wide.success and wide.gap <= 0.5
    none = pendec.sparse_qp(Q, c, 3, E=np.ones((1, 20)), d=[1.0], lower=0.0, upper=0.1)
    assert none.status == pendec.Status.infeasible and not none.success
    fall = pendec.sparse_qp(np.zeros((3, 3)), [1.0, 0.0, 0.0], 1)
    assert fall.status == pendec.Status.unbounded and not fall.success


def test_seconds_are_one_limit_for_all_sizes_and_folds():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(100, 200)), rng.normal(size=100)
    begin = perf_counter()
    path = pendec.sparse_regression(X, y, range(8, 12), folds=3, seconds=0.5)
    assert perf_counter() - begin <= 0.5 * 4  # not for each of 16 fits
    assert len(path) == 4 and all(fit.status == pendec.Status.max_time for fit in path)
    assert path[0].message.startswith("stopped early")


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


def test_regression_takes_signs_choices_groups_and_ridge(rng):
    X, y = regression_data(rng)
    assert pendec.sparse_regression(X, y, 3, nonnegative=True).coef.min() >= 0
    chosen = pendec.sparse_regression(X, y, 3, forced_in=[0], forced_out=[5])
    assert 0 in chosen.support and 5 not in chosen.support
    grouped = pendec.sparse_regression(X, y, 1, groups=[[1, 5, 7], [0, 2], [3, 4, 6], range(8, 15)])
    assert grouped.certified and grouped.support == [1, 5, 7]
    through_zero = pendec.sparse_regression(X, y, 3, intercept=False)
    exact = np.linalg.lstsq(X[:, through_zero.support], y, rcond=None)[0]
    assert through_zero.intercept == 0 and np.allclose(through_zero.coef[through_zero.support], exact)
    assert np.linalg.norm(pendec.sparse_regression(X, y, 3, ridge=100.0).coef) < np.linalg.norm(
        pendec.sparse_regression(X, y, 3).coef
    )
    wide = pendec.sparse_regression(X[:10], y[:10], 2, ridge=1.0, seconds=20.0)
    assert wide.certified and len(wide.support) <= 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"s": -1}, "s is -1"),
        ({"s": 3, "loss": "cubic"}, "cubic"),
        ({"s": 3, "loss": "logistic"}, "b|label"),
        ({"s": 3, "ridge": -1.0}, "ridge"),
        ({"s": 3, "forced_in": [1], "forced_out": [1]}, "1"),
        ({"s": 1, "forced_in": [0, 1]}, "forced_in"),
        ({"s": 3, "forced_in": [99]}, "99"),
        ({"s": [1, 2], "folds": 1}, "folds"),
    ],
    ids=str,
)
def test_regression_names_misuse(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        pendec.sparse_regression(*regression_data(rng), **arguments)


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


def test_estimators_are_the_solvers_with_other_names(rng):
    pytest.importorskip("sklearn")
    sparse = pytest.importorskip("scipy.sparse")
    X, y = regression_data(rng)
    model = pendec.SparseRegression(3).fit(X, y)
    fit = pendec.sparse_regression(X, y, 3)
    assert np.array_equal(model.coef_, fit.coef) and model.result_.certified and list(model.support_) == [1, 5, 7]
    assert np.allclose(model.predict(X), X @ fit.coef + fit.intercept) and model.score(X, y) > 0.9
    assert np.allclose(pendec.SparseRegression(3).fit(sparse.csr_matrix(X), y).coef_, model.coef_, atol=1e-6)
    counts = pendec.SparseRegression(2, loss="poisson").fit(X, np.floor(np.abs(y)))
    assert counts.predict(X).min() > 0
    words = np.where(y > 0, "up", "down")
    classes = pendec.SparseLogisticRegression(3, ridge=0.1).fit(X, words)
    assert classes.coef_.shape == (1, 15) and classes.score(X, words) > 0.9
    assert np.allclose(classes.predict_proba(X).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="one class"):
        pendec.SparseLogisticRegression().fit(X, np.ones(80))


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


def test_portfolios_keep_targets_weights_and_choices(rng):
    returns = 0.01 * rng.normal(size=(250, 12)) + 0.001 * rng.normal(size=12)
    mean = returns.mean(axis=0)
    weights = {"min_weight": 0.05, "max_weight": 0.5}
    p = pendec.portfolio(returns, 4, min_return=0.6 * mean.max(), **weights, forced_in=[2], forced_out=[3])
    held = p.x[p.x != 0]
    assert p.success and p.mean >= 0.6 * mean.max() - 1e-12 and p.x[2] > 0 and p.x[3] == 0
    assert held.min() >= 0.05 - 1e-12 and held.max() <= 0.5 + 1e-12
    greedy = pendec.portfolio(returns, 4, nu=10.0)
    assert greedy.mean > pendec.portfolio(returns, 4).mean
    assert pendec.portfolio(returns, 4, min_return=2 * mean.max()).status == pendec.Status.infeasible
    with pytest.raises(ValueError, match="min_weight"):
        pendec.portfolio(returns, 4, min_weight=0.7, max_weight=0.5)


def test_the_nearest_correlation_matrix(rng):
    A = rng.uniform(-1, 1, size=(15, 15))
    A = (A + A.T) / 2
    np.fill_diagonal(A, 1.0)
    r = pendec.nearest_correlation(A)
    assert r.success and r.certified and np.allclose(np.diag(r.x), 1.0)
    assert np.linalg.eigvalsh(r.x).min() > -1e-10
    low = pendec.nearest_correlation(A, 3)
    assert low.success and np.linalg.matrix_rank(low.x, 1e-8) <= 3 and low.fun >= r.bound - 1e-9


def invalid_correlations(rng, n=10):
    A = rng.uniform(-1, 1, size=(n, n))
    A = (A + A.T) / 2
    np.fill_diagonal(A, 1.0)
    return A


def test_correlations_take_weights_fixed_and_missing_entries(rng):
    A = invalid_correlations(rng)
    plain = pendec.nearest_correlation(A)
    assert np.allclose(pendec.nearest_correlation(A, weights=np.ones((10, 10))).x, plain.x, atol=1e-5)
    fixed = pendec.nearest_correlation(A, fixed=[(0, 1)])
    assert fixed.success and fixed.x[0, 1] == pytest.approx(A[0, 1], abs=1e-6) and fixed.fixed_error < 1e-6
    assert fixed.fun >= plain.fun - 1e-9
    A[2, 3] = A[3, 2] = np.nan
    free = pendec.nearest_correlation(A)
    assert free.success and np.isfinite(free.x).all() and free.fun <= plain.fun + 1e-9


@pytest.mark.parametrize("algorithm", ["PD-exact-lower-level", "PD-exact", "PD-cg-inaccurate", "ALM"])
def test_the_papers_algorithms_for_correlations_come_near(rng, algorithm):
    A = invalid_correlations(rng)
    best = pendec.nearest_correlation(A, 3)
    theirs = pendec.nearest_correlation(A, 3, algorithm=algorithm, seconds=10.0)
    assert np.linalg.matrix_rank(theirs.x, 1e-8) <= 3 and theirs.fun >= best.bound - 1e-6
    assert theirs.fun == pytest.approx(best.fun, rel=0.2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rank": 0}, "rank"),
        ({"algorithm": "slow"}, "slow"),
        ({"weights": np.ones((2, 2))}, "weights"),
        ({"weights": -np.ones((10, 10))}, "weights"),
        ({"fixed": [(0, 99)]}, "99"),
        ({"tolerance": -1.0}, "tolerance"),
    ],
    ids=str,
)
def test_correlations_name_misuse(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        pendec.nearest_correlation(invalid_correlations(rng), **arguments)


def test_completion_recovers_a_matrix_of_low_rank(rng):
    L = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 20))
    seen = np.where(rng.random(L.shape) < 0.6, L, np.nan)
    r = pendec.complete(seen, 2)
    assert r.success and np.allclose(r.x, L, atol=1e-5)


def test_completion_takes_sparse_matrices_ridge_and_a_box(rng):
    sparse = pytest.importorskip("scipy.sparse")
    L = rng.normal(size=(20, 2)) @ rng.normal(size=(2, 15))
    seen = np.where(rng.random(L.shape) < 0.6, L, np.nan)
    i, j = np.nonzero(~np.isnan(seen))
    compressed = pendec.complete(sparse.coo_matrix((seen[i, j], (i, j)), L.shape), 2)
    assert "x" not in compressed and np.allclose(compressed.B @ compressed.C.T, pendec.complete(seen, 2).x, atol=1e-6)
    assert np.linalg.norm(pendec.complete(seen, 2, gamma=1.0).x) < np.linalg.norm(L)
    boxed = pendec.complete(seen, 2, box=(-1.0, 1.0))
    assert boxed.certificate.distance_C < 1e-3 or not boxed.success
    with pytest.raises(ValueError, match="99"):
        pendec.complete(seen, 99)


def test_multitask_regression_keeps_the_rank(rng):
    tasks = [(rng.normal(size=(40, 5)), np.sign(rng.normal(size=40))) for _ in range(6)]
    r = pendec.multitask_logistic(tasks, 1)
    assert r.success and np.allclose(r.W, r.U + r.V) and np.linalg.matrix_rank(r.V, 1e-8) <= 1


@pytest.mark.parametrize("algorithm", ["pd_inaccurate", "pd_mid", "alm_fast"])
def test_the_papers_algorithms_for_tasks_come_near(rng, algorithm):
    tasks = [(rng.normal(size=(30, 4)), np.sign(rng.normal(size=30))) for _ in range(4)]
    best = pendec.multitask_logistic(tasks, 1)
    theirs = pendec.multitask_logistic(tasks, 1, algorithm=algorithm, seconds=10.0)
    assert np.linalg.matrix_rank(theirs.V, 1e-6) <= 1 and best.fun - 1e-6 <= theirs.fun <= best.fun + 0.5
    with pytest.raises(ValueError, match="slow"):
        pendec.multitask_logistic(tasks, 1, algorithm="slow")
    with pytest.raises(ValueError, match=r"\(29,\).*\(30,\)"):
        pendec.multitask_logistic([(tasks[0][0], tasks[0][1][:29])], 1)


def test_cuts_are_between_relaxation_and_bound(rng):
    W = np.triu(rng.random((25, 25)) < 0.3, 1).astype(float)
    W = W + W.T
    r = pendec.maxcut(W)
    assert r.cut == pytest.approx(0.25 * np.sum(W * (1 - np.outer(r.x, r.x)))) and r.cut <= r.upper_bound
    assert r.fun == -r.cut and r.bound == -r.upper_bound


def test_cuts_take_sparse_weights_a_rank_and_signs(rng):
    sparse = pytest.importorskip("scipy.sparse")
    cycle = np.roll(np.eye(5), 1, axis=0) + np.roll(np.eye(5), -1, axis=0)
    for r in (
        pendec.maxcut(cycle),
        pendec.maxcut(sparse.csr_matrix(cycle)),
        pendec.maxcut(cycle, rank=4, roundings=20),
    ):
        assert r.cut == 4 and r.upper_bound == pytest.approx(4.5225425, abs=1e-4)
    assert pendec.maxcut(-cycle).cut == 0
    assert np.array_equal(pendec.maxcut(cycle, seed=5).x, pendec.maxcut(cycle, seed=5).x)
    with pytest.raises(ValueError, match="rank"):
        pendec.maxcut(cycle, rank=0)


def test_a_union_is_solved_to_its_proven_optimum():
    parts = [sets.Box([k, k], [k + 0.5, k + 0.5]) for k in range(-5, 6)]
    r = pendec.disjunctive(objectives.SquaredDistance([0.8, 0.9]), [3.0, -4.0], parts)
    assert r.status == pendec.Status.optimal and r.bound == pytest.approx(r.fun, abs=1e-5)
    assert r.part == 6 and np.allclose(r.x, [1, 1], atol=1e-6) and sum(r.parts.values()) == 11


@pytest.mark.parametrize("functions", [False, True])
def test_complementarity_is_stationary_in_the_right_sense(functions):
    pairs = pendec.Pairs([[1.0, 0.0]], [[0.0, 1.0]])
    if functions:
        pairs = pendec.Pairs(lambda x: x[:1], lambda x: x[1:], jac=(lambda x: [[1, 0]], lambda x: [[0, 1]]))
    r = pendec.mpcc(objectives.SquaredDistance([1.0, 1.5]), [0.5, 0.5], pairs)
    assert r.success and r.stationarity == "S" and np.allclose(r.x, [0, 1.5], atol=1e-6)


def test_unions_without_proof_or_without_a_point_say_so():
    parts = [sets.Box([k, k], [k + 0.5, k + 0.5]) for k in range(4)]
    f = objectives.SquaredDistance([1.8, 1.9])
    searched = pendec.disjunctive(f, [0.0, 0.0], parts, certificate=False)
    assert searched.status == pendec.Status.converged and searched.part == 2
    limited = pendec.disjunctive(
        f, [0.0, 0.0], parts, constraints=pendec.Constraint([[1.0, 1.0]], sets.Box([None], [3]))
    )
    assert limited.status == pendec.Status.optimal and limited.part == 1
    empty = pendec.disjunctive(
        f, [0.0, 0.0], parts, constraints=pendec.Constraint([[1.0, 1.0]], sets.Singleton([-5.0]))
    )
    assert empty.status == pendec.Status.infeasible and not empty.success


@pytest.mark.parametrize(
    ("kind", "x"),
    [
        ("complementarity", [0.0, 1.5]),
        ("switching", [0.0, 1.5]),
        ("vanishing", [1.0, 0.0]),
        ("either", [1.0, 1.5]),
    ],
)
def test_every_kind_of_pair_is_solved(kind, x):
    f = objectives.SquaredDistance([1.0, 1.5])
    r = pendec.mpcc(f, [0.5, 0.5], pendec.Pairs([[1.0, 0.0]], [[0.0, 1.0]], kind))
    F, H = r.x
    holds = {
        "complementarity": min(F, H) >= -1e-9 and abs(F * H) < 1e-9,
        "switching": abs(F * H) < 1e-9,
        "vanishing": H >= -1e-9 and F * H <= 1e-9,
        "either": F >= -1e-9 or H >= -1e-9,
    }[kind]
    assert r.success and holds and r.fun <= f(x) + 1e-9 and r.stationarity in ("S", "M")
    assert [(p["constraint"], p["row"]) for p in r.pairs] == [(0, 0)]


def test_pairs_come_with_constraints_sets_and_bounds():
    pairs = pendec.Pairs([[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    r = pendec.mpcc(
        objectives.SquaredDistance([2.0, 3.0, 1.0]),
        np.full(3, 0.5),
        pairs,
        constraints=pendec.Constraint([[1.0, 1.0, 1.0]], sets.Box([None], [2.0])),
        bounds=[(0, 1)] * 3,
    )
    assert r.success and r.x.sum() <= 2 + 1e-6 and r.x.max() <= 1 + 1e-9 and np.allclose(r.x, [0, 1, 1], atol=1e-5)
    with pytest.raises(ValueError, match="kind"):
        pendec.mpcc(objectives.Linear([1, 1, 1]), np.zeros(3), pendec.Pairs(np.eye(3), np.eye(3), "neither"))
    with pytest.raises(ValueError, match=r"\(1,\).*\(2,\)"):
        pendec.mpcc(objectives.Linear([1, 1, 1]), np.zeros(3), pendec.Pairs(np.ones((1, 3)), np.ones((2, 3))))


def test_an_entry_may_be_in_several_pairs():
    # x0 = 0, or x1 = x2 = 0
    r = pendec.mpcc(objectives.SquaredDistance([3.0, 1.0, 1.0]), [1.0, 0.0, 0.0], pendec.Pairs([0, 0], [1, 2]))
    assert r.success and np.allclose(r.x, [3, 0, 0], atol=1e-6)
    with pytest.raises(ValueError, match="pairs are empty"):
        pendec.mpcc(objectives.SquaredDistance([3.0]), [1.0], [])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_function_that_is_no_number_has_no_solution_with_pairs(value):
    with pytest.raises(ValueError, match=r"f\(x0\) is"):
        pendec.mpcc(lambda x: (value, np.zeros(2)), [0.0, 1.0], pendec.Pairs([0], [1]), jac=True)


def test_pairs_end_where_a_gradient_does():
    r = pendec.mpcc(
        lambda x: (np.log(x[0]) + (x[1] - 2) ** 2, np.array([1 / x[0] if x[0] > 0 else -np.inf, 2 * (x[1] - 2)])),
        [1.0, 1.0],
        pendec.Pairs([0], [1]),
        jac=True,
        options={"limits.seconds": 5.0},
    )
    assert not r.success


def test_pairs_of_functions_have_their_sparse_derivatives():
    sparse = pytest.importorskip("scipy.sparse")
    called = set()

    def noted(name, value):
        called.add(name)
        return value

    r = pendec.mpcc(
        lambda x: 0.5 * np.sum((x - [1.0, 1.5]) ** 2),
        [0.5, 0.6],
        pendec.Pairs(
            lambda x: np.expm1(x[:1]),
            lambda x: x[1:] ** 3,
            jac=(
                lambda x: noted("F", sparse.csr_matrix([[np.exp(x[0]), 0.0]])),
                lambda x: noted("H", sparse.csc_matrix([[0.0, 3 * x[1] ** 2]])),
            ),
            hess=(
                lambda x, w: noted("F''", sparse.diags([w[0] * np.exp(x[0]), 0.0])),
                lambda x, w: noted("H''", sparse.diags([0.0, 6 * w[0] * x[1]])),
            ),
        ),
        jac=lambda x: x - [1.0, 1.5],
        hess=lambda x: sparse.eye(2),
    )
    assert r.success and np.allclose(r.x, [0.0, 1.5], atol=1e-5) and {"F", "H"} <= called


def test_pairs_are_constraints_and_sets_of_minimize():
    f = objectives.SquaredDistance([1.0, 1.5])
    pairs = pendec.Pairs([0], [1])
    for r in (
        pendec.mpcc(f, [0.5, 0.5], pairs),
        pendec.minimize(f, [0.5, 0.5], set=pairs),
        pendec.minimize(f, [0.5, 0.5], constraints=[pairs, pendec.Constraint([[1.0, 1.0]], sets.Box([None], [5.0]))]),
        pendec.Problem(f, [0.5, 0.5], constraints=pairs).solve(),
    ):
        assert r.success and r.route == "pairs" and np.allclose(r.x, [0, 1.5], atol=1e-6)
        (nu,) = r.multipliers["pairs"]
        gradient = r.x - [1.0, 1.5]
        assert np.allclose(gradient + [nu[0][0], nu[1][0]], 0, atol=1e-6)
        assert r.stationarity == "S" and r.pairs[0]["pairs"] == 0
    for refused in (
        lambda: pendec.disjunctive(f, [0.5, 0.5], [sets.Box([0, 0], [1, 1])], constraints=pairs),
        lambda: pendec.Problem(f, [0.5, 0.5], constraints=pairs).certify([0.0, 0.0]),
    ):
        with pytest.raises(ValueError, match=r"Pairs\(\[0\], \[1\], 'complementarity'\)"):
            refused()


@pytest.mark.parametrize("method", ["auto", "pdlm", "alm"])
def test_pairs_take_methods_limits_and_callbacks(method):
    f = objectives.SquaredDistance([1.0, 1.5, -2.0])
    seen = []
    r = pendec.mpcc(f, np.full(3, 0.5), pendec.Pairs([0], [1]), method=method, callback=lambda x: seen.append(x.copy()))
    assert r.success and seen and all(x.shape == (3,) for x in seen) and len(r.trace["f"]) >= 1

    def stop(x):
        raise StopIteration

    r = pendec.mpcc(f, np.full(3, 0.5), pendec.Pairs([0], [1]), method=method, callback=stop)
    assert r.status == pendec.Status.interrupted and "StopIteration" in r.message and r.x.shape == (3,)
    r = pendec.mpcc(f, np.full(3, 0.5), pendec.Pairs([0], [1]), method=method, options={"maxiter": 1})
    assert r.nit <= 1


@pytest.mark.parametrize("seed", range(12))
def test_mixed_complementarity_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    n = 4
    M = rng.normal(size=(n, n))
    Q = M @ M.T + np.eye(n)
    A, a = rng.normal(size=(3, n)), rng.normal(size=3)
    lower, upper = np.array([-1.0, -np.inf, -0.5]), np.array([1.0, 0.5, np.inf])
    pairs = pendec.Pairs(pendec.maps.Affine(A, a), [0, 1, 2], bounds=(lower, [1.0, 0.5, None]))
    c = rng.normal(size=n) * 3
    r = pendec.mpcc(objectives.Quadratic(Q, c), np.zeros(n), pairs)
    best = np.inf
    scipy = pytest.importorskip("scipy.optimize")
    for choice in np.ndindex(3, 3, 3):  # at the lower bound, between, at the upper one
        F = [(0, np.inf), (0, 0), (-np.inf, 0)]
        H = [(lower, lower), (lower, upper), (upper, upper)]
        bounds = [(H[k][0][i], H[k][1][i]) for i, k in enumerate(choice)] + [(-np.inf, np.inf)]
        if not np.all([np.isfinite(l) or np.isfinite(u) or k == 1 for (l, u), k in zip(bounds, choice)]):
            continue
        if any(np.isinf(l) and l == u for l, u in bounds):
            continue
        rows = np.array([F[k] for k in choice])
        found = scipy.minimize(
            lambda x: 0.5 * x @ Q @ x + c @ x,
            np.clip(np.zeros(n), *np.array(bounds).T),
            jac=lambda x: Q @ x + c,
            bounds=bounds,
            constraints=scipy.LinearConstraint(A, rows[:, 0] - a, rows[:, 1] - a),
            method="SLSQP",
        )
        if found.success:
            best = min(best, found.fun)
    F = A @ r.x + a
    assert r.success and np.all(r.x[:3] >= lower - 1e-7) and np.all(r.x[:3] <= upper + 1e-7)
    natural = r.x[:3] - np.clip(r.x[:3] - F, lower, upper)
    assert np.abs(natural).max() <= 1e-6
    assert r.fun <= best + 1e-5 * (1 + abs(best))
    nu_F, nu_H = r.multipliers["pairs"][0]
    assert np.allclose(Q @ r.x + c + A.T @ nu_F + np.append(nu_H, 0.0), 0, atol=1e-5 * (1 + np.abs(c).max()))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pendec.Pairs([0], [1], "neither"), "kind is 'neither'; expected 'complementarity'"),
        (lambda: pendec.Pairs([0], [1], jac=1), "jac is 1; expected a pair"),
        (lambda: pendec.Pairs([0], [1], "either", bounds=(0, 1)), "bounds are given with kind 'either'"),
        (lambda: pendec.Pairs([0], [1], bounds=3), "bounds are 3; expected a pair"),
    ],
)
def test_pairs_are_checked_where_they_are_made(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (pendec.Pairs([0], [5]), "the index 5 is none of x; expected 0 to 1"),
        (pendec.Pairs([0], [0, 1]), "F(x) has shape (1,); H(x) has shape (2,)"),
        (pendec.Pairs(np.ones((1, 3)), [1]), "F has shape (1, 3); expected 2 columns"),
        (pendec.Pairs([0], [1], bounds=(1, 0)), "bounds of pair 0 is 1 and 0; expected lower <= upper"),
        (pendec.Pairs([0], [1], bounds=(None, None)), "bounds of pair 0 is infinite; expected at least one"),
        (pendec.Pairs([0], [1], bounds=([0, 0], 1)), "a bound of pairs has length 2; expected 1"),
    ],
)
def test_pairs_that_do_not_fit_are_named(pairs, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        pendec.mpcc(objectives.SquaredDistance([1.0, 1.5]), [0.5, 0.5], pairs)


def test_pairs_that_are_not_a_number_at_the_start_say_so():
    pairs = pendec.Pairs(lambda x: np.log(x[:1]), lambda x: x[1:], jac=(lambda x: [[1 / x[0], 0]], lambda x: [[0, 1]]))
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"pairs\[0\]\.F\(x0\)\[0\] is -?nan"):
        pendec.mpcc(objectives.SquaredDistance([1.0, 1.5]), [-1.0, 0.5], pairs)


def test_a_graph_in_one_triangle_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    W = np.tril(np.ones((4, 4)), -1)
    for weights in (W, sparse.csr_matrix(W)):
        with pytest.raises(ValueError, match="not symmetric"):
            pendec.maxcut(weights)
    with pytest.raises(ValueError, match=r"\(3, 4\)"):
        pendec.maxcut(np.ones((3, 4)))


def test_fits_have_the_names_of_other_results(rng):
    A, b = rng.normal(size=(40, 12)), rng.normal(size=40)
    for loss, right in (("squared", b), ("huber", b), ("logistic", np.sign(b))):
        for intercept in (False, True):
            fit = pendec.sparse_regression(A, right, 3.0, loss=loss, intercept=intercept, ridge=0.1)
            f = pendec.objectives.LinearModel(A, right, loss, intercept)
            assert fit.success and fit.message and np.array_equal(fit.x[:12], fit.coef)
            assert f(fit.x) == pytest.approx(fit.loss, rel=1e-9)
            assert ("proved: no model" in fit.message) == fit.certified


@pytest.mark.parametrize("wrong", [3.5, None, "3"])
def test_sizes_are_whole_numbers(rng, wrong):
    A, b = rng.normal(size=(40, 12)), rng.normal(size=40)
    for solve in (
        lambda: pendec.sparse_regression(A, b, wrong),
        lambda: pendec.sparse_regression(A, b, [1, wrong]),
        lambda: pendec.sparse_qp(np.eye(3), np.ones(3), wrong),
        lambda: pendec.portfolio(A, wrong),
        lambda: pendec.SparseRegression(wrong).fit(A, b),
    ):
        with pytest.raises(TypeError, match=f"s is {wrong!r}; expected a whole number"):
            solve()
    with pytest.raises(TypeError, match=r"(rank|kappa) is '2'; expected a whole number"):
        pendec.complete(A, "2")


def test_a_regressor_has_no_logistic_loss(rng):
    pytest.importorskip("sklearn")
    with pytest.raises(ValueError, match="loss is 'logistic'.*SparseLogisticRegression"):
        pendec.SparseRegression(3, loss="logistic").fit(rng.normal(size=(10, 4)), np.ones(10))


def test_results_of_pairs_are_in_the_variables_of_the_caller():
    F, H = pendec.maps.Selection(4, [0, 1]), pendec.maps.Selection(4, [2, 3])
    T = np.array([[1.0, 0.2], [0.1, 2.0]])
    r = pendec.mpcc(pendec.objectives.SquaredDistance(T), np.ones((2, 2)), pendec.Pairs(F, H))
    assert r.y.shape == (2, 2) and np.array_equal(r.y, r.x)
    assert np.allclose(r.x, [[1.0, 0.0], [0.0, 2.0]], atol=1e-6)


def test_parts_of_a_union_take_the_shape_of_the_start():
    class Near:
        convex = True

        def __init__(self, at):
            self.at = at

        def project(self, X):
            assert X.shape == (2, 2)
            return np.clip(X, self.at, self.at + 1)

    T = np.array([[3.5, 3.2], [4.0, 3.0]])
    r = pendec.disjunctive(pendec.objectives.SquaredDistance(T), np.zeros((2, 2)), [Near(0), Near(3)])
    assert np.allclose(r.x, T, atol=1e-5) and r.x.shape == (2, 2)


def test_sizes_may_be_any_iterable():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(20, 6)), rng.normal(size=20)
    fits = pendec.sparse_regression(A, b, (k for k in (1, 2)))
    assert [fit.fun for fit in fits] == [fit.fun for fit in pendec.sparse_regression(A, b, [1, 2])]


def test_labels_of_tasks_may_be_0_and_1():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(30, 3)) for _ in range(3)]
    signs = [np.where(x @ [1.0, -1.0, 0.5] + rng.normal(size=30) > 0, 1.0, -1.0) for x in X]
    bits = [y > 0 for y in signs]
    assert (
        pendec.multitask_logistic(list(zip(X, bits)), 1).fun == pendec.multitask_logistic(list(zip(X, signs)), 1).fun
    )


def test_every_option_of_a_ready_solver_is_a_keyword_with_the_same_default():
    for name, fields in pendec._pendec.fields().items():
        parameters = inspect.signature(getattr(pendec, name)).parameters
        for option, (default, text) in fields.items():
            assert option in parameters, (name, option)
            assert parameters[option].default in (default, None), (name, option)
            assert text


def test_results_of_every_ready_solver_are_typed_written_and_shown(rng, tmp_path):
    Q = np.diag([2.0, 1.0, 4.0])
    M = rng.uniform(-1, 1, size=(5, 5))
    results = [
        pendec.sparse_qp(Q, -np.ones(3), 1),
        pendec.sparse_regression(rng.normal(size=(20, 4)), rng.normal(size=20), 2),
        pendec.portfolio(rng.normal(size=(30, 4)), 2),
        pendec.nearest_correlation((M + M.T) / 2),
        pendec.complete(np.outer(np.arange(1.0, 6), np.arange(1.0, 5)), 1),
        pendec.multitask_logistic([(rng.normal(size=(20, 3)), np.sign(rng.normal(size=20))) for _ in range(3)], 1),
        pendec.maxcut(np.ones((4, 4)) - np.eye(4)),
        pendec.disjunctive(objectives.SquaredDistance([1.8]), [0.0], [sets.Box([k], [k + 0.5]) for k in (0, 1)]),
        pendec.mpcc(objectives.SquaredDistance([1.0, 1.5]), [0.5, 0.5], pendec.Pairs([[1.0, 0.0]], [[0.0, 1.0]])),
        pendec.minimize(objectives.SquaredDistance([1.0, 2.0]), np.zeros(2)),
    ]
    keys = None
    for r in results:
        assert isinstance(r.x, np.ndarray) and isinstance(r.fun, float) and isinstance(r.status, pendec.Status)
        assert isinstance(r.bound, float) and isinstance(r.gap, float) and r.bound <= r.fun + 1e-9 and r.success
        record = json.loads(r.to_json())
        assert keys is None or set(record) == keys
        keys = set(record)
        assert record["f"] == r.fun and record["status"] == str(r.status)
        r.save(tmp_path / "result.json")
        assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8")) == record
        assert pickle.loads(pickle.dumps(r)).to_json() == r.to_json()
        assert r._repr_html_().startswith("<table>") and "fun" in r._repr_html_()
