"""Complementarity problems of MacMPEC: what is solved, in how many seconds, beside Scholtes' relaxation and the l1
penalty, both with Ipopt.

python bench/macmpec.py DATA [--program build/release/bin/pendec] [--names bard1m ...] [--solvers pendec scholtes penalty]
                        [--seconds 60] [--seeds 0 1 2 3] [--verify] [--json FILE] [--also FILE ...]
                        [--picture FILE] [--required] > docs/results/mpcc.md

DATA has .nl files and best.csv, the values that the collection lists. Every solve has a process of its own on one
thread. All are judged alike, by CasADi's evaluation of the file at the point returned: solved means that bounds, rows
and min(F, H) are violated by at most 1e-6 and f is no worse than listed by 1e-4 max(1, |listed|).

Seconds are processor time: of pendec that of the whole process, reading the file included, less what it takes to say its
version; of the peers that spent inside Ipopt and the functions that it calls, without the time that Python takes to
start and CasADi to read the file and to derive and set these up. Peers:
  scholtes  F H <= sigma for sigma = 1, 0.1, ..., 1e-8, each from the solution of the last
  penalty   f + rho sum F H, rho times 10 until the pairs hold
and both then solve the nonlinear program on the branch found, and keep the better feasible point. Among --solvers may
be single ways of pendec, as pendec:penalty, pendec:relaxation and pendec:general (driver.pairs).

The page is made when all is solved; --also adds the rows that earlier runs stored with --json. With --seeds each problem
is solved by pendec from starts moved at random, by up to 30 % of max(1, |x_i|), one for each seed but 0.
With --verify pendec's results are also checked by `pendec verify`. With --required the program fails where one of these
does not hold:
  at least 97 % of the problems with a listed value are solved, all of those with up to 50 variables, and of each size
    class at least as many as by any peer; 95 % from moved starts
  the geometric mean of seconds where both solve is at most 0.5 times that of scholtes up to 200 variables, and at most
    1 times beyond
  90 % of the solved ones are B-stationary, every result is verified, and none claims more than it has: nothing that is
    called converged or optimal is violated by more than 1e-6
"""

import argparse
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

classes = [50, 200, 1000, np.inf]
peers = ("scholtes", "penalty")


# --- Problems, as CasADi reads them


class Model:
    """An .nl file: CasADi knows nothing of complementarity, so that its rows are read here and freed there."""

    def __init__(self, text):
        import casadi

        lines, self.pairs = text.split("\n"), []  # (row, variable)
        first = lines.index(next(line for line in lines if line.split("#")[0].strip() == "r")) + 1
        for row in range(int(lines[1].split()[1])):
            words = lines[first + row].split("#")[0].split()
            if words[0] != "5":
                continue
            if words[1] != "1":
                raise ValueError("only complementarity at lower bounds is read here")
            self.pairs.append((row, int(words[2]) - 1))
            lines[first + row] = "3"
        with tempfile.NamedTemporaryFile("w", suffix=".nl") as file:
            file.write("\n".join(lines))
            file.flush()
            builder = casadi.NlpBuilder()
            builder.import_nl(file.name)
        self.x, self.f, self.g = casadi.vertcat(*builder.x), builder.f, casadi.vertcat(*builder.g)
        self.maximise = bool(re.search(r"^O0 1", text, re.MULTILINE))  # CasADi gives −f then
        self.lower, self.upper, self.start, self.g_lower, self.g_upper = (
            np.array(v, dtype=float) for v in (builder.x_lb, builder.x_ub, builder.x_init, builder.g_lb, builder.g_ub)
        )
        self.n = len(self.start)
        rows, variables = np.array(self.pairs, dtype=int).reshape(-1, 2).T
        self.rows, self.variables = rows, variables
        self.values = casadi.Function("values", [self.x], [self.f, self.g])

    def judged(self, x):
        """f in the sense of the file, and the largest violation."""
        f, g = (np.array(v).ravel() for v in self.values(x))
        F, H = g[self.rows], x[self.variables] - self.lower[self.variables]
        worst = [self.lower - x, x - self.upper, self.g_lower - g, g - self.g_upper, np.abs(np.minimum(F, H)), [0.0]]
        violation = max(np.max(v, initial=0.0) for v in worst)
        return (-f[0] if self.maximise else f[0]), violation


