"""Tuning problems whose evaluations were recorded: the authors' tables, surrogates, and trees fitted to evaluations.

* table: a drawn repetition of the authors' networks, told, and the average of the four, judged (tabular benchmarks).
* surrogate: forests on learning curves of networks that this repository trained (BOHB's, six hyperparameters).
* boosting: a forest on 5,000 evaluations of XGBoost on one data set (eight hyperparameters).
* svm_mnist_surrogate: the authors' forests of Fabolas.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace, Float, Integer
from sklearn.ensemble import ExtraTreesRegressor

from benchmarks.field.problem import Problem, space_of
from core.data import load_frame

ROOT = Path(__file__).parents[2]


def table(name: str, dataset: str) -> Problem:
    """The authors' table of a data set: nine finite hyperparameters, noise of four repetitions."""
    from core.tabular.authors import authors_table
    from core.tabular.benchmark import TabularBenchmark

    noisy = TabularBenchmark(authors_table(dataset))
    average = TabularBenchmark(authors_table(dataset), averaged=True)

    def loss(configuration: Mapping[str, Any], generator: np.random.Generator) -> tuple[float, float]:
        told = noisy.evaluate([configuration], None, generator).loss[0]
        return float(told), float(average.evaluate([configuration], None, generator).loss[0])

    return Problem(name, noisy.space, loss, average.optimum)


def surrogate(name: str, dataset: str) -> Problem:
    """The surrogate of networks on a data set, all seconds of training."""
    from core.objectives.fcnet_surrogate import FCNetSurrogate

    records = ROOT / "results" / "reference" / "quick" / "bohb" / "collect" / dataset
    (path,) = records.glob("*.parquet")
    fitted = FCNetSurrogate.fit(pd.read_parquet(path))

    def loss(configuration: Mapping[str, Any], generator: np.random.Generator) -> float:
        return float(fitted.evaluate([configuration], None, generator).loss[0])

    return Problem(name, fitted.space, loss)


def boosting(name: str, task: str) -> Problem:
    """XGBoost's error on a task of the recorded evaluations, by trees with random splits."""
    frame = load_frame("xgboost_10tasks")
    frame = frame[frame["task"] == task]
    columns = [column for column in frame if column.startswith("hp_")]
    model = ExtraTreesRegressor(20, min_samples_leaf=2, random_state=0).fit(frame[columns], frame["metric_error"])
    model.n_jobs = None
    ranges = {column: (float(frame[column].min()), float(frame[column].max())) for column in columns}
    space = space_of(
        *(
            Integer(column, tuple(map(int, ends))) if column == "hp_max_depth_index" else Float(column, ends)
            for column, ends in ranges.items()
        )
    )
    trees = [tree.tree_ for tree in model.estimators_]

    def loss(configuration: Mapping[str, Any], generator: np.random.Generator) -> float:
        point = np.array([[configuration[column] for column in columns]], dtype=np.float32)
        return float(np.mean([tree.predict(point)[0, 0] for tree in trees]))

    return Problem(name, space, loss)


def svm_surrogate(name: str) -> Problem:
    """The authors' surrogate of support vector machines on MNIST, all of the data."""
    from core.objectives.svm_surrogate import authors_svm_surrogate

    benchmark = authors_svm_surrogate()
    space: ConfigurationSpace = benchmark.space

    def loss(configuration: Mapping[str, Any], generator: np.random.Generator) -> float:
        return float(benchmark.evaluate([configuration], None, generator).loss[0])

    return Problem(name, space, loss, benchmark.optimum)
