"""A set of one's own in five lines: points on a spiral. The best of many starts."""

import matplotlib.pyplot as plt
import numpy as np
import pendec

angles = np.linspace(0, 6 * np.pi, 4000)
curve = np.column_stack([angles * np.cos(angles), angles * np.sin(angles)]) / 6


class Spiral:
    def project(self, x):
        return curve[np.argmin(np.sum((curve - x) ** 2, axis=1))]


def fun(x):
    return np.sum((x - [1.0, 0.4]) ** 2) + np.sin(3 * x[0]), 2 * (x - [1.0, 0.4]) + [3 * np.cos(3 * x[0]), 0.0]


best = pendec.multistart(pendec.Problem(fun, [0.0, 0.0], jac=True, set=Spiral()), 10, scale=2.0, seed=1)
print(f"{best.status}: f = {best.fun:.6f} at {best.x}, brute force {min(fun(x)[0] for x in curve):.6f}")

figure, ax = plt.subplots(figsize=(5.0, 5.0))
ax.plot(*curve.T, color="0.7")
ax.plot(*np.array([r.x for r in best.runs]).T, "o", label="where starts ended")
ax.plot(*best.x, "*", markersize=14, label="the best")
ax.set_aspect("equal")
ax.legend()
figure.savefig("custom_set.png", dpi=120, bbox_inches="tight")
