"""Cells by name: a full name, its beginning, or a shell-style pattern such as `bohamiann/uci/*/adaptive_sghmc`."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from core.experiment import LIST
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.foundation.errors import UnknownNameError, UserError

LEVELS = ("paper", "experiment", "benchmark", "method")


def find_cells(
    catalogue: Catalogue, name: str, scale: str, runs: int | None = None, overrides: dict[str, Any] | None = None
) -> list[Cell]:
    """The cells that `paper[/experiment[/benchmark[/method]]]` names; a shorter name means everything below it.

    In each part, `*` stands for anything, `?` for one character and `[...]` for one of the characters in the brackets.

    Args:
        runs, overrides: Number of repetitions and single settings instead of the scale's.

    Raises:
        UnknownNameError: no cell matches; the message has the nearest existing names.
        UserError: more than four parts, or settings that the cells do not have.
    """
    cells = _select(catalogue, name, scale)
    if runs is None and not overrides:
        return cells
    return [catalogue.cell(cell, scale, runs, overrides) for cell in cells]


def _select(catalogue: Catalogue, name: str, scale: str) -> list[Cell]:
    parts = name.strip("/").split("/")
    if len(parts) > len(LEVELS):
        raise UserError(f"{name!r}: a cell is named {'/'.join(LEVELS)}")
    if not any(map(_is_pattern, parts)):
        return _named(catalogue, parts, scale)
    papers = _matching(catalogue.papers, parts[0]) if _is_pattern(parts[0]) else [parts[0]]
    below = [
        cell
        for paper in papers
        for experiment in catalogue.paper(paper).experiments
        for cell in catalogue.cells(paper, experiment, scale)
    ]
    cells = [cell for cell in below if all(map(fnmatchcase, cell.name.split("/"), parts))]
    if not cells:
        candidates = below or [cell for paper in catalogue.papers for cell in _named(catalogue, [paper], scale)]
        existing = dict.fromkeys("/".join(cell.name.split("/")[: len(parts)]) for cell in candidates)
        raise UnknownNameError(f"cells at scale {scale}", name, existing, f"{LIST} '*' --scale {scale}")
    return cells


def _named(catalogue: Catalogue, parts: list[str], scale: str) -> list[Cell]:
    experiments = parts[1:2] or list(catalogue.paper(parts[0]).experiments)
    cells = [cell for experiment in experiments for cell in catalogue.cells(parts[0], experiment, scale)]
    for level, part in zip(LEVELS[2:], parts[2:]):
        names = {getattr(cell, level) for cell in cells}
        if part not in names:
            above = "/".join(parts[:2])
            listing = f"{LIST} {above} --scale {scale}"
            raise UnknownNameError(f"{level} of {above} at scale {scale}", part, sorted(names), listing)
        cells = [cell for cell in cells if getattr(cell, level) == part]
    return cells


def _is_pattern(part: str) -> bool:
    return any(sign in part for sign in "*?[")


def _matching(names: Iterable[str], part: str) -> list[str]:
    return [name for name in names if fnmatchcase(name, part)]
