"""Settings of ABLR's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from core.experiment.settings import Settings
from core.experiment.suggestion_settings import Suggestions


class Search(Settings):
    """Bayesian optimization with expected improvement, on a task of each run's own.

    Attributes:
        model: a Gaussian process or ABLR.
        representation: ABLR's: a network, or random Fourier features.
        transfer: whether the model knows the evaluations of the other tasks; a Gaussian process then needs `context`.
        context: whether it knows the context of every task.
        signals: whether ABLR models the side signals of the evaluations beside their losses.
        evaluations: number in a run.
        initial_design: uniform points at its start, the same for all methods.
        iterations: maximum number of steps of L-BFGS-B in a fit.
        restarts: starting points of a Gaussian process' fit.
        widths: units of the network's hidden layers.
        features: number of random Fourier features.
    """

    model: Literal["gp", "ablr"]
    representation: Literal["network", "fourier"] = "network"
    transfer: bool = False
    context: bool = False
    signals: bool = False
    evaluations: PositiveInt = 50
    initial_design: PositiveInt = 5
    iterations: PositiveInt = 100
    restarts: PositiveInt = 3
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    features: PositiveInt = 100

    @model_validator(mode="after")
    def _fits_together(self) -> Search:
        if self.context and not self.transfer:
            raise ValueError("context = true: allowed: only with transfer; a single task has nothing to differ from")
        if self.model == "gp" and self.transfer != self.context:
            raise ValueError(f"transfer = {self.transfer}: a Gaussian process stacks tasks by context; allowed: both")
        if self.signals and (self.model == "gp" or self.transfer):
            raise ValueError("signals = true: allowed: only with ABLR on a single task")
        if self.initial_design >= self.evaluations:
            raise ValueError(f"initial_design = {self.initial_design}: allowed: below evaluations = {self.evaluations}")
        return self


class Quadratics(Search):
    """Searches for minima of random quadratic functions (section 3.1); run number r has the task r modulo `tasks`.

    Attributes:
        tasks: number of functions.
        observations: number of random points at which each of the others is known.
        seed: of the functions.
    """

    tasks: Annotated[int, Field(ge=2)] = 30
    observations: PositiveInt = 10
    seed: NonNegativeInt = 0


class Tables(Search):
    """Searches on surrogates of stored evaluations (section 3.2); run number r has the task r modulo their number.

    Attributes:
        observations: number of evaluations of each other task that are known, drawn at random; null for all.
    """

    observations: PositiveInt | None = None


class Networks(Search):
    """Searches that train networks on a data set (section 3.3)."""


class SuggestionTime(Suggestions):
    """Suggestions of one model of a single task (Fig 1, right)."""

    model: Literal["gp", "ablr"]
    representation: Literal["network", "fourier"] = "network"
