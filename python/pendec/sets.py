"""Closed sets to project onto. Any of them may be the D of a problem; convex ones may be the C of a constraint.

Points are vectors; sets of matrices take and return 2-D arrays of their shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from . import _pendec
from ._arrays import Array, ArrayLike, bounds, count, entries, matrix_shape, number, operator, real, vector, whole
from ._handle import InSpace, common_matrix

inf = float("inf")


@runtime_checkable
class Projectable(Protocol):
    """What a set of your own needs. Optional: `convex` (bool), `dimension`, `normal_residual(x, v)`.

    The first two may be attributes, or methods as in C++.
    """

    def project(self, x: Array, /) -> ArrayLike:
        """One of the nearest points of the set."""


class Set(InSpace):
    """What all sets can do."""

    def _point(self, x: ArrayLike) -> tuple[Array, tuple[int, ...]]:
        return self._flat(x, f"a point of {type(self).__name__}")

    def project(self, x: ArrayLike) -> Array:
        """One of the nearest points of the set, in the shape of x; a number stands for a point with equal entries."""
        flat, shape = self._point(x)
        return self._core.project(flat).reshape(shape, order="F")

    def distance(self, x: ArrayLike) -> float:
        return self._core.distance(self._point(x)[0])

    def contains(self, x: ArrayLike, tol: float = 1e-9) -> bool:
        return self._core.contains(self._point(x)[0], number(tol, "tol"))

    def normal_residual(self, x: ArrayLike, v: ArrayLike) -> float | None:
        """Distance of v to the limiting normal cone at x; None where the set has no formula."""
        return self._core.normal_residual(self._point(x)[0], self._point(v)[0])

    def projection_is_unique(self, x: ArrayLike, tol: float = 1e-9) -> bool | None:
        return self._core.projection_is_unique(self._point(x)[0], number(tol, "tol"))


class Custom(Set):
    """Any object with `project(x)` as a set; `shape` is that of its points. `minimize` does this by itself."""

    _calls_python = True

    def __init__(self, projectable: Projectable, shape: int | tuple[int, ...]):
        _require_projectable(projectable)
        shape = _as_shape(shape)
        n = int(np.prod(shape))

        def project(z: Array) -> Array:
            y = real(projectable.project(z.reshape(shape, order="F")), "project(x)")
            if y.shape != shape:
                raise ValueError(f"project(x) has shape {y.shape}; expected shape {shape}")
            return y.ravel(order="F")

        formula: Any = getattr(projectable, "normal_residual", None)

        def residual(x: Array, v: Array) -> float:
            return formula(x.reshape(shape, order="F"), v.reshape(shape, order="F"))

        name = type(projectable).__name__
        convex = _told(projectable, "convex", False)
        if not isinstance(convex, (bool, np.bool_)):
            raise TypeError(f"{name}.convex is {convex!r}; expected True or False")
        core = _pendec.python_set(n, project, bool(convex), name, residual if formula else None)
        self._keep(core, projectable, shape)
        self._matrix = shape if len(shape) == 2 else None


def as_set(value: Any, shape: tuple[int, ...] | None = None) -> Set:
    """A set of the library as it is, an object with project(x) wrapped."""
    if isinstance(value, Set):
        return value
    _require_projectable(value)
    name, own = type(value).__name__, _told(value, "dimension", None)
    if own is None:
        if shape is None:
            raise TypeError(f"{name} needs the attribute `dimension` here")
        return Custom(value, shape)
    n = count(own, f"{name}.dimension")
    if shape is not None and n != np.prod(shape):
        raise ValueError(f"{name}.dimension is {n}; expected {np.prod(shape)}, for points of shape {shape}")
    return Custom(value, n if shape is None else shape)


def _require_projectable(value: Any) -> None:
    if isinstance(value, type):
        raise TypeError(f"the set is the class {value.__name__}; expected one of its objects, {value.__name__}(…)")
    if not callable(getattr(value, "project", None)):
        raise TypeError(f"{value!r} is not a set; expected one of pendec.sets or an object with project(x)")


def _told(value: Any, name: str, otherwise: Any) -> Any:
    """An attribute of a set of one's own or, as in C++, what the method of this name returns."""
    told = getattr(value, name, otherwise)
    return told() if callable(told) else told


# Convex sets


class Free(Set):
    """All of ℝⁿ."""

    def __init__(self, n: int):
        self._keep(_pendec.free(whole(n, "n")), n)


