"""A bilevel program in Pyomo: the follower's optimality conditions as complementarity, solved by pendec.

A leader chooses a price x of 0 to 10 for each unit of something, a follower buys y units so as to minimise
½y² − 8y + x y over 0 ≤ y ≤ 5. The leader wants the largest income x y. With s the multiplier of y ≤ 5, the follower's
choice is the solution of

    0 ≤ y ⊥ y − 8 + x + s ≥ 0,    0 ≤ s ⊥ 5 − y ≥ 0.

The best price is 4: the follower buys 4, for an income of 16. Needs `pip install pyomo`.
"""

import matplotlib.pyplot as plt
import numpy as np
import pyomo.environ as pe
from pyomo.mpec import Complementarity, complements

model = pe.ConcreteModel()
model.x = pe.Var(bounds=(0, 10), initialize=1)
model.y = pe.Var(initialize=1)
model.s = pe.Var(initialize=0)
model.income = pe.Objective(expr=model.x * model.y, sense=pe.maximize)
model.follower = Complementarity(expr=complements(model.y >= 0, model.y - 8 + model.x + model.s >= 0))
model.most = Complementarity(expr=complements(model.s >= 0, 5 - model.y >= 0))

results = pe.SolverFactory("pendec").solve(model)
print(results.solver.message)
price, bought = pe.value(model.x), pe.value(model.y)
print(f"price {price:.4f}, bought {bought:.4f}, income {pe.value(model.income):.4f}")
assert abs(pe.value(model.income) - 16) < 1e-5

prices = np.linspace(0, 10, 200)
plt.plot(prices, prices * np.clip(8 - prices, 0, 5), label="income")
plt.plot(price, price * bought, "o", label="solution")
plt.xlabel("price")
plt.legend()
plt.savefig("pyomo_bilevel.png")
