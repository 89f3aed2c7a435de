"""Settings of searches that may start from other data sets. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveInt, model_validator

from core.experiment.optimization_settings import Optimization


class WarmStarted(Optimization):
    """Optimization by a method that may learn from earlier tasks.

    Attributes:
        observations: Number of known evaluations of an earlier task.
    """

    observations: PositiveInt = 10


class XGBoostSearch(WarmStarted):
    """Search for XGBoost's hyperparameters on one set, starting from another (thesis 3.6.2).

    Attributes:
        others: Sets among which each run draws its earlier task.
        most_rows: Largest number of rows of every set, drawn at random.
    """

    others: Annotated[tuple[str, ...], Field(min_length=1)]
    most_rows: PositiveInt | None = None


class MultiTaskSearch(WarmStarted):
    """Search in a table of one classification set, starting from others of its group (NIPS 6.2).

    Attributes:
        algorithm: Algorithm whose hyperparameters are searched.
        target: Set at hand.
        others: Other sets of its group.
    """

    algorithm: Literal["svm", "forest"]
    target: str
    others: Annotated[tuple[str, ...], Field(min_length=1)]
    observations: PositiveInt = 30


class OpenMLSearch(WarmStarted):
    """Search on the surrogate of a task of OpenML, starting from stored evaluations of others.

    Attributes:
        tasks: Number of tasks, the first of the table's 100; run number r searches task r modulo their number.
        others: Number of known tasks, those that follow.
    """

    observations: PositiveInt = 30
    tasks: Annotated[int, Field(ge=2, le=100)] = 30
    others: PositiveInt = 4

    @model_validator(mode="after")
    def _has_as_many_others(self) -> OpenMLSearch:
        if self.others >= self.tasks:
            raise ValueError(f"others = {self.others}; allowed: 1 to {self.tasks - 1}, the other tasks")
        return self