class Singleton(Set):
    """{point}: as C, the equations G(x) = point."""

    def __init__(self, point: ArrayLike):
        self._keep(_pendec.singleton(vector(point, "point")), point)
        self._matrix = matrix_shape(point)


class Box(Set):
    """lower ≤ x ≤ upper; None, as a whole or for an entry, means no bound. `n` is needed if both are numbers."""

    def __init__(self, lower: ArrayLike | None = None, upper: ArrayLike | None = None, n: int | None = None):
        self._keep(_pendec.box(*_low_high(_size(n, lower, upper), lower, upper)), lower, upper, n)
        self._matrix = matrix_shape(lower, upper)


class Simplex(Set):
    """x ≥ 0 with the sum `radius`."""

    def __init__(self, n: int, radius: float = 1.0):
        self._keep(_pendec.simplex(whole(n, "n"), number(radius, "radius")), n, radius)


class Polyhedron(Set):
    """A x ≤ b, E x = d, lower ≤ x ≤ upper; not empty."""

    def __init__(
        self,
        A: ArrayLike | None = None,
        b: ArrayLike | None = None,
        E: ArrayLike | None = None,
        d: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        n: int | None = None,
    ):
        rows = [entries(M, name) for M, name in ((A, "A"), (E, "E")) if M is not None]
        size = rows[0].shape[1] if rows and n is None else _size(n, lower, upper)
        self._keep(
            _pendec.polyhedron(*linear_constraints(size, A, b, E, d, lower, upper)), A, b, E, d, lower, upper, n
        )


class AffineSubspace(Set):
    """E x = d, not empty."""

    def __init__(self, E: ArrayLike, d: ArrayLike):
        self._keep(_pendec.affine_subspace(operator(E, "E"), vector(d, "d")), E, d)


class Slab(Set):
    """lower ≤ aᵀx ≤ upper."""

    def __init__(self, a: ArrayLike, lower: float = -inf, upper: float = inf):
        self._keep(_pendec.slab(vector(a, "a"), number(lower, "lower"), number(upper, "upper")), a, lower, upper)


class Halfspace(Slab):
    """aᵀx ≤ b."""

    def __init__(self, a: ArrayLike, b: float):
        self._keep(_pendec.halfspace(vector(a, "a"), number(b, "b")), a, b)


class Hyperplane(Slab):
    """aᵀx = b."""

    def __init__(self, a: ArrayLike, b: float):
        self._keep(_pendec.hyperplane(vector(a, "a"), number(b, "b")), a, b)


class BoxSlab(Set):
    """lower ≤ x ≤ upper and least ≤ aᵀx ≤ most; not empty."""

    def __init__(
        self,
        a: ArrayLike,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        least: float = -inf,
        most: float = inf,
    ):
        row = vector(a, "a")
        low, high = _low_high(row.size, lower, upper)
        self._keep(
            _pendec.box_slab(low, high, row, number(least, "least"), number(most, "most")),
            a,
            lower,
            upper,
            least,
            most,
        )


class CappedSimplex(BoxSlab):
    """0 ≤ x ≤ 1 with a given sum."""

    def __init__(self, n: int, sum: float):
        self._keep(_pendec.capped_simplex(whole(n, "n"), number(sum, "sum")), n, sum)


class L1Ball(Set):
    """Σ |xᵢ| ≤ radius."""

    def __init__(self, n: int, radius: float = 1.0):
        self._keep(_pendec.l1_ball(whole(n, "n"), number(radius, "radius")), n, radius)


class MaxNormBall(Box):
    """|xᵢ| ≤ radius for all i."""

    def __init__(self, n: int, radius: float = 1.0):
        self._keep(_pendec.max_norm_ball(whole(n, "n"), number(radius, "radius")), n, radius)


class SecondOrderCone(Set):
    """(t, x) with ‖x‖ ≤ t, t the first coordinate."""

    def __init__(self, n: int):
        self._keep(_pendec.second_order_cone(whole(n, "n")), n)


# Nonconvex sets


class Sparse(Set):
    """At most s nonzeros."""

    def __init__(self, n: int, s: int):
        self._keep(_pendec.sparse(whole(n, "n"), whole(s, "s")), n, s)


class SparseBox(Set):
    """At most s nonzeros, each between its bounds; bounds that exclude 0 make variables semicontinuous."""

    def __init__(self, lower: ArrayLike | None, upper: ArrayLike | None, s: int, n: int | None = None):
        low, high = _low_high(_size(n, lower, upper), lower, upper)
        self._keep(_pendec.sparse_box(low, high, whole(s, "s")), lower, upper, s, n)
        self._matrix = matrix_shape(lower, upper)


