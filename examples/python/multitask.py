"""Related classification tasks share a subspace of few dimensions: held-out accuracy over its dimension.

With a table `task,label,f1,...` (the landmine data, say) as the first argument its tasks are taken, else made ones.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pendec

rng = np.random.default_rng(5)
if len(sys.argv) > 1:
    table = np.loadtxt(sys.argv[1], delimiter=",")
    groups = [table[table[:, 0] == t] for t in np.unique(table[:, 0])]
    tasks = [(g[:, 2:], np.where(g[:, 1] > 0, 1.0, -1.0)) for g in groups]
else:
    shared = rng.normal(size=(2, 8))
    tasks = []
    for _ in range(15):
        X = rng.normal(size=(60, 8))
        w = rng.normal(size=2) @ shared + 0.1 * rng.normal(size=8)
        tasks.append((X, np.where(X @ w + 0.5 * rng.normal(size=60) > 0, 1.0, -1.0)))

train = [(X[::2], y[::2]) for X, y in tasks]
test = [(X[1::2], y[1::2]) for X, y in tasks]
ranks, accuracy = range(1, 6), []
for rank in ranks:
    r = pendec.multitask_logistic(train, rank, eta=1.0)
    accuracy.append(np.mean([np.mean(np.sign(X @ w) == y) for (X, y), w in zip(test, r.W)]))
    print(f"rank {rank}: f = {r.fun:.6f}, {r.status}, held-out accuracy {accuracy[-1]:.3f}")

figure, ax = plt.subplots(figsize=(6.4, 4.0))
ax.plot(ranks, accuracy, marker="o")
ax.set_xlabel("dimension of the shared subspace")
ax.set_ylabel("held-out accuracy")
figure.savefig("multitask.png", dpi=120, bbox_inches="tight")
