"""Problems min f(x) s.t. G(x) ∈ C, x ∈ D from Python's functions and arrays, and `minimize`."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from . import _gradients, _pendec, maps, sets
from ._arrays import Array, ArrayLike, is_operator, is_sparse, number, real, whole
from ._handle import calls_python
from ._result import Certificate, Result, Status, from_core, interruptible
from .objectives import Objective

Shape = tuple[int, ...]

methods = ("auto", "pd", "pdlm", "alm")


class Constraint:
    """G(x) ∈ C with a convex set C.

    G is a map of `pendec.maps`, a matrix (dense, of scipy.sparse, or a LinearOperator), or a function. A function needs
    `jac`: a function of x that returns the Jacobian (dense, sparse or LinearOperator), a function of (x, w) that
    returns the Jacobian's transpose times w, or "2-point", "jax", "torch"; a constant Jacobian may be an array. It may
    have `hess`: a function of (x, w) that returns Σ wᵢ ∇²Gᵢ(x), as that of SciPy's NonlinearConstraint does: a symmetric
    matrix (dense or sparse, with both triangles) or a LinearOperator.

    Sparse matrices stay sparse; entries that are stored count even where they are zero, repeated ones are added.

    Where x or G(x) is a matrix, its entries are counted column by column (Fortran order): so are the columns and rows of
    a Jacobian, w, and the points of C. Sets whose points are matrices, such as Box of 2-D arrays, take G(x) in its shape.
    """

    def __init__(self, G: Any, C: Any, jac: Any = None, hess: Any = None):
        self.G, self.C, self.jac, self.hess = G, C, jac, hess
        function = not isinstance(G, maps.Map) and callable(G) and not is_operator(G)
        if function and jac is None:
            raise ValueError(f"the function G has no derivative; {_gradients.offer_jacobian}")
        if hess is not None and not function:
            raise ValueError(f"hess is {hess!r}; expected none, G is no function and has its own")
        _require_function(hess, "hess", "(x, w)")

    def __repr__(self) -> str:
        return f"Constraint({self.G!r}, {self.C!r})"

    def build(self, x0: Array, shape: Shape) -> tuple[maps.Map, sets.Set]:
        G = self._map(x0, shape)
        C = sets.as_set(self.C, (G.output_dimension,))
        if G.input_dimension != x0.size:
            raise ValueError(
                f"G has shape ({G.output_dimension}, {G.input_dimension}); expected {x0.size} columns, x0 has shape {shape}"
            )
        C._require_shape(G._values, "G(x)")
        if G.output_dimension != C.dimension:
            raise ValueError(f"G(x) has shape ({G.output_dimension},); C is a set in shape ({C.dimension},)")
        return G, C

    def _map(self, x0: Array, shape: Shape) -> maps.Map:
        G = self.G
        if isinstance(G, maps.Map):
            return G
        if is_sparse(G):
            return maps.Affine(G)
        if is_operator(G):
            return maps.Function(
                G.shape[1],
                G.shape[0],
                G.matvec,
                lambda x, w: G.rmatvec(w),
                lambda x, d: G.matvec(d),
                affine=True,
            )
        if not callable(G):
            return maps.Affine(G)

        def value(x: Array) -> Array:
            return real(G(x.reshape(shape, order="F")), "G(x)").ravel(order="F")

        if self.jac is not None and not isinstance(self.jac, str) and not callable(self.jac):
            return self._affine(x0, value)
        values = np.shape(G(x0.reshape(shape, order="F")))
        hess = None if self.hess is None else _of_vectors(self.hess, shape)
        made = maps.Function(x0.size, int(np.prod(values)), value, **self._derivative(shape, value), hess=hess)
        made._values = values
        return made

    def _affine(self, x0: Array, value: Callable[[Array], Array]) -> maps.Map:
        """A function with a constant Jacobian is affine: nothing else of it is needed."""
        at_zero, at_start = value(np.zeros_like(x0)), value(x0)
        J = self.jac if is_sparse(self.jac) else np.atleast_2d(real(self.jac, "jac"))
        if J.shape != (at_zero.size, x0.size):
            raise ValueError(f"jac has shape {J.shape}; expected shape {(at_zero.size, x0.size)}")
        off = np.abs(at_zero + J @ x0 - at_start).max(initial=0.0)
        if off > 1e-6 * (1.0 + np.abs(at_start).max(initial=0.0)):
            raise ValueError(
                f"jac is constant, but G(x0) - G(0) differs from jac @ x0 by {off:.3g}; expected a function of x"
            )
        return maps.Affine(J, at_zero)

    def _derivative(self, shape: Shape, value: Callable[[Array], Array]) -> dict[str, Any]:
        """The Jacobian or, where it is not known, the product with its transpose, as `maps.Function` takes them."""
        jac, G = self.jac, self.G
        if isinstance(jac, str) and jac == "2-point":
            differences = lambda x: _gradients.difference_jacobian(value, x, value(x.copy()))  # G may change its own
            return {"jac": differences}
        if isinstance(jac, str):
            back = _gradients.pullback_by(jac, G, shape, "G(x)", "a function")
            return {"vjp": lambda x, w: back(x, w)[1]}
        if is_operator(jac):
            return {"jac": lambda x: jac}
        if _positional(jac) >= 2:
            return {"vjp": lambda x, w: _flat(jac(x.reshape(shape, order="F"), w), shape, "jac(x, w)")}
        return {"jac": _of_vectors(jac, shape)}


class Pairs:
    """Rows of F and H of which either holds; a constraint of `minimize`.

    Args:
        F, H: as the G of a Constraint, or indices of entries of x; of a matrix x column by column.
        kind: "complementarity" (0 ≤ F ⊥ H ≥ 0), "switching" (F H = 0), "vanishing" (H ≥ 0, F H ≤ 0) or "either"
            (F ≥ 0 or H ≥ 0).
        jac, hess: pairs of what a Constraint has, for F and for H.
        bounds: (lower, upper) of H, numbers or arrays with None for none, with kind "complementarity": lower ≤ H ≤ upper
            with F ≥ 0 at the lower bound, F ≤ 0 at the upper, F = 0 between.
    """

    kinds = ("complementarity", "switching", "vanishing", "either")

    def __init__(
        self,
        F: Any,
        H: Any,
        kind: str = "complementarity",
        jac: tuple[Any, Any] = (None, None),
        hess: tuple[Any, Any] = (None, None),
        bounds: tuple[Any, Any] | None = None,
    ):
        if kind not in self.kinds:
            raise ValueError(f"kind is {kind!r}; expected {', '.join(map(repr, self.kinds))}")
        if bounds is not None and kind != "complementarity":
            raise ValueError(f"bounds are given with kind {kind!r}; expected them with 'complementarity'")
        for name, both in (("jac", jac), ("hess", hess)):
            if not isinstance(both, (tuple, list)) or len(both) != 2:
                raise ValueError(f"{name} is {both!r}; expected a pair, for F and for H")
        if bounds is not None and (not isinstance(bounds, (tuple, list)) or len(bounds) != 2):
            raise ValueError(f"bounds are {bounds!r}; expected a pair (lower, upper)")
        self.kind, self.bounds = kind, bounds
        self.F, self.H = Constraint(F, None, jac[0], hess[0]), Constraint(H, None, jac[1], hess[1])

    def __repr__(self) -> str:
        return f"Pairs({self.F.G!r}, {self.H.G!r}, {self.kind!r})"

    def build(self, x0: Array, shape: Shape) -> tuple[list[Any], int, bool]:
        """Pairs as the library has them, how many there are of one side, and whether they call Python."""
        F, H = (_coordinates(side.G, x0.size) or side._map(x0, shape) for side in (self.F, self.H))
        for name, side in (("F", F), ("H", H)):
            if side.input_dimension != x0.size:
                raise ValueError(
                    f"{name} has shape ({side.output_dimension}, {side.input_dimension}); expected {x0.size} columns,"
                    f" x0 has shape {shape}"
                )
        rows = F.output_dimension
        if rows != H.output_dimension:
            raise ValueError(f"F(x) has shape ({rows},); H(x) has shape ({H.output_dimension},)")
        bounds = None
        if self.bounds is not None:
            lower, upper = (_bound_of_pairs(b, rows, e) for b, e in zip(self.bounds, (-np.inf, np.inf)))
            bounds = (lower, upper)
        made = _pendec.pair_constraints(self.kind, F._core, H._core, bounds)
        return made, rows, calls_python(F) or calls_python(H)

    def multipliers(self, table: list[dict[str, Any]], rows: int) -> tuple[Array, Array]:
        """(ν_F, ν_H) of each row, from those of the pairs it was made of."""
        if self.bounds is None:
            return np.array([p["nu_F"] for p in table]), np.array([p["nu_H"] for p in table])
        nu = np.zeros((2, rows))
        lower, upper = (_bound_of_pairs(b, rows, e) for b, e in zip(self.bounds, (-np.inf, np.inf)))
        below, above = np.isfinite(lower), np.isfinite(upper)
        places = [(1.0, i) for i in np.flatnonzero(below & ~above)] + [(-1.0, i) for i in np.flatnonzero(above & ~below)]
        places += [(sign, i) for sign in (1.0, -1.0) for i in np.flatnonzero(below & above)]
        for (sign, i), pair in zip(places, table):
            nu[:, i] += sign * np.array([pair["nu_F"], pair["nu_H"]])
        return nu[0], nu[1]


def _coordinates(side: Any, n: int) -> maps.Map | None:
    """Entries of x by their indices."""
    if isinstance(side, maps.Map) or is_sparse(side) or is_operator(side) or callable(side):
        return None
    array = np.asarray(side)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        return None
    if array.size and not (0 <= array.min() and array.max() < n):
        raise ValueError(f"the index {array[(array < 0) | (array >= n)][0]} is none of x; expected 0 to {n - 1}")
    if np.unique(array).size == array.size:
        return maps.Selection(n, array)
    parts: list[dict[int, None]] = [{}]  # an entry may be in several pairs, but not twice in one selection
    for i in array.tolist():
        if i in parts[-1]:
            parts.append({})
        parts[-1][i] = None
    return maps.Stack([maps.Selection(n, list(part)) for part in parts])


def _bound_of_pairs(value: Any, rows: int, none: float) -> Array:
    array = np.asarray([none if b is None else b for b in np.ravel(np.asarray(value, dtype=object))], dtype=float)
    if array.size not in (1, rows):
        raise ValueError(f"a bound of pairs has length {array.size}; expected {rows}, one per row of H")
    return np.full(rows, array[0]) if array.size == 1 else array


@dataclass(eq=False)
class Problem:
    """The arguments of `minimize`, kept: a problem that can be solved, certified, pickled and sent elsewhere."""

    fun: Any
    x0: ArrayLike
    _: KW_ONLY
    jac: Any = None
    hess: Callable[..., Any] | None = None
    hessp: Callable[..., ArrayLike] | None = None
    constraints: Constraint | Pairs | Sequence[Constraint | Pairs] = ()
    set: Any = None
    method: str = "auto"
    options: Mapping[str, Any] | None = None
    callback: Callable[..., Any] | None = None
    bounds: Any = None

    def __post_init__(self) -> None:
        self.constraints = listed(self.constraints)
        if isinstance(self.set, Pairs):
            self.constraints, self.set = (*self.constraints, self.set), None

    @interruptible
    def solve(self) -> Result:
        core, x0, shape, sizes, python = self._build(with_pairs=True)
        preset, settings, show = parse_options(self.method, self.options)
        observer: Any = None
        stopped: list[str] = []
        if self.callback is not None:
            observer = _observer(self.callback, shape, stopped)
        if any(isinstance(constraint, Pairs) for constraint in self.constraints):
            result = self._solve_pairs(core, x0, shape, sizes, preset, settings, python, observer)
        else:
            result = from_core(_pendec.solve(core, x0, preset, settings, python, observer), shape, sizes)
        if result.status in (Status.stalled, Status.tests_met_uncertified) and self._single_precision(result.x):
            result["message"] += (
                "; the gradient is in single precision, whose errors can exceed the tolerance:"
                " compute it in float64, or raise options={'driver.tolerance': …}"
            )
        if stopped:
            result["message"] = f"callback stopped it ({stopped[0]}); the best point so far"
        if show:
            print(result)
        return result

    def _solve_pairs(
        self,
        core: Any,
        x0: Array,
        shape: Shape,
        sizes: list[int],
        preset: str,
        settings: list[tuple[str, str]],
        python: bool,
        observer: Any,
    ) -> Result:
        given = [constraint for constraint in self.constraints if isinstance(constraint, Pairs)]
        built = [pairs.build(x0, shape) for pairs in given]
        python = python or any(calls for _, _, calls in built)
        made = [pair for pairs, _, _ in built for pair in pairs]
        found = _pendec.solve_pairs(core, made, x0, preset, settings, python, observer)
        of_pairs = found.to_dict()["lambda"].size - sum(sizes)
        result = from_core(
            found, constraint_sizes=[*sizes, of_pairs], x=lambda details: details["x"].reshape(shape, order="F")
        )
        result["y"] = result.x
        multipliers = result.multipliers
        multipliers["constraints"] = multipliers["constraints"][: len(sizes)]
        multipliers["set"] = multipliers["set"][: x0.size].reshape(shape, order="F")
        multipliers["pairs"], first = [], 0
        for k, (pairs, (parts, rows, _)) in enumerate(zip(given, built)):
            own = [pair for pair in result.get("pairs", []) if first <= pair["constraint"] < first + len(parts)]
            first += len(parts)
            multipliers["pairs"].append(pairs.multipliers(own, rows) if own else None)
            for pair in own:
                pair["pairs"] = k
        return result

    def certify(self, x: ArrayLike, multipliers: Sequence[ArrayLike] | None = None) -> Certificate:
        """What holds at x, wherever it comes from: feasibility and stationarity.

        Args:
            x: the point.
            multipliers: one array per constraint, and one for bounds where there is a set beside them, as a result
                has them in multipliers["constraints"]; estimated if left out or empty.
        """
        core, _, shape, sizes, _ = self._build()
        given = None
        if multipliers:
            arrays = [real(m, "a multiplier").ravel(order="F") for m in multipliers]
            if [m.size for m in arrays] != sizes:
                raise ValueError(f"multipliers have sizes {[m.size for m in arrays]}; expected {sizes}")
            given = np.concatenate([np.zeros(0), *arrays])
        return Certificate(core.certify(_flat(x, shape, "x"), given))

    def _single_precision(self, x: Array) -> bool:
        """Is the gradient of the user's function of a type with fewer digits than float64?"""
        if isinstance(self.fun, Objective) or isinstance(self.jac, str):
            return False
        gradient = self.fun(x)[1] if self.jac is True else self.jac(x)
        return np.asarray(gradient).dtype in (np.float16, np.float32)

    def _build(self, with_pairs: bool = False) -> tuple[Any, Array, Shape, list[int], bool]:
        """The problem without its pairs, which only a solve can take."""
        for constraint in self.constraints:
            if isinstance(constraint, Pairs) and not with_pairs:
                raise ValueError(f"a constraint is {constraint!r}; expected none of Pairs here, minimize takes them")
        start = real(self.x0, "x0")
        shape = start.shape if start.ndim else (1,)
        x0 = np.ascontiguousarray(start.ravel(order="F"))
        f, python = self._objective(x0, shape)
        D = None if self.set is None else sets.as_set(self.set, shape)
        if D is not None:
            D._require_shape(shape, "x0")
        if D is not None and D.dimension != x0.size:
            raise ValueError(f"x0 has shape {shape}; the set {D!r} has points of shape ({D.dimension},)")
        pairs = [constraint.build(x0, shape) for constraint in self.constraints if isinstance(constraint, Constraint)]
        box = _box(self.bounds, shape)
        if box is not None and D is None:
            D = box
        elif box is not None:
            pairs.append((maps.Identity(x0.size), box))
        python = python or any(calls_python(part) for part in (D, *(p for pair in pairs for p in pair)) if part)
        G: maps.Map | None = None
        C: sets.Set | None = None
        if len(pairs) == 1:
            G, C = pairs[0]
        elif pairs:
            G, C = maps.Stack([g for g, _ in pairs]), sets.Product([c for _, c in pairs])
        core = _pendec.Problem(f, *(None if part is None else part._core for part in (G, C, D)))
        return core, x0, shape, [c.dimension for _, c in pairs], python

    def _objective(self, x0: Array, shape: Shape) -> tuple[Any, bool]:
        fun, jac = self.fun, self.jac
        for name, function in (("hess", self.hess), ("hessp", self.hessp)):
            _require_function(function, name, "x" if name == "hess" else "(x, p)")
            if function is not None and isinstance(fun, Objective):
                raise ValueError(f"{name} is {function!r}; expected none, {fun!r} has its own Hessian")
        if isinstance(fun, Objective):
            fun._require_shape(shape, "x0")
            if fun.dimension != x0.size:
                raise ValueError(f"x0 has shape {shape}; the objective is a function of shape ({fun.dimension},)")
            return fun._core, calls_python(fun)
        if not callable(fun):
            raise TypeError(f"fun is {fun!r}; expected a function or one of pendec.objectives")
        if jac is None or jac is False:
            raise ValueError(f"the function fun has no gradient; {_gradients.offer}")
        plain = len(shape) == 1

        def point(x: Array) -> Array:
            return x if plain else x.reshape(shape, order="F")

        single: Callable[[Array], Any] | None = None
        if jac is True:
            fused = fun if plain else lambda x: _pair(fun(point(x)), shape)
        elif isinstance(jac, str):
            back = _gradients.pullback_by(jac, fun, shape, "fun(x)", "True, a function")
            fused = lambda x: _valued(back(x, 1.0))
            single = (lambda x: fun(point(x))) if jac == "2-point" else None
        elif callable(jac):
            single = fun if plain else lambda x: fun(point(x))
            fused = lambda x: (fun(point(x.copy())), _flat(jac(point(x)), shape, "jac(x)"))  # fun may change its own
        else:
            raise TypeError(f"jac is {jac!r}; expected True, a function or one of {', '.join(_gradients.names)}")
        product = None
        if self.hessp is not None:
            hessp = self.hessp
            product = hessp if plain else lambda x, d: _flat(hessp(point(x), point(d)), shape, "hessp(x, p)")
        matrix = None
        if self.hess is not None:
            n = x0.size
            matrix = _gradients.Matrices(_of_vectors(self.hess, shape), "hess(x)", (n, n), symmetric=True)
        return _pendec.python_objective(x0.size, fused, single, product, matrix), True


