"""Settings of the experiments of Brofos et al. Imports no torch, the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from core.experiment.schema import Settings

Count = Annotated[int, Field(gt=0)]
Positive = Annotated[float, Field(gt=0)]


class Search(Settings):
    """The optimizer: a network of tanh units, least squares on its last layer, expected improvement on a grid."""

    points_per_axis: Annotated[int, Field(ge=2)]
    queries: Count
    initial_points: Count = 50
    batch: Count = 5
    widths: Annotated[tuple[Count, ...], Field(min_length=1)] = (50, 50, 50)
    steps: Count = 1500
    refit_every: Count = 100
    min_noise: Positive = 1e-8
    noise_sd: Annotated[float, Field(ge=0)] = 0.01
    length_scale: Positive = 0.2
    """Of the Gaussian process whose draws are maximised, in units of [-1, 1]; the other targets have none."""


class WallClock(Search):
    """The optimizer with evaluations that take time, one after another or by worker processes."""

    workers: Count
    seconds: Positive = 2.0
