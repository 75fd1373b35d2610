"""Smooth maps G, for constraints G(x) ∈ C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _pendec
from ._arrays import Array, ArrayLike, matrix, operator, vector
from ._gradients import Matrices
from ._handle import Handle


class Map(Handle):
    """A smooth map. It may be called."""

    _values: tuple[int, ...] = ()  # the shape of its values, where they are matrices

    @property
    def input_dimension(self) -> int:
        return self._core.input_dimension

    @property
    def output_dimension(self) -> int:
        return self._core.output_dimension

    def __call__(self, x: ArrayLike) -> Array:
        return self._core(vector(x, "x", self.input_dimension))

    def adjoint(self, x: ArrayLike, w: ArrayLike) -> Array:
        """G'(x)ᵀ w."""
        return self._core.adjoint(vector(x, "x", self.input_dimension), vector(w, "w", self.output_dimension))


class Affine(Map):
    """A x + b, A dense or of scipy.sparse.

    A float64 matrix in Fortran order is read where it is: do not change it afterwards.
    """

    def __init__(self, A: Any, b: ArrayLike = 0.0):
        matrix = operator(A, "A")
        self._keep(_pendec.affine(matrix, vector(b, "b", matrix.rows)), A, b)


class Selection(Map):
    """x[indices] + shift."""

    def __init__(self, n: int, indices: Sequence[int], shift: ArrayLike = 0.0):
        chosen = [int(i) for i in indices]
        self._keep(_pendec.selection(n, chosen, vector(shift, "shift", len(chosen))), n, indices, shift)


def Identity(n: int) -> Selection:
    """x itself."""
    return Selection(n, range(n))


def Diagonal(n: int) -> Selection:
    """The diagonal of an n × n matrix."""
    return Selection(n * n, range(0, n * n, n + 1))


class Quartic(Map):
    """Gⱼ(x) = Σᵢ cᵢⱼ (xᵢ − pᵢⱼ)⁴ − tⱼ."""

    def __init__(self, c: ArrayLike, p: ArrayLike, t: ArrayLike):
        self._keep(_pendec.quartic(matrix(c, "c"), matrix(p, "p"), vector(t, "t")), c, p, t)


class QuadraticRows(Map):
    """Gⱼ(x) = ½xᵀQⱼx + aⱼᵀx + bⱼ, aⱼ the rows of A."""

    def __init__(self, Q: Sequence[ArrayLike], A: ArrayLike, b: ArrayLike = 0.0):
        array = matrix(A, "A")
        core = _pendec.quadratic_rows([matrix(q, "Q") for q in Q], array, vector(b, "b", array.shape[0]))
        self._keep(core, Q, A, b)


class Stack(Map):
    """Several maps of the same x, one below the other."""

    def __init__(self, maps: Sequence[Map]):
        self._keep(_pendec.stack([G._core for G in maps]), maps, parts=maps)


class Function(Map):
    """A map of Python: value(x) and at least one of vjp(x, w) = G'(x)ᵀ w and jac(x) = G'(x), on vectors.

    jac(x) is dense, of scipy.sparse, which stays sparse, or a LinearOperator; jvp(x, d) = G'(x) d where it is known
    otherwise. hess(x, w) = Σ wᵢ ∇²Gᵢ(x) is a symmetric matrix in one of the same forms, with both triangles.
    """

    _calls_python = True

    def __init__(
        self,
        n: int,
        rows: int,
        value: Callable[[Array], ArrayLike],
        vjp: Callable[[Array, Array], ArrayLike] | None = None,
        jvp: Callable[[Array, Array], ArrayLike] | None = None,
        affine: bool = False,
        jac: Callable[[Array], Any] | None = None,
        hess: Callable[[Array, Array], Any] | None = None,
    ):
        if vjp is None and jac is None:
            raise ValueError("vjp and jac are None; expected at least one of them")
        matrix = None if jac is None else Matrices(jac, "jac(x)", (rows, n))
        curvature = None if hess is None else Matrices(hess, "hess(x, w)", (n, n), symmetric=True)
        core = _pendec.python_map(n, rows, value, vjp, jvp, affine, matrix, curvature)
        self._keep(core, n, rows, value, vjp, jvp, affine, jac, hess)


def check(G: Map, x: ArrayLike) -> list[str]:
    """Compares derivatives with differences at x; the failures, none if all is well."""
    return G._core.check(np.asarray(vector(x, "x", G.input_dimension)))