def minimize(
    fun: Any,
    x0: ArrayLike,
    *,
    jac: Any = None,
    hess: Callable[..., Any] | None = None,
    hessp: Callable[..., ArrayLike] | None = None,
    constraints: Constraint | Pairs | Sequence[Constraint | Pairs] = (),
    set: Any = None,
    method: str = "auto",
    options: Mapping[str, Any] | None = None,
    callback: Callable[..., Any] | None = None,
    bounds: Any = None,
) -> Result:
    """Minimises fun(x) subject to G(x) ∈ C and pairs of alternatives for all constraints, and x ∈ set.

    Args:
        fun: one of `pendec.objectives`, or a function of x that returns f or, with jac=True, (f, gradient).
        x0: start: a vector, or a matrix; x is then a matrix everywhere.
        jac: True, a function, or "2-point", "jax", "torch".
        hess: hess(x): the Hessian, a symmetric matrix (dense or of scipy.sparse, with both triangles) or a
            LinearOperator; for a matrix x, rows and columns are its entries, column by column.
        hessp: hessp(x, p): the Hessian times p. With hess as well, products are by this one.
        constraints: one or more `pendec.Constraint`, `pendec.Pairs`, or SciPy's LinearConstraint. The values of a G that
            are a matrix are counted column by column.
        set: one of `pendec.sets`, a `pendec.Pairs`, or an object with project(x); convex beside pairs.
        method: "auto", "pd", "pdlm" or "alm".
        options: {"maxiter": …, "disp": True, "preset": "paper"} and every option of the library by its dotted name,
            such as {"driver.tolerance": 1e-8}; see pendec.options(). The result's `nit` is at most maxiter.
        callback: callback(xk) or callback(intermediate_result) after each outer iteration, with the iterate in the
            set (intermediate_result has x, fun and more); raise StopIteration to stop.
        bounds: one pair (lower, upper) per entry of x0, or an object with lb and ub; for a matrix (lower, upper), each
            a number, None or in the shape of x0.

    The result's `x` lies in the set. `success` means that feasibility and stationarity were verified, not that x is a
    global minimum. Exceptions of your functions come through unchanged. Ctrl-C raises `pendec.Interrupted`, a
    KeyboardInterrupt whose `result` has the best point.
    """
    return Problem(**locals()).solve()


