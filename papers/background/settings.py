"""Settings of the background chapter's illustrations. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from core.experiment.settings import Settings


class Step(Settings):
    """One step of Bayesian optimization in one dimension."""

    initial_points: Annotated[int, Field(ge=2)] = 4
    grid: Annotated[int, Field(ge=11)] = 401


class Kernel(Settings):
    """Draws of a Gaussian process conditioned on a few observations."""

    kernel: Literal["rbf", "matern52"]
    length_scale: PositiveFloat = 0.15
    draws: PositiveInt = 3
    points: PositiveInt = 4
    grid: Annotated[int, Field(ge=11)] = 401


class Models(Settings):
    """One model fitted to observations from the middle of the domain."""

    model: Literal["gp", "rf"]
    points: PositiveInt = 8
    interval: tuple[float, float] = (0.25, 0.75)
    trees: PositiveInt = 100
    grid: Annotated[int, Field(ge=11)] = 401
