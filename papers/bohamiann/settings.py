"""Settings of BOHAMIANN's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from core.experiment.optimization_settings import Optimization
from core.experiment.schema import Settings

__all__ = ["FitAfterOptimization", "Mixture", "Optimization", "Regression", "Sinc"]

Decay = Annotated[float, Field(gt=0, le=1)]


class Regression(Settings):
    """A Bayesian network on random splits of a regression data set, one fit for each point of a grid of constants."""

    sampler: Literal["sghmc", "adaptive_sghmc"]
    raise_friction: bool = True
    step_sizes: Annotated[tuple[PositiveFloat, ...], Field(min_length=1)]
    momentum_decays: Annotated[tuple[Decay, ...], Field(min_length=1)] = (0.05,)
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50,)
    steps: PositiveInt
    burn_in: NonNegativeInt
    thinning: PositiveInt = 100
    batch_size: PositiveInt = 20
    initialisation: Literal["he", "uniform"]
    weight_prior: Literal["averaged_normal", "gamma_hyperprior"]
    noise_prior_median: PositiveFloat = 1e-6
    noise_prior_variance: PositiveFloat = 0.01
    test_fraction: Annotated[float, Field(gt=0, lt=1)] = 0.1

    @model_validator(mode="after")
    def _keeps_a_sample(self) -> Regression:
        if self.steps < self.burn_in + self.thinning:
            raise ValueError(
                f"steps = {self.steps} must be at least burn_in + thinning = {self.burn_in + self.thinning}, "
                "or no sample is kept"
            )
        return self


class Sinc(Settings):
    """One model fitted to 20 noise-free points of the sinc function."""

    model: Literal["bayes_by_backprop", "mc_dropout", "pbp", "sghmc"]
    points: PositiveInt = 20
    epochs: PositiveInt = 5000
    step_size: PositiveFloat = 3e-4
    steps: PositiveInt = 50_000
    burn_in: NonNegativeInt = 10_000


class Mixture(Settings):
    """One sampler on the posterior of Welling and Teh's two-mode Gaussian mixture."""

    sampler: Literal["sghmc", "adaptive_sghmc"]
    step_size: PositiveFloat = 1e-2
    points: PositiveInt = 100
    steps: PositiveInt = 10_000
    burn_in: NonNegativeInt = 100
    batch_size: PositiveInt = 10
    keep_every: PositiveInt = 5


class FitAfterOptimization(Optimization):
    """Optimization in one dimension, followed by the model's prediction on a grid."""

    grid: PositiveInt = 400
