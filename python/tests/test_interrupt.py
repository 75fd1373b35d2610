"""Ctrl-C: every solve ends with its best point, and a second one ends it at once."""

import contextlib
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import pendec
from pendec import objectives, sets

examples = Path(__file__).parents[2] / "examples" / "problems"


@contextlib.contextmanager
def ctrl_c(*seconds):
    """What Ctrl-C does, after so many seconds, and after so many more."""
    waits = list(seconds)

    def press(*_):
        if waits:
            signal.setitimer(signal.ITIMER_REAL, waits.pop(0))
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, waits.pop(0))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


generator = np.random.default_rng(0)
A, b = generator.normal(size=(400, 1000)), generator.normal(size=400)
B = generator.normal(size=(120, 120))
noise = np.tanh(generator.normal(size=(700, 700)))
parts = [sets.Polyhedron(generator.normal(size=(120, 60)), np.ones(120)) for _ in range(900)]
long = {"driver.branch_search": 1000000}


def slow(x):
    time.sleep(0.02)
    return (x - 0.3) @ (x - 0.3), 2 * (x - 0.3)


class SlowSphere:
    dimension = 3

    def project(self, x):
        time.sleep(0.02)
        return x / np.linalg.norm(x) if x.any() else np.eye(3)[0]


def least_squares(route="general", **more):
    options = {**long, "driver.route": route}
    return pendec.Problem(
        objectives.LeastSquares(A, b), np.zeros(1000), set=sets.Sparse(1000, 50), options=options, **more
    )


solves = {
    "minimize": lambda: least_squares().solve(),
    "route": lambda: least_squares("automatic").solve(),
    "function": lambda: pendec.minimize(
        lambda x: (0.5 * (A @ x - b) @ (A @ x - b), A.T @ (A @ x - b)),
        np.zeros(1000),
        jac=True,
        set=sets.Sparse(1000, 50),
        options=long,
    ),
    "set": lambda: pendec.minimize(slow, np.ones(3), jac=True, set=SlowSphere()),
    "callback": lambda: least_squares(callback=lambda xk: time.sleep(0.05)).solve(),
    "file": lambda: pendec.solve_file(
        examples / "correlation.json", method="pd", options={"penalty.alpha_tau": 1.01}
    ),
    "sparse_qp": lambda: pendec.sparse_qp(B @ B.T / 120 + 1e-3 * np.eye(120), b[:120], 20),
    "portfolio": lambda: pendec.portfolio(mean=b[:120], covariance=B @ B.T / 120, s=20, frontier=100000)[-1],
    "sparse_regression": lambda: pendec.sparse_regression(A, b, 30),
    "path": lambda: pendec.sparse_regression(A, b, range(1, 60), folds=5)[-1],
    "nearest_correlation": lambda: pendec.nearest_correlation(
        noise[:400, :400] + noise[:400, :400].T, 20, algorithm="PD-cg-accurate"
    ),
    "multitask": lambda: pendec.multitask_logistic(
        [(A[:60, :5], np.sign(b[:60])), (A[60:120, :5], np.sign(b[60:120]))], 2, random_starts=10**8
    ),
    "complete": lambda: pendec.complete(np.where(np.abs(A) < 1.5, A, np.nan), 20, tolerance=1e-14),
    "maxcut": lambda: pendec.maxcut(B + B.T - np.diag(np.diag(B + B.T)), roundings=10**8),
    "disjunctive": lambda: pendec.disjunctive(
        objectives.SquaredDistance(5 * b[:60]),
        np.zeros(60),
        parts,
        certificate=False,
        options=long,
    ),
    "disjunctive function": lambda: pendec.disjunctive(
        slow, np.zeros(2), [sets.Box([k, 0.0], [k + 0.5, 1.0]) for k in range(30)], jac=True
    ),
    "mpcc": lambda: pendec.mpcc(
        slow, np.ones(2), pendec.Pairs(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])), jac=True
    ),
    "multistart": lambda: pendec.multistart(least_squares(), 3, progress=False),
}


