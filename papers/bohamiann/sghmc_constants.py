"""The two SGHMC rows of NIPS Table 1: constants chosen from a grid, for all data sets together and for each alone.

"Best average" takes the step length and momentum decay with the highest mean over the data sets of the mean over the
runs; "tuned per dataset" those with the highest mean on each data set. As in the paper, the choice is made by the
numbers that are then reported, which favours SGHMC. Constants with which any run diverged on a data set are not
eligible for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from core.report.figures.data_sets import data_set_name

CONSTANTS = ["step_size", "momentum_decay"]


class Chosen(NamedTuple):
    """The chosen rows of the records, labelled in a column `row`, and a description of the choice."""

    rows: list[pd.DataFrame]
    description: str
    per_set: dict[str, tuple[float, float]]


def select_constants(frame: pd.DataFrame, metric: str) -> Chosen:
    """Choose from the records of method `sghmc_grid`; nothing is chosen where nothing was run."""
    grid = frame[frame["method"] == "sghmc_grid"]
    if grid.empty:
        return Chosen([], "", {})
    values = np.where(grid["status"] == "ok", grid[metric], -np.inf)
    means = grid.assign(value=values).groupby([*CONSTANTS, "benchmark"])["value"].mean().unstack("benchmark")
    rows, words = [], []
    average = means.mean(axis=1)
    if np.isfinite(average.max()):
        best = average.idxmax()
        rows.append(_matching(grid, best).assign(row="sghmc_best_average"))
        words.append(f"Best average: {_words(best)}.")
    per_set = {name: means[name].idxmax() for name in means if np.isfinite(means[name].max())}
    for name, constants in per_set.items():
        part = _matching(grid, constants)
        rows.append(part[part["benchmark"] == name].assign(row="sghmc_tuned"))
    words.append(
        "Tuned: " + "; ".join(f"{data_set_name(name)} {_words(constants)}" for name, constants in per_set.items()) + "."
    )
    return Chosen(rows, " ".join(words), per_set)


def _matching(grid: pd.DataFrame, constants: tuple[float, float]) -> pd.DataFrame:
    return grid[(grid["step_size"] == constants[0]) & (grid["momentum_decay"] == constants[1])]


def _words(constants: tuple[float, float]) -> str:
    return f"step {constants[0]:g}, decay {constants[1]:g}"
