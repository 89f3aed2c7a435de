"""Classifying networks of Table E.3 on one data set, as an objective: two layers of relu units, dropout, Adam.

    classifier("letter", most_rows=1000, epochs=10).evaluate([configuration], None, np.random.default_rng(0))

Every hyperparameter is continuous; `INTEGERS` names those that are rounded. A set is split as `preparation` says; the
loss is the share of validation points that a network gets wrong after its last epoch, the cost its processor seconds of
training. The thesis gives neither the epochs nor the units nor the optimizer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.data import load
from core.foundation.errors import UserError
from core.foundation.schedules import constant
from core.foundation.seeds import derive_seed
from core.objectives.base import Configurations, Evaluation, check_budget
from core.objectives.network_spaces import classifier_space
from core.training import Networks, Parts, train
from core.training.preparation import prepare

INTEGERS = ("batch_size", "units_1", "units_2")
SEEDS = 2**62


@dataclass(frozen=True)
class Classifier:
    """The benchmark on given parts; an `Objective`."""

    parts: Parts = field(repr=False)
    epochs: int = 100
    fidelity: None = None
    optimum: float | None = None
    worst_loss: float = 1.0

    @property
    def space(self) -> ConfigurationSpace:
        """Table E.3."""
        return classifier_space()

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Train one network per configuration, from a seed that the generator draws.

        A loss is nan if the training diverged, which `guarded_evaluate` records as a failure.

        Raises:
            UserError: a budget was given.
        """
        check_budget(self.fidelity, budget)
        results = [self._train(configuration, int(generator.integers(SEEDS))) for configuration in configurations]
        losses, seconds = np.array(results, np.float64).reshape(-1, 2).T
        return Evaluation(losses, seconds, tuple({} for _ in results))

    def _train(self, configuration: Mapping[str, Any], seed: int) -> tuple[float, float]:
        batch_size, *units = (round(configuration[name]) for name in INTEGERS)
        networks = Networks(
            sizes=(self.parts.train.X.shape[1], *units, self.parts.classes),
            batch_size=batch_size,
            tanh=np.zeros((1, 2), np.bool_),
            dropout=np.array([[configuration["dropout_1"], configuration["dropout_2"]]], np.float32),
            rates=constant(configuration["learning_rate"], self.epochs)[None],
            seeds=np.array([seed], np.uint64),
        )
        records = train(networks, self.parts)
        return float(records.validation[0, -1]), float(records.seconds[0])


def classifier(dataset: str, most_rows: int | None = None, epochs: int = 100, half: int | None = None) -> Classifier:
    """The benchmark on a classification set of the catalogue.

    Args:
        most_rows: Largest number of rows of the set, drawn at random before it is split.
        half: Half of these rows to use, 0 or 1, as if it were a set of its own; None for all.

    Raises:
        UserError: the set is one of regression.
        DataUnavailableError: the set is in none of the catalogue's places.
    """
    data = load(dataset)
    if data.task != "classification":
        raise UserError(f"data set {dataset!r} is for {data.task}; allowed: classification")
    rows = np.random.default_rng(0).permutation(len(data.y))[:most_rows]
    if half is not None:
        rows = np.array_split(rows, 2)[half]
    chosen = replace(data, X=data.X[rows], y=data.y[rows])
    return Classifier(prepare(chosen, derive_seed("classifier split", dataset) % 2**32)[0], epochs)
