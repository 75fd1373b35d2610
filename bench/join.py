"""Joins the JSON lines of the reference program and of reference_solves into one table, and checks the required ratios."""

import argparse
import json
import sys

from verdict import verdict

# Instances, and how many times fewer CPU seconds pendec must take on each and on all of the group.
GROUPS = [("Table 6.1", ["QP_10_10_0", "QP_25_10_0", "QP_50_10_0"], 50.0), ("P1(200,5)", ["P1(200,5)"], 5.0)]
COUNT_TOLERANCE = 0.005  # of the projections, relative
VALUE_TOLERANCE = 1e-6  # of f, relative


def read(paths):
    rows = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                rows[row["instance"]] = row
    return rows


def line(name, reference, pendec, f=("", ""), projections=("", "")):
    print(
        (
            f"{name:<18}{reference:>13.5f}{pendec:>13.5f}{reference / pendec:>9.1f}"
            f"{f[0]:>18}{f[1]:>18}{projections[0]:>9}{projections[1]:>9}"
        ).rstrip()
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", nargs="+", required=True)
    parser.add_argument("--pendec", nargs="+", required=True)
    args = parser.parse_args()
    reference, pendec = read(args.reference), read(args.pendec)

    print(f"{'':<18}{'cpu s':>13}{'cpu s':>13}{'':>9}{'f':>18}{'f':>18}{'projections':>18}")
    print(
        f"{'instance':<18}{'reference':>13}{'pendec':>13}{'ratio':>9}{'reference':>18}{'pendec':>18}"
        f"{'ref.':>9}{'pendec':>9}"
    )
    missed = []
    for group, names, required in GROUPS:
        absent = [name for name in names if name not in reference or name not in pendec]
        if absent:
            missed.append(f"no result for {', '.join(absent)}")
            continue
        for name in names:
            a, b = reference[name], pendec[name]
            line(
                name,
                a["cpu_s"],
                b["cpu_s"],
                (f"{a['f_val']:.10g}", f"{b['f']:.10g}"),
                (a["projections"], b["projections"]),
            )
            if not a["cpu_s"] >= required * b["cpu_s"]:
                missed.append(f"{name}: {a['cpu_s'] / b['cpu_s']:.1f} times faster, required are {required:g}")
            if not abs(a["projections"] - b["projections"]) <= COUNT_TOLERANCE * a["projections"]:
                missed.append(f"{name}: projections differ by more than {COUNT_TOLERANCE:.1%}")
            if not abs(a["f_val"] - b["f"]) <= VALUE_TOLERANCE * abs(a["f_val"]):
                missed.append(f"{name}: f differs by more than {VALUE_TOLERANCE:g}, relatively")
        if len(names) > 1:
            a, b = (sum(rows[name]["cpu_s"] for name in names) for rows in (reference, pendec))
            line(f"{group}, total", a, b)
            if not a >= required * b:
                missed.append(f"{group} in total: {a / b:.1f} times faster, required are {required:g}")

    repeats = max(row["repeats"] for row in pendec.values())
    print(f"\nprocess time, one thread; pendec on Table 6.1: the mean of {repeats} solves, all else: one solve")
    required = "; ".join(
        f"{ratio:g} x on {group}" + (", each and in total" if len(names) > 1 else "")
        for group, names, ratio in GROUPS
    )
    print(f"required: {required}; projections within {COUNT_TOLERANCE:.1%}, f within {VALUE_TOLERANCE:g}")
    return verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
