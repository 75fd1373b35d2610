"""A bilevel problem by its optimality conditions: a leader sets a price, a follower answers with the best quantity.

max p q  s.t.  q solves min ½q² − (a − p) q over q ≥ 0, that is  0 ≤ q ⊥ q − a + p ≥ 0; answer: p = q = a/2.
"""

import matplotlib.pyplot as plt
import numpy as np
import pendec

demands = np.linspace(0.5, 4.0, 8)
prices = []
for a in demands:
    r = pendec.mpcc(
        lambda x: (-x[0] * x[1], -x[::-1]),
        [1.0, 1.0],
        pendec.Pairs([[0.0, 1.0]], pendec.maps.Affine([[1.0, 1.0]], [-a])),
        jac=True,
        bounds=[(0, 5), (0, 5)],
    )
    prices.append(r.x[0])
    print(f"a = {a:.1f}: price {r.x[0]:.4f}, quantity {r.x[1]:.4f}, {r.status}, {r.stationarity}-stationary")

figure, ax = plt.subplots(figsize=(6.4, 4.0))
ax.plot(demands, prices, "o", label="computed")
ax.plot(demands, demands / 2, label="a/2")
ax.set_xlabel("a")
ax.set_ylabel("price")
ax.legend()
figure.savefig("mpcc.png", dpi=120, bbox_inches="tight")
