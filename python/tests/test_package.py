"""The package itself: its names, its version, the Python it asks for."""

import ast
import re
from pathlib import Path

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
