"""Many solves on threads, processes, Dask and MPI; a lost worker costs a retry."""

import functools
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pendec
import pytest
from pendec import objectives, sets


def problems(count=6):
    rng = np.random.default_rng(5)
    out = []
    for _ in range(count):
        B = rng.normal(size=(15, 15))
        out.append(
            pendec.Problem(
                objectives.Quadratic(B @ B.T + np.eye(15), rng.normal(size=15)), np.zeros(15), set=sets.Sparse(15, 3)
            )
        )
    return out


@pytest.fixture(scope="module")
def expected():
    return [p.solve().x for p in problems()]


def processes():
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


@pytest.mark.parametrize(
    "make", [lambda: None, lambda: ThreadPoolExecutor(2), processes], ids=["default", "threads", "processes"]
)
def test_every_executor_gives_the_same_bits(make, expected):
    done = []
    found = dict(pendec.solve_many(problems(), make(), progress=lambda k, n: done.append((k, n))))
    assert all(np.array_equal(found[k].x, expected[k]) for k in range(6))
    assert done[-1] == (6, 6)


def test_results_stream_in_the_order_of_completion():
    jobs = [functools.partial(_after, 0.6, "slow"), functools.partial(_after, 0.0, "fast")]
    assert [result for _, result in pendec.solve_many(jobs, ThreadPoolExecutor(2))] == ["fast", "slow"]


def test_progress_is_shown_where_it_is_asked_for(capsys):
    dict(pendec.solve_many(problems(2), progress=True))
    assert "[" + "#" * 30 + "] 2/2" in capsys.readouterr().err
    dict(pendec.solve_many(problems(2)))  # no terminal
    assert capsys.readouterr().err == ""


def test_exceptions_of_a_problem_are_raised_and_not_retried():
    with pytest.raises(ZeroDivisionError) as caught:
        dict(pendec.solve_many([functools.partial(_divide, 0)], processes))
    assert "_divide" in str(caught.value.__cause__)


def test_a_lost_process_costs_a_retry(tmp_path, expected):
    jobs = [*problems(), functools.partial(_die_once, str(tmp_path / "died"))]
    found = dict(pendec.solve_many(jobs, processes()))
    assert found[6] == "alive" and all(np.array_equal(found[k].x, expected[k]) for k in range(6))


def test_a_job_that_always_kills_its_worker_ends():
    with pytest.raises(RuntimeError, match="lost with its worker"):
        dict(pendec.solve_many([_die], processes, retries=1))


def test_what_cannot_be_pickled_is_told_and_not_retried():
    here = threading.Lock()
    for job in (lambda: 1, functools.partial(_after, 0.0, here), _unpicklable):
        begin = time.perf_counter()
        with pytest.raises(pickle.PicklingError, match="problem 1 or its result cannot be pickled: .*pickle"):
            dict(pendec.solve_many([functools.partial(_after, 0.0, 1), job], processes))
        assert time.perf_counter() - begin < 20


def _endless(function):
    """A problem that takes half a minute."""
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(400, 1000)), rng.normal(size=400)
    fun = (
        (lambda x: (0.5 * (A @ x - b) @ (A @ x - b), A.T @ (A @ x - b)))
        if function
        else objectives.LeastSquares(A, b)
    )
    return pendec.Problem(
        fun,
        np.zeros(1000),
        jac=True,
        set=sets.Sparse(1000, 50),
        options={
            "driver.branch_search": 10**6,
            "penalty.eps_out": 0.0,
            "penalty.tau_max": "inf",
            "limits.seconds": 30,
        },
    )


@pytest.mark.parametrize("function", [False, True], ids=["built-in", "function"])
def test_leaving_early_stops_threads_and_cancels_what_waits(function):
    endless = _endless(function)
    later = []
    with ThreadPoolExecutor(2) as executor:
        for _ in pendec.solve_many(
            [functools.partial(_after, 0.2, 1), endless, endless, *[_later(later)] * 3], executor
        ):
            break
        begin = time.perf_counter()
    assert time.perf_counter() - begin < 10 and later == []


def test_leaving_early_stops_the_solves_of_a_solve():
    inner = functools.partial(pendec.multistart, _endless(False), [np.zeros(1000), np.ones(1000)], progress=False)
    with ThreadPoolExecutor(2) as executor:
        for _ in pendec.solve_many([functools.partial(_after, 0.5, 1), inner], executor):
            break
        begin = time.perf_counter()
    assert time.perf_counter() - begin < 10


