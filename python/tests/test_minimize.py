"""minimize: SciPy's habits, shapes, gradients, constraints, callbacks, exceptions, results."""

import functools
import itertools
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback
import types
import warnings

import numpy as np
import pendec
import pytest
from pendec import objectives, sets


def best_support(Q, c, s):
    """The optimum by enumeration."""
    from itertools import combinations

    best = 0.0
    for support in combinations(range(len(c)), s):
        S = list(support)
        x = -np.linalg.solve(Q[np.ix_(S, S)], c[S])
        best = min(best, 0.5 * c[S] @ x)
    return best


def test_a_sparse_quadratic_problem_reaches_the_optimum_of_enumeration(quadratic):
    Q, c = quadratic
    r = pendec.minimize(objectives.Quadratic(Q, c), np.zeros(20), set=sets.Sparse(20, 2))
    assert r.success and r.status == pendec.Status.optimal and r.route == "sparse_qp"
    assert r.fun - 1e-9 * abs(r.fun) <= r.bound <= r.fun and r.why_not == []
    assert np.count_nonzero(r.x) <= 2
    assert r.fun == pytest.approx(best_support(Q, c, 2), abs=1e-9)


@pytest.mark.parametrize("method", ["auto", "pd", "pdlm", "alm"])
def test_python_functions_and_built_in_objectives_agree(quadratic, method):
    Q, c = quadratic
    fixed = {"driver.branch_search": 0, "driver.polish": False}  # both use the constant Hessian of the built-in one
    if method == "auto":
        fixed["driver.route"] = "general"
    built_in = pendec.minimize(
        objectives.LinearModel(Q, c), np.ones(20), set=sets.Sparse(20, 3), method=method, options=fixed
    )
    f = objectives.LinearModel(Q, c)
    python = pendec.minimize(
        lambda x: (f(x), f.gradient(x)), np.ones(20), jac=True, set=sets.Sparse(20, 3), method=method, options=fixed
    )
    assert python.fun == pytest.approx(built_in.fun, rel=1e-6)
    assert np.count_nonzero(python.x) <= 3


@pytest.mark.parametrize(
    "x0", [[0.5] * 20, np.full(20, 0.5, np.float32), (0.5,) * 20], ids=["list", "float32", "tuple"]
)
def test_starts_are_taken_as_scipy_takes_them(quadratic, x0):
    Q, c = quadratic
    r = pendec.minimize(lambda x: (0.5 * x @ Q @ x + c @ x, Q @ x + c), x0, jac=True, set=sets.Sparse(20, 3))
    assert r.success and r.x.dtype == np.float64 and r.x.shape == (20,)


def test_float32_gradients_and_lists_are_converted():
    r = pendec.minimize(
        lambda x: np.float32(x @ x), np.ones(20), jac=lambda x: [2 * v for v in x], set=sets.Sparse(20, 3)
    )
    assert r.fun == pytest.approx(0.0, abs=1e-6)


def test_a_list_of_value_and_gradient_is_a_pair():
    for x0 in (np.ones(3), np.ones((3, 2))):
        assert pendec.minimize(lambda x: [np.sum(x * x), 2 * x], x0, jac=True).success
    with pytest.raises(TypeError, match="must return the pair"):
        pendec.minimize(lambda x: 2 * x[:2], np.ones(3), jac=True)


def test_a_class_is_not_a_set():
    for wrong in (sets.Sparse, ForAWhile):
        with pytest.raises(TypeError, match=f"the class {wrong.__name__}; expected one of its objects"):
            pendec.minimize(objectives.SquaredDistance([1, 2, 3]), np.ones(3), set=wrong)


def test_the_same_problem_gives_the_same_bits(quadratic):
    Q, c = quadratic
    problem = pendec.Problem(objectives.Quadratic(Q, c), np.zeros(20), set=sets.Sparse(20, 3))
    assert np.array_equal(problem.solve().x, pickle.loads(pickle.dumps(problem)).solve().x)


def test_data_are_not_copied(rng):
    A = np.asfortranarray(rng.normal(size=(30, 5)))
    f = objectives.LeastSquares(A, np.zeros(30))
    before = f(np.ones(5))
    A *= 2.0
    assert f(np.ones(5)) == pytest.approx(4 * before)
    Q = np.eye(5)
    g = objectives.Quadratic(Q)
    Q *= 3.0
    assert g(np.ones(5)) == pytest.approx(7.5)


