"""Every block of Python in the documentation runs, a page's blocks one after the other; the examples run."""

import os
import re
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
    namespace = {"__name__": page.stem}
    for match in re.finditer(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        exec(compile(match[1], f"{page.name}, a block", "exec"), namespace)  # noqa: S102


@pytest.mark.parametrize("example", sorted(root.glob("examples/python/*.py")), ids=lambda p: p.stem)
def test_the_examples_run(example, tmp_path):
    if example.stem == "dask_sweep":
        pytest.importorskip("distributed", reason="Dask is not installed")
    run = subprocess.run(
        [sys.executable, str(example)],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert list(tmp_path.glob("*.png")), "no picture was drawn"


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
