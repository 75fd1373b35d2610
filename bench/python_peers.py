"""Twenty sparse regression and portfolio instances: pendec, SciPy, skscope, and a mixed-integer solver, as they are.

python bench/python_peers.py [--seconds 20] > docs/results/python-peers.md

What is not installed is left out. All on one thread (OPENBLAS_NUM_THREADS=1); times are single runs, those of pendec the
least of five.
  pendec, ready     sparse_regression, portfolio: with a proof of optimality
  pendec, minimize  plain minimize, which is given f and the set and nothing else: it finds the class by itself
  pendec, general   minimize without routes: feasible and stationary
  SciPy             SLSQP or lstsq without the bound on the support, the s largest entries kept, solved again on them
  skscope           its splicing solver, regression only
  Gurobi            quadratic program with binary variables, size-limited licence, relative gap 1e-9
"""

import argparse
import platform
import time
from itertools import chain

import numpy as np
import pendec
from pendec import objectives, sets


def regression(seed):
    rng = np.random.default_rng(seed)
    n, m, s = 20 + 5 * (seed % 5), 120, 5
    mixing = np.eye(n) + 0.3 * rng.normal(size=(n, n)) / np.sqrt(n)
    A = rng.normal(size=(m, n)) @ mixing
    x = np.zeros(n)
    x[rng.choice(n, 8, replace=False)] = rng.normal(size=8)
    return A, A @ x + rng.normal(size=m), s


def assets(seed):
    rng = np.random.default_rng(1000 + seed)
    n, s = 20 + 5 * (seed % 5), 5
    returns = 0.02 * (rng.normal(size=(300, 4)) @ rng.normal(size=(4, n)) * 0.5 + rng.normal(size=(300, n)))
    return np.cov(returns.T), returns.mean(axis=0), s


def value_of(A, b, support):
    x = np.linalg.lstsq(A[:, support], b, rcond=None)[0]
    return 0.5 * np.sum((A[:, support] @ x - b) ** 2)


def regression_pendec(A, b, s, limit):
    r = pendec.sparse_regression(A, b, s, intercept=False, seconds=limit)
    return r.fun, str(r.status)


def regression_minimize(A, b, s, limit, route="automatic"):
    r = pendec.minimize(
        objectives.LeastSquares(A, b),
        np.zeros(A.shape[1]),
        set=sets.Sparse(A.shape[1], s),
        options={"limits.seconds": limit, "driver.route": route},
    )
    return r.fun, str(r.status)


def regression_general(A, b, s, limit):
    return regression_minimize(A, b, s, limit, "general")


def regression_scipy(A, b, s, limit):
    from scipy.linalg import lstsq

    x = lstsq(A, b)[0]
    return value_of(A, b, np.argsort(-np.abs(x))[:s]), "heuristic"


def regression_skscope(A, b, s, limit):
    import jax.numpy as jnp
    from skscope import ScopeSolver

    solver = ScopeSolver(A.shape[1], s)
    x = solver.solve(lambda p: 0.5 * jnp.sum((A @ p - b) ** 2), jit=True)
    return value_of(A, b, np.flatnonzero(x)), "heuristic"


def mixed_integer(Q, c, constant, s, limit, simplex):
    """min ½xᵀQx + cᵀx with binaries: x ≤ z on the simplex, indicator constraints otherwise."""
    import gurobipy as gp

    with gp.Env(params={"OutputFlag": 0, "Threads": 1}) as env, gp.Model(env=env) as model:
        n = len(c)
        x = model.addMVar(n, lb=0.0 if simplex else -np.inf, ub=1.0 if simplex else np.inf)
        z = model.addMVar(n, vtype="B")
        model.addConstr(z.sum() <= s)
        if simplex:
            model.addConstr(x.sum() == 1.0)
            model.addConstr(x <= z)
        else:
            for i in range(n):
                model.addGenConstrIndicator(z[i], False, x[i] == 0.0)
        model.setObjective(0.5 * (x @ Q @ x) + c @ x)
        model.Params.TimeLimit, model.Params.MIPGap = limit, 1e-9
        model.optimize()
        return model.ObjVal + constant, "optimal" if model.Status == gp.GRB.OPTIMAL else "limit"


def regression_gurobi(A, b, s, limit):
    return mixed_integer(A.T @ A, -A.T @ b, 0.5 * b @ b, s, limit, simplex=False)


def portfolio_pendec(C, mean, s, limit):
    r = pendec.portfolio(covariance=C, mean=mean, s=s, seconds=limit)
    return r.fun, str(r.status)


