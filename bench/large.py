"""Large sparse problems: seconds and memory of families that grow, and what they have to stay below.

python bench/large.py [--family a b c d e] [--sizes 100 1000 10000] [--seconds 120] [--json FILE] [--required]
                      [--repeat 1] [--peer-python PYTHON] [--without-peers] > docs/results/large.md

  a  control of a membrane above an obstacle, k × k grid: as many pairs 0 ≤ y - psi ⊥ xi ≥ 0, sparse linear equations
  b  control with two inputs of which one is off at each step, u1 u2 = 0, mildly nonlinear dynamics: as pairs, as a set
  c  least squares with ten entries a row and at most n / 100 nonzeros
  d  a portfolio with a factor model, B Bᵀ + diag(d) never formed, on the simplex and with at most 10 assets
  e  projection onto a transport polytope

Each solve has a process of its own, on one thread, with a limit of seconds, after which it may take as long again to
come to its end, and one of memory. Seconds are those of the solve, the least of --repeat runs; memory is what the process needed at most beyond
its imports and data. Objectives and violations are computed here, from the point returned. Of each series the
exponents of size in seconds and memory are fitted.

The peer of a and b is Scholtes' relaxation, sigma = 1, 0.1, …, 1e-8, each from the solution of the last, and then the
nonlinear program on the branch found, by Ipopt through CasADi; where CasADi is not installed for --peer-python
(default: this one) it is left out. Its seconds are those inside Ipopt and the functions that it calls, without the
time CasADi takes to derive and set up these.

With --required the program fails if it ran none of these, or one that does not hold:
  a  at 5041 pairs has at most 2 times the seconds, 1.001 times the objective and 4 times the memory of the peer,
  c  at 1 000 000 variables takes at most 3 times as long a gradient, with all that belongs to it, as A x, Aᵀ w and one
     projection.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import scipy
import scipy.sparse as sp

MEGABYTE = 1024.0 * 1024.0


# --- Instances: what they are made of, and what a point is worth


class Obstacle:
    """min ½h²‖y - y_d‖² + ½νh²‖u‖² s.t. -Δy = f + u + ξ, -1 ≤ u ≤ 3, 0 ≤ y ⊥ ξ ≥ 0, on the unit square.

    On the left half the membrane is wanted above the obstacle, which is zero, on the right half it lies on it. On a disc
    there, of 2 % of the square, nothing presses: both sides of the pairs are zero.
    """

    sizes = (100, 484, 1024, 5041, 10_000)
    unit = "pairs"

    def __init__(self, size):
        k = round(np.sqrt(size))
        self.n, self.h, self.nu = k * k, 1.0 / (k + 1), 1e-3
        self.weight = self.h**2  # of a term of the objective
        one = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(k, k)) / self.h**2
        laplacian = sp.kron(sp.eye(k), one) + sp.kron(one, sp.eye(k))
        t = self.h * np.arange(1, k + 1)
        x, z = (grid.ravel() for grid in np.meshgrid(t, t))
        wave = np.sin(2 * np.pi * x) * np.sin(np.pi * z)
        self.target = 0.4 * wave
        self.load = np.where((x - 0.8) ** 2 + (z - 0.5) ** 2 < 0.0064, 0.0, 8.0 * wave)
        self.E = sp.hstack([laplacian, -sp.eye(self.n), -sp.eye(self.n)]).tocsr()
        self.diagonal = self.h**2 * np.repeat([1.0, self.nu, 0.0], self.n)
        self.c = np.concatenate([-(self.h**2) * self.target, np.zeros(2 * self.n)])
        self.constant = 0.5 * self.h**2 * self.target @ self.target
        self.lower = np.repeat([0.0, -1.0, 0.0], self.n)
        self.upper = np.repeat([np.inf, 3.0, np.inf], self.n)
        self.start = np.zeros(3 * self.n)
        self.F, self.H = np.arange(self.n), np.arange(2 * self.n, 3 * self.n)

    def objective(self, x):
        return 0.5 * x @ (self.diagonal * x) + self.c @ x + self.constant

    def violation(self, x):
        rows = np.abs(self.E @ x - self.load).max() / (1.0 + np.abs(self.load).max())
        bounds = max((self.lower - x).max(), (x - self.upper).max(), 0.0)
        return max(rows, bounds, np.abs(np.minimum(x[self.F], x[self.H])).max())

    def notes(self, x):
        y, xi = x[self.F], x[self.H]  # at weak pairs a barrier method leaves xi at the root of its tolerance over nu
        on, off = y <= 1e-5 * y.max(), xi <= 1e-3 * xi.max()
        return f"{(on & ~off).sum()} on, {(~on & off).sum()} off, {(on & off).sum()} both"

    def pendec(self, seconds):
        import pendec
        from pendec import maps, objectives, sets

        pairs = pendec.Pairs(maps.Selection(3 * self.n, self.F), maps.Selection(3 * self.n, self.H))
        return pendec.mpcc(
            objectives.Quadratic(sp.diags(self.diagonal).tocsc(), self.c),
            self.start,
            pairs,
            constraints=pendec.Constraint(self.E, sets.Singleton(self.load)),
            bounds=SimpleNamespace(lb=self.lower, ub=self.upper),
            options={"limits.seconds": seconds},
        )

    def model(self, casadi):
        """Variables, objective, equations; for the peer."""
        z = casadi.SX.sym("z", 3 * self.n)
        f = 0.5 * casadi.dot(self.diagonal, z * z) + casadi.dot(self.c, z) + self.constant
        return z, f, casadi.mtimes(casadi.DM(self.E.tocsc()), z) - self.load

    def relaxed(self, seconds):
        return relaxation(self, seconds, either_sign=False)

    solvers = {"pendec.mpcc": pendec, "Scholtes, Ipopt": relaxed}


class Switching:
    """min Σ ½h‖x - x_d‖² + ½νh‖u‖² with x₁' = x₂ - x₁ + u₁, x₂' = u₂ - x₂ - x₂³ / 10 by Euler's steps, u₁ u₂ = 0 in each."""

    sizes = (100, 1000, 10_000, 100_000)
    unit = "steps"

    def __init__(self, size):
        self.n, self.h, self.nu = size, 0.1, 0.1
        self.weight = self.h
        t = self.h * np.arange(1, size + 1)
        self.target = np.concatenate([np.sin(t), np.cos(1.3 * t), np.zeros(2 * size)])
        self.diagonal = self.h * np.repeat([1.0, self.nu], 2 * size)
        self.c = -self.diagonal * self.target
        self.constant = 0.5 * self.target @ (self.diagonal * self.target)
        self.lower, self.upper = np.full(4 * size, -np.inf), np.full(4 * size, np.inf)
        self.start = np.zeros(4 * size)
        self.first = np.array([1.0, -1.0])
        self.F, self.H = np.arange(2 * size, 3 * size), np.arange(3 * size, 4 * size)
        step = sp.eye(size, k=-1)  # from the state before
        one, h = sp.eye(size), self.h
        self.linear = sp.bmat(
            [[one - (1 - h) * step, -h * step, -h * one, None], [None, one - (1 - h) * step, None, -h * one]]
        ).tocsr()
        self.entering = np.zeros(2 * size)
        self.entering[0] = -(1 - h) * self.first[0] - h * self.first[1]
        self.entering[size] = -(1 - h) * self.first[1] + 0.1 * h * self.first[1] ** 3

    def objective(self, z):
        return 0.5 * z @ (self.diagonal * z) + self.c @ z + self.constant

    def before(self, z):
        """x₂ at the beginning of each step but the first."""
        return z[self.n : 2 * self.n - 1]

    def G(self, z):
        out = self.linear @ z + self.entering
        out[self.n + 1 :] += 0.1 * self.h * self.before(z) ** 3
        return out

    def jac(self, z):
        n = self.n
        rows, cols = np.arange(n + 1, 2 * n), np.arange(n, 2 * n - 1)
        cubic = sp.csr_matrix((0.3 * self.h * self.before(z) ** 2, (rows, cols)), shape=(2 * n, 4 * n))
        return self.linear + cubic

    def hess(self, z, w):
        diagonal = np.zeros(4 * self.n)
        diagonal[self.n : 2 * self.n - 1] = 0.6 * self.h * self.before(z) * w[self.n + 1 :]
        return sp.diags(diagonal).tocsc()

    def violation(self, z):
        pairs = np.minimum(np.abs(z[self.F]), np.abs(z[self.H])).max()
        return max(np.abs(self.G(z)).max(), pairs)

    def notes(self, z):
        first, second = np.abs(z[self.F]) > 1e-6, np.abs(z[self.H]) > 1e-6
        return f"{first.sum()} first, {second.sum()} second, {(~first & ~second).sum()} none"

    def parts(self):
        import pendec
        from pendec import objectives, sets

        f = objectives.Quadratic(sp.diags(self.diagonal).tocsc(), self.c)
        C = sets.Singleton(np.zeros(2 * self.n))
        return f, pendec.Constraint(self.G, C, jac=self.jac, hess=self.hess)

    def pairs(self, seconds):
        import pendec
        from pendec import maps

        f, dynamics = self.parts()
        switches = pendec.Pairs(
            maps.Selection(4 * self.n, self.F), maps.Selection(4 * self.n, self.H), kind="switching"
        )
        return pendec.mpcc(f, self.start, switches, constraints=dynamics, options={"limits.seconds": seconds})

    def as_set(self, seconds):
        import pendec
        from pendec import sets

        f, dynamics = self.parts()
        D = sets.Product([sets.Free(2 * self.n), sets.Switching(self.n)])
        return pendec.minimize(f, self.start, set=D, constraints=dynamics, options={"limits.seconds": seconds})

    def model(self, casadi):
        n, z = self.n, casadi.SX.sym("z", 4 * self.n)
        f = 0.5 * casadi.dot(self.diagonal, z * z) + casadi.dot(self.c, z) + self.constant
        cubic = casadi.vertcat(casadi.SX.zeros(n + 1), 0.1 * self.h * z[n : 2 * n - 1] ** 3)
        return z, f, casadi.mtimes(casadi.DM(self.linear.tocsc()), z) + self.entering + cubic

    def relaxed(self, seconds):
        return relaxation(self, seconds, either_sign=True)

    solvers = {"pendec.mpcc": pairs, "pendec.minimize": as_set, "Scholtes, Ipopt": relaxed}


