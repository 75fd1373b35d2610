"""Every block of Python in the documentation runs, a page's blocks one after the other; the examples run."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

root = Path(__file__).parents[2]
pages = [
    page
    for page in sorted([root / "README.md", *root.glob("docs/**/*.md")])
    if "```python" in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", pages, ids=lambda p: str(p.relative_to(root)))
def test_the_code_of_a_page_runs(page, monkeypatch):
    monkeypatch.chdir(root)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if page.stem == "cvxpy":
        pytest.importorskip("cvxpy", reason="CVXPY is not installed")
        pytest.importorskip("pypfopt", reason="PyPortfolioOpt is not installed")
    namespace = {"__name__": page.stem}
    for match in re.finditer(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        exec(compile(match[1], f"{page.name}, a block", "exec"), namespace)  # noqa: S102


examples = {path.stem: path for path in sorted(root.glob("examples/python/*.py"))}


@pytest.mark.parametrize("example", sorted(examples.keys() - {"dask_sweep"}))
def test_the_examples_run_and_draw(example, tmp_path, monkeypatch):
    run_example(example, tmp_path, monkeypatch)


def test_the_sweep_runs_on_a_cluster(dask_cluster, tmp_path, monkeypatch):
    import dask

    with dask.config.set({"scheduler-address": dask_cluster.scheduler_address}):
        run_example("dask_sweep", tmp_path, monkeypatch)


def run_example(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    if name.startswith("pyomo"):  # looks for the program that came with the package
        pytest.importorskip("pyomo", reason="Pyomo is not installed")
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"])
        if not shutil.which("pendec"):
            pytest.skip("the program pendec did not come with the package")
    if name.startswith("cvxpy"):
        pytest.importorskip("cvxpy", reason="CVXPY is not installed")
    monkeypatch.setattr(sys, "argv", [str(examples[name])])
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    try:
        runpy.run_path(str(examples[name]), run_name="__main__")
        assert list(folder.glob("*.png")), "no picture was drawn"
    finally:
        pyplot.close("all")


def test_the_site_builds_without_warnings(tmp_path):
    pytest.importorskip("mkdocs", reason="MkDocs is not installed")
    pytest.importorskip("material", reason="the theme of the site is not installed")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert (tmp_path / "site/python/index.html").exists()
