"""Pages of the site that are made from the sources when it is built: the headers of the library."""

from pathlib import Path

from mkdocs.structure.files import File, Files

root = Path(__file__).parent.parent
folders = {
    "core": "Problems and their parts",
    "sets": "Sets",
    "objectives": "Objectives",
    "maps": "Maps",
    "solvers": "Solvers",
    "report": "Options and results",
    "certificates": "Certificates",
    "methods": "Methods",
    "search": "Search among branches",
    "io": "Files",
    "subsolvers": "Subproblems",
}


def first_comment(header: Path) -> str:
    """What a header says about itself: the lines before #pragma once."""
    lines = []
    for line in header.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.lstrip("/ "))
    return " ".join(lines).replace("|", "\\|")


def cpp_reference() -> str:
    page = ["# C++ headers", "", "`#include <pendec/pendec.hpp>` is everything. The headers explain their types.", ""]
    for folder, title in folders.items():
        page += [f"## {title}", "", "| header | what |", "|---|---|"]
        for header in sorted((root / "include/pendec" / folder).glob("*.hpp")):
            page.append(f"| `pendec/{folder}/{header.name}` | {first_comment(header)} |")
        page.append("")
    return "\n".join(page)


def on_files(files: Files, config) -> Files:
    files.append(File.generated(config, "cpp-api.md", content=cpp_reference()))
    return files