class LeastSquares:
    """min ½‖Ax - b‖², ten entries a row, at most n / 100 nonzeros; b is made from so many, with noise."""

    sizes = (1000, 10_000, 100_000, 1_000_000)
    unit = "variables"

    def __init__(self, size):
        rng = np.random.default_rng(size)
        self.n, self.s, rows = size, size // 100, size
        entries = rng.normal(size=10 * rows) / np.sqrt(10.0)
        self.A = sp.csr_matrix(
            (entries, rng.integers(size, size=10 * rows), np.arange(0, 10 * rows + 1, 10)), (rows, size)
        )
        self.A.sum_duplicates()
        self.planted = np.zeros(size)
        self.planted[rng.choice(size, self.s, replace=False)] = rng.choice([-1.0, 1.0], self.s) * (
            1 + rng.random(self.s)
        )
        self.b = self.A @ self.planted + 0.1 * rng.normal(size=rows)

    def objective(self, x):
        r = self.A @ x - self.b
        return 0.5 * r @ r

    def violation(self, x):
        return float(max(np.count_nonzero(x) - self.s, 0))

    def notes(self, x):
        found = np.count_nonzero(x * self.planted)
        return f"{found} of {self.s} planted"

    def solve(self, seconds):
        import pendec
        from pendec import objectives, sets

        D = sets.Sparse(self.n, self.s)
        r = pendec.minimize(
            objectives.LeastSquares(self.A, self.b), np.zeros(self.n), set=D, options={"limits.seconds": seconds}
        )
        return r

    def iteration(self):
        """Seconds of A x, Aᵀ w and one projection, the least of five."""
        from pendec import sets

        D, transposed = sets.Sparse(self.n, self.s), self.A.T.tocsr()
        x, w = self.planted + 1e-3 * np.sin(np.arange(self.n)), self.b
        return sum(least_seconds(step) for step in (lambda: self.A @ x, lambda: transposed @ w, lambda: D.project(x)))

    solvers = {"pendec.minimize": solve}


