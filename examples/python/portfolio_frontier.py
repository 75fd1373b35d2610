"""The efficient frontier with few assets, each point proved optimal."""

import matplotlib.pyplot as plt
import numpy as np
import pendec

rng = np.random.default_rng(3)
factors = rng.normal(size=(3, 16))
returns = 0.01 * (rng.normal(size=(500, 3)) @ factors + 2 * rng.normal(size=(500, 16))) + 0.002 * rng.random(16)

figure, ax = plt.subplots(figsize=(6.4, 4.0))
for s in (2, 3, 5):
    frontier = pendec.portfolio(returns, s, frontier=10)
    assert all(p.success for p in frontier)
    ax.plot([p.volatility for p in frontier], [p.mean for p in frontier], marker=".", label=f"{s} assets")
ax.set_xlabel("volatility")
ax.set_ylabel("mean return")
ax.legend()
figure.savefig("portfolio_frontier.png", dpi=120, bbox_inches="tight")