def SemiContinuous(lower: ArrayLike, upper: ArrayLike, n: int | None = None) -> SparseBox:
    """Each xᵢ is 0 or between its bounds."""
    return SparseBox(lower, upper, _size(n, lower, upper), n)


class SparseSimplex(Set):
    """x ≥ 0 with the sum `radius` and at most s nonzeros."""

    def __init__(self, n: int, s: int, radius: float = 1.0):
        self._keep(_pendec.sparse_simplex(whole(n, "n"), whole(s, "s"), number(radius, "radius")), n, s, radius)


class GroupSparse(Set):
    """At most s of the disjoint groups are not all zero; coordinates in no group are free."""

    def __init__(self, n: int, groups: Sequence[Sequence[int]], s: int):
        self._keep(_pendec.group_sparse(whole(n, "n"), _groups(groups), whole(s, "s")), n, groups, s)


class GroupCounts(Set):
    """At most counts[g] nonzeros in group g, and at most s in all, each between its bounds.

    Coordinates in no group count for s alone; bounds that exclude 0 make variables semicontinuous.
    """

    def __init__(
        self,
        n: int,
        groups: Sequence[Sequence[int]],
        counts: Sequence[int],
        s: int | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
    ):
        size = whole(n, "n")
        most = size if s is None else whole(s, "s")
        low, high = _low_high(size, lower, upper)
        core = _pendec.group_counts(low, high, _groups(groups), _indices(counts, "counts"), most)
        self._keep(core, n, groups, counts, s, lower, upper)


class LowRank(Set):
    """rows × cols matrices of rank at most kappa."""

    def __init__(self, rows: int, cols: int, kappa: int):
        self._matrix = whole(rows, "rows"), whole(cols, "cols")
        self._keep(_pendec.low_rank(*self._matrix, whole(kappa, "kappa")), rows, cols, kappa)


class PsdLowRank(Set):
    """Symmetric positive semidefinite n × n matrices of rank at most kappa."""

    def __init__(self, n: int, kappa: int):
        size = whole(n, "n")
        self._keep(_pendec.psd_low_rank(size, whole(kappa, "kappa")), n, kappa)
        self._matrix = (size, size)


def PsdCone(n: int) -> PsdLowRank:
    """Symmetric positive semidefinite n × n matrices."""
    return PsdLowRank(n, n)


class Stiefel(Set):
    """rows × cols matrices with orthonormal columns."""

    def __init__(self, rows: int, cols: int):
        self._matrix = whole(rows, "rows"), whole(cols, "cols")
        self._keep(_pendec.stiefel(*self._matrix), rows, cols)


class BoxSwitching(Set):
    """[x; y] with xᵢ yᵢ = 0 for all pairs, and bounds."""

    def __init__(
        self,
        pairs: int,
        lower_x: ArrayLike | None = None,
        upper_x: ArrayLike | None = None,
        lower_y: ArrayLike | None = None,
        upper_y: ArrayLike | None = None,
    ):
        n = count(pairs, "pairs")
        low_high = _low_high(n, lower_x, upper_x, "_x") + _low_high(n, lower_y, upper_y, "_y")
        self._keep(_pendec.box_switching(*low_high), pairs, lower_x, upper_x, lower_y, upper_y)


def Switching(pairs: int) -> BoxSwitching:
    """[x; y] with xᵢ yᵢ = 0."""
    return BoxSwitching(pairs)


def Complementarity(pairs: int) -> BoxSwitching:
    """[x; y] with x, y ≥ 0 and xᵢ yᵢ = 0."""
    return BoxSwitching(pairs, lower_x=0.0, lower_y=0.0)


def RelaxedSparsity(pairs: int) -> BoxSwitching:
    """[x; y] with 0 ≤ y ≤ 1 and xᵢ yᵢ = 0."""
    return BoxSwitching(pairs, lower_y=0.0, upper_y=1.0)


class PairUnion(Set):
    """[a; b], every pair (aᵢ, bᵢ) in one of the rectangles (lower_a, upper_a, lower_b, upper_b)."""

    def __init__(self, pairs: int, rectangles: Sequence[Sequence[float]]):
        for rectangle in rectangles:
            if len(rectangle) != 4:
                raise ValueError(f"a rectangle is {rectangle!r}; expected (lower_a, upper_a, lower_b, upper_b)")
        sides = [[number(v, f"rectangles[{k}]") for v in r] for k, r in enumerate(rectangles)]
        self._keep(_pendec.pair_union(whole(pairs, "pairs"), sides), pairs, rectangles)