def options(method: str = "auto", preset: str = "default") -> dict[str, tuple[str, str]]:
    """Every option of a method: its value and what it is."""
    _, settings, _ = parse_options(method, {"trace": False})
    return {name: (value, text) for name, value, text in _pendec.option_rows(preset, settings)}


def parse_options(method: str, given: Mapping[str, Any] | None) -> tuple[str, list[tuple[str, str]], bool]:
    """Preset, settings as text and whether to print the result."""
    chosen = dict(given or {})
    preset, show = str(chosen.pop("preset", "default")), bool(chosen.pop("disp", False))
    if method == "automatic":  # its name in files and on the command line
        method = "auto"
    if method not in methods:
        raise ValueError(f"method is {method!r}; expected {', '.join(map(repr, methods))}")
    settings = {"method": "automatic" if method == "auto" else str(method), "trace": "true"}
    for name, value in chosen.items():
        if name == "maxiter":
            name, value = "limits.outer", value if value == np.inf else whole(value, name)
        plain = value.item() if isinstance(value, np.generic) else value
        settings[name] = str(plain).lower() if isinstance(plain, bool) else str(plain)
    return preset, list(settings.items()), show


def listed(constraints: Any) -> tuple[Constraint | Pairs, ...]:
    several = isinstance(constraints, Iterable) and not isinstance(constraints, Mapping)
    return tuple(_as_constraint(constraint) for constraint in (constraints if several else (constraints,)))