# Gradients


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2 + x[2] ** 2


def test_a_missing_gradient_is_an_error_that_offers_ways():
    with pytest.raises(ValueError, match="2-point.*jax.*torch"):
        pendec.minimize(rosenbrock, np.zeros(3))


def test_differences_serve_as_gradients():
    r = pendec.minimize(rosenbrock, [-1.2, 1.0, 1.0], jac="2-point", set=sets.Sparse(3, 2))
    assert np.allclose(r.x, [1, 1, 0], atol=1e-3)


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_automatic_differentiation_or_a_clear_error(library):
    try:
        __import__(library)
    except ImportError:
        with pytest.raises(ImportError, match=f"needs the package {library}"):
            pendec.minimize(rosenbrock, np.zeros(3), jac=library)
        return
    r = pendec.minimize(rosenbrock, [-1.2, 1.0, 1.0], jac=library, set=sets.Sparse(3, 2))
    assert r.success and np.allclose(r.x, [1, 1, 0], atol=1e-4)


@pytest.mark.parametrize("library", ["2-point", "jax", "torch"])
def test_derivatives_of_maps_with_matrices_as_values(library):
    if library != "2-point":
        pytest.importorskip(library)
    target = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    product = pendec.Constraint(lambda X: X @ X.T, sets.Singleton((target @ target.T).ravel(order="F")), jac=library)
    r = pendec.minimize(
        objectives.SquaredDistance(target), target + 0.1, constraints=product, options={"driver.tolerance": 1e-5}
    )
    assert np.allclose(r.x @ r.x.T, target @ target.T, atol=1e-3) and np.allclose(r.x, target, atol=1e-3)


def test_hessp_is_used(quadratic):
    Q, c = quadratic
    calls = []

    def hessp(x, p):
        calls.append(1)
        return Q @ p

    r = pendec.minimize(
        lambda x: 0.5 * x @ Q @ x + c @ x,
        np.zeros(20),
        jac=lambda x: Q @ x + c,
        hessp=hessp,
        set=sets.Sparse(20, 3),
        options={"x_update.step": "newton"},
    )
    assert r.success and calls


@pytest.mark.parametrize("form", ["dense", "sparse", "operator"])
def test_hess_is_used_in_every_form(quadratic, form):
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.linalg import aslinearoperator

    Q, c = quadratic
    given = {"dense": Q, "sparse": sparse.csr_matrix(Q), "operator": aslinearoperator(Q)}[form]
    calls = []

    def hess(x):
        calls.append(x)
        return given

    problem = pendec.Problem(
        lambda x: 0.5 * x @ Q @ x + c @ x,
        np.zeros(20),
        jac=lambda x: Q @ x + c,
        hess=hess,
        set=sets.Sparse(20, 3),
        options={"x_update.step": "newton"},
    )
    f = problem._objective(np.zeros(20), (20,))[0]
    assert f.has_hessian and f.check(np.ones(20)) == [] and np.array_equal(f.hessian(np.ones(20)).dense(), Q)
    assert f.hessian(np.ones(20)).has_entries == (form != "operator")
    r = problem.solve()
    assert r.success and len(calls) > 1
    assert all(not np.array_equal(x, y) for x, y in itertools.pairwise(calls))


def test_products_are_by_hessp_where_hess_is_given_as_well(quadratic):
    Q, c = quadratic
    problem = pendec.Problem(
        lambda x: (0.5 * x @ Q @ x + c @ x, Q @ x + c),
        np.zeros(20),
        jac=True,
        hess=lambda x: Q,
        hessp=lambda x, p: 2 * Q @ p,
    )
    f = problem._objective(np.zeros(20), (20,))[0]
    assert np.array_equal(f.hessian(np.ones(20)).dense(), Q) and f.check(np.ones(20)) != []


