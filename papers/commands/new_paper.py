"""`python -m papers new NAME`: the folder of another paper, which runs, draws and is judged from the start.

Its files are those of papers/commands/skeleton with the name put in: a search by three methods on two functions, an
experiment that is no search, a table with empty published numbers, a figure, and a claim. Each is to be replaced by
what the paper has.
"""

from __future__ import annotations

import argparse
import keyword
import re
from pathlib import Path
from textwrap import fill

from rich.console import Console

from core.experiment.paper import Papers
from core.experiment.workflow import RULES
from core.foundation.errors import UserError, brief
from core.foundation.files import write_whole

SKELETON = Path(__file__).parent / "skeleton"
NAME = re.compile(r"[a-z][a-z0-9_]*")


def new_paper(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Write the folder and say what to run.

    Raises:
        UserError: a name that is none of a Python package's, or that is taken; or papers that were installed by pip.
    """
    name, house = options.name, papers.folder
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise UserError(f"name {brief(name)}; allowed: lower-case letters, digits and _, first a letter, no keyword")
    if name in RULES:
        raise UserError(f"name {brief(name)}: a rule of the Snakefile has it; allowed: none of {', '.join(RULES)}")
    if papers.code != papers.root:
        raise UserError(f"{house} is where the package is installed; allowed: a clone of the repository")
    folder = house / name
    if folder.exists():
        raise UserError(f"{folder.relative_to(papers.root)} exists already; allowed: another name")
    for file in sorted(SKELETON.rglob("*.txt")):
        text = file.read_text("utf-8").replace("{name}", name).replace("{shapes}", _shapes())
        _write(folder / file.relative_to(SKELETON).with_suffix(""), text)
    _write(folder / "__init__.py", f'"""{name}."""\n')
    console.print(f"wrote {folder.relative_to(papers.root)}; it runs as it is:", soft_wrap=True)
    for command in ("run", "draw", "compare"):
        console.print(f"  python -m papers {command} {name} --scale smoke", soft_wrap=True)
    return 0


def _shapes() -> str:
    """The shapes that papers share, as a comment."""
    from core.report.verdicts.claim_tables import shared_shapes

    texts = [f"* {shape.name}: {shape.summary}" for shape in shared_shapes()]
    return "\n".join(fill(text, 118, initial_indent="# ", subsequent_indent="#   ") for text in texts)


def _write(path: Path, text: str) -> None:
    write_whole(path, lambda stream: stream.write(text.encode()))