def moved(text, seed):
    """The file with a start moved at random inside the bounds."""
    model = Model(text)
    rng = np.random.default_rng(seed)
    start = model.start + 0.3 * np.maximum(1.0, np.abs(model.start)) * rng.uniform(-1.0, 1.0, model.n)
    start = np.clip(start, model.lower, model.upper)
    lines, out, skip = text.split("\n"), [], 0
    for line in lines:
        if skip:
            skip -= 1
        elif re.match(r"x\d+(\s|$)", line):
            skip = int(re.match(r"x(\d+)", line).group(1))
        elif line.split("#")[0].strip() == "r":
            out += [f"x{model.n}", *(f"{i} {v!r}" for i, v in enumerate(start.tolist())), line]
        else:
            out.append(line)
    return "\n".join(out)


# --- Peers


def peer(model, name, seconds):
    """The point, and the seconds inside Ipopt."""
    import casadi

    F, H = model.g[model.rows.tolist()], model.x[model.variables.tolist()] - model.lower[model.variables]
    rho = casadi.MX.sym("rho")
    pairs, spent = len(model.pairs), 0.0
    lower = model.g_lower.copy()
    lower[model.rows] = 0.0
    settings = {"print_level": 0, "sb": "yes", "max_iter": 500, "tol": 1e-8, "bound_relax_factor": 0.0}
    settings |= {"linear_solver": "mumps"}
    again = {"warm_start_init_point": "yes"}
    again |= {
        f"warm_start_{push}": 1e-8
        for push in ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
    }

    def solver(program, options):
        limits = {"max_cpu_time": max(0.1, seconds - spent)}
        return casadi.nlpsol(
            "peer",
            "ipopt",
            program,
            {"ipopt": settings | options | limits, "print_time": False, "error_on_fail": False},
        )

    def run(solve, **arguments):
        nonlocal spent
        begin = time.process_time()
        found = solve(**arguments)
        spent += time.process_time() - begin
        return found, solve.stats()["success"]

    def finish(found):
        """The branch found, as bounds."""
        x = np.array(found["x"]).ravel()
        f_value, g_value = model.values(x)
        F_value, H_value = np.array(g_value).ravel()[model.rows], (x - model.lower)[model.variables]
        at_F = F_value <= H_value
        x_upper, g_upper = model.upper.copy(), model.g_upper.copy()
        g_upper[model.rows[at_F]] = 0.0
        x_upper[model.variables[~at_F]] = model.lower[model.variables[~at_F]]
        branch = solver({"x": model.x, "f": model.f, "g": model.g}, {})
        ended, _ = run(branch, x0=x, lbx=model.lower, ubx=x_upper, lbg=lower, ubg=g_upper)
        y = np.array(ended["x"]).ravel()
        y = np.clip(y, model.lower, x_upper)
        candidates = [p for p in (y, x) if np.isfinite(p).all()]
        sign = -1.0 if model.maximise else 1.0
        judged = [(model.judged(p), p) for p in candidates]
        feasible = [(sign * f, k) for k, ((f, violation), _) in enumerate(judged) if violation <= 1e-6]
        return judged[min(feasible)[1]][1] if feasible else x

    box = {"lbx": model.lower, "ubx": model.upper}
    point = {"x0": np.clip(model.start, model.lower, model.upper)}
    if name == "scholtes":
        program = {"x": model.x, "f": model.f, "g": casadi.vertcat(model.g, F * H)}
        for power in range(9):
            sigma = 10.0**-power
            solve = solver(program, again | {"mu_init": min(0.1, sigma)} if power else {})
            least = np.concatenate([lower, np.full(pairs, -np.inf)])
            most = np.concatenate([model.g_upper, np.full(pairs, sigma)])
            found, _ = run(solve, lbg=least, ubg=most, **box, **point)
            point = {"x0": found["x"], "lam_x0": found["lam_x"], "lam_g0": found["lam_g"]}
            if spent > seconds:
                break
    else:
        program = {"x": model.x, "p": rho, "f": model.f + rho * casadi.dot(F, H), "g": model.g}
        first, later = solver(program, {}), solver(program, again | {"mu_init": 1e-2})
        for power in range(8):
            found, _ = run(later if power else first, p=10.0**power, lbg=lower, ubg=model.g_upper, **box, **point)
            point = {"x0": found["x"], "lam_x0": found["lam_x"], "lam_g0": found["lam_g"]}
            _, violation = model.judged(np.array(found["x"]).ravel())
            if violation <= 1e-7 or spent > seconds:
                break
    return (finish(found) if spent <= seconds else np.array(found["x"]).ravel()), spent


