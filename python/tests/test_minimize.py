"""minimize: SciPy's habits, shapes, gradients, constraints, callbacks, exceptions, results."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback

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
    assert r.success and r.status == pendec.Status.converged
    assert np.count_nonzero(r.x) <= 2
    assert r.fun == pytest.approx(best_support(Q, c, 2), abs=1e-9)


@pytest.mark.parametrize("method", ["auto", "pd", "pdlm", "alm"])
def test_python_functions_and_built_in_objectives_agree(quadratic, method):
    Q, c = quadratic
    fixed = {"driver.branch_search": 0, "driver.polish": False}  # both use the constant Hessian of the built-in one
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


# Matrices


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
        "callback": {"callback": broken, "set": sets.Sparse(3, 1)},
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


# Options


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
    with pytest.raises(ValueError, match="newton"):
        pendec.minimize(f, np.ones(20), method="newton")
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
    r = pendec.minimize(objectives.Quadratic(Q, c), np.zeros(20), set=sets.Sparse(20, 3), options={"disp": True})
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