def _as_constraint(given: Any) -> Constraint | Pairs:
    """SciPy's linear constraints are taken as they are; for its others there is a way to write them."""
    if isinstance(given, (Constraint, Pairs)):
        return given
    write = ""
    if isinstance(given, Mapping) and given.get("type") in ("eq", "ineq"):
        C = "Singleton(zeros)" if given["type"] == "eq" else "Box(zeros, None)"
        write = f"; write pendec.Constraint(fun, pendec.sets.{C}, jac=…), with as many zeros as fun(x) has entries"
    elif hasattr(given, "lb") and hasattr(given, "ub"):
        if hasattr(given, "A"):
            A = given.A if is_sparse(given.A) else np.atleast_2d(given.A)
            lower, upper = (np.broadcast_to(bound, A.shape[0]) for bound in (given.lb, given.ub))
            return Constraint(A, sets.Box(lower, upper))
        write = "; write pendec.Constraint(fun, pendec.sets.Box(lb, ub), jac=…), with one bound per entry of fun(x)"
    raise TypeError(f"a constraint is {given!r}; expected a pendec.Constraint or Pairs{write}")


def _flat(value: Any, shape: Shape, what: str) -> Array:
    array = real(value, what)
    if array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape}; expected shape {shape}")
    return array.ravel(order="F")


