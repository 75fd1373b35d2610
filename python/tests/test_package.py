"""The package itself: its names, its version, the Python it asks for."""

import ast
import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pendec

root = Path(__file__).parents[2]


def test_every_name_that_is_promised_is_there():
    assert all(getattr(pendec, name) is not None for name in pendec.__all__)
    assert (Path(pendec.__file__).parent / "py.typed").exists()


def test_the_version_is_that_of_the_library():
    assert f"project(pendec VERSION {pendec.__version__}" in (root / "CMakeLists.txt").read_text(encoding="utf-8")


def test_the_sources_have_the_grammar_of_the_oldest_python():
    oldest = re.search(r'requires-python = ">=(\d+)\.(\d+)"', (root / "pyproject.toml").read_text(encoding="utf-8"))
    version = (int(oldest[1]), int(oldest[2]))
    sources = [*root.glob("python/**/*.py"), *root.glob("examples/python/*.py")]
    assert len(sources) > 20
    for path in sources:
        ast.parse(path.read_text(encoding="utf-8"), path.name, feature_version=version)


def test_the_licences_of_what_is_built_in_come_along():
    names = {Path(str(path)).name for path in importlib.metadata.files("pendec")}
    assert {"LICENSE", "THIRD-PARTY.md"} <= names


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
def test_the_module_is_hardened_and_names_no_folder_of_the_build():
    compiled = sorted(Path(pendec.__file__).parent.glob("*.so*"))
    assert any(path.name.startswith("_pendec") for path in compiled)
    for path in compiled:
        shown = subprocess.run(
            ["readelf", "--wide", "--dynamic", "--program-headers", "--dyn-syms", str(path)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        folders = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", shown)
        assert folders in ([], ["$ORIGIN"]), path.name
        assert "GNU_RELRO" in shown and "BIND_NOW" in shown, path.name
        assert "__stack_chk_fail" in shown, path.name


def test_what_a_thread_still_holds_at_exit_does_no_harm():
    program = (
        "import numpy as np, pendec\n"
        "pendec.sets.Polyhedron(np.ones((2, 3), order='F'), np.ones(2)).project(np.ones(3))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
