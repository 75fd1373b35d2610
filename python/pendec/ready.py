"""Ready solvers for classes of problems; each returns a `Result` with a bound or a certificate where there is one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

import numpy as np

from . import _pendec, sets
from ._arrays import (
    ArrayLike,
    entries,
    indices64,
    is_sparse,
    matrix,
    operator,
    real,
    signs,
    symmetric_operator,
    vector,
    whole,
)
from ._problem import Constraint, Pairs, Problem, listed, parse_options
from ._result import Result, from_core, interruptible

P = ParamSpec("P")
R = TypeVar("R")
_fields = _pendec.fields()  # by solver: name → (default, text)


def _options(arguments: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """None stands for what the library takes by itself."""
    return {name: value for name, value in {**arguments, **more}.items() if value is not None}


def _with_options(*solvers: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function whose `**options` are those of the library's solvers, checked by name, in its signature and text."""
    known = {name: field for solver in solvers for name, field in _fields[solver].items()}

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = inspect.signature(function)
        named = [parameter for parameter in own.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        others = {name: field for name, field in known.items() if name not in own.parameters}

        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name not in others and name not in own.parameters:
                    raise TypeError(
                        f"{function.__name__}() has no option {name!r}; expected one of {', '.join(others)}"
                    )
            return function(*args, **kwargs)

        keyword = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d) for n, (d, _) in others.items()]
        checked.__signature__ = own.replace(parameters=[*named, *keyword])  # type: ignore[attr-defined]
        listed = "\n".join(f"        {name}: {text} (default {default})" for name, (default, text) in others.items())
        checked.__doc__ = f"{function.__doc__}\n    Options:\n{listed}\n"
        return checked

    return decorate