def portfolio_minimize(C, mean, s, limit, route="automatic"):
    n = len(mean)
    r = pendec.minimize(
        objectives.Quadratic(C),
        np.full(n, 1 / n),
        set=sets.SparseSimplex(n, s),
        options={"limits.seconds": limit, "driver.route": route},
    )
    return r.fun, str(r.status)


def portfolio_general(C, mean, s, limit):
    return portfolio_minimize(C, mean, s, limit, "general")


def portfolio_scipy(C, mean, s, limit):
    from scipy.optimize import minimize

    def on(support):
        Q = 1e4 * C[np.ix_(support, support)]
        k = len(support)
        r = minimize(
            lambda w: 0.5 * w @ Q @ w,
            np.full(k, 1 / k),
            jac=lambda w: Q @ w,
            bounds=[(0, 1)] * k,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(k)},
            method="SLSQP",
            options={"ftol": 1e-12},
        )
        return r.x, 1e-4 * r.fun

    w, _ = on(np.arange(len(mean)))
    return on(np.argsort(-w)[:s])[1], "heuristic"


def portfolio_gurobi(C, mean, s, limit):
    f, status = mixed_integer(1e4 * C, np.zeros(len(mean)), 0.0, s, limit, simplex=True)
    return 1e-4 * f, status


solvers = {
    "regression": {
        "pendec, ready": regression_pendec,
        "pendec, minimize": regression_minimize,
        "pendec, general": regression_general,
        "SciPy": regression_scipy,
        "skscope": regression_skscope,
        "Gurobi": regression_gurobi,
    },
    "portfolio": {
        "pendec, ready": portfolio_pendec,
        "pendec, minimize": portfolio_minimize,
        "pendec, general": portfolio_general,
        "SciPy": portfolio_scipy,
        "Gurobi": portfolio_gurobi,
    },
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20.0)
    limit = parser.parse_args().seconds
    print("# pendec and its peers from Python\n")
    print(
        f"pendec {pendec.__version__}, Python {platform.python_version()}, one thread, limit {limit:g} s,"
    )
    print(
        "in one run of `bench/python_peers.py`. Bold: the least objective, up to 1e-6 relative. SciPy has no bound on the"
    )
    print("support: its entries are kept by size and solved again. skscope's times include the compilation by JAX.\n")
    instances = chain(
        (("regression", seed, regression(seed)) for seed in range(10)),
        (("portfolio", seed, assets(seed)) for seed in range(10)),
    )
    heading, missing, totals, proved, slowest = None, {}, {}, 0, 0.0
    for kind, seed, (A, b, s) in instances:
        if kind != heading:
            heading = kind
            names = list(solvers[kind])
            print(
                f"\n## {kind.capitalize()}, s = {s}\n\n| n | "
                + " | ".join(f"{name}: f, seconds, status" for name in names)
                + " |"
            )
            print("|" + "---|" * (1 + len(names)))
        cells = {}
        for name, solver in solvers[kind].items():
            seconds = []
            try:
                for _ in range(5 if name.startswith("pendec") else 1):
                    start = time.perf_counter()
                    f, status = solver(A, b, s, limit)
                    seconds.append(time.perf_counter() - start)
            except ImportError as error:
                missing[name] = str(error)
                continue
            cells[name] = (f, min(seconds), status)
        proved += cells["pendec, minimize"][2] == "optimal"
        slowest = max(slowest, cells["pendec, minimize"][1] / cells["pendec, ready"][1])
        least = min(f for f, _, _ in cells.values())
        row = []
        for name in names:
            if name not in cells:
                row.append("not installed")
                continue
            f, seconds, status = cells[name]
            good = f <= least + 1e-6 * abs(least)
            best, total, count = totals.get((kind, name), (0, 0.0, 0))
            totals[kind, name] = best + good, total + seconds, count + 1
            row.append(f"{'**' if good else ''}{f:.8g}{'**' if good else ''}, {seconds:.4f}, {status}")
        print(f"| {A.shape[1]} | " + " | ".join(row) + " |", flush=True)
    print("\n## In short\n\n| problems | solver | least objective | seconds in all |\n|---|---|---|---|")
    for (kind, name), (best, total, count) in totals.items():
        print(f"| {kind} | {name} | {best} of {count} | {total:.2f} |")
    print(f"\nminimize proved the optimum of {proved} of 20, in at most {slowest:.2f} times the seconds of the ready function.")
    for name, why in missing.items():
        print(f"\n{name} is missing: {why}.")


main()
