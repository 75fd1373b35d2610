"""The importer of the authors' repository, on a small imitation of it."""

import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

scipy_io = pytest.importorskip("scipy.io")
ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import import_geoipd  # noqa: E402


@pytest.fixture
def clone(tmp_path):
    rng = np.random.default_rng(1)
    for folder, names in (("problems", import_geoipd.TABLE_6_1), ("problems2", import_geoipd.FIGURE_6_1)):
        (tmp_path / folder).mkdir()
        for name in names:
            n = int(name.split("_")[1])
            with open(tmp_path / folder / f"{name}.pkl", "wb") as file:
                pickle.dump({"Q": rng.standard_normal((n, n)), "c": rng.standard_normal(n)}, file)
    for name in import_geoipd.PORTFOLIOS:
        folder = tmp_path / "datasets" / name
        folder.mkdir(parents=True)
        scipy_io.savemat(folder / f"{name}expected_returns.mat", {"expected_returns": rng.standard_normal((3, 1))})
        scipy_io.savemat(folder / f"{name}variance_covariance.mat", {"variance_covariance": np.eye(3) / 3})
    tasks = [4, 2]
    features, labels = np.empty((1, 2), object), np.empty((1, 2), object)
    for k, size in enumerate(tasks):
        features[0, k], labels[0, k] = rng.standard_normal((size, 9)), np.ones((size, 1))
    (tmp_path / "LandmineData").mkdir()
    scipy_io.savemat(tmp_path / "LandmineData" / "LandmineData.mat", {"feature": features, "label": labels})
    return tmp_path


def run(clone, target):
    return subprocess.run([sys.executable, ROOT / "tools" / "import_geoipd.py", clone, target], capture_output=True, text=True)


def test_numbers_survive_to_the_last_bit(clone, tmp_path):
    target = tmp_path / "data"
    ended = run(clone, target)
    assert ended.returncode == 0, ended.stderr
    with open(clone / "problems" / "QP_10_10_0.pkl", "rb") as file:
        data = pickle.load(file)
    numbers = (target / "qp" / "QP_10_10_0.txt").read_text().split()
    assert numbers[0] == "10"
    np.testing.assert_array_equal(np.array(numbers[1:101], float).reshape(10, 10), data["Q"])
    np.testing.assert_array_equal(np.array(numbers[101:], float), data["c"])
    assert (target / "portfolio" / "DTS1_cov.csv").read_text().splitlines()[0] == f"{1 / 3!r},0.0,0.0"
    rows = (target / "landmine" / "landmine.csv").read_text().splitlines()
    assert rows[0].startswith("task,label,f1") and len(rows) == 7 and rows[-1].startswith("2,1,")


def test_a_pickle_that_would_run_code_is_refused(clone, tmp_path):
    class Attack:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "attacked"),)

    with open(clone / "problems" / "QP_10_10_0.pkl", "wb") as file:
        pickle.dump({"Q": Attack(), "c": np.ones(1)}, file)
    ended = run(clone, tmp_path / "data")
    assert ended.returncode == 1 and "is no array" in ended.stderr
    assert not (tmp_path / "attacked").exists()


def test_another_folder_is_refused(tmp_path):
    ended = run(tmp_path, tmp_path / "data")
    assert ended.returncode == 1 and "QP_10_10_0" in ended.stderr
