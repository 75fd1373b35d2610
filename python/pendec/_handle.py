"""What sets, objectives and maps have in common: they are made once, never change, and pickle as their arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ._arrays import Array, ArrayLike, real, vector


class Handle:
    """An object of the library together with the arguments that make it again in another process."""

    _core: Any
    _arguments: tuple[Any, ...]
    _parts: tuple[Handle, ...]  # what it is made of

    def _keep(self, core: Any, *arguments: Any, parts: Iterable[Handle] = ()) -> None:
        self._core = core
        self._arguments = arguments
        self._parts = tuple(parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments

    def __repr__(self) -> str:
        def short(value: Any) -> str:
            if isinstance(value, np.ndarray) and value.size > 6:
                return f"<{'×'.join(map(str, value.shape))} array>"
            return repr(value)

        return f"{type(self).__name__}({', '.join(short(a) for a in self._arguments)})"


class InSpace(Handle):
    """A subset of ℝⁿ, or a function on it."""

    _matrix: tuple[int, ...] | None = None  # the shape of points that are matrices

    @property
    def dimension(self) -> int:
        """Number of coordinates of its points."""
        return self._core.dimension

    @property
    def convex(self) -> bool:
        """Is it known to be convex?"""
        return self._core.convex

    def _require_shape(self, shape: tuple[int, ...], what: str) -> None:
        """A matrix of another shape and the same size would be read column by column as another matrix."""
        if self._matrix is not None and len(shape) > 1 and shape != self._matrix:
            raise ValueError(f"{what} has shape {shape}; {self!r} has points of shape {self._matrix}")

    def _flat(self, x: ArrayLike, what: str) -> tuple[Array, tuple[int, ...]]:
        """Its entries and its shape. A number stands for a point with equal entries."""
        array = real(x, what)
        self._require_shape(array.shape, what)
        flat = vector(array, what, self.dimension)
        return flat, array.shape if array.size == flat.size else self._matrix or flat.shape


def common_matrix(parts: Iterable[InSpace]) -> tuple[int, ...] | None:
    """The shape of the points of parts that have the same points."""
    shapes = list(dict.fromkeys(part._matrix for part in parts if part._matrix is not None))
    if len(shapes) > 1:
        raise ValueError(f"parts have points of shapes {' and '.join(map(str, shapes))}; expected one shape")
    return shapes[0] if shapes else None


def calls_python(value: Any) -> bool:
    """Does the library have to call Python back for this set, objective or map?"""
    if not isinstance(value, Handle):
        return True
    return getattr(value, "_calls_python", False) or any(calls_python(part) for part in value._parts)
