"""Between what people pass and what the library reads: float64, one-dimensional, matrices column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _pendec

Array = npt.NDArray[np.float64]
ArrayLike = npt.ArrayLike


def real(value: Any, what: str) -> Array:
    """float64, in the shape of the value. NumPy itself would read text, take the real part of complex numbers, and make
    None a NaN."""
    array = np.asarray(value)
    if value is None or array.dtype.kind in "cSU":
        if array.ndim == 0:
            raise TypeError(f"{what} is {value!r}; expected a real number")
        raise TypeError(f"{what} has entries of type {array.dtype}; expected real numbers")
    return np.asarray(array, dtype=np.float64)


def vector(value: ArrayLike, what: str, n: int | None = None) -> Array:
    """A contiguous vector; a number stands for n equal entries. Matrices are taken column by column."""
    array = real(value, what)
    if array.ndim == 0 and n is not None:
        return np.full(n, float(array))
    if n is not None and array.size != n:
        raise ValueError(f"{what} has shape {array.shape}; expected shape ({n},)")
    return np.ascontiguousarray(array.ravel(order="F"))


def bounds(value: ArrayLike | None, n: int, missing: float, what: str) -> Array:
    """A vector of bounds; None, as a whole or for an entry, means none."""
    if value is None:
        return np.full(n, missing)
    array = np.asarray(value)
    if array.dtype == object:
        array = np.reshape([missing if entry is None else entry for entry in array.flat], array.shape)
    return vector(array, what, n)


def matrix_shape(*values: Any) -> tuple[int, int] | None:
    """The shape of those that are matrices, which have to agree; None if there is none."""
    shapes = {np.shape(value) for value in values if value is not None and np.ndim(value) == 2}
    if len(shapes) > 1:
        raise ValueError(f"matrices have shapes {' and '.join(map(str, sorted(shapes)))}; expected one shape")
    return shapes.pop() if shapes else None


def whole(value: Any, what: str) -> int:
    """A whole number, of whatever type. A bool is none: among indices it would come from a mask."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if integer or (isinstance(value, (float, np.floating)) and float(value).is_integer()):
        if abs(int(value)) >= 2**63:
            raise ValueError(f"{what} is {value!r}; expected less than 2^63")
        return int(value)
    raise TypeError(f"{what} is {value!r}; expected a whole number")


def count(value: Any, what: str) -> int:
    """A whole number from 1 on."""
    n = whole(value, what)
    if n < 1:
        raise ValueError(f"{what} is {n}; expected at least 1")
    return n


def matrix(value: ArrayLike, what: str) -> Array:
    array = real(value, what)
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


def is_operator(value: Any) -> bool:
    """A LinearOperator of SciPy, or what has its products."""
    return hasattr(value, "matvec") and hasattr(value, "rmatvec") and hasattr(value, "shape")


def is_sparse(value: Any) -> bool:
    """A matrix of scipy.sparse, without importing it."""
    return hasattr(value, "tocsc") and hasattr(value, "nnz")


def compressed(value: Any, what: str) -> tuple[int, int, bool, Any, Any, Array]:
    """Shape, whether it is by rows, starts, indices and values of a sparse matrix; those of a float64 matrix in
    compressed rows or columns are its own.

    SciPy's conversions follow indices wherever they lead. The library checks those of compressed rows and columns; those
    of other formats are checked here.
    """
    require_real(value.dtype, what)
    if len(value.shape) != 2:
        raise ValueError(f"{what} has shape {tuple(value.shape)}; expected a matrix")
    if getattr(value, "format", None) not in ("csr", "csc"):
        value = value.tocoo()
        for name, places, size in (("row", value.row, value.shape[0]), ("column", value.col, value.shape[1])):
            wrong = np.flatnonzero((places < 0) | (places >= size))
            if wrong.size:
                raise ValueError(
                    f"{what}: the {name} of an entry is {places[wrong[0]]}; expected at least 0 and less than {size}"
                )
        value = value.tocsc()
    by_rows = value.format == "csr"
    starts, indices = integers(value.indptr, f"{what}: indptr"), integers(value.indices, f"{what}: indices")
    if starts.dtype != indices.dtype:
        starts, indices = starts.astype(np.int64), indices.astype(np.int64)
    return (*value.shape, by_rows, starts, indices, np.ascontiguousarray(value.data, dtype=np.float64))


