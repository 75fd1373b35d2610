"""Derivatives for functions that have none: differences, or the automatic differentiation of JAX and PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._arrays import Array

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


def pullback_by(name: str, function: Callable[[Any], Any]) -> Callable[[Array, Any], tuple[Any, Array]]:
    return jax_pullback(function) if name == "jax" else torch_pullback(function)
