"""What solvers return: attributes as SciPy's results have them, a summary as text, a plot of the trace."""

from __future__ import annotations

import functools
import html
import os
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import Any, ParamSpec, TypeVar

import numpy as np

from . import _pendec
from ._arrays import Array

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

    def __str__(self) -> str:
        return self.name


class Result(dict):
    """What every solver returns: a dictionary whose keys are attributes as well, with what the class of the problem has
    (`support`, `part`, `factor`, …) among them. `print` shows a summary, `plot` the trace.

    `bound` is a proven lower bound of the optimal value, −inf without one, and `gap` is (fun − bound)/|fun|. `route` names
    the solver, `why_not` the routes that were not taken and why.
    """

    x: Array
    fun: float
    success: bool
    status: Status
    message: str
    bound: float
    gap: float
    method: str
    route: str
    why_not: list[dict[str, str]]
    seconds: float
    nit: int
    nfev: int
    njev: int
    nproj: int
    certificate: Certificate
    multipliers: dict[str, Any]
    branch: str
    exchange_optimal: bool
    y: Array
    x_block: Array
    tau: float
    trace: dict[str, Array]

    def __init__(self, *entries: Any, core: Any = None, **more: Any):
        super().__init__(*entries, **more)
        object.__setattr__(self, "_core", core)

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
        return _restored, (type(self), dict(self), None if self._core is None else self._core.to_json())

    @property
    def certified(self) -> bool:
        """Is the optimum proved?"""
        return self["status"] == Status.optimal

    def to_json(self) -> str:
        """The record that the program's commands write with --output."""
        if self._core is None:
            raise ValueError("this is no result of a solver; expected one as solvers return it")
        return self._core.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `to_json()` to a file, for `pendec verify` and for other programs."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def _rows(self) -> list[tuple[str, str]]:
        hidden = ("y", "x_block")  # with x, three times the same
        shown = ((key, None if key in hidden else _short(value)) for key, value in self.items())
        return [(key, text) for key, text in shown if text is not None]

    def __repr__(self) -> str:
        return "\n".join(f"{key:>16}: {text}" for key, text in self._rows())

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><th>{html.escape(key)}</th><td><pre>{html.escape(text)}</pre></td></tr>"
            for key, text in self._rows()
        )
        return f"<table>{''.join(rows)}</table>"

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


def _restored(kind: type, entries: dict[str, Any], text: str | None) -> Result:
    return kind(entries, core=None if text is None else _pendec.parse_result(text))


def from_core(
    core: Any, shape: tuple[int, ...] | None = None, constraint_sizes: list[int] | None = None, x: Any = None
) -> Result:
    """A result in SciPy's names: x is the point in D, which the paper calls y, unless its class has another one."""
    found = core.to_dict()
    shape = found["y"].shape if shape is None else shape
    sizes = [found["lambda"].size] if constraint_sizes is None else constraint_sizes

    def point(v: Array) -> Array:
        return v.reshape(shape, order="F") if v.size == int(np.prod(shape)) else v

    y = point(found["y"])
    details = found["details"]
    counts, search = found["counts"], found["search"]
    out = Result(
        core=core,
        x=y if x is None else x(details),
        fun=found["f"],
        success=found["success"],
        status=Status[found["status"]],
        message=found["message"],
        bound=found["bound"],
        gap=found["gap"],
        **{name: value for name, value in _flattened(details) if name not in ("x", "bounds", "table")},
        nit=counts["outer"],
        nfev=counts["f"],
        njev=counts["gradient"],
        nproj=counts["project_D"],
        nodes=counts["nodes"],
        certificate=Certificate(found["certificate"]),
        method=found["method"],
        route=found["route"],
        why_not=found["why_not"],
        seconds=found["seconds"]["total"],
        y=y,
        x_block=point(found["x"]),
        multipliers={
            "constraints": np.split(found["lambda"], np.cumsum(sizes)[:-1])
            if sizes and found["lambda"].size == sum(sizes)
            else [],
            "set": point(found["mu"]),
        },
        branch=search["branch"],
        exchange_optimal=search["exchange_optimal"],
        tau=found["tau"],
        trace=found["trace"],
    )
    if "table" in details:
        out["pairs"] = details["table"]
    return out


def _flattened(details: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a class has, one name each."""
    for name, value in details.items():
        if isinstance(value, dict) and name in ("model", "portfolio", "criteria"):
            yield from _flattened(value)
        elif value is not None and name not in ("model", "portfolio"):
            yield name, value
