"""What Python costs: the same solve with a built-in objective, with functions of Python, and the profile of the latter.

python bench/python_overhead.py [path of the program pendec]
"""

import cProfile
import json
import pstats
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pendec
from pendec import objectives, sets


def best_of(repeats, function):
    """The fastest run: its seconds and its result."""
    runs = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        runs.append((time.perf_counter() - start, result))
    return min(runs, key=lambda run: run[0])


def main():
    rng = np.random.default_rng(1)
    n = 1000
    A, b = np.asfortranarray(rng.normal(size=(500, n))), rng.normal(size=500)
    options = {"driver.polish": False, "driver.branch_search": 0, "trace": False}
    arguments = {"set": sets.Sparse(n, 20), "method": "pdlm", "options": options}

    inside = [0.0, 0]

    def fun(x):
        start = time.perf_counter()
        r = A @ x - b
        value = 0.5 * r @ r, A.T @ r
        inside[0] += time.perf_counter() - start
        inside[1] += 1
        return value

    f = objectives.LeastSquares(A, b)
    total, result = best_of(7, lambda: pendec.minimize(f, np.zeros(n), **arguments))
    print(f"n = {n}, least squares with 500 rows, PDLM, {result.nfev} evaluations, best of 7")
    print(
        f"built-in objective      {1e3 * total:9.2f} ms, of which {1e3 * result.seconds:.2f} ms in the library: "
        f"{100 * (total / result.seconds - 1):.1f} % more"
    )

    inside[:] = [0.0, 0]
    start = time.perf_counter()
    pendec.minimize(fun, np.zeros(n), jac=True, **arguments)
    total = time.perf_counter() - start
    print(
        f"function of Python      {1e3 * total:9.2f} ms, of which {1e3 * inside[0]:.2f} ms ({100 * inside[0] / total:.0f} %) "
        f"in the function, called {inside[1]} times"
    )

    if len(sys.argv) > 1:
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder) / "A.npy", A)
            np.save(Path(folder) / "b.npy", b)
            file = Path(folder) / "problem.json"
            problem = {
                "pendec": 1,
                "objective": {"type": "least_squares", "A": {"file": "A.npy"}, "b": {"file": "b.npy"}},
                "D": {"type": "sparse", "n": n, "s": 20},
                "start": [0] * n,
                "options": {"method": "pdlm", **{k: v for k, v in options.items() if k != "trace"}},
            }
            file.write_text(json.dumps(problem))
            times = []
            for _ in range(7):
                run = subprocess.run(
                    [sys.argv[1], "solve", str(file), "--json"], capture_output=True, text=True, check=True
                )
                times.append(json.loads(run.stdout)["seconds"]["total"])
            print(
                f"the program pendec      {1e3 * min(times):9.2f} ms in the library, f = {json.loads(run.stdout)['f']:.15g} (here {result.fun:.15g})"
            )

    profile = cProfile.Profile()
    profile.runcall(pendec.minimize, fun, np.zeros(n), jac=True, **arguments)
    print("\nprofile of the solve with a function of Python:")
    pstats.Stats(profile).sort_stats("tottime").print_stats(4)


main()
