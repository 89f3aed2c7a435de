"""Settings of the experiments of Brofos et al. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

from core.experiment.settings import Settings
from core.foundation.strict import AddedLater


class RegretSearch(Settings):
    """The optimizer: a network of tanh units, least squares on its last layer, expected improvement on a grid.

    Attributes:
        refit_at_multiples: Whether the network is trained when the observations pass a multiple of `refit_every`, or
            so many after the last time; see `core.models.least_squares`.
        learning_rate, momentum: Settings of the network's training, see `core.models.representation`.
        corrected_noise, intercept, standardize: Options of `core.models.least_squares.LeastSquaresNetwork`.
    """

    points_per_axis: Annotated[int, Field(ge=2)]
    queries: PositiveInt
    initial_points: PositiveInt = 50
    batch: PositiveInt = 5
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    steps: PositiveInt = 1500
    learning_rate: Annotated[PositiveFloat, AddedLater(0.05)] = 0.05
    momentum: Annotated[float, Field(ge=0, lt=1), AddedLater(0.9)] = 0.9
    refit_every: PositiveInt = 100
    refit_at_multiples: Annotated[bool, AddedLater(False)] = False
    corrected_noise: Annotated[bool, AddedLater(False)] = False
    intercept: Annotated[bool, AddedLater(False)] = False
    standardize: Annotated[bool, AddedLater(True)] = True
    min_noise: PositiveFloat = 1e-8
    noise_sd: NonNegativeFloat = 0.01
    length_scale: PositiveFloat = 0.2
    """Length scale of the Gaussian process whose draws are maximized, in units of [-1, 1]; other targets have none."""


class RecordedSearch(RegretSearch):
    """The optimizer with every query recorded.

    Attributes:
        record: Regrets alone, or with what the theorem's paths are made of, the posterior at each query and at x*.
    """

    record: Literal["paths", "regrets"] = "paths"


class WallClock(RegretSearch):
    """The optimizer with evaluations that take time, one after another or by worker processes."""

    workers: PositiveInt
    seconds: PositiveFloat = 2.0


class GaussianProcessSearch(Settings):
    """Bayesian optimization with a Gaussian process on the same candidates, one query after the other."""

    points_per_axis: Annotated[int, Field(ge=2)]
    queries: PositiveInt
    initial_points: PositiveInt = 50
    noise_sd: NonNegativeFloat = 0.01


class Interpolation(Settings):
    """Repeated regressions on more and more observations, with a network trained once.

    Attributes:
        observations: Numbers of observations.
        trained_on: Number of observations that the network has seen.
        repeats: Measurements of each, whose median is recorded.
    """

    observations: Annotated[tuple[PositiveInt, ...], Field(min_length=1)]
    trained_on: PositiveInt = 100
    steps: PositiveInt = 1500
    repeats: PositiveInt = 5
