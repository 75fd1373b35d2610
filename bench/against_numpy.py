"""Times projections by numpy and by pendec on the same points, in turns, and checks the required ratios."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from verdict import verdict

REQUIRED = 12.0  # numpy's time over pendec's
REQUIRED_N = 10**6  # for points of this size
TOLERANCE = 1e-9  # of ‖y‖², relative: both must have computed the same
POINTS = {10**6: 5, 10**7: 1}  # of which the mean counts: numpy's selection is luckier on some than on others
TURNS = 3  # of numpy and pendec on each point, as the load of the machine changes; the least time counts
REPEATS = {10**6: 30, 10**7: 4}  # in a turn: the shorter, the more easily disturbed


def copy(z):
    y = np.empty_like(z)
    np.copyto(y, z)
    return y


def sparse(z, s):
    kept = np.argpartition(np.abs(z), z.size - s)[z.size - s :]
    y = np.zeros_like(z)
    y[kept] = z[kept]
    return y


def simplex(z, radius):
    """Duchi et al. 2008."""
    descending = np.sort(z)[::-1]
    excess = np.cumsum(descending) - radius
    support = np.nonzero(descending * np.arange(1, z.size + 1) > excess)[0][-1] + 1
    return np.maximum(z - excess[support - 1] / support, 0.0)


OPERATIONS = {
    "copy": copy,
    "Sparse, s = 1000": lambda z: sparse(z, 1000),
    "Sparse, s = n/10": lambda z: sparse(z, z.size // 10),
    "Sparse, s = n/2": lambda z: sparse(z, z.size // 2),
    "Simplex, radius 1": lambda z: simplex(z, 1.0),
    "Simplex, radius n/10": lambda z: simplex(z, 0.1 * z.size),
}


def by_numpy(z, repeats):
    for operation, run in OPERATIONS.items():
        best = float("inf")
        for _ in range(repeats):
            begin = time.perf_counter()
            y = run(z)
            best = min(best, time.perf_counter() - begin)
        yield {"operation": operation, "ms": 1e3 * best, "squares": float(y @ y)}


def by_pendec(program, path, n, repeats):
    # Numpy asks for huge pages for its large arrays; so does malloc with this setting of glibc.
    environment = os.environ | {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    done = subprocess.run(
        [program, path, str(n), str(repeats)], check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    return map(json.loads, done.stdout.splitlines())


def least(best, rows):
    """Keeps the rows with the least times, by operation."""
    for row in rows:
        name = row["operation"]
        if name not in best or row["ms"] < best[name]["ms"]:
            best[name] = row


def measure(program, n):
    """Means over the points of (numpy ms, pendec ms) by operation, and the operations with different results."""
    total = {name: np.zeros(2) for name in OPERATIONS}
    different = set()
    for seed in range(POINTS[n]):
        z = np.random.default_rng(seed).standard_normal(n)
        ours, theirs = {}, {}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "point")
            z.tofile(path)
            for _ in range(TURNS):
                least(theirs, by_numpy(z, REPEATS[n]))
                least(ours, by_pendec(program, path, n, REPEATS[n]))
        for name in OPERATIONS:
            a, b = theirs[name], ours[name]
            total[name] += np.array([a["ms"], b["ms"]]) / POINTS[n]
            if not abs(a["squares"] - b["squares"]) <= TOLERANCE * a["squares"]:
                different.add(name)
    return total, different


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="bench/projections, built")
    program = parser.parse_args().program

    print(f"numpy {np.__version__}, one thread\n")
    print(f"{'operation':<22}{'n':>10}{'numpy ms':>11}{'pendec ms':>11}{'ratio':>8}{'GB/s':>8}{'x copy':>8}")
    missed = []
    for n in POINTS:
        times, different = measure(program, n)
        floor = times["copy"][1]
        missed += [f"{name}, n = {n}: the results differ" for name in sorted(different)]
        for name, (theirs, ours) in times.items():
            ratio = theirs / ours
            print(
                f"{name:<22}{n:>10}{theirs:>11.3f}{ours:>11.3f}{ratio:>8.1f}{16e-6 * n / ours:>8.1f}{ours / floor:>8.2f}"
            )
            if name != "copy" and n == REQUIRED_N and not ratio >= REQUIRED:
                missed.append(f"{name}, n = {n}: {ratio:.1f} times faster, required are {REQUIRED:g}")

    print("\nGB/s: of z read and y written once; x copy: times the time of a plain copy, the memory's floor")
    print(f"required: {REQUIRED:g} x for n = {REQUIRED_N}")
    return verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