def solved_by_peer(file, name, seconds):
    """One solve, in this process."""
    model = Model(Path(file).read_text(encoding="ascii"))
    x, spent = peer(model, name, seconds)
    f, violation = model.judged(x)
    print(json.dumps({"status": "", "f": f, "violation": violation, "seconds": spent}))


# --- Runs


def in_own_process(command, limit):
    """Its output, and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit, check=False)
        out = run.stdout if run.returncode == 0 else run.stdout + run.stderr
    except subprocess.TimeoutExpired:
        out = "no answer"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_peer(file, name, arguments):
    command = [sys.executable, __file__, "--one", str(file), name, "--seconds", str(arguments.seconds), "."]
    out, _ = in_own_process(command, 3 * arguments.seconds + 60)
    last = out.splitlines()[-1] if out.strip() else ""
    return json.loads(last) if last.startswith("{") else {"status": last[:80], "seconds": arguments.seconds}


def run_ours(file, name, arguments):
    """The .sol is judged; the result is what is verified."""
    result, sol = file.with_suffix(".json"), file.with_suffix(".sol")
    for old in (result, sol):
        old.unlink(missing_ok=True)
    words = [f"seconds={arguments.seconds:g}", f"result={result}", *arguments.options]
    if ":" in name:
        words.append(f"driver.pairs={name.split(':')[1]}")
    out, spent = in_own_process([arguments.program, str(file), "-AMPL", *words], 2 * arguments.seconds + 10)
    row = {"status": out.strip()[-80:], "seconds": max(0.0, spent - arguments.to_start)}
    if not sol.exists():
        return row
    lines = sol.read_text(encoding="ascii").split("\n")
    begin = lines.index("Options")
    row["message"] = " ".join(lines[:begin]).strip()
    words = lines[begin + 1 : begin + 1 + int(lines[begin + 1]) + 5]
    duals, n = int(words[-3]), int(words[-1])
    first = begin + 1 + len(words) + duals
    x = np.array([float(v) for v in lines[first : first + n]])
    if n:
        f, violation = Model(file.read_text(encoding="ascii")).judged(x)
        row |= {"f": f, "violation": violation}
    if result.exists():
        r = json.loads(result.read_text(encoding="utf-8"))
        row["status"], row["method"] = r["status"], r["method"]
        row["stationarity"] = (r.get("details") or {}).get("stationarity", "")
        if arguments.verify:
            out, _ = in_own_process([arguments.program, "verify", str(file), str(result), "--quiet"], 120)
            row["verified"] = "no" if out.strip() else "yes"
    return row


def is_solved(row, listed, maximise):
    worse = (listed - row.get("f", np.nan)) if maximise else (row.get("f", np.nan) - listed)
    return row.get("violation", np.inf) <= 1e-6 and worse <= 1e-4 * max(1.0, abs(listed))


# --- Tables


def class_of(n):
    return next(k for k, most in enumerate(classes) if n <= most)


def class_name(k):
    below = classes[k - 1] if k else 0
    return f"n ≤ {classes[k]:g}" if np.isfinite(classes[k]) else f"n > {below:g}"


def geometric_mean(values):
    return float(np.exp(np.mean(np.log(values)))) if len(values) else np.nan


def profile(rows, solvers, path):
    """How many problems are solved within so many times the seconds of the fastest."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = sorted({row["name"] for row in rows})
    seconds = np.array(
        [
            [
                next((r["seconds"] for r in rows if (r["name"], r["solver"]) == (n, s) and r["solved"]), np.inf)
                for s in solvers
            ]
            for n in names
        ]
    )
    ratios = np.maximum(seconds, 1e-2) / np.maximum(seconds.min(axis=1), 1e-2)[:, None]
    figure, axes = plt.subplots(figsize=(7, 4))
    for k, name in enumerate(solvers):
        r = np.sort(ratios[np.isfinite(ratios[:, k]), k])
        axes.step(
            np.r_[1.0, r, 1e3], np.r_[0, np.arange(1, r.size + 1), r.size] / len(names), where="post", label=name
        )
    axes.set(
        xscale="log",
        xlim=(1, 1e3),
        ylim=(0, 1.02),
        xlabel="processor time beside that of the fastest",
        ylabel="share solved",
    )
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path)


