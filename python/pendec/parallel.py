"""Many solves, on any executor of concurrent.futures: threads, processes, Dask, MPI; the threads of one."""

from __future__ import annotations

import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from concurrent.futures import wait as wait_for_futures
from dataclasses import replace
from typing import Any

import numpy as np

from . import _pendec
from ._arrays import ArrayLike, real, whole
from ._problem import Problem
from ._result import Interrupted, Result

Job = Any  # an object with solve(), or a function without arguments


class RemoteTraceback(Exception):
    """Where an exception came from, in the worker."""

    def __str__(self) -> str:
        return "\n" + str(self.args[0])


def run(job: Job) -> tuple[Any, BaseException | None, str]:
    """Solves one problem in a worker. Its own exceptions are handed back as values: what a future raises itself is
    then an error of pickle, or the loss of a worker, which is worth a retry. So are results that Ctrl-C cut short."""
    try:
        return (job.solve() if hasattr(job, "solve") else job()), None, ""
    except Interrupted as interrupt:
        return interrupt.result, None, ""
    except Exception as error:  # noqa: BLE001
        return None, error, traceback.format_exc()


def run_until(stop: Any, job: Job) -> tuple[Any, BaseException | None, str]:
    """The same in a thread of this process, whose solves end when `stop` is requested."""
    with stop:
        return run(job)


pickle_errors = (pickle.PicklingError, AttributeError, TypeError)  # which of them depends on the object


def solve_many(
    problems: Iterable[Job],
    executor: Executor | Callable[[], Executor] | None = None,
    *,
    progress: bool | Callable[[int, int], None] | None = None,
    retries: int = 2,
) -> Iterator[tuple[int, Any]]:
    """Solves problems and yields pairs (index, result) as they are done; dict(solve_many(…)) collects them.

    Who leaves early (break, an exception, Ctrl-C) ends it: what waits is cancelled, and solves in threads stop. After
    Ctrl-C the `result` of `pendec.Interrupted` has the best points of those, by index.

    Args:
        problems: `pendec.Problem`s, `pendec.ProblemFile`s, or functions without arguments (functools.partial of a
            solver).
        executor: None: threads, one per processor. An executor of concurrent.futures: processes, Dask's
            client.get_executor(), mpi4py.futures.MPIPoolExecutor. A function that makes one is called again where the
            loss of a worker has broken the executor for good.
        progress: True: a line on the terminal, the default if there is one; or a function of (done, total).
        retries: so often a problem is sent anew when its worker is lost. Exceptions of the problem itself are raised
            at once.
    """
    jobs = list(problems)
    for k, job in enumerate(jobs):
        if not callable(getattr(job, "solve", job)):
            raise TypeError(f"problem {k} is {job!r}; expected a pendec.Problem, a ProblemFile or a function")
    return _solve_many(jobs, executor, progress, retries)


def _solve_many(jobs: list[Job], executor: Any, progress: Any, retries: int) -> Iterator[tuple[int, Any]]:
    report = _reporter(progress, len(jobs))
    pool = _Pool(executor, len(jobs))
    waiting: dict[Future[Any], int] = {}
    attempts = [0] * len(jobs)
    done = 0
    try:
        for k, job in enumerate(jobs):
            waiting[pool.submit(job)] = k
        report(done)
        while waiting:
            finished = _first_completed(waiting)
            lost = []
            for future in finished:
                k = waiting.pop(future)
                try:
                    result, error, trace = future.result()
                except pickle_errors as error:
                    raise pickle.PicklingError(f"problem {k} or its result cannot be pickled: {error}") from error
                except Exception as loss:
                    attempts[k] += 1
                    if attempts[k] > retries:
                        raise RuntimeError(f"problem {k} was lost with its worker {attempts[k]} times") from loss
                    lost.append((k, isinstance(loss, BrokenExecutor)))
                    continue
                if error is not None:
                    if error.__traceback__ is None:
                        error.__cause__ = RemoteTraceback(trace)
                    raise error
                done += 1
                report(done)
                yield k, result
            if any(broken for _, broken in lost):
                pool.replace()
            for k, _ in lost:
                waiting[pool.submit(jobs[k])] = k
    except KeyboardInterrupt:
        raise Interrupted(pool.best_so_far(waiting)) from None
    finally:
        for future in waiting:
            future.cancel()
        pool.close()
        report(None)