def Vanishing(pairs: int) -> PairUnion:
    """[a; b] with bᵢ ≥ 0 and aᵢ bᵢ ≤ 0."""
    return PairUnion(pairs, [(-inf, 0.0, 0.0, inf), (-inf, inf, 0.0, 0.0)])


def Either(pairs: int) -> PairUnion:
    """[a; b] with aᵢ ≥ 0 or bᵢ ≥ 0."""
    return PairUnion(pairs, [(0.0, inf, -inf, inf), (-inf, inf, 0.0, inf)])


class Integer(Set):
    """Whole numbers with lower ≤ x ≤ upper."""

    def __init__(self, lower: ArrayLike | None = None, upper: ArrayLike | None = None, n: int | None = None):
        self._keep(_pendec.integer(*_low_high(_size(n, lower, upper), lower, upper)), lower, upper, n)
        self._matrix = matrix_shape(lower, upper)


def Binary(n: int) -> Integer:
    """Every xᵢ is 0 or 1."""
    return Integer(0.0, 1.0, n)


class FiniteValues(Set):
    """Every xᵢ is one of the values."""

    def __init__(self, n: int, values: Sequence[float]):
        numbers = [number(v, f"values[{k}]") for k, v in enumerate(values)]
        self._keep(_pendec.finite_values(whole(n, "n"), numbers), n, values)


# Sets made of others


class Union(Set):
    """The union of sets of the same dimension."""

    def __init__(self, parts: Sequence[Any]):
        made = _same_space(parts)
        self._keep(_pendec.union_of([part._core for part in made]), made, parts=made)
        self._matrix = common_matrix(made)


class Product(Set):
    """Blocks of coordinates, one after the other, each in its own set; a mapping names them."""

    def __init__(self, blocks: Sequence[Any] | Mapping[str, Any]):
        named = blocks.items() if isinstance(blocks, Mapping) else ((str(k), part) for k, part in enumerate(blocks))
        made = [(name, as_set(part)) for name, part in named]
        core = _pendec.product([(name, part._core) for name, part in made])
        self._keep(core, blocks, parts=[part for _, part in made])


class Intersection(Set):
    """The intersection of convex sets of the same dimension, in closed form where there is one."""

    def __init__(self, parts: Sequence[Any]):
        made = _same_space(parts)
        self._keep(_pendec.intersection([part._core for part in made]), made, parts=made)
        self._matrix = common_matrix(made)


class Indexed(Set):
    """x[indices] lies in a set; the other coordinates are free."""

    def __init__(self, n: int, indices: Sequence[int], set: Any):
        made = as_set(set, (len(indices),))
        core = _pendec.indexed(whole(n, "n"), _indices(indices, "indices"), made._core)
        self._keep(core, n, indices, set, parts=[made])


class Similarity(Set):
    """factor · w + shift for w in a set."""

    def __init__(self, set: Any, factor: float = 1.0, shift: ArrayLike = 0.0):
        made = as_set(set)
        core = _pendec.similarity(made._core, number(factor, "factor"), vector(shift, "shift", made.dimension))
        self._keep(core, set, factor, shift, parts=[made])
        self._matrix = made._matrix


class Shell(Set):
    """Points of a cone with inner ≤ ‖x‖ ≤ outer."""

    def __init__(self, cone: Any, inner: float = 0.0, outer: float = inf):
        made = as_set(cone)
        core = _pendec.shell(made._core, number(inner, "inner"), number(outer, "outer"))
        self._keep(core, cone, inner, outer, parts=[made])
        self._matrix = made._matrix


class Ball(Shell):
    """‖x‖ ≤ radius."""

    def __init__(self, n: int, radius: float = 1.0):
        self._keep(_pendec.ball(whole(n, "n"), number(radius, "radius")), n, radius)


class Sphere(Shell):
    """‖x‖ = radius."""

    def __init__(self, n: int, radius: float = 1.0):
        self._keep(_pendec.sphere(whole(n, "n"), number(radius, "radius")), n, radius)


class Annulus(Shell):
    """inner ≤ ‖x‖ ≤ outer."""

    def __init__(self, n: int, inner: float, outer: float):
        self._keep(_pendec.annulus(whole(n, "n"), number(inner, "inner"), number(outer, "outer")), n, inner, outer)


class SingularValues(Set):
    """rows × cols matrices whose singular values lie in a set that permutations and signs do not change."""

    def __init__(self, rows: int, cols: int, set: Any):
        self._matrix = count(rows, "rows"), count(cols, "cols")
        made = as_set(set, (min(self._matrix),))
        self._keep(_pendec.singular_values(*self._matrix, made._core), rows, cols, set, parts=[made])