class Portfolio:
    """min ½xᵀ(BBᵀ + diag(d))x - ½ meanᵀx on the simplex, 20 factors, at most 10 assets."""

    sizes = (100, 1000, 10_000, 100_000)
    unit = "assets"

    def __init__(self, size):
        rng = np.random.default_rng(size)
        self.n, self.s = size, 10
        self.B = rng.normal(size=(size, 20)) * 0.05
        self.d = 0.01 * (0.5 + rng.random(size))
        self.mean = 0.01 * rng.normal(size=size)
        self.start = np.full(size, 1.0 / size)

    def objective(self, x):
        exposure = x @ self.B
        return 0.5 * (exposure @ exposure + x @ (self.d * x)) - 0.5 * self.mean @ x

    def violation(self, x):
        return max(abs(x.sum() - 1.0), -x.min(), 0.0)

    def notes(self, x):
        return f"{np.count_nonzero(x)} held"

    def on(self, D, seconds):
        import pendec
        from pendec import objectives

        f = objectives.Quadratic(factor=self.B, diagonal=self.d, c=-0.5 * self.mean)
        return pendec.minimize(f, self.start, set=D, options={"limits.seconds": seconds})

    def simplex(self, seconds):
        from pendec import sets

        return self.on(sets.Simplex(self.n), seconds)

    def few(self, seconds):
        from pendec import sets

        return self.on(sets.SparseSimplex(self.n, self.s), seconds)

    solvers = {"simplex": simplex, "10 assets": few}


