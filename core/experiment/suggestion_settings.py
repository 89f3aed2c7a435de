"""Settings of measured suggestions: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from core.experiment.settings import Settings
from core.study.methods import SingleBudgetMethod


class Suggestions(Settings):
    """Processor seconds of one suggestion, for more and more observations until one takes longer than `longest`.

    Attributes:
        method: Method with a model, and its settings.
        observations: Numbers of observations in ascending order.
        longest: Longest time of a suggestion, in seconds of one thread.
        warm_up: Number of observations behind a first suggestion, which is not recorded.
    """

    method: SingleBudgetMethod
    observations: Annotated[tuple[PositiveInt, ...], Field(min_length=1)]
    longest: PositiveFloat
    warm_up: PositiveInt = 10

    @model_validator(mode="after")
    def _ascending(self) -> Suggestions:
        if list(self.observations) != sorted(set(self.observations)):
            raise ValueError(f"observations = {self.observations} must be ascending")
        return self
