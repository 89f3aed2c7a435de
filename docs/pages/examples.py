"""A page for each program and notebook in examples/, and one that lists them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.pages.copied import Site
from docs.pages.programs import program

FOLDER = "examples"
PAGE = f"{FOLDER}/README.md"


def page_of(path: Path) -> str:
    """The page of a program or notebook."""
    return f"{FOLDER}/{path.name}.md"


def files(root: Path) -> list[Path]:
    """The notebooks and then the programs, by name."""
    return [path for kind in ("*.ipynb", "*.py") for path in sorted((root / FOLDER).glob(kind))]


def of_program(text: str) -> str:
    """The page of a program: its first sentence as the title, the rest of its docstring, and itself."""
    title, _, rest = (ast.get_docstring(ast.parse(text)) or "").partition("\n")
    return f"# {title.rstrip('.')}\n\n{rest.strip()}\n\n{program(text.rstrip(), 'python')}\n"


def of_notebook(notebook: dict[str, Any]) -> str:
    """The page of a notebook: its text and programs in order, and what those print, as far as it is kept."""
    return "\n\n".join(part for cell in notebook["cells"] for part in _parts(cell)) + "\n"


def write(site: Site) -> None:
    """Write all pages."""
    rows = ["# Examples", "Programs to start from. Each takes seconds, offline."]
    for path in files(site.root):
        content = path.read_text()
        text = of_notebook(json.loads(content)) if path.suffix == ".ipynb" else of_program(content)
        rows.append(f"* [{text.partition(chr(10))[0].lstrip('# ')}]({path.name}.md): `{FOLDER}/{path.name}`")
        site.write(page_of(path), text)
    site.write(PAGE, "\n\n".join(rows[:2]) + "\n\n" + "\n".join(rows[2:]) + "\n")


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"]).strip()
    yield source if cell["cell_type"] == "markdown" else program(source, "python")
    for output in cell.get("outputs", []):
        if printed := "".join(output.get("text") or output.get("data", {}).get("text/plain") or "").strip():
            yield program(printed, "text")