def test_the_hessian_of_a_function_of_matrices_has_its_entries_column_by_column():
    W = np.arange(1.0, 7.0).reshape(2, 3)
    H = np.diag(W.ravel(order="F"))

    def fun(X):
        assert X.shape == W.shape
        return 0.5 * np.sum(W * X * X)

    def hess(X):
        assert X.shape == W.shape
        return H

    problem = pendec.Problem(
        fun,
        W,
        jac=lambda X: W * X,
        hess=hess,
        constraints=pendec.Constraint(
            lambda X: [fun(X)],
            sets.Box([None], [1.0]),
            jac=lambda X: (W * X).ravel(order="F"),
            hess=lambda X, w: w[0] * hess(X),
        ),
    )
    assert problem._objective(W.ravel(order="F"), (2, 3))[0].check(np.ones(6)) == []
    (constraint,) = problem.constraints
    assert constraint.build(W.ravel(order="F"), (2, 3))[0]._core.check(np.ones(6)) == []
    assert problem.solve().success


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"hess": lambda x: np.ones((2, 3))}, ValueError, r"hess\(x\) has shape \(2, 3\); expected shape \(3, 3\)"),
        (
            {"hess": lambda x: np.tri(3)},
            ValueError,
            r"hess\(x\): the entry in row 1, column 0 is 1; expected 0, .*symmetric",
        ),
        ({"hess": lambda x: 1j * np.eye(3)}, TypeError, r"hess\(x\) has entries of type complex128"),
        ({"hess": lambda x: np.diag([1, np.nan, 1])}, ValueError, r"hess\(x\): the entry in row 1, column 1 is nan"),
        ({"hess": np.eye(3)}, TypeError, "expected a function of x"),
        ({"hess": "2-point"}, TypeError, "hess is '2-point'; expected a function of x"),
        ({"hessp": np.eye(3)}, TypeError, r"expected a function of \(x, p\)"),
        (
            {"fun": objectives.Linear(np.ones(3)), "jac": None, "hess": lambda x: np.eye(3)},
            ValueError,
            "its own Hessian",
        ),
    ],
)
def test_what_is_wrong_with_a_hessian_is_named(arguments, error, message):
    given = {"fun": lambda x: (0.5 * x @ x, x), "x0": np.ones(3), "jac": True, "options": {"x_update.step": "newton"}}
    with pytest.raises(error, match=message):
        pendec.minimize(**given | arguments)
    with pytest.raises((TypeError, ValueError), match="hess is .*; expected"):
        pendec.Constraint(np.eye(3), sets.Simplex(3), hess=lambda x, w: np.eye(3))


def test_a_wrong_gradient_shape_names_both_shapes():
    with pytest.raises(ValueError, match=r"\(4,\).*\(3,\)"):
        pendec.minimize(lambda x: (0.0, np.ones(4)), np.ones(3), jac=True)


def test_a_set_of_another_dimension_names_both_shapes():
    with pytest.raises(ValueError, match=r"\(3,\).*\(4,\)"):
        pendec.minimize(objectives.Linear([1, 2, 3]), np.ones(3), set=sets.Sparse(4, 2))


# Constraints


def simplex_portfolio(rng, constraint_of):
    n = 12
    B = rng.normal(size=(n, n))
    Q, mu = B @ B.T, rng.normal(size=n)
    return pendec.minimize(
        objectives.Quadratic(Q, -mu),
        np.full(n, 1 / n),
        set=sets.SparseSimplex(n, 4),
        constraints=constraint_of(n, mu),
    ), mu


def forms_of(mu):
    from scipy import sparse
    from scipy.sparse.linalg import aslinearoperator

    row = mu[None, :]
    C = sets.Box([0.2], [None])
    return {
        "dense": pendec.Constraint(row, C),
        "sparse": pendec.Constraint(sparse.csr_matrix(row), C),
        "operator": pendec.Constraint(aslinearoperator(row), C),
        "function, dense": pendec.Constraint(lambda x: row @ x, C, jac=lambda x: row),
        "function, sparse": pendec.Constraint(lambda x: row @ x, C, jac=lambda x: sparse.csr_matrix(row)),
        "function, operator": pendec.Constraint(lambda x: row @ x, C, jac=lambda x: aslinearoperator(row)),
        "function, vjp": pendec.Constraint(lambda x: row @ x, C, jac=lambda x, w: row.T @ w),
        "function, differences": pendec.Constraint(lambda x: row @ x, C, jac="2-point"),
    }


def test_all_forms_of_a_constraint_give_the_same_solution():
    pytest.importorskip("scipy")
    values = {}
    for form in forms_of(np.ones(3)):
        r, mu = simplex_portfolio(np.random.default_rng(3), lambda n, mu, form=form: forms_of(mu)[form])
        assert r.success, form
        assert mu @ r.x >= 0.2 - 1e-6
        values[form] = r.fun
    assert max(values.values()) - min(values.values()) < 1e-5, values


