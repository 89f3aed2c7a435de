"""Cells by name: a full name, its beginning, or a shell-style pattern; and ablations of cells that were run.

An ablation is a cell with settings changed by hand (`--set`); its records are in a folder named after the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from pydantic import ValidationError

from core.experiment import LIST
from core.experiment.cells import Cell
from core.experiment.paper import Paper, Papers
from core.experiment.settings import value_of
from core.foundation.errors import UnknownNameError, UserError

LEVELS = ("paper", "experiment", "benchmark", "method")
FOLDER = "ablation"


def find_cells(
    papers: Papers, name: str, scale: str, runs: int | None = None, overrides: dict[str, Any] | None = None
) -> list[Cell]:
    """The cells that `paper[/experiment[/benchmark[/method]]]` names; a shorter name means everything below it.

    In each part, `*` stands for anything, `?` for one character and `[...]` for one of the characters in the brackets:
    `bohamiann/uci/*/adaptive_sghmc`.

    Args:
        runs, overrides: Number of repetitions and single settings instead of the scale's.

    Raises:
        UnknownNameError: no cell matches; the message has the nearest existing names.
        UserError: more than four parts, or settings that the cells do not have.
    """
    parts = name.strip("/").split("/")
    if len(parts) > len(LEVELS):
        raise UserError(f"{name!r}: a cell is named {'/'.join(LEVELS)}")
    is_pattern = [any(sign in part for sign in "*?[") for part in parts]
    if any(is_pattern):
        chosen = [each for each in papers.valid if fnmatchcase(each, parts[0])] if is_pattern[0] else [parts[0]]
        cells = _matching(papers, chosen, parts, scale)
    else:
        cells = _named(papers.paper(parts[0]), parts, scale)
    if runs is None and not overrides:
        return cells
    return [papers.paper(cell.paper).cell(cell, scale, runs, overrides) for cell in cells]


def _matching(papers: Papers, chosen: Iterable[str], parts: list[str], scale: str) -> list[Cell]:
    below = [cell for paper in chosen for cell in _named(papers.paper(paper), [paper], scale)]
    cells = [cell for cell in below if all(map(fnmatchcase, cell.name.split("/"), parts))]
    if not cells:
        candidates = below or [cell for paper in papers.valid.values() for cell in _named(paper, [paper.id], scale)]
        existing = dict.fromkeys("/".join(cell.name.split("/")[: len(parts)]) for cell in candidates)
        raise UnknownNameError(f"cells at scale {scale}", "/".join(parts), existing, f"{LIST} '*' --scale {scale}")
    return cells


def _named(paper: Paper, parts: Sequence[str], scale: str) -> list[Cell]:
    """The cells of a paper that a name without patterns stands for."""
    cells = [cell for experiment in parts[1:2] or paper.experiments for cell in paper.cells(experiment, scale)]
    for level, part in zip(LEVELS[2:], parts[2:]):
        names = {getattr(cell, level) for cell in cells}
        if part not in names:
            above = "/".join(parts[:2])
            listing = f"{LIST} {above} --scale {scale}"
            raise UnknownNameError(f"{level} of {above} at scale {scale}", part, sorted(names), listing)
        cells = [cell for cell in cells if getattr(cell, level) == part]
    return cells


def find_ablations(papers: Papers, cells: Iterable[Cell], scale: str) -> list[Cell]:
    """The ablations of these cells that have a file, folder by folder, with today's settings and the change.

    Args:
        scale: The scale that was requested when the cells were made.

    Raises:
        ResultFileError: a file cannot be read.
    """
    below = papers.root / "results" / FOLDER
    folders = sorted(path for path in below.iterdir() if path.is_dir()) if below.is_dir() else []
    cells = [cell for cell in cells if not cell.overrides]
    return [
        _ablation(papers, cell, folder.name, scale)
        for folder in folders
        for cell in cells
        if (folder / cell.scale / f"{cell.name}.parquet").exists()
    ]


def _ablation(papers: Papers, cell: Cell, folder: str, scale: str) -> Cell:
    from core.experiment.storage import read_provenance  # imports Arrow, which most commands do without

    provenance = read_provenance(papers.root / "results" / FOLDER / folder / cell.scale / f"{cell.name}.parquet")
    overrides = tuple(provenance["overrides"])
    keys = [text.partition("=")[0] for text in overrides]
    try:
        recorded = type(cell.settings).of_record(provenance["settings"])
        changed = {key: value_of(recorded, key) for key in keys}
        today = papers.paper(cell.paper).cell(cell, scale, overrides=changed)
    except (UserError, ValidationError, KeyError):  # a setting that no longer exists: its hash will say so
        today = cell
    return replace(today, overrides=overrides)