class Transport:
    """The nearest k × k plan with given sums of rows and columns to a random matrix."""

    sizes = (100, 1024, 10_000, 99_856)
    unit = "variables"

    def __init__(self, size):
        rng = np.random.default_rng(size)
        k = round(np.sqrt(size))
        self.z = 3.0 * rng.normal(size=k * k) / k
        self.d = np.concatenate([0.5 + rng.random(k), 0.5 + rng.random(k)])
        self.d[k:] *= self.d[:k].sum() / self.d[k:].sum()
        one = np.ones((1, k))
        self.E = sp.vstack([sp.kron(sp.eye(k), one), sp.kron(one, sp.eye(k))]).tocsr()

    def objective(self, x):
        return 0.5 * np.sum((x - self.z) ** 2)

    def violation(self, x):
        return max(np.abs(self.E @ x - self.d).max(), -x.min(), 0.0)

    def notes(self, x):
        """How far x is from the projection: z - x has to be Eᵀp where x is positive, and no more than that elsewhere."""
        positive = x > 1e-9
        p = sp.linalg.lsqr(self.E[:, positive].T, (self.z - x)[positive], atol=1e-13, btol=1e-13, iter_lim=20_000)[0]
        off = self.z - x - self.E.T @ p
        worst = max(np.abs(off[positive]).max(), off.max())
        return f"{positive.sum()} positive, optimality {worst:.1e}"

    def project(self, seconds):
        from pendec import sets

        D = sets.Polyhedron(E=self.E, d=self.d, lower=np.zeros(self.z.size))
        return SimpleNamespace(x=D.project(self.z), status="projected")

    solvers = {"pendec.sets.Polyhedron": project}


families = {"a": Obstacle, "b": Switching, "c": LeastSquares, "d": Portfolio, "e": Transport}


# --- The peer


