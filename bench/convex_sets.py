"""Convex sets: pendec.minimize with callbacks, SciPy's L-BFGS-B on boxes, accelerated projected gradients elsewhere.

python bench/convex_sets.py [--sizes 1000 10000 100000] [--required] > docs/results/convex-sets.md

Least squares and logistic regression (with a small ridge) on sparse data, written as plain NumPy callbacks; all on one thread. The accelerated
method (FISTA with restarts) is told the exact Lipschitz constant, which pendec is not. Each stops at the same tolerance,
1e-6 of the gradient at the start; `evaluations` are calls of f with its gradient. With --required the program fails
unless pendec converges everywhere within three times the evaluations and seconds of the other.
"""

import argparse
import platform
import sys
import time

import numpy as np
import pendec
import scipy
import scipy.sparse as sp
from pendec import sets
from scipy.optimize import minimize
from scipy.sparse.linalg import svds


class Counted:
    def __init__(self, f):
        self.f, self.calls = f, 0

    def __call__(self, x):
        self.calls += 1
        return self.f(x)


def problems(n, rng):
    m, ridge = 4 * n, 0.01
    count = 5 * m
    entries = rng.normal(size=count), (rng.integers(m, size=count), rng.integers(n, size=count))
    A = sp.csr_matrix(entries, shape=(m, n))
    b = A @ np.maximum(rng.normal(size=n), 0.0) + rng.normal(size=m)
    signs = np.sign(A @ rng.normal(size=n) + 2.0 * rng.normal(size=m))
    B = (sp.diags(signs) @ A).tocsr()
    At, Bt = A.T.tocsr(), B.T.tocsr()

    def least_squares(x):
        r = A @ x - b
        return 0.5 * r @ r, At @ r

    def logistic(x):
        z = B @ x
        e = np.exp(-np.abs(z))
        value = np.sum(np.maximum(-z, 0.0) + np.log1p(e)) + 0.5 * ridge * (x @ x)
        return value, Bt @ (-np.where(z > 0.0, e, 1.0) / (1.0 + e)) + ridge * x

    L = svds(A, 1, return_singular_vectors=False)[0] ** 2
    return {"least squares": (least_squares, L), "logistic": (logistic, 0.25 * L + ridge)}


def simplex(z, radius):
    u = np.sort(z)[::-1]
    c = np.cumsum(u) - radius
    k = np.nonzero(u * np.arange(1, z.size + 1) > c)[0][-1]
    return np.maximum(z - c[k] / (k + 1), 0.0)


def l1_ball(z, radius):
    return z if np.abs(z).sum() <= radius else np.sign(z) * simplex(np.abs(z), radius)


def slab(z, a, lower, upper):
    return z + (np.clip(a @ z, lower, upper) - a @ z) / (a @ a) * a


def psd(z, k):
    values, vectors = np.linalg.eigh(0.5 * (z.reshape(k, k) + z.reshape(k, k).T))
    return ((vectors * np.maximum(values, 0.0)) @ vectors.T).ravel()


def convex_sets(n, rng):
    a = np.ones(n)
    E = rng.normal(size=(3, n))
    d = np.ones(3)
    back = np.linalg.pinv(E)
    yield "box", sets.Box(np.full(n, -0.1), np.full(n, 0.2)), None
    yield "simplex", sets.Simplex(n, 10.0), lambda z: simplex(z, 10.0)
    yield "L1 ball", sets.L1Ball(n, 10.0), lambda z: l1_ball(z, 10.0)
    yield "affine subspace", sets.AffineSubspace(E, d), lambda z: z - back @ (E @ z - d)
    yield "slab", sets.Slab(a, -1.0, 1.0), lambda z: slab(z, a, -1.0, 1.0)
    k = int(np.sqrt(n))
    if k * k == n:
        yield "PSD", sets.PsdLowRank(k, k), lambda z: psd(z, k)


def accelerated(f, project, x, L, tolerance):
    y, t = x, 1.0
    for _ in range(100_000):
        _, g = f(y)
        following = project(y - g / L)
        close = L * np.linalg.norm(y - following) <= tolerance
        if (y - following) @ (following - x) > 0.0:
            t = 1.0
        t, before = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t)), t
        y, x = following + (before - 1.0) / t * (following - x), following
        if close:
            break
    return f(x)[0]


def timed(call):
    begin = time.perf_counter()
    value = call()
    return value, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 10_000, 99_856])
    parser.add_argument("--required", action="store_true")
    arguments = parser.parse_args()
    print("# Convex sets\n")
    print(f"pendec {pendec.__version__}, SciPy {scipy.__version__}, NumPy {np.__version__}, {platform.machine()}.\n")
    print("| n | problem | set | status | f ours | f other | evaluations ours / other | seconds ours / other |")
    print("|---|---|---|---|---|---|---|---|")
    missed = []
    for n in arguments.sizes:
        rng = np.random.default_rng(0)
        for loss, (f, L) in problems(n, rng).items():
            for name, D, project in convex_sets(n, rng):
                x0 = np.zeros(n)
                tolerance = 1e-6 * np.linalg.norm(f(x0)[1])
                ours, theirs = Counted(f), Counted(f)
                result, seconds = timed(lambda: pendec.minimize(ours, x0, jac=True, set=D))
                if project is None:
                    options = {"maxiter": 100_000, "maxfun": 100_000, "ftol": 0.0, "gtol": tolerance / np.sqrt(n)}
                    bounds = [(-0.1, 0.2)] * n
                    other, other_seconds = timed(
                        lambda: minimize(theirs, x0, jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun
                    )
                else:
                    other, other_seconds = timed(lambda: accelerated(theirs, project, project(x0), L, tolerance))
                print(
                    f"| {n} | {loss} | {name} | {result.status} | {result.fun:.8g} | {other:.8g} | "
                    f"{ours.calls} / {theirs.calls} | {seconds:.3f} / {other_seconds:.3f} |",
                    flush=True,
                )
                if (
                    str(result.status) != "converged"
                    or result.fun > other + 1e-6 * (1.0 + abs(other))
                    or ours.calls > 3 * theirs.calls
                    or seconds > 3 * other_seconds
                ):
                    missed.append(f"{loss} on {name}, n = {n}")
    print("\nrequired ratios:", "all hold" if not missed else "missed by " + "; ".join(missed))
    return 1 if arguments.required and missed else 0


if __name__ == "__main__":
    sys.exit(main())