def requirements(rows, solvers):
    ours = [row for row in rows if row["solver"] == "pendec"]
    failed = []

    def hold(what, ok):
        if not ok:
            failed.append(what)

    original = [row for row in ours if row["seed"] == 0 and row["listed"] is not None]
    count = sum(row["solved"] for row in original)
    hold(f"{count} of {len(original)} solved", count >= 0.97 * len(original))
    for k in range(len(classes)):
        mine = [row for row in original if class_of(row["n"]) == k]
        hold(f"{class_name(k)}: not all solved", k > 0 or all(row["solved"] for row in mine))
        for name in solvers:
            theirs = [row for row in rows if row["solver"] == name and row["seed"] == 0 and class_of(row["n"]) == k]
            won, lost = sum(row["solved"] for row in mine), sum(row["solved"] for row in theirs)
            hold(f"{class_name(k)}: {won} against {lost} of {name}", won >= lost)
    for most, times, beyond in ((200, 0.5, False), (200, 1.0, True)):
        ratio = ratio_of_seconds(rows, "scholtes", lambda n, m=most, b=beyond: (n > m) == b)
        hold(f"seconds {'beyond' if beyond else 'up to'} {most}: {ratio:.2f} x scholtes", not ratio > times)
    from_moved = [row for row in ours if row["seed"] and row["listed"] is not None]
    won = sum(row["solved"] for row in from_moved)
    hold(f"{won} of {len(from_moved)} from moved starts", won >= 0.95 * len(from_moved))
    solved = [row for row in original if row["solved"]]
    certified = sum(row.get("stationarity") in ("B", "S") for row in solved)
    hold(f"{certified} of {len(solved)} B-stationary", certified >= 0.9 * len(solved))
    for row in ours:
        claims = row["status"] in ("converged", "optimal")
        hold(
            f"{row['name']}: {row['status']}, violated by {row.get('violation')}",
            not claims or row["violation"] <= 1e-6,
        )
        hold(f"{row['name']}: not verified", row.get("verified", "yes") == "yes")
    return failed


def ratio_of_seconds(rows, name, of_size):
    """The geometric mean of ours beside theirs, where both solve."""
    times = {}
    for row in rows:
        if row["solved"] and row["seed"] == 0 and of_size(row["n"]):
            times.setdefault(row["name"], {})[row["solver"]] = max(row["seconds"], 1e-3)
    return geometric_mean([t["pendec"] / t[name] for t in times.values() if "pendec" in t and name in t])