def test_several_constraints_have_their_own_multipliers():
    r = pendec.minimize(
        objectives.SquaredDistance([2.0, 1.0, 0.5]),
        np.zeros(3),
        set=sets.Sparse(3, 2),
        constraints=[
            pendec.Constraint([[1.0, 1.0, 1.0]], sets.Box([None], [2.0])),
            pendec.Constraint(lambda x: x[:1] ** 2, sets.Box([None], [1.0]), jac=lambda x: [[2 * x[0], 0.0, 0.0]]),
        ],
    )
    assert r.success and np.allclose(r.x, [1, 1, 0], atol=1e-5)
    assert [len(m) for m in r.multipliers["constraints"]] == [1, 1]


def test_bounds_alone_are_the_set_and_with_a_set_a_constraint():
    f = objectives.SquaredDistance([2.0, -1.0, 0.5])
    assert np.allclose(pendec.minimize(f, np.zeros(3), bounds=[(0, 1), (None, None), (0, None)]).x, [1, -1, 0.5])
    r = pendec.minimize(f, np.zeros(3), bounds=[(0, 1)] * 3, set=sets.Sparse(3, 1))
    assert r.success and np.allclose(r.x, [1, 0, 0], atol=1e-6)
    with pytest.raises(ValueError, match="length 2; expected 3"):
        pendec.minimize(f, np.zeros(3), bounds=[(0, 1)] * 2)


@pytest.mark.parametrize("form", ["object", "pair", "with a set"])
def test_bounds_of_a_matrix_have_its_shape(form):
    T = np.arange(6.0).reshape(2, 3)
    lower, upper = np.full((2, 3), -1.0), np.array([[0.0, 0.5, 1.0], [1.5, 2.0, 9.0]])
    bounds = (lower, upper) if form == "pair" else types.SimpleNamespace(lb=-1.0, ub=upper)
    D = sets.LowRank(2, 3, 2) if form == "with a set" else None
    r = pendec.minimize(objectives.SquaredDistance(T), np.zeros((2, 3)), bounds=bounds, set=D)
    assert r.success and np.allclose(r.x, np.minimum(T, upper), atol=1e-5)


def test_bounds_of_another_shape_name_both_shapes():
    f, x0 = objectives.SquaredDistance(np.zeros((2, 3))), np.zeros((2, 3))
    for wrong in ((None, np.ones((3, 2))), types.SimpleNamespace(lb=np.zeros((3, 2)), ub=1.0), (np.zeros(6), None)):
        with pytest.raises(ValueError, match=r"bounds.* has shape \((3, 2|6,)\); expected shape \(2, 3\)"):
            pendec.minimize(f, x0, bounds=wrong)
    with pytest.raises(ValueError, match=r"bounds has length 6; expected \(lower, upper\).*\(2, 3\)"):
        pendec.minimize(f, x0, bounds=[(0, 1)] * 6)


def test_a_constraint_of_another_dimension_names_both_shapes():
    with pytest.raises(ValueError, match=r"\(1, 2\).*3"):
        pendec.minimize(
            objectives.Linear([1, 2, 3]), np.ones(3), constraints=pendec.Constraint([[1.0, 1.0]], sets.Singleton([1]))
        )
    with pytest.raises(ValueError, match=r"\(1,\).*\(2,\)"):
        pendec.minimize(
            objectives.Linear([1, 2]), np.ones(2), constraints=pendec.Constraint([[1.0, 1.0]], sets.Singleton([1, 2]))
        )
    with pytest.raises(ValueError, match=r"\(1, 4\).*\(1, 3\)"):
        pendec.minimize(
            objectives.SquaredDistance([1, 2, 3]),
            np.ones(3),
            constraints=pendec.Constraint(lambda x: x[:1], sets.Singleton([1]), jac=lambda x: np.ones((1, 4))),
        )


def test_scipys_constraints_are_taken_or_told_how_to_write():
    optimize = pytest.importorskip("scipy.optimize")
    f = objectives.SquaredDistance([2.0, -1.0, 0.5])
    r = pendec.minimize(f, np.zeros(3), constraints=optimize.LinearConstraint([1, 1, 1], -np.inf, 0.0))
    assert r.success and np.allclose(r.x, np.array([2.0, -1.0, 0.5]) - 0.5, atol=1e-6)
    for wrong, advice in (
        ({"type": "eq", "fun": sum}, r"Constraint\(fun, pendec.sets.Singleton"),
        ([{"type": "ineq", "fun": sum}], r"Constraint\(fun, pendec.sets.Box\(zeros, None\)"),
        (optimize.NonlinearConstraint(sum, 0, 1), r"Constraint\(fun, pendec.sets.Box\(lb, ub\)"),
        (3, "a constraint is 3; expected a pendec.Constraint or Pairs"),
    ):
        with pytest.raises(TypeError, match=advice):
            pendec.minimize(f, np.zeros(3), constraints=wrong)


