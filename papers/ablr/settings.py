"""Settings of ABLR's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from core.experiment.search_settings import SharedStart, Suggestions
from core.foundation.strict import AddedLater
from core.study.methods import one_of

ModelOfTasks = one_of("gp", "ablr")


class Search(SharedStart):
    """Bayesian optimization in which each run has a task of its own.

    Attributes:
        method: "gp" or "ablr", with its settings.
        transfer: Whether the model knows the evaluations of the other tasks; a Gaussian process then needs `context`.
        context: Whether it knows the context of every task.
        signals: Whether ABLR models the side signals of the evaluations beside their losses.
    """

    method: ModelOfTasks
    transfer: bool = False
    context: bool = False
    signals: bool = False
    evaluations: PositiveInt = 50
    initial_design: NonNegativeInt | None = 5

    @model_validator(mode="after")
    def _fits_together(self) -> Search:
        gp = self.method.method == "gp"
        if self.context and not self.transfer:
            raise ValueError("context = true: allowed: only with transfer; a single task has nothing to differ from")
        if gp and self.transfer != self.context:
            raise ValueError(f"transfer = {self.transfer}: a Gaussian process stacks tasks by context; allowed: both")
        if self.signals and (gp or self.transfer):
            raise ValueError("signals = true: allowed: only with ABLR on a single task")
        if self.initial_design >= self.evaluations:
            raise ValueError(f"initial_design = {self.initial_design}: allowed: below evaluations = {self.evaluations}")
        return self


class Quadratics(Search):
    """Searches for minima of random quadratic functions (section 3.1); run number r has the task r modulo `tasks`.

    Attributes:
        tasks: Number of functions.
        observations: Number of random points at which each of the others is known.
        seed: Seed of the functions.
    """

    tasks: Annotated[int, Field(ge=2)] = 30
    observations: PositiveInt = 10
    seed: NonNegativeInt = 0


class Tables(Search):
    """Searches on surrogates of stored evaluations (section 3.2); run number r has the task r modulo their number.

    Attributes:
        observations: Number of known evaluations of each other task, drawn at random; null for all.
        tasks: Number of tasks, the first of the table; null for all.
    """

    observations: PositiveInt | None = None
    tasks: Annotated[Annotated[int, Field(ge=2)] | None, AddedLater(None)] = None


class Networks(Search):
    """Searches that train networks on a data set (section 3.3)."""


class SuggestionTime(Suggestions):
    """Suggestions of one model of a single task (Fig 1, right)."""

    method: ModelOfTasks
