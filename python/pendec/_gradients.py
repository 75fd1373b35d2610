"""Derivatives for functions that have none: differences, or the automatic differentiation of JAX and PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ._arrays import Array, real, returned_operator

offer = 'pass it, or return it beside the value with jac=True, or choose jac="2-point", "jax" or "torch"'
offer_jacobian = 'pass jac(x) or jac(x, w), or choose jac="2-point", "jax" or "torch"'
names = ("2-point", "jax", "torch")


def steps(x: Array) -> Array:
    """Forward steps of about the square root of the rounding unit, exact in floating point."""
    h = np.sqrt(np.finfo(float).eps) * np.maximum(1.0, np.abs(x))
    return (x + h) - x


def difference_jacobian(function: Callable[[Array], Array], x: Array, value: Array) -> Array:
    """Forward differences, one more call per coordinate."""
    jacobian = np.empty((value.size, x.size))
    for i, h in enumerate(steps(x)):
        shifted = x.copy()
        shifted[i] += h
        jacobian[:, i] = (function(shifted) - value) / h
    return jacobian


def imported(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        raise ImportError(f'jac="{name}" needs the package {name}, which is not installed') from None


def shaped(w: Any, shape: tuple[int, ...]) -> Array:
    """Multipliers in the shape of the values they belong to, which are counted column by column."""
    return np.array(np.reshape(w, shape, order="F"), dtype=np.float64, order="C")


def jax_pullback(function: Callable[[Any], Any]) -> Callable[[Array, Any], tuple[Any, Array]]:
    """(x, w) ↦ (function(x), derivative transposed times w) by JAX, in double precision."""
    jax = imported("jax")
    precise = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64

    def pullback(x: Array, w: Any) -> tuple[Any, Array]:
        with precise(True):
            value, back = jax.vjp(function, jax.numpy.asarray(x, dtype="float64"))
            (gradient,) = back(jax.numpy.asarray(shaped(w, value.shape), dtype=value.dtype))
            return np.asarray(value), np.asarray(gradient, dtype=np.float64)

    return pullback


def torch_pullback(function: Callable[[Any], Any]) -> Callable[[Array, Any], tuple[Any, Array]]:
    """The same by PyTorch."""
    torch = imported("torch")

    def pullback(x: Array, w: Any) -> tuple[Any, Array]:
        point = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        value = function(point)
        weights = torch.as_tensor(shaped(w, tuple(value.shape)), dtype=value.dtype)
        (gradient,) = torch.autograd.grad(value, point, weights, allow_unused=True)
        return value.detach().numpy(), np.zeros_like(x) if gradient is None else gradient.numpy()

    return pullback


class LastPoint:
    """A function that is computed once for equal arguments in a row."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self.last: tuple[tuple[Array, ...], Any] | None = None  # replaced as a whole: other threads may look at it

    def __call__(self, *arguments: Array) -> Any:
        last = self.last
        if last is None or not all(map(np.array_equal, last[0], arguments)):
            last = tuple(x.copy() for x in arguments), self.function(*arguments)
            self.last = last
        return last[1]


class Matrices:
    """A function of Python that returns matrices, for the library, which gets operators.

    What they are is checked at each call. Entries that are not finite are an error at the first one; later ones are
    left to the solver, which may turn back from where they come up, and a warning names the first of them.
    """

    def __init__(self, function: Callable[..., Any], what: str, shape: tuple[int, int], symmetric: bool = False):
        name = getattr(function, "__name__", "<lambda>")
        self.function, self.shape, self.symmetric = LastPoint(self.made), shape, symmetric
        self.of, self.what = function, what if name == "<lambda>" else f"{what} by {name}"
        self.calls, self.warned = 0, False

    def __call__(self, *arguments: Array) -> Any:
        return self.function(*arguments)

    def made(self, *arguments: Array) -> Any:
        operator = returned_operator(self.of(*arguments), self.what, self.shape, self.symmetric)
        self.calls += 1
        wrong = operator.not_finite()
        if wrong is not None and not self.warned:
            row, column, value = wrong
            message = f"{self.what}: the entry in row {row}, column {column} is {value}; expected a finite number"
            if self.calls == 1:
                raise ValueError(message)
            self.warned = True
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        return operator


def pullback_by(
    name: str, function: Callable[[Any], Any], shape: tuple[int, ...], what: str, others: str
) -> Callable[[Array, Any], tuple[Any, Array]]:
    """(x, w) ↦ (function(x), derivative transposed times w) by one of `names`, for vectors x of points of this shape."""
    if name not in names:
        raise ValueError(f"jac is {name!r}; expected {others} or one of {', '.join(names)}")
    if name == "2-point":

        def value(x: Array) -> Array:
            return np.atleast_1d(real(function(x.reshape(shape, order="F")), what)).ravel(order="F")

        def both(x: Array) -> tuple[Array, Array]:
            here = value(x.copy())  # the function may change its own
            return here, difference_jacobian(value, x, here)

        last = LastPoint(both)
        return lambda x, w: (last(x)[0], last(x)[1].T @ np.atleast_1d(w))
    back = jax_pullback(function) if name == "jax" else torch_pullback(function)

    def automatic(x: Array, w: Any) -> tuple[Any, Array]:
        found, gradient = back(x.reshape(shape, order="F"), w)
        return found, gradient.ravel(order="F")

    return automatic