def test_a_constant_jacobian_may_be_an_array():
    f = objectives.SquaredDistance([2.0, -1.0, 0.5])
    for jac in ([1.0, 1.0, 1.0], np.ones((1, 3))):
        below = pendec.Constraint(lambda x: x.sum(), sets.Box([None], [0.0]), jac=jac)
        r = pendec.minimize(f, np.zeros(3), constraints=below)
        assert r.success and np.allclose(r.x, np.array([2.0, -1.0, 0.5]) - 0.5, atol=1e-6)
    wrong = pendec.Constraint(lambda x: x.sum(), sets.Box([None], [0.0]), jac=np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"jac has shape \(2, 3\); expected shape \(1, 3\)"):
        pendec.minimize(f, np.zeros(3), constraints=wrong)


# Matrices


@pytest.mark.parametrize(
    "objective",
    [
        objectives.SquaredDistance,
        objectives.Linear,
        lambda T: objectives.Sum([(1.0, objectives.Linear(T.ravel())), (2.0, objectives.SquaredDistance(T))]),
    ],
    ids=["distance", "linear", "sum"],
)
def test_an_objective_on_matrices_of_another_shape_is_refused(objective):
    f = objective(np.arange(6.0).reshape(2, 3))
    for use in (f, f.gradient, lambda x: pendec.minimize(f, x, set=sets.Sparse(6, 2))):
        use(np.zeros((2, 3)))
        use(np.zeros(6))
        with pytest.raises(ValueError, match=r"(?s)\(3, 2\).*\(2, 3\)"):
            use(np.zeros((3, 2)))


def test_values_of_a_constraint_are_counted_column_by_column_or_have_the_shape_of_its_set():
    T, upper = np.arange(6.0).reshape(2, 3), np.array([[9.0, 9.0], [9.0, 2.0], [1.0, 9.0]])
    f = objectives.SquaredDistance(T)
    for C in (sets.Box(None, upper), sets.Box(None, upper.ravel(order="F"))):
        r = pendec.minimize(f, T, constraints=pendec.Constraint(lambda X: X.T, C, jac="2-point"))
        assert np.allclose(r.x, np.minimum(T, upper.T), atol=1e-5)
    with pytest.raises(ValueError, match=r"(?s)G\(x\) has shape \(3, 2\).*\(2, 3\)"):
        pendec.minimize(f, T, constraints=pendec.Constraint(lambda X: X.T, sets.Box(None, upper.T), jac="2-point"))


def test_matrices_come_in_and_go_out_as_matrices(rng):
    A = rng.normal(size=(6, 4))

    def f(X):
        assert X.shape == (6, 4)
        return 0.5 * np.sum((X - A) ** 2), X - A

    r = pendec.minimize(f, np.zeros((6, 4)), jac=True, set=sets.LowRank(6, 4, 2))
    U, sigma, V = np.linalg.svd(A)
    assert r.x.shape == (6, 4) and np.allclose(r.x, (U[:, :2] * sigma[:2]) @ V[:2], atol=1e-5)


def test_a_constraint_on_a_matrix(rng):
    A = rng.normal(size=(5, 5))
    A = (A + A.T) / 2
    correlation = pendec.Constraint(np.diag, sets.Singleton(np.ones(5)), jac=lambda X, w: np.diag(w))
    r = pendec.minimize(objectives.SquaredDistance(A), np.eye(5), set=sets.PsdLowRank(5, 2), constraints=correlation)
    assert r.success and np.allclose(np.diag(r.x), 1.0) and np.linalg.matrix_rank(r.x, 1e-8) <= 2


class UnitColumns:
    def project(self, X):
        return X / np.linalg.norm(X, axis=0)


def test_a_set_of_ones_own_sees_matrices(rng):
    A = rng.normal(size=(4, 3))
    r = pendec.minimize(objectives.SquaredDistance(A), np.ones((4, 3)), set=UnitColumns())
    assert np.allclose(r.x, A / np.linalg.norm(A, axis=0), atol=1e-5)


# Callbacks


