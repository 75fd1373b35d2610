"""Objectives of the library: compiled, with their Hessians, and on your own arrays.

Data are read in place, not copied: float64 matrices in Fortran order, symmetric ones in C order as well. Anything
else is converted once, when the objective is made. Do not change the arrays afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _pendec
from ._arrays import Array, ArrayLike, entries, matrix_shape, operator, symmetric_operator, vector
from ._handle import InSpace, common_matrix


class Objective(InSpace):
    """A smooth function. It may be called, and be the `fun` of `minimize`."""

    def __call__(self, x: ArrayLike) -> float:
        return self._core.value(self._flat(x, "x")[0])

    def gradient(self, x: ArrayLike) -> Array:
        return self._core.value_and_gradient(self._flat(x, "x")[0])[1]


class Quadratic(Objective):
    """½xᵀQx + cᵀx with Q symmetric, dense or of scipy.sparse; c is zero if left out.

    Instead of Q its factors may be given: Q = factor factorᵀ + diag(diagonal), such as the covariance of a factor model. It
    is never formed for products, and takes the memory of its factors.
    """

    def __init__(self, Q: Any = None, c: ArrayLike = 0.0, factor: Any = None, diagonal: ArrayLike | None = None):
        if (Q is None) == (factor is None) or (diagonal is not None and factor is None):
            raise ValueError("expected either Q or factor, which may have a diagonal")
        if factor is None:
            matrix = symmetric_operator(Q, "Q")
        else:
            rows = operator(entries(factor, "factor").T, "factor")
            added = np.zeros(0) if diagonal is None else vector(diagonal, "diagonal", rows.cols)
            matrix = _pendec.gram_operator(rows, added)
        self._keep(_pendec.quadratic(matrix, vector(c, "c", matrix.rows)), Q, c, factor, diagonal)


class SquaredDistance(Objective):
    """½ Σ wᵢ (xᵢ − aᵢ)²; for matrices the Frobenius distance."""

    def __init__(self, a: ArrayLike, weights: ArrayLike | None = None):
        point = vector(a, "a")
        w = vector([] if weights is None else weights, "weights", None if weights is None else point.size)
        self._keep(_pendec.squared_distance(point, w), a, weights)
        self._matrix = matrix_shape(a, weights)


class LeastSquares(Objective):
    """½‖Ax − b‖², A dense or of scipy.sparse."""

    def __init__(self, A: Any, b: ArrayLike):
        matrix = operator(A, "A")
        self._keep(_pendec.least_squares(matrix, vector(b, "b", matrix.rows)), A, b)


class Logistic(Objective):
    """Σ log(1 + exp(−labelₖ ⟨aₖ, x⟩)), labels −1 and 1, aₖ the rows of A, dense or of scipy.sparse."""

    def __init__(self, A: Any, labels: ArrayLike):
        matrix = operator(A, "A")
        self._keep(_pendec.logistic(matrix, vector(labels, "labels", matrix.rows)), A, labels)


class Linear(Objective):
    """cᵀx; for matrices the sum of the products of their entries."""

    def __init__(self, c: ArrayLike):
        self._keep(_pendec.linear(vector(c, "c")), c)
        self._matrix = matrix_shape(c)


class LinearModel(Objective):
    """Σ loss(⟨aₖ, x⟩; bₖ) + ½ ridge ‖x‖², loss "squared", "logistic", "huber" or "poisson"; A dense or sparse.

    With an intercept x has one entry more, the last one.
    """

    def __init__(
        self,
        A: Any,
        b: ArrayLike,
        loss: str = "squared",
        intercept: bool = False,
        ridge: float = 0.0,
        huber: float = 1.345,
    ):
        core = _pendec.linear_model(operator(A, "A"), vector(b, "b", np.shape(A)[0]), loss, intercept, ridge, huber)
        self._keep(core, A, b, loss, intercept, ridge, huber)


class Sum(Objective):
    """Σ weight · f over pairs (weight, f)."""

    def __init__(self, terms: Sequence[tuple[float, Objective]]):
        core = _pendec.sum([(float(weight), f._core) for weight, f in terms])
        self._keep(core, terms, parts=(f for _, f in terms))
        self._matrix = common_matrix(f for _, f in terms)


def check(f: Objective, x: ArrayLike) -> list[str]:
    """Compares gradient and Hessian with differences at x; the failures, none if all is well."""
    return f._core.check(vector(x, "x", f.dimension))