@pytest.mark.parametrize("name", solves)
def test_the_best_point_comes_with_the_interrupt(name):
    start = time.perf_counter()
    with ctrl_c(0.4), pytest.raises(KeyboardInterrupt) as caught:
        solves[name]()
        pytest.fail(f"it ended by itself after {time.perf_counter() - start} s")
    assert time.perf_counter() - start < 10
    assert isinstance(caught.value, pendec.Interrupted)
    result = caught.value.result
    if isinstance(result, list):
        result = result[-1]
    relaxed = name == "maxcut" and result.status == pendec.Status.converged  # before the roundings, which go on
    assert relaxed or (result.status == pendec.Status.interrupted and not result.success)
    point = result.x if "x" in result else result.B
    assert point.size > 0 and np.isfinite(point).all()
    assert "result" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    np.testing.assert_array_equal(again.result[-1].x if isinstance(again.result, list) else again.result.x, result.x)


def test_the_point_is_as_good_as_the_work_before_it():
    full = pendec.sparse_qp(B @ B.T / 120 + 1e-3 * np.eye(120), b[:120], 20, seconds=0.5)
    with ctrl_c(0.5), pytest.raises(pendec.Interrupted) as caught:
        solves["sparse_qp"]()
    result = caught.value.result
    assert result.bound < result.fun <= full.fun + 0.05 * abs(full.fun)
    assert len(result.support) <= 20


@pytest.mark.parametrize("wait", [0.05, 0.5])
def test_a_second_one_ends_it_at_once(wait):
    def sleepy(x):
        time.sleep(20)
        return 0.5 * x @ x, x

    start = time.perf_counter()
    with ctrl_c(0.3, wait), pytest.raises(KeyboardInterrupt) as caught:
        pendec.minimize(sleepy, np.ones(3), jac=True)
    assert time.perf_counter() - start < 3 and not isinstance(caught.value, pendec.Interrupted)


def test_a_second_one_leaves_work_that_does_not_look_up():
    size = 700  # a projection takes seconds
    start = time.perf_counter()
    with ctrl_c(0.3, 0.2), pytest.raises(KeyboardInterrupt) as caught:
        pendec.minimize(
            objectives.SquaredDistance(noise[:size, :size].ravel()),
            np.zeros(size**2),
            set=sets.LowRank(size, size, size // 2),
        )
    assert 0.5 <= time.perf_counter() - start < 3 and not isinstance(caught.value, pendec.Interrupted)
    assert pendec.minimize(objectives.SquaredDistance([1.0, 2.0]), np.zeros(2)).success  # others go on


def test_work_left_behind_does_not_spoil_the_end_of_the_process():
    program = """if True:
        import numpy as np, pendec, signal, sys
        from pendec import objectives, sets
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3, 0.2)
        A = np.random.default_rng(0).normal(size=(700, 700))
        try:
            pendec.minimize(objectives.SquaredDistance(A.ravel()), np.zeros(A.size), set=sets.LowRank(700, 700, 350))
        except KeyboardInterrupt:
            signal.setitimer(signal.ITIMER_REAL, 0)
            print("left")
            sys.exit(7)"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "left\n", "")


def test_callbacks_are_called_where_the_solve_began_and_it_is_interrupted_between_them():
    threads = set()
    with ctrl_c(0.7), pytest.raises(pendec.Interrupted):  # by then it searches among branches, without any callback
        least_squares(callback=lambda xk: threads.add(threading.get_ident())).solve()
    assert threads == {threading.get_ident()}


def test_solves_inside_of_solves_are_interrupted_too():
    def outer(x):
        inner = pendec.minimize(lambda z: ((z - x) @ (z - x), 2 * (z - x)), np.zeros(2), jac=True)
        time.sleep(0.01)
        return x @ x + inner.fun, 2 * x

    with ctrl_c(0.3), pytest.raises(pendec.Interrupted) as caught:
        while True:
            pendec.minimize(outer, np.ones(2), jac=True, set=sets.Sparse(2, 1))
    assert caught.value.result.status == pendec.Status.interrupted


def test_many_solves_hand_over_what_they_have():
    with ctrl_c(0.5), pytest.raises(pendec.Interrupted) as caught:
        dict(pendec.solve_many([least_squares() for _ in range(8)], progress=False))
    found = caught.value.result
    assert found and set(found) <= set(range(8))
    assert all(r.status == pendec.Status.interrupted and np.isfinite(r.x).all() for r in found.values())


def test_an_exception_of_another_signal_comes_through():
    def alarm(*_):
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(TimeoutError, match="enough"):
            solves["minimize"]()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
