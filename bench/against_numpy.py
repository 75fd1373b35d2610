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


def by_pendec(program, path, n, repeats, threads=None):
    """With at most so many threads; None: with as many as it likes."""
    # Numpy asks for huge pages for its large arrays; so does malloc with this setting of glibc.
    environment = os.environ | {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    if threads is not None:
        environment["OMP_NUM_THREADS"] = str(threads)
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
    """Means over the points of the ms of numpy, of pendec with one thread and of pendec as it is, by operation; and the
    operations with different results."""
    total = {name: np.zeros(3) for name in OPERATIONS}
    different = set()
    for seed in range(POINTS[n]):
        z = np.random.default_rng(seed).standard_normal(n)
        theirs, alone, ours = {}, {}, {}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "point")
            z.tofile(path)
            for _ in range(TURNS):
                least(theirs, by_numpy(z, REPEATS[n]))
                least(alone, by_pendec(program, path, n, REPEATS[n], threads=1))
                least(ours, by_pendec(program, path, n, REPEATS[n]))
        for name in OPERATIONS:
            rows = [theirs[name], alone[name], ours[name]]
            total[name] += np.array([row["ms"] for row in rows]) / POINTS[n]
            squares = theirs[name]["squares"]
            if not all(abs(row["squares"] - squares) <= TOLERANCE * squares for row in rows):
                different.add(name)
    return total, different


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="bench/projections, built")
    program = parser.parse_args().program

    print(f"numpy {np.__version__}, {len(os.sched_getaffinity(0))} processors\n")
    print(f"{'':<32}{'numpy':>11}{'pendec, one thread':>26}{'pendec':>32}")
    print(f"{'operation':<22}{'n':>10}{'ms':>11}{'ms':>10}{'ratio':>8}{'x copy':>8}{'ms':>10}{'ratio':>8}{'x copy':>8}{'GB/s':>6}")
    missed = []
    for n in POINTS:
        times, different = measure(program, n)
        floor = times["copy"][1]
        missed += [f"{name}, n = {n}: the results differ" for name in sorted(different)]
        for name, (theirs, *ours) in times.items():
            row = f"{name:<22}{n:>10}{theirs:>11.3f}"
            for ms in ours:
                row += f"{ms:>10.3f}{theirs / ms:>8.1f}{ms / floor:>8.2f}"
            print(row + f"{16e-6 * n / ms:>6.1f}")
            if name != "copy" and n == REQUIRED_N and not theirs / ms >= REQUIRED:
                missed.append(f"{name}, n = {n}: {theirs / ms:.1f} times faster, required are {REQUIRED:g}")

    print("\nx copy: times the time of a plain copy by one thread; GB/s: of z read and y written once")
    print(f"required: {REQUIRED:g} x for n = {REQUIRED_N}, with all processors, which numpy does not use here")
    return verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
