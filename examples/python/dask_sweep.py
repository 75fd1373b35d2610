"""A sweep over sizes and data on a Dask cluster: that of DASK_SCHEDULER_ADDRESS, or one on this machine."""

import functools

import matplotlib.pyplot as plt
import numpy as np
import pendec


def errors_of(seed, s):
    """The in-sample and the held-out error of the best model with s features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 20))
    y = X[:, :5] @ rng.normal(size=5) + rng.normal(size=60)
    fit = pendec.sparse_regression(X[:40], y[:40], s)
    residual = y - X @ fit.coef - fit.intercept
    return s, np.mean(residual[:40] ** 2), np.mean(residual[40:] ** 2)


if __name__ == "__main__":
    from distributed import Client

    with Client() as client:
        jobs = [functools.partial(errors_of, seed, s) for seed in range(5) for s in range(1, 11)]
        rows = np.array([row for _, row in pendec.solve_many(jobs, client.get_executor())])

    figure, ax = plt.subplots(figsize=(6.4, 4.0))
    for column, label in ((1, "in sample"), (2, "held out")):
        ax.plot(range(1, 11), [rows[rows[:, 0] == s, column].mean() for s in range(1, 11)], marker=".", label=label)
    ax.set_xlabel("features")
    ax.set_ylabel("mean squared error")
    ax.legend()
    figure.savefig("dask_sweep.png", dpi=120, bbox_inches="tight")