def multistart(
    problem: Problem,
    starts: int | Sequence[ArrayLike],
    executor: Executor | Callable[[], Executor] | None = None,
    *,
    scale: float = 1.0,
    seed: int = 0,
    progress: bool | Callable[[int, int], None] | None = None,
    retries: int = 2,
) -> Result:
    """The best of several solves: from the given starts, or from x0 and so many random points around it.

    The best is the feasible one with the least f. `runs` holds all results, in the order of the starts; after Ctrl-C
    (`pendec.Interrupted`) those of the solves that had begun.
    """
    first = real(problem.x0, "x0")
    if isinstance(starts, (int, np.integer)):
        generator = np.random.default_rng(seed)
        points = [first] + [first + scale * generator.standard_normal(first.shape) for _ in range(int(starts))]
    else:
        points = [real(x, "a start") for x in starts]
    if not points:
        raise ValueError("starts is empty; expected at least one start, or how many to draw")
    jobs = []
    for x in points:
        if x.shape != first.shape:
            raise ValueError(f"a start has shape {x.shape}; expected shape {first.shape}")
        jobs.append(replace(problem, x0=x))
    found: dict[int, Result] = {}
    try:
        for k, result in solve_many(jobs, executor, progress=progress, retries=retries):
            found[k] = result
    except Interrupted as interrupt:
        found.update(interrupt.result)
        if not found:
            raise KeyboardInterrupt from None
        raise Interrupted(_best(found)) from None
    return _best(found)


def _best(found: dict[int, Result]) -> Result:
    runs = [found[k] for k in sorted(found)]
    chosen = min(runs, key=_quality)
    best = Result(chosen, core=chosen._core)
    best["runs"] = runs
    return best


def _quality(result: Result) -> tuple[bool, float]:
    """Feasible points first, by f; then by infeasibility."""
    violation = result.certificate.relative_infeasibility
    feasible = violation <= 1e-6
    return not feasible, result.fun if feasible else violation


class _Pool:
    """An executor that can be replaced when it breaks; the caller's own is not shut down."""

    def __init__(self, executor: Any, jobs: int):
        self.make: Callable[[], Executor] | None = None
        if executor is None:
            self.make = lambda: ThreadPoolExecutor(max_workers=max(1, min(jobs, os.cpu_count() or 1)))
        elif not isinstance(executor, Executor) and not hasattr(executor, "submit"):
            self.make = executor
        self.owned = self.make is not None
        self.executor = self.make() if self.make else executor
        self.stop = _pendec.StopRequest()

    def submit(self, job: Job) -> Future[Any]:
        if isinstance(self.executor, ThreadPoolExecutor):
            return self.executor.submit(run_until, self.stop, job)
        try:
            return self.executor.submit(run, job)
        except BrokenExecutor:
            self.replace()
            return self.executor.submit(run, job)

    def replace(self) -> None:
        if self.owned:
            self.executor.shutdown(wait=False)
        if self.make is None:
            if not isinstance(self.executor, ProcessPoolExecutor):
                raise RuntimeError("the executor is broken for good; pass a function that makes one instead")
            workers, context = self.executor._max_workers, self.executor._mp_context  # type: ignore[attr-defined]
            self.make = lambda: ProcessPoolExecutor(workers, mp_context=context)
        self.executor, self.owned = self.make(), True

    def best_so_far(self, waiting: dict[Future[Any], int]) -> dict[int, Any]:
        """What the solves under way have found; those in threads are ended for it."""
        self.stop.request()
        begun = {future: k for future, k in waiting.items() if not future.cancel()}
        if isinstance(self.executor, ThreadPoolExecutor):
            wait_for_futures(begun)
        ended = {k: future.result() for future, k in begun.items() if future.done() and not future.exception()}
        return {k: result for k, (result, error, _) in ended.items() if error is None}

    def close(self) -> None:
        self.stop.request()
        if self.owned:
            self.executor.shutdown(wait=False, cancel_futures=True)


def _first_completed(waiting: dict[Future[Any], int]) -> list[Future[Any]]:
    """Those that are done, at least one. Futures of other kinds (Dask's) are asked one by one."""
    if all(isinstance(future, Future) for future in waiting):
        return list(wait_for_futures(waiting, return_when=FIRST_COMPLETED).done)
    while True:
        finished = [future for future in waiting if future.done()]
        if finished:
            return finished
        time.sleep(0.005)


def _reporter(progress: Any, total: int) -> Callable[[int | None], None]:
    if callable(progress):
        return lambda done: None if done is None else progress(done, total)
    shown = sys.stderr.isatty() if progress is None else bool(progress)
    if not shown or total == 0:
        return lambda done: None

    def line(done: int | None) -> None:
        if done is None:
            sys.stderr.write("\n")
        else:
            filled = 30 * done // total
            sys.stderr.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {done}/{total}")
        sys.stderr.flush()

    return line


def threads() -> int:
    """The most threads that one projection of a large vector uses: OMP_NUM_THREADS, or one for each processor."""
    return _pendec.threads()


def set_threads(most: int) -> None:
    """Sets `threads()`, for all solves of this process. Results do not depend on it."""
    _pendec.set_threads(whole(most, "threads"))