def test_callbacks_stop_by_stop_iteration(quadratic):
    Q, c = quadratic
    points = []

    def callback(xk):
        points.append(xk)
        if len(points) == 3:
            raise StopIteration

    r = pendec.minimize(
        objectives.Quadratic(Q, c), np.zeros(20), set=sets.Sparse(20, 3), method="pdlm", callback=callback
    )
    assert len(points) == 3 and points[0].shape == (20,)
    assert not r.success and r.status == pendec.Status.interrupted and "StopIteration" in r.message
    assert np.count_nonzero(r.x) <= 3


@pytest.mark.parametrize("method", ["auto", "pd", "pdlm", "alm"])
def test_callbacks_see_the_iterates_and_do_not_change_them(quadratic, method):
    Q, c = quadratic
    f, D = objectives.Quadratic(Q, c), sets.Sparse(20, 3)
    arguments = {"set": D, "method": method, "options": {"driver.polish": False, "driver.branch_search": 0}}
    if method == "auto":
        arguments["options"]["driver.route"] = "general"
    points, results = [], []
    r = pendec.minimize(f, np.zeros(20), callback=points.append, **arguments)
    again = pendec.minimize(
        f, np.zeros(20), callback=lambda intermediate_result: results.append(intermediate_result), **arguments
    )
    assert np.array_equal(r.x, pendec.minimize(f, np.zeros(20), **arguments).x) and np.array_equal(r.x, again.x)
    assert all(D.contains(x, 0.0) for x in points) and len(points) > 1
    assert [step.nit for step in results] == list(range(1, len(points) + 1))
    assert all(np.array_equal(step.x, x) for step, x in zip(results, points, strict=True))
    assert all(step.fun == pytest.approx(f(step.x)) for step in results)
    if method != "auto":  # which picks among the ends of several starts
        assert np.allclose(points[-1], r.x, atol=1e-5)


def test_callbacks_see_matrices(rng):
    A, shapes = rng.normal(size=(4, 3)), []

    def callback(intermediate_result):
        shapes.extend([intermediate_result.x.shape, intermediate_result.x_block.shape])

    pendec.minimize(objectives.SquaredDistance(A), np.zeros((4, 3)), set=sets.LowRank(4, 3, 1), callback=callback)
    assert set(shapes) == {(4, 3)}


def test_exceptions_come_through_with_their_traceback():
    class Mine(Exception):
        pass

    def deep():
        raise Mine("here")

    def fun(x):
        deep()

    with pytest.raises(Mine, match="here") as caught:
        pendec.minimize(fun, np.ones(3), jac=True)
    assert "deep" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


@pytest.mark.parametrize("where", ["set", "constraint", "callback"])
def test_exceptions_of_every_callback_come_through(where):
    class Broken:
        def project(self, x):
            raise KeyError("broken")

    def broken(x):
        raise KeyError("broken")

    arguments = {
        "set": {"set": Broken()},
        "constraint": {"constraints": pendec.Constraint(broken, sets.Singleton([1]), jac="2-point")},
        "callback": {"callback": broken, "set": sets.Sparse(3, 1), "method": "pdlm"},
    }[where]
    with pytest.raises(KeyError, match="broken"):
        pendec.minimize(objectives.SquaredDistance([1, 2, 3]), np.ones(3), **arguments)


def test_not_a_number_at_the_start_is_an_error_and_later_a_status():
    with pytest.raises(pendec.InvalidArgument, match=r"f\(x0\) is nan"):
        pendec.minimize(lambda x: (np.nan, x), np.ones(3), jac=True)

    def sometimes(x):
        return (np.nan if np.linalg.norm(x) < 1 else x @ x), 2 * x

    r = pendec.minimize(sometimes, 2 * np.ones(3), jac=True, method="pdlm")
    assert not r.success and r.status == pendec.Status.not_finite


class ForAWhile:
    """All of ℝⁿ for some projections; then something is wrong with it."""

    def __init__(self, projections):
        self.left = projections

    def project(self, x):
        self.left -= 1
        return x if self.left >= 0 else np.full_like(x, np.nan)


def test_a_projection_that_is_not_a_number_is_named_and_no_function_sees_it():
    def fun(x):
        assert x.shape == (3,) and np.isfinite(x).all()
        return x @ x, 2 * x

    with pytest.raises(pendec.InvalidArgument, match=r"projection of x0 onto D \(ForAWhile\).* is nan"):
        pendec.minimize(fun, np.ones(3), jac=True, set=ForAWhile(0))
    for projections in range(1, 12):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            r = pendec.minimize(fun, np.ones(3), jac=True, set=ForAWhile(projections))
        assert r.status == pendec.Status.not_finite and "ForAWhile" in r.message
        assert np.isfinite(r.x).all() and r.fun == pytest.approx(r.x @ r.x)