class NuclearBall(SingularValues):
    """Matrices whose singular values have at most the sum `radius`."""

    def __init__(self, rows: int, cols: int, radius: float):
        self._matrix = whole(rows, "rows"), whole(cols, "cols")
        self._keep(_pendec.nuclear_ball(*self._matrix, number(radius, "radius")), rows, cols, radius)


class SpectralBall(SingularValues):
    """Matrices whose largest singular value is at most `radius`."""

    def __init__(self, rows: int, cols: int, radius: float):
        self._matrix = whole(rows, "rows"), whole(cols, "cols")
        self._keep(_pendec.spectral_ball(*self._matrix, number(radius, "radius")), rows, cols, radius)


def check(
    set: Any, shape: int | tuple[int, ...] | None = None, *, seed: int = 1, samples: int = 20, scale: float = 1.0
) -> list[str]:
    """Tries whether a set keeps the promises of a set; the failures, none if all is well.

    It takes `samples` random points, drawn from `seed`, whose coordinates are about as large as `scale`: choose one at
    which the set has its features.
    """
    points = None if shape is None else _as_shape(shape)
    made = as_set(set, points)
    if points is not None:
        made._require_shape(points, "a point")
        if made.dimension != np.prod(points):
            raise ValueError(f"shape is {shape!r}; {made!r} has points of shape ({made.dimension},)")
    first, typical = whole(seed, "seed"), number(scale, "scale")
    if first < 0:
        raise ValueError(f"seed is {first}; expected at least 0")
    if not 0.0 < typical < inf:
        raise ValueError(f"scale is {typical}; expected a positive number")
    return made._core.check(first, count(samples, "samples"), typical)


def _as_shape(shape: Any) -> tuple[int, ...]:
    sizes = tuple(count(n, "shape") for n in (shape if np.ndim(shape) else (shape,)))
    if not sizes:
        raise ValueError(f"shape is {shape!r}; expected at least one size")
    return sizes


def _indices(values: Iterable[Any], what: str) -> list[int]:
    return [whole(i, f"{what}[{k}]") for k, i in enumerate(values)]


def _groups(groups: Iterable[Iterable[Any]]) -> list[list[int]]:
    return [_indices(group, f"groups[{g}]") for g, group in enumerate(groups)]


def _low_high(n: int, lower: ArrayLike | None, upper: ArrayLike | None, of: str = "") -> tuple[Array, Array]:
    return bounds(lower, n, -inf, f"lower{of}"), bounds(upper, n, inf, f"upper{of}")


def _same_space(parts: Iterable[Any]) -> list[Set]:
    """Parts with the same points: those that do not tell their dimension have the points of the others."""
    parts = list(parts)
    known = [as_set(part) for part in parts if getattr(part, "dimension", None) is not None]
    shape = common_matrix(known) or ((known[0].dimension,) if known else None)
    return [as_set(part, shape if getattr(part, "dimension", None) is None else None) for part in parts]


def _size(n: int | None, *values: ArrayLike | None) -> int:
    """n, or else the size of the bounds that are vectors."""
    if n is not None:
        return count(n, "n")
    sizes = {np.size(v) for v in values if v is not None and np.ndim(v) > 0}
    if not sizes:
        raise ValueError("no bound is a vector; expected n as well")
    return max(sizes)


def linear_constraints(
    n: int,
    A: ArrayLike | None,
    b: ArrayLike | None,
    E: ArrayLike | None,
    d: ArrayLike | None,
    lower: ArrayLike | None,
    upper: ArrayLike | None,
) -> tuple[Any, Array, Any, Array, Array, Array]:
    """A x ≤ b, E x = d, lower ≤ x ≤ upper with everything filled in."""

    def rows(M: ArrayLike | None, right: ArrayLike | None, names: str) -> tuple[Any, Array]:
        if (M is None) != (right is None):
            raise ValueError(f"{names} belong together; expected both or none of them")
        if M is None or right is None:
            return operator(np.zeros((0, n)), names[0]), np.zeros(0)
        array = entries(M, names[0])
        if array.shape[1] != n:
            raise ValueError(f"{names[0]} has shape {array.shape}; expected {n} columns")
        return operator(array, names[0]), vector(right, names[-1], array.shape[0])

    return *rows(A, b, "A and b"), *rows(E, d, "E and d"), *_low_high(n, lower, upper)
