"""Hyperparameters of random forests on classification sets (NIPS 6.2): a grid of 100 of scikit-learn's forests.

The paper names neither hyperparameters nor values. Here they are the three that decide how trees differ and how deep
they grow; every forest has 30 trees. The loss is the share of validation points that a forest gets wrong, the cost the
processor seconds of growing and validating it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from ConfigSpace import ConfigurationSpace, OrdinalHyperparameter
from sklearn.ensemble import RandomForestClassifier

from core.objectives.base import Configurations, Evaluation, Fidelity, check_budget
from core.objectives.svm import SVM, Part, svm

GRID = {
    "max_depth": (2, 4, 8, 16, 32),
    "max_features": (0.05, 0.1, 0.3, 0.6, 1.0),
    "min_samples_split": (2, 5, 15, 40),
}
TREES = 30
SEEDS = 2**31


@dataclass(frozen=True)
class ForestTuning:
    """The benchmark on given parts, each inputs (n, d) and classes (n,); a noisy `Objective`."""

    name: str
    train: Part = field(repr=False)
    validation: Part = field(repr=False)
    fidelity: Fidelity | None = None
    optimum: float | None = None
    worst_loss: float = 1.0

    @property
    def space(self) -> ConfigurationSpace:
        """One ordinal per hyperparameter."""
        space = ConfigurationSpace(name="random forest")
        space.add(*(OrdinalHyperparameter(name, values) for name, values in GRID.items()))
        return space

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Grow and validate one forest per configuration; the generator gives the seeds.

        Raises:
            UserError: a budget was given.
        """
        check_budget(self.fidelity, budget)
        losses, costs = [], []
        for configuration in configurations:
            seed, start = int(generator.integers(SEEDS)), time.process_time()
            forest = RandomForestClassifier(TREES, random_state=seed, n_jobs=1, **configuration).fit(*self.train)
            losses.append(1 - forest.score(*self.validation))
            costs.append(time.process_time() - start)
        return Evaluation(np.array(losses), np.array(costs), tuple({} for _ in losses))


def forest_tuning(dataset: str, most_points: int | None = None) -> ForestTuning:
    """The benchmark on a set of the catalogue, split and encoded as `core.objectives.svm` does; raises as it does."""
    parts: SVM = svm(dataset, most_points=most_points)
    return ForestTuning(f"forest_{dataset}", parts.train, parts.validation)
