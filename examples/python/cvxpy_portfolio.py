"""The portfolio of CVXPY's gallery with at most so many assets: CVXPY states it, pendec proves the optimum.

maximise the mean return minus γ times the variance of the weights w ≥ 0, Σ w = 1; at most ten of them (or five) are not
zero, and those at least 2 %. Needs `pip install cvxpy`.
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np
import pendec.cvxpy

rng = np.random.default_rng(1)
n, factors = 50, 5
mean = np.abs(rng.normal(size=n))
loadings = rng.normal(size=(n, factors))
covariance = loadings @ loadings.T + np.diag(rng.uniform(0.5, 3.0, n))

w = cp.Variable(n, name="w")
gamma = cp.Parameter(nonneg=True)
gain, risk = mean @ w, cp.quad_form(w, covariance)
problem = cp.Problem(cp.Maximize(gain - gamma * risk), [cp.sum(w) == 1, w >= 0])

figure, ax = plt.subplots(figsize=(6.4, 4.0))
for most in (5, 10, n):
    points = []
    for gamma.value in np.logspace(-1.5, 2, 15):
        result = pendec.cvxpy.solve(problem, cardinality=[(w, most)], semicontinuous=[(w, 0.02, 1)])
        assert problem.status == "optimal" and np.count_nonzero(w.value) <= most
        points.append((np.sqrt(risk.value), gain.value))
    print(f"at most {most} assets: {result.message}; no portfolio has more than {result.bound:.9g}")
    ax.plot(*np.transpose(points), marker=".", label=f"at most {most} assets" if most < n else "any number of assets")
ax.set_xlabel("standard deviation")
ax.set_ylabel("return")
ax.legend()
figure.savefig("cvxpy_portfolio.png", dpi=120, bbox_inches="tight")
