"""The runs of optimizers on the tables (thesis 7.4), and when they end.

The end of a set is the median time that runs of random search take for all their evaluations. The thesis' ends
(1e5 s on protein, 3e5 s on slice, 6e4 s on naval, 3e4 s on Parkinson) are those for its grid and its machines.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import NotRunError, cell_rows
from core.report.runs.frames import once
from papers.tabular.trained_tables import LABELS

FINISHED = 0.9  # runs that end before this share of the end are short
METHODS = ("random", "smac", "tpe", "bohamiann", "regularized_evolution", "reinforce", "hyperband", "bohb")


@once
def comparison_runs(results: Results) -> pd.DataFrame:
    """The trajectories of all methods.

    Raises:
        NotRunError: random search, which determines when a set ends, was not run.
    """
    parts = [results.frame(experiment) for experiment in ("methods", "smac", "bohamiann")]
    frame = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    if not (frame["method"] == "random").any():
        raise NotRunError("methods")
    return frame


def benchmarks_of(frame: pd.DataFrame) -> list[str]:
    """The sets on which random search was run: the thesis' in its order, then others."""
    names = set(frame.loc[frame["method"] == "random", "benchmark"])
    return [*(name for name in LABELS if name in names), *sorted(names - set(LABELS))]


def ends(frame: pd.DataFrame, benchmark: str, method: str = "random") -> float:
    """Seconds after which half of the runs of a method had ended; those of random search are the end of a set.

    Raises:
        NotRunError: the cell has no rows.
    """
    return float(np.median(durations(frame, benchmark, method)))


@once
def durations(frame: pd.DataFrame, benchmark: str, method: str) -> np.ndarray:
    """Seconds of each run of a method, (runs,).

    Raises:
        NotRunError: the cell has no rows.
    """
    return cell_rows(frame, benchmark, method).groupby("run")["seconds"].max().to_numpy()


def is_short(frame: pd.DataFrame, benchmark: str, method: str) -> bool:
    """Whether a method's runs end too early to say anything about the end of the set."""
    return ends(frame, benchmark, method) < FINISHED * ends(frame, benchmark)
