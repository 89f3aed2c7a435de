"""Stored evaluations of several tasks, and surrogates of them (section 3.2): random forests, one for each task.

    xgboost    real XGBoost evaluations on 10 LIBSVM sets, 5,000 each, of Salinas et al. (2020)
    deepar     real DeepAR trainings on 11 sets of time series, about 230 each, of the same authors

They stand in for the OpenML evaluations of the paper, a random forest's. All hyperparameters are continuous here, also
the few that are whole numbers: a forest is constant between the values that it has seen. Losses and signals with heavy
tails (DeepAR's CRPS and seconds) are modelled and searched as logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from core.benchmarks.forest import Forest
from core.data import load_frame
from core.errors import UnknownNameError
from core.spaces import CubeEncoding


@dataclass(frozen=True)
class Source:
    """A table: its name in the catalogue, the columns of the loss and of side signals, and which are logarithms."""

    table: str
    columns: tuple[str, ...]
    logarithmic: tuple[bool, ...]


SOURCES = {
    "xgboost": Source("xgboost_10tasks", ("metric_error",), (False,)),
    "deepar": Source("deepar_11tasks", ("metric_CRPS", "metric_train_loss", "metric_time"), (True, False, True)),
}


@dataclass(frozen=True)
class TaskTable:
    """The evaluations of all tasks.

    Attributes:
        names: of the tasks.
        encoding: of the space, the ranges that the table covers.
        X: points of the cube of each task, (n, d).
        told: losses and side signals of each task, (n, 1 + S).
    """

    names: tuple[str, ...]
    encoding: CubeEncoding
    X: tuple[NDArray[np.float64], ...]
    told: tuple[NDArray[np.float64], ...]

    @cache  # noqa: B019 - tables live as long as the process
    def surrogate(self, task: int) -> Surrogate:
        """The forests of one task, grown once."""
        return Surrogate(self.X[task], self.told[task])

    def __hash__(self) -> int:
        return id(self)


class Surrogate:
    """Forests of a task's loss and signals.

    Attributes:
        smallest, typical: the smallest and the median loss that they predict at the evaluations they were grown on.
    """

    def __init__(self, X: NDArray[np.float64], told: NDArray[np.float64]) -> None:
        self._forest, self.signals = Forest(X, told, seed=0), told.shape[1]
        losses = self.predict(X)[:, 0]
        self.smallest, self.typical = float(losses.min()), float(np.median(losses))

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Losses and signals at points (n, d), (n, 1 + S)."""
        outputs = [self._forest.predict(X, np.full(len(X), signal)) for signal in range(self.signals)]
        return np.stack(outputs, -1)


@lru_cache(maxsize=2)
def task_table(name: str) -> TaskTable:
    """The table of a benchmark's name.

    Raises:
        UnknownNameError: no table has that name.
        DataUnavailableError: it is in none of the catalogue's places.
    """
    if name not in SOURCES:
        raise UnknownNameError("table of tasks", name, SOURCES)
    source = SOURCES[name]
    frame = load_frame(source.table)
    inputs = [column for column in frame if column.startswith("hp_")]
    low, high = frame[inputs].min().to_numpy(float), frame[inputs].max().to_numpy(float)
    encoding = CubeEncoding({key: (float(a), float(b)) for key, a, b in zip(inputs, low, high, strict=True)})
    order = [inputs.index(column.name) for column in encoding.columns]
    groups = dict(tuple(frame.groupby("task", sort=True)))
    points = tuple(((rows[inputs].to_numpy(float) - low) / (high - low))[:, order] for rows in groups.values())
    told = tuple(_told(rows[list(source.columns)].to_numpy(float), source) for rows in groups.values())
    return TaskTable(tuple(groups), encoding, points, told)


def _told(values: NDArray[np.float64], source: Source) -> NDArray[np.float64]:
    return np.where(source.logarithmic, np.log10(np.where(source.logarithmic, values, 1.0)), values)