def test_a_gradient_in_single_precision_is_named_where_it_stalls(rng):
    A, b = rng.normal(size=(60, 15)).astype(np.float32), rng.normal(size=60).astype(np.float32)

    def fun(x):
        r = A @ x.astype(np.float32) - b
        return 0.5 * float(r @ r), A.T @ r

    for arguments in ({"fun": fun, "jac": True}, {"fun": lambda x: fun(x)[0], "jac": lambda x: fun(x)[1]}):
        r = pendec.minimize(x0=np.zeros(15), set=sets.Sparse(15, 3), **arguments)
        assert r.status == pendec.Status.stalled and "single precision" in r.message
    precise = pendec.minimize(
        lambda x: (fun(x)[0], fun(x)[1].astype(float)), np.zeros(15), jac=True, set=sets.Sparse(15, 3)
    )
    assert "single precision" not in precise.message


# Options


@pytest.mark.parametrize("method", ["auto", "pd", "pdlm", "alm"])
@pytest.mark.parametrize("constrained", [False, True])
def test_maxiter_limits_the_iterations_of_all_starts_together(quadratic, method, constrained):
    Q, c = quadratic
    problem = functools.partial(
        pendec.minimize,
        objectives.Quadratic(Q, c),
        np.ones(20),
        set=sets.Sparse(20, 3),
        method=method,
        constraints=[pendec.Constraint(np.ones((1, 20)), sets.Singleton([1.0]))] if constrained else [],
    )
    general = {"driver.route": "general"} if method == "auto" else {}
    needed = problem(options=general).nit
    for most in (0, 1, 3.0, needed):
        r = problem(options={"maxiter": most, **general})
        assert r.nit <= most and len(r.trace["f"]) == r.nit
    with pytest.raises(TypeError, match="maxiter is 2.5; expected a whole number"):
        problem(options={"maxiter": 2.5})


def test_maxiter_and_dotted_options(quadratic):
    Q, c = quadratic
    f = objectives.Quadratic(Q, c)
    r = pendec.minimize(
        f, np.ones(20), set=sets.Sparse(20, 3), method="pd", options={"maxiter": 2, "driver.polish": False}
    )
    assert r.status == pendec.Status.max_iterations and r.nit <= 3
    with pytest.raises(pendec.InvalidArgument, match="penalty.tau0"):
        pendec.minimize(f, np.ones(20), options={"penalty.tau0": -1})
    with pytest.raises(ValueError, match="no_such"):
        pendec.minimize(f, np.ones(20), options={"no_such": 1})
    with pytest.raises(ValueError, match="method is 'BFGS'; expected 'auto', 'pd', 'pdlm', 'alm'"):
        pendec.minimize(f, np.ones(20), method="BFGS")
    assert pendec.options("pd")["penalty.tau0"][1] == "first penalty parameter"


def test_the_papers_preset_is_there(quadratic):
    Q, c = quadratic
    r = pendec.minimize(
        objectives.Quadratic(Q, c), np.zeros(20), set=sets.Sparse(20, 3), method="pd", options={"preset": "paper"}
    )
    assert np.count_nonzero(r.x) <= 3


# Results


def test_results_print_pickle_and_plot(quadratic, capsys):
    Q, c = quadratic
    general = {"disp": True, "driver.route": "general"}
    r = pendec.minimize(objectives.Quadratic(Q, c), np.zeros(20), set=sets.Sparse(20, 3), options=general)
    assert "status: converged" in capsys.readouterr().out
    assert "nonzero" in str(r)
    again = pickle.loads(pickle.dumps(r))
    assert np.array_equal(again.x, r.x) and again.status is r.status
    assert again.certificate.relative_stationarity == r.certificate.relative_stationarity
    for name in ("x", "fun", "success", "status", "message", "nit", "nfev", "njev", "nproj", "y", "multipliers"):
        assert name in r
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert r.plot().get_xlabel() == "outer iteration"
    with pytest.raises(AttributeError, match="has no 'hess'"):
        r.hess  # noqa: B018


