"""A page for each method of `minimize`: what is written in docs/methods/NAME.md, and what the code says itself."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml

from core.foundation.errors import UserError
from core.study.methods import METHODS
from docs.pages.capabilities import SHARES, Capabilities
from docs.pages.copied import Site
from docs.pages.programs import fenced, program
from docs.pages.settings_tables import table
from docs.pages.uses import FIELD, in_field, in_papers, seconds

FOLDER = "docs/methods"
PAGE = f"{FOLDER}/README.md"
WRITTEN = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
NOTHING = "not measured"
WIDTH = 90  # of a line of a program
FIELD_LINK = f"[the field benchmark](../../{FIELD})"
WITH_PAPERS = (
    "With the papers' settings, in shipped runs at scale `quick`, where runs that advance together have equal shares "
    "of the seconds:"
)
ABOUT = (
    "Every name that `minimize(..., method=...)` knows. [Which method when](../which-method.md) compares some of them. "
    "Seconds are those of a suggestion in shipped runs, with the library's settings or, where these were not measured, "
    "with the papers'."
)


class Written(NamedTuple):
    """What was written of a method.

    Attributes:
        title: Name of the method in words.
        use: What it is for, in a line.
        papers: Where it comes from, and where in these documents.
        text: What it does and when to use it.
        example: Program that uses it, if the usual one would not do.
    """

    title: str
    use: str
    papers: list[str]
    text: str
    example: str = ""


@cache
def written(root: Path, name: str) -> Written:
    """What was written of a method; raises FileNotFoundError if nothing was."""
    match = WRITTEN.fullmatch((root / FOLDER / f"{name}.md").read_text())
    if match is None:
        raise UserError(f"{FOLDER}/{name}.md has no head; allowed: title, use and papers between two lines ---")
    return Written(text=match[2].strip(), **yaml.safe_load(match[1]))


def page_of(name: str) -> str:
    """The page of a method."""
    return f"{FOLDER}/{name}.md"


def text(root: Path, name: str) -> str:
    """The page of a method."""
    said, can = written(root, name), Capabilities(name)
    rows = [f"| {what} | {answer} |" for what, answer in can.rows.items()]
    parts = [
        f"# {said.title}",
        f'`minimize(..., method="{name}")`. {said.use}.',
        said.text,
        f"## Example\n\n{program(example(can, said))}",
        f"## What it can do\n\n| | `{name}` |\n| :-- | :-- |\n" + "\n".join(rows),
        "## Settings\n\nThe library's defaults; a paper's settings are in its `paper.yaml`.\n\n"
        + table(can.settings, *can.builds),
        f"## Seconds of a suggestion\n\n{cost(root, name)}",
        f"## Papers here that run it\n\n{users(root, name)}",
        "## Where it comes from\n\n" + "\n".join(f"* {paper}" for paper in said.papers),
        *(how(root, kind.__module__) for kind in can.builds),
    ]
    return "\n\n".join(parts) + "\n"


def example(can: Capabilities, said: Written) -> str:
    """A program of three lines that uses the method."""
    if said.example:
        return said.example.strip()
    function, more = 'lambda c: (c["x"] - 1) ** 2', ""
    if can.budgets == SHARES:
        function, more = 'lambda c, share: ((c["x"] - 1) ** 2 + 1 - share, 60 * share)', ", budgets=(1 / 64, 1)"
    elif can.budgets:
        function, more = 'lambda c, budget: (c["x"] - 1) ** 2 + 1 / budget', ", budgets=(1, 81)"
    earlier = 'earlier = [minimize(lambda c: abs(c["x"] - 0.8), {"x": (-5.0, 5.0)}, "random", 20)]\n'
    learns = can.settings.learns_from_tasks
    number = "10, earlier=earlier" if learns else f"30{more}"
    call = f'result = minimize({function}, {{"x": (-5.0, 5.0)}}, "{can.name}", {number})'
    if len(call) > WIDTH:
        call = call.replace("minimize(", "minimize(\n    ").replace(', {"x"', ',\n    {"x"').removesuffix(")") + ",\n)"
    lines = f"from core import minimize\n{earlier if learns else ''}{call}"
    return f"{lines}\nprint(result.best_configuration, result.best_loss)"


def cost(root: Path, name: str) -> str:
    """What a suggestion costs, by the shipped runs."""
    field = in_field(root, name)
    said = NOTHING if field is None else f"{field[0]} (processor time, {field[1]} runs of {FIELD_LINK})"
    rows = [f"| {experiment} | {cost} |" for experiment, cost in in_papers(root, name).items() if cost is not None]
    costs = "\n".join(["| experiment | seconds |", "| :-- | :-- |", *rows])
    papers = f"{WITH_PAPERS}\n\n{costs}" if rows else f"With the papers' settings: {NOTHING}."
    return f"With the library's settings: {said}.\n\n{papers}"


def users(root: Path, name: str) -> str:
    """The papers here that run the method, and in which experiments."""
    experiments: dict[str, list[str]] = {}
    for experiment in in_papers(root, name):
        paper, _, rest = experiment.partition("/")
        experiments.setdefault(paper, []).append(f"`{rest}`")
    lines = [f"* [{paper}](../../papers/{paper}/README.md): {', '.join(of)}" for paper, of in experiments.items()]
    return "\n".join(lines) or "No paper here runs it."


def how(root: Path, module: str) -> str:
    """What the docstring of the module says that has the method's optimizer or model."""
    source = (root / f"{module.replace('.', '/')}.py").read_text()
    return f"## How it is done here\n\nFrom `{module}`:\n\n{fenced(f'{ast.get_docstring(ast.parse(source))}{chr(10)}')}"


def write(site: Site) -> None:
    """Write all pages, and one that lists the methods."""
    rows = ["| method | use it for | budgets | categorical | seconds |", "| :-- | :-- | :-- | :-- | :-- |"]
    for name in METHODS:
        said, can = written(site.root, name), Capabilities(name)
        able = f"{can.rows['Budgets'].partition(':')[0]} | {can.rows['Categorical hyperparameters']}"
        rows.append(f"| [`{name}`]({name}.md)<br>{said.title} | {said.use} | {able} | {typical(site.root, name)} |")
        site.write(page_of(name), text(site.root, name))
    site.write(PAGE, f"# Methods\n\n{ABOUT}\n\n" + "\n".join(rows) + "\n")


def typical(root: Path, name: str) -> str:
    """The median cost of a suggestion with the library's settings, or else that in the papers that measured it."""
    if field := in_field(root, name):
        return seconds(field[0].median)
    measured = [cost.median for cost in in_papers(root, name).values() if cost is not None]
    return f"{seconds(float(np.median(measured)))} in papers" if measured else NOTHING
