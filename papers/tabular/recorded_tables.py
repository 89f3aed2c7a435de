"""The authors' tables as claims see them: the recorded statistics, in place of the tables themselves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.experiment.results import Results
from core.report.runs.frames import NotRunError, frame_of, once
from core.tabular.grid import FCNET, Configuration, Grid
from papers.tabular.authors_records import authors_best
from papers.tabular.repetitions import Resamples
from papers.tabular.trained_tables import in_order

OF_ONE, OF_TWO = "authors_statistics", "authors_pairs"


@dataclass(frozen=True)
class RecordedTable:
    """What a check needs to know of an authors' table: its grid, and statistics by name; raises NotRunError without.

    Attributes:
        dataset: Name of the data set.
        results: Holds the records.
    """

    dataset: str
    results: Results

    grid: ClassVar[Grid] = FCNET
    repetitions: ClassVar[int] = 4
    test_mse: ClassVar[None] = None

    @property
    def best_configuration(self) -> Configuration:
        """The one with the lowest average error."""
        if self.dataset not in (known := authors_best(self.results)):
            raise NotRunError(f"authors_best on {self.dataset}")
        return known[self.dataset][0]

    def resamples(self, statistic: str) -> Resamples:
        """A statistic of this set."""
        return _found(self.results, OF_ONE, ("benchmark", "statistic"), (self.dataset, statistic))

    def resamples_with(self, other: RecordedTable, statistic: str) -> Resamples:
        """A statistic of this set and another."""
        names = (self.dataset, other.dataset, statistic)
        return _found(self.results, OF_TWO, ("first", "second", "statistic"), names)


@once
def recorded_tables(results: Results, experiment: str = OF_ONE) -> dict[str, RecordedTable]:
    """The authors' tables of which an experiment has records, by data set, in the order of `LABELS`.

    Raises:
        NotRunError: there are none.
    """
    frame = frame_of(results, experiment)
    names = frame["benchmark" if experiment == OF_ONE else "first"].unique()
    return in_order({str(name): RecordedTable(str(name), results) for name in names})


def _found(results: Results, experiment: str, columns: tuple[str, ...], names: tuple[str, ...]) -> Resamples:
    known = _by_names(results, experiment, columns)
    if names not in known:
        raise NotRunError(f"{experiment}: {', '.join(names)}")
    return known[names]


@once
def _by_names(results: Results, experiment: str, columns: tuple[str, ...]) -> dict[Hashable, Resamples]:
    rows = frame_of(results, experiment)
    names = zip(*(rows[column] for column in columns), strict=True)
    numbers = zip(rows["estimate"], rows["drawn"], rows["weights"], rows["size"], strict=True)
    return {
        name: Resamples(float(estimate), np.asarray(drawn, float), np.asarray(weights, int), int(size))
        for name, (estimate, drawn, weights, size) in zip(names, numbers, strict=True)
    }
