"""Optimization with geometric constraints: min f(x) subject to G(x) ∈ C, x ∈ D, where D need not be convex."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import maps, objectives, sets
from ._pendec import FileError, InvalidArgument
from ._pendec import version as __version__
from ._problem import Constraint, Pairs, Problem, minimize, options
from ._result import Certificate, Interrupted, Result, Status
from .files import ProblemFile, read_problem, solve_file
from .parallel import multistart, set_threads, solve_many, threads
from .ready import (
    complete,
    disjunctive,
    maxcut,
    mpcc,
    multitask_logistic,
    nearest_correlation,
    portfolio,
    sparse_qp,
    sparse_regression,
)

if TYPE_CHECKING:
    from .estimators import SparseLogisticRegression, SparseRegression

__all__ = [
    "Certificate",
    "Constraint",
    "FileError",
    "Interrupted",
    "InvalidArgument",
    "Pairs",
    "Problem",
    "ProblemFile",
    "Result",
    "SparseLogisticRegression",
    "SparseRegression",
    "Status",
    "__version__",
    "complete",
    "disjunctive",
    "maps",
    "maxcut",
    "minimize",
    "mpcc",
    "multistart",
    "multitask_logistic",
    "nearest_correlation",
    "objectives",
    "options",
    "portfolio",
    "read_problem",
    "set_threads",
    "sets",
    "solve_file",
    "solve_many",
    "sparse_qp",
    "sparse_regression",
    "threads",
]


def __getattr__(name: str) -> Any:
    """What needs scikit-learn or CVXPY is imported when it is asked for."""
    if name == "cvxpy":
        return importlib.import_module(".cvxpy", __name__)
    if name in ("SparseRegression", "SparseLogisticRegression"):
        from . import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
