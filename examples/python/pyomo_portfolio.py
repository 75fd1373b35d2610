"""A portfolio with at most four of twenty assets in Pyomo, its optimum proved: a suffix says what Pyomo cannot.

minimise the variance of the weights w ≥ 0, Σ w = 1, with a mean return of at least that of the market, at most four of
them not zero, and those at least 5 %. Needs `pip install pyomo`.
"""

import matplotlib.pyplot as plt
import numpy as np
import pyomo.environ as pe

rng = np.random.default_rng(4)
n, most, least = 20, 4, 0.05
factors = rng.normal(size=(n, 3))
covariance = 0.02 * factors @ factors.T + np.diag(rng.uniform(0.01, 0.05, n))
mean = rng.uniform(0.02, 0.12, n)

model = pe.ConcreteModel()
model.w = pe.Var(range(n), bounds=(0, 1), initialize=1 / n)
w = [model.w[i] for i in range(n)]
model.variance = pe.Objective(expr=sum(covariance[i, j] * w[i] * w[j] for i in range(n) for j in range(n)))
model.budget = pe.Constraint(expr=sum(w) == 1)
model.target = pe.Constraint(expr=sum(mean[i] * w[i] for i in range(n)) >= float(mean.mean()))

model.card_group = pe.Suffix(direction=pe.Suffix.EXPORT)  # who is counted together
model.card_limit = pe.Suffix(direction=pe.Suffix.EXPORT)  # how many of them may be nonzero
model.semicont_lower = pe.Suffix(direction=pe.Suffix.EXPORT)  # zero, or at least this
for weight in w:
    model.card_group[weight], model.card_limit[weight], model.semicont_lower[weight] = 1, most, least
model.bound = pe.Suffix(direction=pe.Suffix.IMPORT)  # no portfolio has a smaller variance

results = pe.SolverFactory("pendec").solve(model)
print(results.solver.message)
weights = np.array([pe.value(weight) for weight in w])
variance, bound = pe.value(model.variance), model.bound[model.variance]
print(f"variance {variance:.6g}, bound {bound:.6g}, assets {np.flatnonzero(weights > 1e-9).tolist()}")
assert (weights > 1e-9).sum() <= most and variance - bound <= 1e-6 * variance

plt.bar(range(n), weights)
plt.xlabel("asset")
plt.ylabel("weight")
plt.savefig("pyomo_portfolio.png")
