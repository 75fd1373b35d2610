"""What sets, objectives and maps have in common: they are made once, never change, and pickle as their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np


class Handle:
    """An object of the library together with the arguments that make it again in another process."""

    _core: Any
    _arguments: tuple[Any, ...]

    def _keep(self, core: Any, *arguments: Any) -> None:
        self._core = core
        self._arguments = arguments

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

    @property
    def dimension(self) -> int:
        """Number of coordinates of its points."""
        return self._core.dimension

    @property
    def convex(self) -> bool:
        """Is it known to be convex?"""
        return self._core.convex


def calls_python(value: Any) -> bool:
    """Does the library have to call Python back for this set, objective or map?"""
    if not isinstance(value, Handle):
        return True
    if getattr(value, "_calls_python", False):
        return True
    return any(calls_python(part) for part in getattr(value, "_parts", ()))
