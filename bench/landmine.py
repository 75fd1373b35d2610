"""Joins the JSON lines of the reference program and of landmine_solves, and checks f, feasibility and the ratio."""

import argparse
import json
import sys

from verdict import verdict

REQUIRED = 50.0  # times fewer CPU seconds for each eta
SECONDS = 1.0  # CPU seconds of pendec for all eta
# The least f of 1000 random starts, to which pendec must come within 1e-6.
BEST = {
    "landmine_eta2": 15.8922965930,
    "landmine_eta0.5": 15.8514723098,
    "landmine_eta0.1": 15.6887137725,
    "landmine_eta0.01": 15.2073695906,
}


def read(path):
    with open(path, encoding="utf-8") as lines:
        return {row["instance"]: row for row in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reference")
    parser.add_argument("pendec")
    args = parser.parse_args()
    reference, pendec = read(args.reference), read(args.pendec)

    print(f"{'':<18}{'f':>18}{'f':>18}{'cpu s':>12}{'cpu s':>12}{'':>9}")
    print(f"{'instance':<18}{'reference':>18}{'pendec':>18}{'reference':>12}{'pendec':>12}{'ratio':>9}")
    missed = []
    total = [0.0, 0.0]
    for name, best in BEST.items():
        if name not in reference or name not in pendec:
            missed.append(f"{name}: no result")
            continue
        a, b = reference[name], pendec[name]
        total = [total[0] + a["cpu_s"], total[1] + b["cpu_s"]]
        ratio = a["cpu_s"] / b["cpu_s"]
        print(f"{name:<18}{a['f_val']:>18.10f}{b['f']:>18.10f}{a['cpu_s']:>12.3f}{b['cpu_s']:>12.4f}{ratio:>9.1f}")
        if not b["f"] <= best + 1e-6:
            missed.append(f"{name}: f is {b['f'] - best:.1e} above the best known")
        if not b["feasibility"] <= 1e-6:
            missed.append(f"{name}: infeasible by {b['feasibility']:.1e}")
        if b["status"] != "converged":
            missed.append(f"{name}: {b['status']}")
        if not ratio >= REQUIRED:
            missed.append(f"{name}: {ratio:.1f} times faster, required are {REQUIRED:g}")
    if all(total):
        print(f"{'total':<54}{total[0]:>12.3f}{total[1]:>12.4f}{total[0] / total[1]:>9.1f}")
        if not total[1] < SECONDS:
            missed.append(f"{total[1]:.2f} s for all, required is less than {SECONDS:g} s")
    print(f"\nprocess time, one thread; required: {REQUIRED:g} x for each, f within 1e-6 of the best known")
    return verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