def _pair(returned: Any, shape: Shape) -> tuple[Any, Array]:
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise TypeError("fun(x) must return the pair (f, gradient) with jac=True")
    return returned[0], _flat(returned[1], shape, "the gradient")


def _valued(both: tuple[Any, Array]) -> tuple[float, Array]:
    return number(both[0], "fun(x)"), both[1]


def _of_vectors(function: Callable[..., Any], shape: Shape) -> Callable[..., Any]:
    """A function of points in their shape as one of vectors, under the same name."""
    if len(shape) == 1:
        return function
    return functools.wraps(function)(lambda x, *others: function(x.reshape(shape, order="F"), *others))


def _require_function(value: Any, name: str, arguments: str) -> None:
    if value is not None and (not callable(value) or is_operator(value)):
        raise TypeError(f"{name} is {value!r}; expected a function of {arguments}")


def _positional(function: Callable[..., Any]) -> int:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # compiled functions may not tell
        return 1
    return sum(p.kind in kinds and p.default is p.empty for p in parameters)


def _box(bounds: Any, shape: Shape) -> sets.Box | None:
    if bounds is None:
        return None
    n = int(np.prod(shape))
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        return sets.Box(_bound(bounds.lb, shape, "bounds.lb"), _bound(bounds.ub, shape, "bounds.ub"), n)
    pairs = list(bounds)
    if len(shape) > 1:  # an order of its entries would have to be guessed
        if len(pairs) != 2:
            raise ValueError(
                f"bounds has length {len(pairs)}; expected (lower, upper), each in the shape {shape} of x0"
            )
        return sets.Box(_bound(pairs[0], shape, "bounds[0]"), _bound(pairs[1], shape, "bounds[1]"), n)
    if len(pairs) != n:
        raise ValueError(f"bounds has length {len(pairs)}; expected {n}, one pair (lower, upper) per entry of x0")
    return sets.Box([lower for lower, _ in pairs], [upper for _, upper in pairs], n)


def _bound(value: Any, shape: Shape, what: str) -> Array | None:
    """A bound for every entry of x0, from one of its shape or a number."""
    if value is None:
        return None
    array = np.asarray(value)
    if array.size != 1 and array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape}; expected shape {shape}, that of x0")
    return array if array.shape == shape else np.full(shape, array.item())


def _observer(callback: Callable[..., Any], shape: Shape, stopped: list[str]) -> Callable[[dict[str, Any]], bool]:
    """SciPy's contract: the iterate after each outer iteration, as a result if `intermediate_result` is asked for."""
    try:
        rich = set(inspect.signature(callback).parameters) == {"intermediate_result"}
    except (TypeError, ValueError):
        rich = False
    iterations = itertools.count(1)  # of all starts; `outer` counts those of one

    def observe(row: dict[str, Any]) -> bool:
        points = {key: row[key].reshape(shape, order="F") for key in ("x", "x_block")}
        nit = next(iterations)
        try:
            if rich:
                callback(intermediate_result=Result({**row, **points, "nit": nit}))
            else:
                callback(points["x"])
        except StopIteration:
            stopped.append("StopIteration")
            return True
        return False

    return observe