def test_problems_have_the_arguments_of_minimize():
    import inspect

    of_minimize = inspect.signature(pendec.minimize).replace(return_annotation=None)
    assert inspect.signature(pendec.Problem).replace(return_annotation=None) == of_minimize


def test_a_point_from_elsewhere_is_certified(quadratic):
    Q, c = quadratic
    problem = pendec.Problem(objectives.Quadratic(Q, c), np.zeros(20), set=sets.Sparse(20, 3))
    assert problem.certify(problem.solve().x).relative_stationarity < 1e-6
    assert problem.certify(np.zeros(20)).relative_stationarity > 1e-3


# The interpreter's lock and signals


def test_the_lock_is_released_while_the_library_works(rng):
    A = rng.normal(size=(120, 120))
    A = (A + A.T) / 2
    count, done = [0], threading.Event()

    def counter():
        while not done.is_set():
            count[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=counter)
    thread.start()
    start = time.perf_counter()
    pendec.minimize(
        objectives.SquaredDistance(A),
        np.eye(120),
        set=sets.PsdLowRank(120, 5),
        constraints=pendec.Constraint(pendec.maps.Diagonal(120), sets.Singleton(np.ones(120))),
        options={"limits.seconds": 1.0},
    )
    seconds = time.perf_counter() - start
    done.set()
    thread.join()
    assert count[0] > 50 * seconds  # of 2000 a second without a lock


solve = "pendec.minimize({}, np.zeros(1000), jac=True, set=sets.Sparse(1000, 50), options=long)"
many = "dict(pendec.solve_many([pendec.Problem({}, np.zeros(1000), set=sets.Sparse(1000, 50), options=long)] * 2))"


@pytest.mark.parametrize(
    "statement",
    [
        solve.format("objectives.LeastSquares(A, b)"),
        solve.format("lambda x: (0.5 * (A @ x - b) @ (A @ x - b), A.T @ (A @ x - b))"),
        many.format("objectives.LeastSquares(A, b)"),
    ],
    ids=["built-in", "function", "threads"],
)
def test_ctrl_c_ends_a_long_solve(statement):
    program = textwrap.dedent(f"""
        import signal
        import numpy as np, pendec
        from pendec import objectives, sets
        signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start what runs in the background without it
        rng = np.random.default_rng(0)
        A, b = rng.normal(size=(400, 1000)), rng.normal(size=400)
        long = {{"driver.branch_search": 1000000}}
        print("ready", flush=True)
        while True:
            {statement}
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()  # a solve that does not end must not outlive its test
    assert "KeyboardInterrupt" in errors and time.perf_counter() - start < 10


def test_a_function_may_change_its_argument():
    c = np.array([1.0, -2.0, 0.5])

    def fun(x):
        x -= c
        return 0.5 * x @ x

    for jac in (lambda x: x - c, "2-point"):
        np.testing.assert_allclose(pendec.minimize(fun, np.zeros(3), jac=jac).x, c, atol=1e-6)


def test_a_function_with_a_constant_jacobian_is_affine():
    rows = np.array([[1.0, 1.0, 1.0]])
    problem = dict(fun=pendec.objectives.Quadratic(np.eye(3), -np.arange(3.0)), x0=np.zeros(3), set=sets.Sparse(3, 2))
    stated = [
        pendec.Constraint(lambda x: rows @ x - 1.0, sets.Box([0.0], [0.0]), jac=rows),
        pendec.Constraint(pendec.maps.Affine(rows, -1.0), sets.Box([0.0], [0.0])),
    ]
    by_function, by_rows = (pendec.minimize(**problem, constraints=c) for c in stated)
    assert by_function.status.name == by_rows.status.name == "optimal" and by_function.fun == by_rows.fun
    with pytest.raises(ValueError, match="jac is constant, but"):
        pendec.minimize(
            **problem | {"x0": np.full(3, 2.0)},
            constraints=pendec.Constraint(lambda x: rows @ x**2, sets.Box([0.0], [1.0]), jac=rows),
        )


def test_labels_may_be_zeros_and_ones():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(40, 5))
    b = (A[:, 0] + 0.3 * rng.normal(size=40) > 0).astype(float)
    by_bits = pendec.sparse_regression(A, b, 2, loss="logistic")
    by_signs = pendec.sparse_regression(A, 2 * b - 1, 2, loss="logistic")
    assert by_bits.fun == by_signs.fun
    with pytest.raises(TypeError, match="has no option 'ridgee'; expected one of"):
        pendec.sparse_regression(A, b, 2, ridgee=1.0)
