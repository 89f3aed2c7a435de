"""Stored evaluations of several tasks, as earlier tasks and as surrogates: random forests, one for each task.

    xgboost                 XGBoost on 10 LIBSVM sets, 5,000 evaluations each, of Salinas et al. (2020)
    deepar                  DeepAR on 11 sets of time series, about 230 each, of the same authors
    openml_random_forest    a random forest on 94 tasks of OpenML, 500 each (flow 6969; ABLR section 3.2 has 6794)
    openml_adaboost         AdaBoost on 100 tasks of OpenML, 400 each (flow 6970)
    openml_svm              a support vector machine on 100 tasks of OpenML, 250 each

Hyperparameters of Salinas et al. are all continuous here, also the few that are whole numbers: a forest is constant
between the values that it has seen. Losses and signals with heavy tails (DeepAR's CRPS and seconds) are modelled and
searched as logarithms. Losses on OpenML are error rates, and the spaces those that configurations were drawn from
(`core.objectives.task_tables`).

The spaces of three algorithms whose evaluations are on OpenML, with short names for their hyperparameters.

Evaluations were drawn from these ranges, judging by the tables. Hyperparameters that never vary are left out
(the random forest's 100 trees of any depth). All hyperparameters are given for every configuration, also those of the
support vector machine that its kernel does not use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer
from numpy.typing import NDArray

from core.data import load_frame
from core.foundation.errors import UnknownNameError
from core.objectives.forest import Forest
from core.spaces import CubeEncoding

if TYPE_CHECKING:
    from torch import Tensor

    from core.models.tasks import Task


COLUMNS: Mapping[str, Mapping[str, str]] = {
    "openml_random_forest": {
        "bootstrap": "randomforestclassifier__bootstrap",
        "criterion": "randomforestclassifier__criterion",
        "max_features": "randomforestclassifier__max_features",
        "min_samples_leaf": "randomforestclassifier__min_samples_leaf",
        "min_samples_split": "randomforestclassifier__min_samples_split",
        "imputation": "columntransformer__numeric__imputer__strategy",
    },
    "openml_adaboost": {
        "algorithm": "adaboostclassifier__algorithm",
        "learning_rate": "adaboostclassifier__learning_rate",
        "max_depth": "adaboostclassifier__base_estimator__max_depth",
        "n_estimators": "adaboostclassifier__n_estimators",
        "imputation": "columntransformer__numeric__imputer__strategy",
    },
    "openml_svm": {name: name for name in ("C", "coef0", "gamma", "kernel", "tol")},
}
"""The tables' columns, by the names of the hyperparameters."""

ACCURACIES = {
    "openml_random_forest": "predictive_accuracy",
    "openml_adaboost": "predictive_accuracy",
    "openml_svm": "y",
}
"""The tables' columns of accuracies."""

IMPUTATIONS = ["mean", "median", "most_frequent"]


def error_rates(name: str, frame: pd.DataFrame) -> NDArray[np.float64]:
    """The error rates of a table with these columns, (rows,)."""
    accuracies = frame[ACCURACIES[name]].to_numpy(np.float64)
    return 1 - accuracies


