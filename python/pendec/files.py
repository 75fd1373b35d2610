"""Problem files, as the program `pendec` reads them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _pendec
from ._arrays import Array
from ._problem import parse_options
from ._result import Result, from_core, interruptible


class ProblemFile:
    """A problem in the JSON format of docs/problem-files.md. Pickles as its text, data included."""

    def __init__(self, core: Any):
        self._core = core

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, confine: bool = False) -> ProblemFile:
        """Data files that it names may lie anywhere; with `confine` only in the folder of the problem file or below."""
        return cls(_pendec.read_problem(os.fspath(path), confine))

    @classmethod
    def parse(cls, text: str, folder: str | os.PathLike[str] = ".", *, confine: bool = False) -> ProblemFile:
        return cls(_pendec.parse_problem(text, os.fspath(folder), confine))

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def x0(self) -> Array:
        return self._core.start

    def to_json(self) -> str:
        return self._core.to_json()

    @interruptible
    def solve(self, method: str | None = None, options: Mapping[str, Any] | None = None) -> Result:
        """What `pendec solve` does, with the file's options and these on top. `to_json()` is the program's output."""
        preset, settings, show = parse_options(method or "auto", options)
        chosen = [
            (k, v) for k, v in settings if (k != "method" or method) and (k != "trace" or "trace" in (options or {}))
        ]
        found = self._core.solve(preset if "preset" in (options or {}) else None, chosen)
        result = from_core(found)
        if show:
            print(result)
        return result

    def verify(self, result: Result | str) -> dict[str, bool]:
        """Recomputes every claim of a result of this problem, or of its JSON: claim → does it hold?"""
        return dict(self._core.verify(_pendec.parse_result(result if isinstance(result, str) else result.to_json())))

    def __reduce__(self) -> tuple[Any, ...]:
        return ProblemFile.parse, (self.to_json(),)


def read_problem(path: str | os.PathLike[str], *, confine: bool = False) -> ProblemFile:
    """A problem file, to be solved or sent elsewhere. `confine`: for files of others, see docs/problem-files.md."""
    return ProblemFile.read(path, confine=confine)


def solve_file(
    path: str | os.PathLike[str],
    method: str | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    confine: bool = False,
) -> Result:
    """Solves a problem file as `pendec solve` does."""
    return ProblemFile.read(path, confine=confine).solve(method, options)
