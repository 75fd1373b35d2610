"""What solvers return: attributes as SciPy's results have them, a summary as text, a plot of the trace."""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import IntEnum
from typing import Any, ParamSpec, TypeVar

import numpy as np

from . import _pendec

P = ParamSpec("P")
R = TypeVar("R")


class Status(IntEnum):
    """Why a solve ended. Only `optimal`, `converged` and `gap_limit` are a success."""

    optimal = 0
    converged = 1
    tests_met_uncertified = 2
    infeasible = 3
    stationary_infeasible = 4
    penalty_limit = 5
    max_iterations = 6
    max_time = 7
    stalled = 8
    unbounded = 9
    not_finite = 10
    interrupted = 11
    gap_limit = 12
    node_limit = 13
    time_limit = 14
    uncertified = 15

    def __str__(self) -> str:
        return self.name


class Result(dict):
    """A dictionary whose keys are attributes as well. `print` shows a summary, `plot` the trace."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"this result has no {name!r}; it has {', '.join(sorted(self))}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def __repr__(self) -> str:
        rows = []
        for key, value in self.items():
            text = None if key in ("y", "x_block") else _short(value)  # with x, three times the same
            if text is not None:
                rows.append(f"{key:>16}: {text}")
        return "\n".join(rows)

    def __str__(self) -> str:
        return repr(self)

    def plot(self, ax: Any = None) -> Any:
        """Draws f, ‖x − y‖, the violation and tau over the outer iterations; returns the axes. Needs matplotlib."""
        trace = self.get("trace")
        if trace is None or len(trace["f"]) == 0:
            raise ValueError("there is no trace; solve with options={'trace': True}")
        import matplotlib.pyplot as plt

        if ax is None:
            ax = plt.subplots(figsize=(6.4, 4.0))[1]
        k = np.arange(len(trace["f"]))
        for key, label in (("coupling", "‖x − y‖"), ("violation", "dist(G(x), C)"), ("tau", "τ")):
            values = np.asarray(trace[key], dtype=float)
            if np.any(values > 0):
                ax.semilogy(k, np.where(values > 0, values, np.nan), label=label, marker=".", markersize=4)
        right = ax.twinx()
        right.plot(k, trace["f"], color="black", linewidth=1.0, label="f(x)")
        right.set_ylabel("f(x)")
        ax.set_xlabel("outer iteration")
        ax.set_title(f"{self.status}: f = {self.fun:.8g}")
        lines = ax.get_lines() + right.get_lines()
        ax.legend(lines, [line.get_label() for line in lines], loc="upper right")
        return ax


class Certificate(Result):
    """What was verified at a point; residuals are absolute but for the two called relative."""

    def __repr__(self) -> str:
        return self["text"]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a solve. `result` is what it would have returned, with the best point and the bounds so far.

    A second Ctrl-C ends the solve at once, with a KeyboardInterrupt that has nothing.
    """

    def __init__(self, result: Any):
        super().__init__(result)
        self.result = result

    def __str__(self) -> str:
        return "KeyboardInterrupt; the exception's `result` has the best point (sys.last_value.result in a session)"


def interruptible(solver: Callable[P, R]) -> Callable[P, R]:
    """A solver that Ctrl-C ended returns as always; its caller gets `Interrupted`."""

    @functools.wraps(solver)
    def solve(*args: P.args, **kwargs: P.kwargs) -> R:
        result = solver(*args, **kwargs)
        if _pendec.last_was_interrupted():
            raise Interrupted(result)
        return result

    return solve


def _short(value: Any) -> str | None:
    """One line, or nothing for what is too long to read."""
    if isinstance(value, Certificate):
        return repr(value)
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and value.size > 12:
            chosen = np.flatnonzero(value)
            if chosen.size <= 12:
                entries = ", ".join(f"[{i}] {value[i]:.6g}" for i in chosen)
                return f"{value.size} entries, {chosen.size} nonzero: {entries}"
        with np.printoptions(precision=6, threshold=12, edgeitems=3, linewidth=90):
            return str(value).replace("\n", "\n" + " " * 18)
    if isinstance(value, (dict, list)):
        return None if len(value) > 12 or isinstance(value, dict) else str(value)
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, str) and len(value) > 300:
        return None
    return str(value)


def from_core(core: dict[str, Any]) -> Result:
    """A result of a ready solver."""
    out = Result(core)
    out["status"] = Status[core["status"]]
    if "certificate" in core:
        out["certificate"] = Certificate(core["certificate"])
    return out


def from_solve(core: dict[str, Any], shape: tuple[int, ...], constraint_sizes: list[int]) -> Result:
    """A result of the general method, in SciPy's names: x is the point in D, which the paper calls y."""
    y = core["y"].reshape(shape, order="F")
    ends = np.cumsum(constraint_sizes)[:-1]
    has_lambda = core["lambda"].size == sum(constraint_sizes)
    out = Result(
        x=y,
        fun=core["f"],
        success=core["success"],
        status=Status[core["status"]],
        message=core["message"],
        nit=core["nit"],
        nfev=core["nfev"],
        njev=core["njev"],
        nproj=core["nproj"],
        certificate=Certificate(core["certificate"]),
        method=core["method"],
        seconds=core["seconds"],
        y=y,
        x_block=core["x"].reshape(shape, order="F"),
        multipliers={
            "constraints": np.split(core["lambda"], ends) if has_lambda and constraint_sizes else [],
            "set": core["mu"].reshape(shape, order="F") if core["mu"].size == y.size else core["mu"],
        },
        lower_bound=core["bound"],
        branch=core["branch"],
        exchange_optimal=core["exchange_optimal"],
        tau=core["tau"],
        trace=core["trace"],
    )
    return out
