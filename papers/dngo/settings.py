"""Settings of DNGO's experiments. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveInt, model_validator

from core.experiment.optimization_settings import Optimization
from core.experiment.settings import Settings
from core.experiment.suggestion_settings import Suggestions
from core.strict import OpenShare

EPOCHS = 20  # as `core.models.dngo` trains its network


class Activations(Settings):
    """DNGO with one kind of units on the sinc toy, evaluated beyond its data."""

    activation: Literal["tanh", "relu", "relu+tanh"]
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    points: PositiveInt = 20
    epochs: PositiveInt = 2000


class HPOlib(Optimization):
    """An optimizer on one of HPOlib's benchmarks."""


class SuggestionTime(Suggestions):
    """Suggestions of one model (Fig 1)."""


class Features(Settings):
    """DNGO with features by MAP or by evidence maximization, on held-out points of a function or a data set."""

    features: Literal["map", "evidence"]
    epochs: PositiveInt = EPOCHS
    train_points: PositiveInt = 100
    test_points: PositiveInt = 500
    test_fraction: OpenShare = 0.1


class FeatureSearch(Settings):
    """Bayesian optimization with either kind of features."""

    features: Literal["map", "evidence"]
    epochs: PositiveInt = EPOCHS
    evaluations: PositiveInt
    initial_design: PositiveInt = 5


class ActivationSearch(Settings):
    """Bayesian optimization by DNGO with one kind of units."""

    activation: Literal["tanh", "relu", "relu+tanh"]
    epochs: PositiveInt = EPOCHS
    evaluations: PositiveInt
    initial_design: PositiveInt = 5


class ScheduleSearch(Settings):
    """Bayesian optimization by DNGO whose network trains for a number of updates, or of epochs where that is null."""

    updates: PositiveInt | None
    evaluations: PositiveInt
    initial_design: PositiveInt = 5


class Dropout(Settings):
    """DNGO trained twice on the same points of a function, with a dropout rate in every hidden layer."""

    rate: Annotated[float, Field(ge=0, lt=1)]
    epochs: PositiveInt = EPOCHS
    train_points: PositiveInt = 100
    test_points: PositiveInt = 500


class Architecture(Settings):
    """Bayesian optimization of DNGO's own architecture with a given number of layers.

    Attributes:
        layers: Number of hidden layers of the network.
        search: Whether to search; otherwise the paper's architecture is confirmed, with our defaults for what the paper
            leaves open.
        functions: Functions on which DNGO is judged.
        seeds: Runs of DNGO on each function that judge a configuration, the same for all configurations.
        confirmations: Fresh runs on each function that judge the best configuration again.
        evaluations, initial_design: Numbers of evaluations and of initial points of each run of DNGO.
        search_evaluations, search_design: The same numbers for the outer optimization.
        epochs: Number of epochs of the network's training.
    """

    layers: Annotated[int, Field(ge=1, le=4)]
    search: bool = True
    functions: Annotated[tuple[str, ...], Field(min_length=1)]
    seeds: PositiveInt
    confirmations: PositiveInt
    evaluations: PositiveInt
    initial_design: PositiveInt = 5
    search_evaluations: PositiveInt
    search_design: PositiveInt
    epochs: PositiveInt = EPOCHS

    @model_validator(mode="after")
    def _leaves_room(self) -> Architecture:
        if self.evaluations <= self.initial_design:
            raise ValueError(f"evaluations = {self.evaluations} must exceed initial_design = {self.initial_design}")
        return self