def require_real(dtype: Any, what: str) -> None:
    if dtype.kind not in "fiub":
        raise TypeError(f"{what} has entries of type {dtype}; expected real numbers")


def integers(value: Any, what: str) -> Any:
    """An array of indices as the library reads it, in 32 or 64 bits."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} has entries of type {array.dtype}; expected whole numbers")
    return np.ascontiguousarray(array, dtype=np.int32 if array.dtype == np.int32 else np.int64)


def sparse_operator(value: Any, what: str) -> Any:
    """A sparse matrix, which is copied; repeated entries are added, stored zeros stay."""
    return _pendec.sparse_operator(what, *compressed(value, what))


def entries(value: Any, what: str) -> Any:
    """A matrix with a shape, dense or sparse."""
    return value if is_sparse(value) else matrix(value, what)


def operator(value: Any, what: str) -> Any:
    """A matrix as the library reads it, dense or sparse; one of scipy.sparse is never made dense."""
    if is_sparse(value):
        return sparse_operator(value, what)
    return _pendec.dense_operator(fortran(value, what))


def symmetric_operator(value: Any, what: str) -> Any:
    """The same of a symmetric matrix, which is not copied in C order either."""
    if not is_sparse(value):
        return _pendec.dense_operator(symmetric(value, what))
    if value.shape[0] != value.shape[1]:
        raise ValueError(f"{what} has shape {value.shape}; expected as many rows as columns")
    return operator(value, what)


def returned_operator(value: Any, what: str, shape: tuple[int, int], symmetric: bool = False) -> Any:
    """A matrix that a user's function returned, as the library reads it: copied, because the function may write the next
    one into the same arrays. Dense ones stay dense, sparse ones sparse; of a LinearOperator there are products only."""
    if not is_operator(value) and not is_sparse(value):
        try:
            value = np.asarray(value)
        except ValueError:  # rows of different lengths
            raise TypeError(f"{what} is {value!r}; expected a matrix of shape {shape}") from None
    if value.dtype is not None:
        require_real(value.dtype, what)
    found = tuple(value.shape)
    if len(found) < 2 and shape[0] == 1 and found in ((), (shape[1],)) and np.prod(found) == shape[1]:  # its only row
        value, found = value.reshape((1, -1)), shape
    if found != shape:
        raise ValueError(f"{what} has shape {found}; expected shape {shape}")
    if is_operator(value):
        return _pendec.function_operator(*shape, value.matvec, value.matvec if symmetric else value.rmatvec)
    if is_sparse(value):
        made = sparse_operator(value, what)
    else:
        made = _pendec.copied_operator(np.asarray(value, dtype=np.float64, order="F"))
    if symmetric:
        made.require_symmetric(what)
    return made


def indices64(value: Any) -> npt.NDArray[np.int64]:
    return np.ascontiguousarray(value, dtype=np.int64)


def returned(value: Any, n: int, what: str) -> Array:
    """What a user's function returned, as n numbers; called by the library where it is not a plain float64 vector."""
    array = real(value, what)
    if array.ndim == 0 and n == 1:
        array = array.reshape(1)
    if array.shape != (n,):
        raise ValueError(f"{what} has shape {array.shape}; expected shape ({n},)")
    return np.ascontiguousarray(array)


def number(value: Any, what: str) -> float:
    array = real(value, what)
    if array.size != 1:
        raise ValueError(f"{what} has shape {array.shape}; expected a number")
    return float(array.ravel()[0])


def signs(labels: list[Array]) -> list[Array]:
    """Labels ±1: where none is −1, those that are 0 mean it."""
    if any((y == -1.0).any() for y in labels):
        return labels
    return [np.where(y == 0.0, -1.0, y) for y in labels]
