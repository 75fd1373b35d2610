"""A correlation matrix estimated pair by pair is not one: the nearest that is, with and without a bound on its rank."""

import matplotlib.pyplot as plt
import numpy as np
import pendec

rng = np.random.default_rng(4)
n = 40
truth = np.corrcoef(rng.normal(size=(n, 3)) @ rng.normal(size=(3, 200)) + 0.5 * rng.normal(size=(n, 200)))
noise = rng.normal(size=(n, n))
broken = np.clip(truth + 0.2 * (noise + noise.T), -1, 1)
np.fill_diagonal(broken, 1.0)

any_rank = pendec.nearest_correlation(broken)
rank_3 = pendec.nearest_correlation(broken, 3)
assert any_rank.success and rank_3.success
print(f"distance {np.sqrt(2 * any_rank.fun):.3f}, with rank 3 {np.sqrt(2 * rank_3.fun):.3f}")

figure, ax = plt.subplots(figsize=(6.4, 4.0))
for matrix, label in ((broken, "as estimated"), (any_rank.x, "repaired"), (rank_3.x, "rank 3")):
    ax.plot(np.linalg.eigvalsh(matrix)[::-1], marker=".", label=label)
ax.axhline(0.0, color="black", linewidth=0.5)
ax.set_xlabel("eigenvalue")
ax.legend()
figure.savefig("correlation_repair.png", dpi=120, bbox_inches="tight")