def print_table(head, lines):
    print("\n| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for line in lines:
        print("| " + " | ".join(str(cell) for cell in line) + " |")


def in_classes(rows):
    """Those with a listed value, by size, and all."""
    known = [row for row in rows if row["listed"] is not None]
    return [[row for row in known if class_of(row["n"]) == k] for k in range(len(classes))] + [known]


def share(rows):
    return f"{sum(row['solved'] for row in rows)}/{len(rows)}" if rows else ""


def print_page(rows, solvers, picture):
    head = ["solved", *(class_name(k) for k in range(len(classes))), "all"]
    given = [row for row in rows if row["seed"] == 0]
    by_name = {name: [row for row in given if row["solver"] == name] for name in solvers}
    moved_ones = [row for row in rows if row["seed"]]
    lines = [[name, *map(share, in_classes(mine))] for name, mine in by_name.items()]
    if moved_ones:
        lines.append(["pendec, moved starts", *map(share, in_classes(moved_ones))])
    print("# Complementarity problems of MacMPEC\n")
    print(page_text)
    print_table(head, lines)
    if picture:
        print(f"\n![Shares solved within multiples of the fastest time](../images/{Path(picture).name})")
    sizes = [*(lambda n, k=k: class_of(n) == k for k in range(len(classes))), lambda n: True]
    print("\nThe geometric means of pendec's seconds beside those of the others, where both solve:")
    beside = [name for name in solvers if not name.startswith("pendec")]
    print_table(
        head, [[f"beside {name}", *(f"{ratio_of_seconds(rows, name, of):.2f}" for of in sizes)] for name in beside]
    )
    solved = [row for row in by_name.get("pendec", []) if row["solved"]]
    counts = {kind: sum(row.get("stationarity") == kind for row in solved) for kind in ("S", "B", "M", "C", "none")}
    print(
        "\nStationarity that pendec's points are certified for: "
        + ", ".join(f"{k}: {c}" for k, c in counts.items() if c)
        + "."
    )
    print("\n## Each problem")
    lines = []
    for row in sorted(rows, key=lambda row: (row["name"], row["seed"], solvers.index(row["solver"]))):
        status = row["status"] + (f" ({row['stationarity']})" if row.get("stationarity") else "")
        listed = "" if row["listed"] is None else f"{row['listed']:.9g}"
        line = [row["name"], row["n"], row["pairs"], row["seed"] or "given", row["solver"], status]
        line += [
            f"{row.get('f', np.nan):.9g}",
            listed,
            f"{row.get('violation', np.nan):.1e}",
            f"{row['seconds']:.3g}",
        ]
        lines.append([*line, "yes" if row["solved"] else "no" if listed else "–"])
    head = ["problem", "n", "pairs", "start", "solver", "status", "f", "listed", "violation", "seconds", "solved"]
    print_table(head, lines)


page_text = """Made by `bench/macmpec.py`. Solved means: within 60 seconds, bounds, rows and min(F, H) are violated by at most 1e-6 and f is
no worse than the value that the collection lists by 1e-4 max(1, |listed|), as CasADi evaluates the file at the point
returned. *scholtes* relaxes all products F H step by step, *penalty* penalises them, both with Ipopt, through CasADi, and
solve the nonlinear program on the branch found. `pendec:penalty` and the like are single ways of pendec, `driver.pairs`;
by itself it goes down by the penalty, then, where the certificate is weak or the ways disagree, by the relaxation, and
from the better end to better sides. Moved starts differ by up to 30 % of max(1, |x_i|). Seconds are processor time on one
thread, of pendec with reading the file, of the others inside Ipopt and what it calls; those of single ways and of moved
starts are elapsed time. Fifteen runs at once on sixteen cores, which makes all of them slower than alone."""


def solve_all(arguments):
    with open(arguments.data / "best.csv", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as folder:
        for entry in table:
            if arguments.names is not None and entry["name"] not in arguments.names:
                continue
            text = (arguments.data / f"{entry['name']}.nl").read_text(encoding="ascii")
            try:
                listed = float(entry["best_listed"])
            except ValueError:
                listed = None
            model = Model(text)
            for seed in arguments.seeds:
                file = Path(folder) / f"{entry['name']}.nl"
                file.write_text(moved(text, seed) if seed else text, encoding="ascii")
                for name in arguments.solvers:
                    if seed and name != "pendec":
                        continue
                    ours = name.split(":")[0] == "pendec"
                    row = run_ours(file, name, arguments) if ours else run_peer(file, name, arguments)
                    row |= {"name": entry["name"], "n": int(entry["n"]), "pairs": len(model.pairs), "solver": name}
                    row |= {"seed": seed, "listed": listed}
                    row["solved"] = bool(listed is not None and is_solved(row, listed, model.maximise))
                    print(
                        *(row.get(key) for key in ("name", "seed", "solver", "status", "f", "listed", "seconds")),
                        file=sys.stderr,
                    )
                    yield row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--program", default="build/release/bin/pendec")
    parser.add_argument("--names", nargs="*")
    parser.add_argument("--solvers", nargs="+", default=["pendec", *peers])
    parser.add_argument("--options", nargs="+", default=[], help="name=value for pendec")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="0: the start given")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--also", nargs="+", type=Path, default=[])
    parser.add_argument("--picture")
    parser.add_argument("--required", action="store_true")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        solved_by_peer(*arguments.one, arguments.seconds)
        return 0
    arguments.program = os.path.abspath(arguments.program)
    arguments.to_start = np.median([in_own_process([arguments.program, "-v"], 10)[1] for _ in range(20)])
    rows = [row for file in arguments.also for row in json.loads(file.read_text(encoding="utf-8"))]
    for row in solve_all(arguments):
        rows.append(row)
        if arguments.json:
            Path(arguments.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    solvers = sorted({row["solver"] for row in rows}, key=lambda name: (not name.startswith("pendec"), name))
    print_page(rows, solvers, arguments.picture)
    if arguments.picture:
        known = [row for row in rows if row["seed"] == 0 and row["listed"] is not None]
        profile(known, [name for name in solvers if ":" not in name], arguments.picture)
    failed = requirements(rows, [name for name in solvers if not name.startswith("pendec")])
    print("required:", "these fail: " + "; ".join(failed) if failed else "all hold", file=sys.stderr)
    return 1 if arguments.required and failed else 0


if __name__ == "__main__":
    sys.exit(main())
