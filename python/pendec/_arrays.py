"""Between what people pass and what the library reads: float64, one-dimensional, matrices column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
ArrayLike = npt.ArrayLike


def vector(value: ArrayLike, what: str, n: int | None = None) -> Array:
    """A contiguous vector; a number stands for n equal entries. Matrices are taken column by column."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim == 0 and n is not None:
        return np.full(n, float(array))
    if n is not None and array.size != n:
        raise ValueError(f"{what} has shape {array.shape}; expected shape ({n},)")
    return np.ascontiguousarray(array.ravel(order="F"))


def bounds(value: ArrayLike | None, n: int, missing: float, what: str) -> Array:
    """A vector of bounds; None, as a whole or for an entry, means none."""
    if value is None:
        return np.full(n, missing)
    if isinstance(value, (list, tuple)):
        value = [missing if entry is None else entry for entry in value]
    return vector(value, what, n)


def matrix_shape(*values: Any) -> tuple[int, int] | None:
    """The shape of those that are matrices, which have to agree; None if there is none."""
    shapes = {np.shape(value) for value in values if value is not None and np.ndim(value) == 2}
    if len(shapes) > 1:
        raise ValueError(f"matrices have shapes {' and '.join(map(str, sorted(shapes)))}; expected one shape")
    return shapes.pop() if shapes else None


def whole(value: Any, what: str) -> int:
    """A whole number, of whatever type."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (int, np.integer)) or (
        isinstance(value, (float, np.floating)) and float(value).is_integer()
    ):
        return int(value)
    raise TypeError(f"{what} is {value!r}; expected a whole number")


def matrix(value: ArrayLike, what: str) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"{what} has shape {array.shape}; expected a matrix")
    return array


def fortran(value: ArrayLike, what: str) -> Array:
    """A matrix the library may read in place: float64 arrays in Fortran order are not copied, others once."""
    return np.asfortranarray(matrix(value, what))


def symmetric(value: ArrayLike, what: str) -> Array:
    """A symmetric matrix, which is not copied in C order either: its transpose is itself."""
    array = matrix(value, what)
    if array.shape[0] != array.shape[1]:
        raise ValueError(f"{what} has shape {array.shape}; expected as many rows as columns")
    return array.T if array.flags.c_contiguous else np.asfortranarray(array)


def is_sparse(value: Any) -> bool:
    """A matrix of scipy.sparse, without importing it."""
    return hasattr(value, "tocsc") and hasattr(value, "nnz")


def compressed_columns(value: Any) -> tuple[int, int, Any, Any, Array]:
    """Shape, starts of columns, rows and values of a sparse matrix; those of a float64 matrix in CSC are its own."""
    columns = value.tocsc().astype(np.float64, copy=False)
    if not columns.has_canonical_format:
        columns = columns.copy()  # the caller's stays as it is
        columns.sum_duplicates()
    if max(columns.nnz, *columns.shape) > np.iinfo(np.int32).max:
        raise ValueError(
            f"a sparse matrix has shape {columns.shape} and {columns.nnz} entries; expected less than 2^31 of each"
        )
    return (*columns.shape, indices32(columns.indptr), indices32(columns.indices), columns.data)


def indices32(value: Any) -> npt.NDArray[np.int32]:
    return np.ascontiguousarray(value, dtype=np.int32)


def indices64(value: Any) -> npt.NDArray[np.int64]:
    return np.ascontiguousarray(value, dtype=np.int64)


def returned(value: Any, n: int, what: str) -> Array:
    """What a user's function returned, as n numbers; called by the library where it is not a plain float64 vector."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim == 0 and n == 1:
        array = array.reshape(1)
    if array.shape != (n,):
        raise ValueError(f"{what} has shape {array.shape}; expected shape ({n},)")
    return np.ascontiguousarray(array)


def number(value: Any, what: str) -> float:
    array = np.asarray(value, dtype=np.float64)
    if array.size != 1:
        raise ValueError(f"{what} has shape {array.shape}; expected a number")
    return float(array.ravel()[0])