def relaxation(problem, seconds, either_sign):
    """Scholtes' relaxation of F H = 0 by F H ≤ sigma, or by |F H| ≤ sigma, and the program on the branch found.

    Objectives that are sums over a fine grid have small gradients: without the factor Ipopt would stop early.
    """
    import casadi

    z, f, equations = problem.model(casadi)
    m, pairs = equations.shape[0], problem.F.size
    settings = {
        "print_level": 0,
        "sb": "yes",
        "tol": 1e-8,
        "max_iter": 3000,
        "obj_scaling_factor": 1.0 / problem.weight,
    }
    pushes = ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
    again = settings | {"warm_start_init_point": "yes"} | {f"warm_start_{push}": 1e-9 for push in pushes}
    spent = iterations = 0

    def solve(rows, ipopt, lower, upper, **arguments):
        nonlocal spent, iterations
        solver = casadi.nlpsol(
            "solver",
            "ipopt",
            {"x": z, "f": f, "g": rows},
            {"ipopt": ipopt, "print_time": False, "error_on_fail": False},
        )
        begin = time.perf_counter()
        found = solver(lbx=lower, ubx=upper, **arguments)
        spent += time.perf_counter() - begin
        iterations += solver.stats()["iter_count"]
        return found, solver.stats()["return_status"]

    rows = casadi.vertcat(equations, z[problem.F.tolist()] * z[problem.H.tolist()])
    point = {"x0": problem.start}
    for power in range(9):
        sigma = 10.0**-power
        ipopt = again | {"mu_init": min(0.1, sigma)} if power else settings
        least = np.concatenate([np.zeros(m), np.full(pairs, -sigma if either_sign else -np.inf)])
        most = np.concatenate([np.zeros(m), np.full(pairs, sigma)])
        found, status = solve(rows, ipopt, problem.lower, problem.upper, lbg=least, ubg=most, **point)
        point = {"x0": found["x"], "lam_x0": found["lam_x"], "lam_g0": found["lam_g"]}
        if spent > seconds:
            break
    x = np.array(found["x"]).ravel()
    if spent <= seconds:
        lower, upper = problem.lower.copy(), problem.upper.copy()
        zero = np.where(np.abs(x[problem.F]) <= np.abs(x[problem.H]), problem.F, problem.H)
        lower[zero] = upper[zero] = 0.0
        found, status = solve(equations, settings, lower, upper, x0=x, lbg=0.0, ubg=0.0)
        x = np.array(found["x"]).ravel()
    return SimpleNamespace(x=x, status=status, seconds=spent, iterations=iterations)


# --- Measuring


def least_seconds(step, times=5):
    spent = []
    for _ in range(times):
        begin = time.perf_counter()
        step()
        spent.append(time.perf_counter() - begin)
    return min(spent)


def memory(what):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024.0 for line in status if line.startswith(what))