def openml_space(name: str) -> ConfigurationSpace:
    """The space of one of `COLUMNS`.

    Raises:
        UnknownNameError: another name.
    """
    if name not in COLUMNS:
        raise UnknownNameError("algorithm on OpenML", name, COLUMNS)
    space = ConfigurationSpace(name=name)
    if name == "openml_random_forest":
        space.add(
            Categorical("bootstrap", ["True", "False"]),
            Categorical("criterion", ["gini", "entropy"]),
            Float("max_features", (0.1, 0.9)),
            Integer("min_samples_leaf", (1, 20)),
            Integer("min_samples_split", (2, 20)),
            Categorical("imputation", IMPUTATIONS),
        )
    elif name == "openml_adaboost":
        space.add(
            Categorical("algorithm", ["SAMME", "SAMME.R"]),
            Float("learning_rate", (0.01, 2.0), log=True),
            Integer("max_depth", (1, 10)),
            Integer("n_estimators", (50, 500)),
            Categorical("imputation", IMPUTATIONS),
        )
    else:
        space.add(
            Float("C", (2.0**-5, 2.0**15), log=True),
            Float("coef0", (-1.0, 1.0)),
            Float("gamma", (2.0**-15, 2.0**3), log=True),
            Categorical("kernel", ["poly", "rbf", "sigmoid"]),
            Float("tol", (1e-5, 1e-1), log=True),
        )
    return space


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
        names: Names of the tasks.
        encoding: Encoding of the space, whose ranges are those that the table covers.
        X: Points of the cube for each task, (n, d).
        outputs: Losses and side signals of each task, (n, 1 + S).
    """

    names: tuple[str, ...]
    encoding: CubeEncoding
    X: tuple[NDArray[np.float64], ...]
    outputs: tuple[NDArray[np.float64], ...]

    @cache  # noqa: B019 - tables live as long as the process
    def surrogate(self, task: int) -> Surrogate:
        """The forests of one task, grown once."""
        return Surrogate(self.X[task], self.outputs[task])

    def earlier(self, task: int) -> Task:
        """The evaluations of one task, as an earlier task for another's search; the loss alone, (1, n) at (1, n, d)."""
        import torch  # which looking tables up does not need

        from core.models.tasks import Task

        X, y = (torch.from_numpy(values)[None] for values in (self.X[task], self.outputs[task][:, 0]))
        return Task(X, y, name=f"task {self.names[task]}")

    def objective(self, tasks: Sequence[int]) -> Callable[[Tensor], Tensor]:
        """Losses and signals of several tasks, each at its own points: (T, n, d) of the cube to (T, n, 1 + S)."""
        import torch  # which looking tables up does not need

        surrogates = [self.surrogate(int(task)) for task in tasks]

        def evaluate(points: Tensor) -> Tensor:
            pairs = zip(surrogates, points.cpu().numpy(), strict=True)
            return torch.from_numpy(np.stack([surrogate.predict(part) for surrogate, part in pairs])).to(points)

        return evaluate

    def others(
        self, tasks: NDArray[np.int_], among: int, count: int, size: int | None, seeds: Sequence[int]
    ) -> list[Task]:
        """Known evaluations of other tasks, for searches on these tasks (T,).

        Args:
            among: The others are among this many first tasks of the table.
            count: Number of others: those that follow a task, the first ones after the last.
            size: Number of evaluations of each, drawn at random; at most, and for None, as many as the smallest has.
            seeds: A seed for each search.

        Returns:
            `count` tasks with losses (T, size) at (T, size, d).
        """
        import torch  # which looking tables up does not need

        from core.models.tasks import Task

        smallest = min(len(X) for X in self.X[:among])
        drawn = min(size or smallest, smallest)
        generators = [np.random.default_rng(seed) for seed in seeds]
        others = []
        for step in range(1, count + 1):
            chosen = (tasks + step) % among
            rows = [g.choice(len(self.X[t]), drawn, replace=False) for g, t in zip(generators, chosen, strict=True)]
            X = [self.X[task][row] for task, row in zip(chosen, rows, strict=True)]
            y = [self.outputs[task][row, 0] for task, row in zip(chosen, rows, strict=True)]
            arrays = torch.from_numpy(np.stack(X)), torch.from_numpy(np.stack(y))
            others.append(Task(*arrays, name=f"table {step}"))
        return others

    def __hash__(self) -> int:
        return id(self)


class Surrogate:
    """Forests of a task's loss and signals.

    Attributes:
        smallest, typical: Smallest and median loss that the forests predict at the evaluations on which they were
            grown.
    """

    def __init__(self, X: NDArray[np.float64], outputs: NDArray[np.float64]) -> None:
        self._forest, self.signals = Forest(X, outputs, seed=0), outputs.shape[1]
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
    if name in COLUMNS:
        return _openml_table(name, load_frame(name))
    if name not in SOURCES:
        raise UnknownNameError("table of tasks", name, (*SOURCES, *COLUMNS))
    source = SOURCES[name]
    frame = load_frame(source.table)
    inputs = [column for column in map(str, frame.columns) if column.startswith("hp_")]
    low, high = frame[inputs].min().to_numpy(float), frame[inputs].max().to_numpy(float)
    encoding = CubeEncoding({key: (float(a), float(b)) for key, a, b in zip(inputs, low, high, strict=True)})
    order = [inputs.index(column.name) for column in encoding.columns]
    groups = {str(task): rows for task, rows in frame.groupby("task", sort=True)}
    points = tuple(((rows[inputs].to_numpy(float) - low) / (high - low))[:, order] for rows in groups.values())
    outputs = tuple(_transformed(rows[list(source.columns)].to_numpy(float), source) for rows in groups.values())
    return TaskTable(tuple(groups), encoding, points, outputs)


def _openml_table(name: str, frame: pd.DataFrame) -> TaskTable:
    encoding = CubeEncoding(openml_space(name))
    named = frame.rename(columns={column: ours for ours, column in COLUMNS[name].items()})
    rows = named[list(COLUMNS[name])].astype(object).to_dict("records")
    points = encoding.encode([{str(key): value for key, value in row.items()} for row in rows])
    losses = error_rates(name, frame)
    tasks = frame.groupby("task_id", sort=True).indices
    X, outputs = (tuple(values[places] for places in tasks.values()) for values in (points, losses[:, None]))
    return TaskTable(tuple(map(str, tasks)), encoding, X, outputs)


def _transformed(values: NDArray[np.float64], source: Source) -> NDArray[np.float64]:
    return np.where(source.logarithmic, np.log10(np.where(source.logarithmic, values, 1.0)), values)
