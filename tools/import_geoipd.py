#!/usr/bin/env python3
"""Turns a clone of the authors' repository into the data folder that `pendec reproduce --data` reads.

    git clone https://github.com/MatteoLapucci/GeoIPD
    tools/import_geoipd.py GeoIPD pendec-data

Numbers are written as their shortest decimals that read back as the same doubles. Needs Python 3, NumPy, SciPy.
"""

import argparse
import pathlib
import pickle
import sys

import numpy as np
import scipy.io

PORTFOLIOS = ["DTS1", "DTS2", "DTS3", "FF10", "FF17", "FF48"]
TABLE_6_1 = [f"QP_{n}_10_0" for n in (10, 25, 50)]
FIGURE_6_1 = [f"QP_{n}_{condition}_{k}" for n in (20, 40, 60) for condition in (10, 100, 500) for k in range(10)]


class ArraysOnly(pickle.Unpickler):
    """A pickle may run any code. This one may make NumPy arrays and nothing else."""

    ALLOWED = {
        (f"numpy.{core}.{module}", name)
        for core in ("core", "_core")
        for module, name in (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
    } | {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}

    def find_class(self, module, name):
        if (module, name) not in self.ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is no array")
        return super().find_class(module, name)


def checked(path, array, shape):
    """The array as finite doubles of the shape expected (None: any length)."""
    array = np.asarray(array, dtype=float)
    fits = array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape))
    if not fits or not np.isfinite(array).all():
        raise ValueError(f"{path}: finite numbers of shape {shape} expected, found shape {array.shape}")
    return array


def lines(rows, separator):
    return "".join(separator.join(repr(float(value)) for value in row) + "\n" for row in rows)


def quadratic_problem(source, target):
    with open(source, "rb") as file:
        data = ArraysOnly(file).load()
    c = checked(source, data["c"], (None,))
    Q = checked(source, data["Q"], (c.size, c.size))
    target.write_text(f"{c.size}\n" + lines(Q, " ") + lines([c], " "))


def matrices(path):
    if not path.is_file():
        raise FileNotFoundError(f"{path}: not there; is this a clone of MatteoLapucci/GeoIPD?")
    return scipy.io.loadmat(path)


def portfolio(source, target, name):
    means = source / f"{name}expected_returns.mat"
    covariances = source / f"{name}variance_covariance.mat"
    mean = checked(means, np.squeeze(matrices(means)["expected_returns"]), (None,))
    covariance = checked(covariances, matrices(covariances)["variance_covariance"], (mean.size, mean.size))
    (target / f"{name}_mean.csv").write_text(lines(mean[:, None], ","))
    (target / f"{name}_cov.csv").write_text(lines(covariance, ","))


def landmine(source, target):
    data = matrices(source)
    with open(target, "w") as file:
        file.write("task,label," + ",".join(f"f{k}" for k in range(1, 10)) + "\n")
        for task, (features, labels) in enumerate(zip(data["feature"][0], data["label"][0]), start=1):
            features = checked(source, features, (None, 9))
            for label, row in zip(checked(source, np.ravel(labels), (len(features),)), features):
                file.write(f"{task},{int(label)}," + lines([row], ","))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=pathlib.Path, help="clone of the authors' repository")
    parser.add_argument("target", type=pathlib.Path, help="data folder to make")
    arguments = parser.parse_args()
    for folder in ("qp", "portfolio", "landmine"):
        (arguments.target / folder).mkdir(parents=True, exist_ok=True)
    try:
        for folder, names in (("problems", TABLE_6_1), ("problems2", FIGURE_6_1)):
            for name in names:
                quadratic_problem(arguments.clone / folder / f"{name}.pkl", arguments.target / "qp" / f"{name}.txt")
        for name in PORTFOLIOS:
            portfolio(arguments.clone / "datasets" / name, arguments.target / "portfolio", name)
        landmine(arguments.clone / "LandmineData" / "LandmineData.mat", arguments.target / "landmine" / "landmine.csv")
    except (OSError, ValueError, KeyError, pickle.UnpicklingError) as error:
        sys.exit(f"import_geoipd: {error}")
    print(f"{len(TABLE_6_1) + len(FIGURE_6_1)} quadratic problems, {len(PORTFOLIOS)} portfolios and the landmine data "
          f"are in {arguments.target}")


if __name__ == "__main__":
    main()
