"""The grid of support vector machines behind the chapter's artifacts, from the records of the experiments."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.runs.frames import NotRunError, frame_of, once, shown_set

DATA_SET = "mnist"
SHOWN = (1 / 128, 1 / 16, 1 / 4, 1.0)
"""The shares of Fig 4.1."""


@dataclass(frozen=True)
class MachineGrid:
    """The grid of one data set.

    Attributes:
        name: Name of the data set.
        shares: (S,), increasing.
        points: number of training points of each share, (S,).
        C, gamma: (n,) each.
        errors: validation errors, (S, n, n), C before gamma.
        seconds: Seconds of training, (S, n, n).
        measured: which of them were measured, (S, n, n) bool.
    """

    name: str
    shares: np.ndarray
    points: np.ndarray
    C: np.ndarray
    gamma: np.ndarray
    errors: np.ndarray
    seconds: np.ndarray
    measured: np.ndarray

    @classmethod
    def of(cls, name: str, records: pd.DataFrame) -> MachineGrid:
        """The records of `timed_everywhere` as arrays."""
        frame = records.sort_values(["share", "C", "gamma"], ignore_index=True)
        axes = [np.unique(frame[column]) for column in ("share", "C", "gamma")]
        columns = ("valid_error", "seconds", "measured")
        values = [frame[column].to_numpy().reshape([len(axis) for axis in axes]) for column in columns]
        return cls(name, axes[0], frame.groupby("share")["points"].first().to_numpy(), *axes[1:], *values)

    @property
    def shown(self) -> list[int]:
        """Indices of the shares of Fig 4.1, or of four others where those were not run."""
        wanted = [int(np.flatnonzero(self.shares == share)[0]) for share in SHOWN if share in self.shares]
        return wanted if len(wanted) == len(SHOWN) else list(range(len(self.shares)))[-len(SHOWN) :]

    def at(self, share: float) -> int:
        """The index of a share.

        Raises:
            NotRunError: it was not run.
        """
        if share not in self.shares:
            raise NotRunError(f"grid/{self.name} with a share of {share:g}")
        return int(np.flatnonzero(self.shares == share)[0])


@once
def machine_grid(results: Results) -> MachineGrid:
    """The grid on MNIST, or on the data set that was run instead.

    Raises:
        NotRunError: there is none, or not all machines were run.
    """
    from core.objectives.svm_surrogate import timed_everywhere  # imports SciPy's interpolation

    frame = frame_of(results, "grid")
    name = shown_set(frame, DATA_SET)
    rows = frame[frame["benchmark"] == name]
    if len(rows) < rows["C"].nunique() * rows["gamma"].nunique() * rows["share"].nunique() or 1 not in set(
        rows["share"]
    ):
        raise NotRunError(f"grid/{name}: all machines")
    return MachineGrid.of(name, timed_everywhere(rows))


@once
def authors_grid(results: Results) -> MachineGrid:
    """The authors' grid, on the sizes of Fig 4.1.

    Raises:
        NotRunError: it was not read.
    """
    return MachineGrid.of(DATA_SET, frame_of(results, "authors_grid").assign(measured=True))


def both_grids(results: Results) -> dict[str, MachineGrid]:
    """The authors' grid and ours by "authors" and "ours", those that were run.

    Raises:
        NotRunError: neither was run.
    """
    grids = {}
    for owner, read in (("authors", authors_grid), ("ours", machine_grid)):
        with suppress(NotRunError):
            grids[owner] = read(results)
    if not grids:
        raise NotRunError("grid")
    return grids


def observed_noise(results: Results) -> dict[float, np.ndarray]:
    """Eq. 4.7: the variance over the repetitions of each machine, (machines,), by share in increasing order.

    Raises:
        NotRunError: there are no repetitions.
    """
    frame = frame_of(results, "subsampling_noise")
    name = frame["benchmark"].iloc[0]
    frame = frame[frame["benchmark"] == name]
    if frame["run"].nunique() < 2:
        raise NotRunError(f"subsampling_noise/{name}: two repetitions or more")
    variances = frame.groupby(["share", "C", "gamma"])["valid_error"].var(ddof=0)
    return {float(share): rows.to_numpy() for share, rows in variances.groupby(level="share")}


def noise_machines(results: Results) -> tuple[str, int, int]:
    """The data set of the repetitions on subsets, the number of their machines and of points of all of the data."""
    frame = frame_of(results, "subsampling_noise")
    largest = frame.loc[frame["share"].idxmax()]
    points = round(largest["points"] / largest["share"])
    return str(largest["benchmark"]), len(frame[["C", "gamma"]].drop_duplicates()), points


def share_text(share: float) -> str:
    """A share as the thesis prints it, "1/128" or "1"."""
    return "1" if share == 1 else f"1/{1 / share:g}"