def measured(family, size, solver, seconds, gigabytes):
    """One solve, in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 1024 * MEGABYTE),) * 2)
    peer = "Ipopt" in solver
    if peer:
        import casadi  # noqa: F401
    else:
        import pendec  # noqa: F401
    problem = families[family](size)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as peak:
        peak.write("5")  # begins anew
    before = memory("VmRSS")
    begin = time.perf_counter()
    r = problem.solvers[solver](problem, seconds)
    spent = getattr(r, "seconds", None) if peer else time.perf_counter() - begin
    row = {"status": str(r.status), "seconds": spent, "memory": memory("VmHWM") - before}
    x = np.asarray(r.x)
    if x.size and np.isfinite(x).all():
        row |= {"f": problem.objective(x), "violation": problem.violation(x), "notes": problem.notes(x)}
    if family == "c" and r.njev:  # none where the optimum is sought by branch and bound
        row["iterations"], row["unit_seconds"] = int(r.njev), problem.iteration()
    elif hasattr(r, "iterations"):
        row["iterations"] = r.iterations
    return row


def in_own_process(family, size, solver, arguments):
    python = arguments.peer_python if "Ipopt" in solver else sys.executable
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [python, __file__, "--one", family, str(size), solver]
    command += ["--seconds", str(arguments.seconds), "--gigabytes", str(arguments.gigabytes)]
    limit = 2 * arguments.seconds + 30
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"status": f"no answer in {limit:g} s"}
    last = run.stdout.splitlines()[-1:] or [""]
    if run.returncode == 0 and last[0].startswith("{"):
        return json.loads(last[0])
    why = (run.stderr.strip().splitlines() or [f"ended with {run.returncode}"])[-1]
    return {"status": "not installed" if "ModuleNotFoundError" in why else why[:100]}


def exponent(rows, what, limit):
    """Of size in seconds or memory, from the last three solutions with something to measure, none cut short."""
    least = {"seconds": 0.02, "memory": 2.0}[what]
    solved = [
        row for row in rows if row.get("violation", 1.0) < 1e-4 and row["seconds"] < limit and row[what] > least
    ]
    if len(solved) < 2:
        return "–"
    sizes, values = np.log([(row["size"], row[what]) for row in solved[-3:]]).T
    return f"{np.polyfit(sizes, values, 1)[0]:.2f}"


def requirements(rows):
    """How many ratios could be looked at, and those that fail."""
    at = {(row["family"], row["size"], row["solver"]): row for row in rows}
    looked_at, failed = 0, []
    ours, peer = at.get(("a", 5041, "pendec.mpcc")), at.get(("a", 5041, "Scholtes, Ipopt"))
    if ours and peer and "f" in peer:
        looked_at += 3
        feasible = ours.get("violation", np.inf) <= 1e-6
        for what, times in (("seconds", 2.0), ("f", 1.001), ("memory", 4.0)):
            found = ours[what] if feasible else np.inf  # of a solution
            if not found <= times * peer[what]:
                failed.append(f"a: {what} {found:.4g} > {times:g} x {peer[what]:.4g}")
    large = at.get(("c", 1_000_000, "pendec.minimize"))
    if large:
        looked_at += 1
        each, unit = large.get("seconds", np.inf) / large.get("iterations", 1), large.get("unit_seconds", 0.0)
        if not each <= 3.0 * unit:
            failed.append(f"c: {each:.3g} s an iteration > 3 x {unit:.3g} s")
    return looked_at, failed


def shown(value, form):
    return format(value, form) if value is not None else "–"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--family", nargs="+", choices=families, default=list(families))
    parser.add_argument("--sizes", type=int, nargs="+")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--gigabytes", type=float, default=8.0)
    parser.add_argument("--json")
    parser.add_argument("--required", action="store_true")
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--without-peers", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        family, size, solver = arguments.one
        print(json.dumps(measured(family, int(size), solver, arguments.seconds, arguments.gigabytes)))
        return 0

    import pendec

    print("# Large sparse problems\n")
    print(f"pendec {pendec.__version__}, SciPy {scipy.__version__}, {platform.machine()}, one thread,", end=" ")
    print(f"limits {arguments.seconds:g} s and {arguments.gigabytes:g} GiB, in one run of `bench/large.py`.")
    rows = []
    for letter in arguments.family:
        family = families[letter]
        print(f"\n## {letter}: {family.__doc__.splitlines()[0]}\n")
        print(
            f"| {family.unit} | solver | status | seconds | MiB | f | violation | notes |\n|---|---|---|---|---|---|---|---|"
        )
        for solver in family.solvers:
            if arguments.without_peers and "Ipopt" in solver:
                continue
            for size in arguments.sizes or family.sizes:
                runs = [in_own_process(letter, size, solver, arguments) for _ in range(arguments.repeat)]
                row = min(runs, key=lambda run: run.get("seconds", np.inf))
                row |= {"family": letter, "size": size, "solver": solver}
                rows.append(row)
                notes = row.get("notes", "")
                if row.get("unit_seconds"):
                    each = row["seconds"] / row["iterations"]
                    notes += f", {row['iterations']} iterations of {each / row['unit_seconds']:.2f} units"
                elif "iterations" in row:
                    notes += f", {row['iterations']} iterations"
                cells = [row["status"], shown(row.get("seconds"), ".3g"), shown(row.get("memory"), ".0f")]
                cells += [shown(row.get("f"), ".8g"), shown(row.get("violation"), ".1e"), notes]
                print(f"| {size} | {solver} | " + " | ".join(cells) + " |", flush=True)
                if "no answer" in row["status"] or row["status"] == "not installed":
                    break  # larger ones have none either
    print("\n| family | solver | exponent of seconds | of memory |\n|---|---|---|---|")
    for letter in arguments.family:
        for solver in families[letter].solvers:
            series = [row for row in rows if (row["family"], row["solver"]) == (letter, solver)]
            if series:
                seconds, megabytes = (exponent(series, what, arguments.seconds) for what in ("seconds", "memory"))
                print(f"| {letter} | {solver} | {seconds} | {megabytes} |")
    looked_at, failed = requirements(rows)
    if failed:
        verdict = "these fail: " + "; ".join(failed)
    else:
        verdict = "all hold" if looked_at == 4 else f"{looked_at} of 4 were run and hold"
    print("\nrequired ratios:", verdict)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 1 if arguments.required and (failed or not looked_at) else 0


if __name__ == "__main__":
    sys.exit(main())