def test_what_is_no_problem_is_told():
    with pytest.raises(TypeError, match="problem 1 is 3; expected a pendec.Problem"):
        pendec.solve_many([problems(1)[0], 3])
    with pytest.raises(ValueError, match="starts is empty"):
        pendec.multistart(problems(1)[0], [])


def test_multistart_keeps_the_best_of_all_starts():
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(20, 40)), rng.normal(size=20)
    problem = pendec.Problem(
        objectives.LeastSquares(A, b), np.zeros(40), set=sets.Sparse(40, 5), options={"driver.branch_search": 0}
    )
    best = pendec.multistart(problem, 4, seed=3)
    assert len(best.runs) == 5 and best.fun == min(r.fun for r in best.runs)
    given = pendec.multistart(problem, [np.zeros(40), np.ones(40)])
    assert len(given.runs) == 2 and np.array_equal(given.runs[0].x, best.runs[0].x)
    with pytest.raises(ValueError, match=r"\(3,\).*\(40,\)"):
        pendec.multistart(problem, [np.zeros(3)])


def test_dask_finishes_though_a_worker_is_ended(dask_cluster):
    from distributed import Client

    jobs = [functools.partial(_solve_after, 0.2, k) for k in range(10)]
    found = {}
    with Client(dask_cluster) as client:
        for k, (x, worker) in pendec.solve_many(jobs, client.get_executor()):
            if not found:
                os.kill(worker, signal.SIGKILL)
            found[k] = x
    assert sorted(found) == list(range(10))
    assert np.array_equal(found[0], problems(1)[0].solve().x)


def test_mpi_with_two_ranks(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    beside = os.path.dirname(sys.executable)  # where a wheel of MPI puts it
    launcher = shutil.which("mpirun", path=beside) or shutil.which("mpirun")
    if launcher is None:
        pytest.skip("there is no mpirun")
    program = textwrap.dedent("""
        import numpy as np, pendec
        from mpi4py.futures import MPIPoolExecutor
        from pendec import objectives, sets
        if __name__ == "__main__":
            jobs = [pendec.Problem(objectives.SquaredDistance([k, 2.0, 3.0]), np.zeros(3), set=sets.Sparse(3, 1))
                    for k in range(4)]
            with MPIPoolExecutor() as executor:
                found = dict(pendec.solve_many(jobs, executor))
            print([float(found[k].fun) for k in range(4)])
    """)
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "HYDRA_LAUNCHER": "fork",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    script = tmp_path / "many.py"
    script.write_text(program)
    run = subprocess.run(
        [launcher, "-n", "2", sys.executable, "-m", "mpi4py.futures", str(script)],
        capture_output=True,
        text=True,
        timeout=180,
        env=environment,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == "[2.0, 2.5, 4.0, 6.5]"  # the transport may complain before


def _after(seconds, value):
    time.sleep(seconds)
    return value


def _solve_after(seconds, k):
    time.sleep(seconds)
    return problems(k + 1)[k].solve().x, os.getpid()


def _divide(k):
    return 1 / k


def _unpicklable():
    return lambda: 1


def _later(done):
    return lambda: done.append(1)


def _die():
    os._exit(1)


def _die_once(path):
    if not os.path.exists(path):
        with open(path, "w"):
            pass
        os._exit(1)
    return "alive"


def test_the_threads_of_one_projection_can_be_limited():
    before = pendec.threads()
    assert before >= 1
    z = np.random.default_rng(3).normal(size=500_000)
    results = []
    try:
        for most in (1, 2):
            pendec.set_threads(most)
            assert pendec.threads() == most
            results.append(sets.Sparse(z.size, 1000).project(z))
        with pytest.raises(pendec.InvalidArgument, match="threads is 0; expected at least 1"):
            pendec.set_threads(0)
        with pytest.raises(TypeError, match=r"threads is 1.5; expected a whole number"):
            pendec.set_threads(1.5)
    finally:
        pendec.set_threads(before)
    np.testing.assert_array_equal(*results)
    kept = np.sort(np.abs(z))[-1000:]
    np.testing.assert_array_equal(np.sort(np.abs(results[0][results[0] != 0.0])), kept)
