"""The collections of learning curves behind every artifact and experiment of the chapter, from their records.

curve_sets(results)["fcnet"]                                     # in an artifact or claim
curve_set(context.benchmark, context.records("curves"))          # in an experiment that needs `curves`
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.experiment.results import Results
from core.foundation.errors import UserError
from core.report.runs.frames import frame_of
from core.report.runs.memo import once
from core.report.verdicts.checks import NotRunError

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

LABELS = {"cnn": "CNN", "fcnet": "FCNet", "lr": "LR", "vae": "VAE"}
"""The thesis' names, in its order."""
AUTHORS = "authors_cnn"
"""The authors' own CNN curves, the thesis' first set, as a benchmark."""
SETS = {AUTHORS: "CNN (theirs)"} | LABELS | {"cnn": "CNN (ours)"}
"""All sets in the order of the figures: the authors', then our own."""
METRICS = dict.fromkeys(SETS, "validation error") | {"vae": "negative lower bound [nats]"}
"""What the curves show."""


@dataclass(frozen=True)
class CurveSet:
    """The learning curves of n configurations over T epochs, lower values being better.

    Attributes:
        name: one of `SETS`.
        space: the space that the configurations were drawn from.
        configurations: (n, d) points of the unit cube, by `core.spaces.CubeEncoding` of the space.
        curves: (n, T) the metric after each epoch, nan from the epoch in which a network diverged.
        seconds: (n, T) of each epoch, nan after that one.
    """

    name: str
    space: ConfigurationSpace
    configurations: NDArray[np.float64]
    curves: NDArray[np.float64]
    seconds: NDArray[np.float64]

    @property
    def epochs(self) -> int:
        """T."""
        return self.curves.shape[1]

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Which networks diverged, (n,)."""
        return np.isnan(self.curves).any(1)

    @property
    def falls(self) -> NDArray[np.float64]:
        """Falls from the value after the first epoch to those after the middle epoch and the last, (n, 2)."""
        return self.curves[:, :1] - self.curves[:, [self.epochs // 2, -1]]

    @property
    def runtimes(self) -> NDArray[np.float64]:
        """Seconds of all T epochs, (n,); of a diverged network T times its mean epoch."""
        return np.nanmean(self.seconds, 1) * self.epochs

    def finished(self) -> CurveSet:
        """The set without the networks that diverged."""
        kept = ~self.diverged
        arrays = {name: getattr(self, name)[kept] for name in ("configurations", "curves", "seconds")}
        return replace(self, **arrays)


def curve_set(name: str, records: pd.DataFrame) -> CurveSet:
    """The set in the records of a cell of the experiment `curves`.

    Raises:
        UnknownNameError: no collection has that name.
        UserError: a column is missing, or the curves differ in length.
    """
    from core.objectives.network_spaces import curve_space
    from core.spaces import CubeEncoding  # ConfigSpace, which most drawings do without

    most_units = int(records["most_units"].iloc[0]) if "most_units" in records else None
    if name == AUTHORS:  # batch size and numbers of units are not whole numbers in the authors' files
        space = curve_space("cnn", floats=True)
    else:
        space = curve_space(name, None if name == "lr" else most_units)
    columns = (*space, "curve", "seconds")
    if missing := [column for column in columns if column not in records]:
        raise UserError(f"records of learning curves: no column {missing[0]!r}; allowed: {', '.join(columns)}")
    if len(lengths := {len(values) for column in ("curve", "seconds") for values in records[column]}) != 1:
        raise UserError(f"records of learning curves: curves of {sorted(lengths)} epochs; allowed: one length")
    curves, seconds = (np.stack(list(records[column])).astype(np.float64) for column in ("curve", "seconds"))
    configurations = records[list(space)].astype(object).to_dict("records")
    return CurveSet(name, space, CubeEncoding(space).encode(configurations), curves, seconds)


@once
def curve_sets(results: Results) -> dict[str, CurveSet]:
    """The sets of our own that were collected, in the order of `LABELS`; records of the authors' hold summaries.

    Raises:
        NotRunError: there are none.
    """
    frame = frame_of(results, "curves")
    if (frame := frame[frame["benchmark"] != AUTHORS]).empty:
        raise NotRunError("curves")
    frames = {str(name): rows.dropna(axis=1, how="all") for name, rows in frame.groupby("benchmark")}
    return {name: curve_set(name, frames[name]) for name in LABELS if name in frames}