def _entries(matrix: Any, known: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and values of what a sparse matrix stores, or of those entries of an array that are `known`."""
    if is_sparse(matrix):
        stored = matrix.tocoo()
        return stored.row, stored.col, stored.data
    i, j = np.nonzero(known(matrix))
    return i, j, matrix[i, j]


@interruptible
@_with_options("sparse_qp")
def sparse_qp(
    Q: ArrayLike,
    c: ArrayLike,
    s: int,
    *,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    E: ArrayLike | None = None,
    d: ArrayLike | None = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    groups: Sequence[Sequence[int]] = (),
    forced_in: Sequence[int] = (),
    forced_out: Sequence[int] = (),
    **options: Any,
) -> Result:
    """min ½xᵀQx + cᵀx s.t. A x ≤ b, E x = d, at most s variables (or groups) chosen, to the certified optimum.

    Chosen variables lie in [lower, upper], all others are 0. `bound` holds for every feasible point.
    """
    form = symmetric_operator(Q, "Q")
    n = form.rows
    rows = sets.linear_constraints(n, A, b, E, d, lower, upper)
    given = _options(options, s=whole(s, "s"), groups=groups, forced_in=forced_in, forced_out=forced_out)
    return from_core(_pendec.sparse_qp(form, vector(c, "c", n), *rows, given))


@overload
def sparse_regression(A: Any, b: ArrayLike, s: int, **options: Any) -> Result: ...
@overload
def sparse_regression(A: Any, b: ArrayLike, s: Sequence[int], **options: Any) -> list[Result]: ...
@interruptible
@_with_options("sparse_regression")
def sparse_regression(A: Any, b: ArrayLike, s: int | Sequence[int], **options: Any) -> Result | list[Result]:
    """The linear model with at most s features: to the certified optimum for least squares.

    A is dense or of scipy.sparse; loss is "squared", "logistic" (b = ±1 or 0/1), "huber" or "poisson". With a sequence of
    sizes a list of models, one per size, cross-validated if `folds` is positive; `seconds` is one limit for all of them,
    each size and fold gets an equal share of what is left. `ridge` weighs the coefficients of
    features scaled to unit variance. `x` is `coef`, followed by the intercept if there is one, as `objectives.LinearModel`
    has it: `loss` is its value there, and `fun` is that with the ridge term.
    """
    rows, features = entries(A, "A").shape
    single = np.ndim(s) == 0 and not isinstance(s, Iterable)
    sizes = [whole(k, "s") for k in ([s] if single else s)]  # type: ignore[union-attr]
    observed = vector(b, "b", rows)
    if options.get("loss") == "logistic":
        observed = signs([observed])[0]
    fits = [from_core(core) for core in _pendec.sparse_path(operator(A, "A"), observed, sizes, _options(options))]
    for fit in fits:
        fit["coef"] = fit.x[:features]
    return fits[0] if single else fits


@overload
def portfolio(
    returns: ArrayLike | None = None, s: int = 5, *, frontier: Literal[0] = 0, **options: Any
) -> Result: ...
@overload
def portfolio(returns: ArrayLike | None = None, s: int = 5, *, frontier: int, **options: Any) -> list[Result]: ...
@interruptible
@_with_options("portfolio", "sparse_qp")
def portfolio(
    returns: ArrayLike | None = None,
    s: int = 5,
    *,
    mean: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    frontier: int = 0,
    **options: Any,
) -> Result | list[Result]:
    """min ½wᵀΣw − ν meanᵀw s.t. Σw = 1, at most s assets, weights in [min_weight, max_weight], meanᵀw ≥ min_return.

    From returns (one row per date) or from mean and covariance. With `frontier` a list of so many portfolios along
    the efficient frontier, which share `seconds`. All are certified.
    """
    if (returns is None) == (covariance is None):
        raise ValueError("expected either returns or covariance (with mean)")
    if returns is not None:
        m, sigma = _pendec.sample_moments(matrix(returns, "returns"))
    else:
        sigma = matrix(covariance, "covariance")  # type: ignore[arg-type]
        m = vector(0.0 if mean is None else mean, "mean", sigma.shape[0])
    given = _options(options, s=min(whole(s, "s"), m.size))
    results = [from_core(core) for core in _pendec.portfolio(m, sigma, given, frontier)]
    return results if frontier else results[0]


@interruptible
@_with_options("nearest_correlation")
def nearest_correlation(
    A: ArrayLike, rank: int | None = None, *, weights: ArrayLike | None = None, **options: Any
) -> Result:
    """min ½ Σ wᵢⱼ (xᵢⱼ − aᵢⱼ)² over correlation matrices, of rank at most `rank` if given. NaN entries are missing.

    `status` is optimal where the global optimum was proved, `factor` is V with x = VVᵀ.
    """
    given = _options(options, weights=None if weights is None else matrix(weights, "weights"))
    core = _pendec.nearest_correlation(matrix(A, "A"), None if rank is None else whole(rank, "rank"), given)
    result = from_core(core, x=lambda found: found["V"] @ found["V"].T)
    result["factor"] = result.V
    np.fill_diagonal(result.x, 1.0)  # as it is but for the last bit
    return result


@interruptible
@_with_options("multitask_logistic")
def multitask_logistic(
    tasks: Sequence[tuple[ArrayLike, ArrayLike]], kappa: int, *, eta: float = 1.0, **options: Any
) -> Result:
    """min Σₜ mean logistic loss(wₜ) + η/2 ‖U‖² s.t. W = U + V, rank V ≤ kappa; tasks are pairs (X, labels), labels ±1 or 0/1."""
    X = [matrix(features, "X") for features, _ in tasks]
    labels = signs([vector(y, "labels", x.shape[0]) for x, (_, y) in zip(X, tasks)])
    given = _options(options, eta=eta, kappa=whole(kappa, "kappa"))
    return from_core(_pendec.multitask_logistic(X, labels, given), x=lambda found: found["W"])


@interruptible
@_with_options("complete")
def complete(
    A: Any, rank: int, *, gamma: float = 0.0, box: tuple[float, float] | None = None, **options: Any
) -> Result:
    """A matrix of low rank from some of its entries: those of a sparse matrix, or those of an array that are not NaN.

    The result has factors: x = B Cᵀ. `x` itself is formed for dense input only.
    """
    seen = entries(A, "A")
    i, j, values = _entries(seen, lambda array: ~np.isnan(array))
    given = _options(options, kappa=whole(rank, "rank"), gamma=gamma, box=box)
    core = _pendec.complete(*seen.shape, indices64(i), indices64(j), vector(values, "A"), given)
    result = from_core(core, x=None if is_sparse(A) else lambda found: found["B"] @ found["C"].T)
    if is_sparse(A):
        del result["x"]
    return result


@interruptible
@_with_options("maxcut")
def maxcut(W: Any, **options: Any) -> Result:
    """A heavy cut of the graph with the symmetric matrix of weights W, dense or sparse, and a bound on all cuts.

    `x` holds the sides −1 and 1, `cut` the weight of the cut, `upper_bound` the bound. As everywhere, `fun` is what is
    minimised: −cut, and `bound` is −upper_bound.
    """
    weights = entries(W, "W")
    if weights.shape[0] != weights.shape[1]:
        raise ValueError(f"W has shape {weights.shape}; expected a square matrix")
    if abs(weights - weights.T).max() > 1e-12 * abs(weights).max():
        raise ValueError("W is not symmetric; expected the weight of an edge in both triangles")
    i, j, w = _entries(weights, lambda array: array != 0.0)
    upper = i < j
    edges = indices64(i[upper]), indices64(j[upper]), vector(w[upper], "W")
    return from_core(_pendec.maxcut(weights.shape[0], *edges, _options(options)))


@interruptible
@_with_options("disjunctive")
def disjunctive(
    fun: Any,
    x0: ArrayLike,
    parts: Sequence[Any],
    *,
    jac: Any = None,
    hess: Callable[..., Any] | None = None,
    hessp: Callable[..., ArrayLike] | None = None,
    constraints: Constraint | Sequence[Constraint] = (),
    options: Mapping[str, Any] | None = None,
    **own: Any,
) -> Result:
    """min fun(x) s.t. G(x) ∈ C, x in the union of convex parts; the proven optimum where fun and G are convex.

    `part` is the part of x, `part_bounds` bound fun on each of them.
    """
    shape = np.shape(np.atleast_1d(real(x0, "x0")))
    union = sets.Union([sets.as_set(part, shape) for part in parts])
    problem = Problem(fun, x0, jac=jac, hess=hess, hessp=hessp, constraints=constraints, set=union)
    core, start, shape, sizes, python = problem._build()
    preset, settings, show = parse_options("auto", options)
    found = _pendec.solve_disjunctive(core, start, _options(own), preset, settings, python)
    result = from_core(found, shape, sizes)
    details = found.to_dict()["details"]
    result["part_bounds"], result["parts"] = details["bounds"], details["counts"]
    if show:
        print(result)
    return result


def mpcc(
    fun: Any,
    x0: ArrayLike,
    pairs: Pairs | Sequence[Pairs],
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
    """min fun(x) s.t. G(x) ∈ C, x in a convex set, and pairs of alternative constraints: `minimize` with `pairs` among
    its constraints, where all else is explained; for large problems derivatives should be sparse matrices.

    `stationarity` is "S", "B", "M" or "none", `pairs` a list with the values and multipliers of each pair, and
    multipliers["pairs"] has (ν_F, ν_H) for each of `pairs`.
    """
    if not listed(pairs):
        raise ValueError("pairs are empty; expected at least one; `minimize` is for problems without")
    problem = Problem(
        fun, x0, jac=jac, hess=hess, hessp=hessp, set=set, method=method, options=options, callback=callback, bounds=bounds
    )
    problem.constraints = (*listed(constraints), *listed(pairs))
    return problem.solve()
