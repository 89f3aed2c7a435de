"""Settings of BOHAMIANN's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from core.experiment.search_settings import ImageTask, Optimization, ParallelSearch
from core.experiment.settings import Settings
from core.foundation.strict import AddedLater, OpenShare
from core.optimizers.model_settings import Initialisation, WeightPriorName

Decay = Annotated[float, Field(gt=0, le=1)]


class Regression(Settings):
    """A Bayesian network on random splits of a regression data set, one fit for each point of a grid of constants.

    Attributes:
        raise_friction, noise_correction: Options of the adaptive sampler, see `core.samplers.AdaptiveSGHMC`.
        initial_precision: Precision of the weights before the first draw from the Gamma hyperprior; null draws at the
            start.
        noise_prior_median: Prior median of the noise variance, in units of the targets' variance.
        noise_prior_variance: Prior variance of the noise variance's logarithm.
    """

    sampler: Literal["sghmc", "adaptive_sghmc"]
    raise_friction: bool = False
    noise_correction: bool = True
    step_sizes: Annotated[tuple[PositiveFloat, ...], Field(min_length=1)]
    momentum_decays: Annotated[tuple[Decay, ...], Field(min_length=1)] = (0.05,)
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50,)
    steps: PositiveInt
    burn_in: NonNegativeInt
    thinning: PositiveInt = 100
    batch_size: PositiveInt = 20
    initialisation: Initialisation
    weight_prior: WeightPriorName
    initial_precision: PositiveFloat | None = None
    noise_prior_median: PositiveFloat = 1e-6
    noise_prior_variance: PositiveFloat = 0.01
    test_fraction: OpenShare = 0.1

    @model_validator(mode="after")
    def _keeps_a_sample(self) -> Regression:
        if self.steps < self.burn_in + self.thinning:
            raise ValueError(
                f"steps = {self.steps} must be at least burn_in + thinning = {self.burn_in + self.thinning}, "
                "or no sample is kept"
            )
        return self

    @model_validator(mode="after")
    def _draws_a_precision(self) -> Regression:
        if self.initial_precision is not None and self.weight_prior != "gamma_hyperprior":
            raise ValueError("initial_precision must be null unless weight_prior is 'gamma_hyperprior'")
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
    """One sampler on the posterior of Welling and Teh's two-mode Gaussian mixture.

    Attributes:
        sampler: "euler_sghmc" is the update of the authors' code, "sghmc" Eq. 7.
        momentum_decay: Decay per step; for "euler_sghmc" per unit of time.
        start: Value of theta of all chains at step 0.
        priors: Whether the posterior has Welling and Teh's, or is the likelihood alone.
    """

    sampler: Literal["sghmc", "euler_sghmc", "adaptive_sghmc"]
    step_size: PositiveFloat = 1e-2
    momentum_decay: Decay
    raise_friction: bool = False
    start: tuple[float, float]
    priors: bool
    points: PositiveInt = 100
    steps: PositiveInt = 10_000
    burn_in: NonNegativeInt = 100
    batch_size: PositiveInt = 10
    keep_every: PositiveInt = 5


class Search(Optimization):
    """Optimization of one function.

    Attributes:
        record: Evaluations that are recorded: all of them, or those that improve on earlier ones of their run.
    """

    record: Annotated[Literal["evaluations", "improvements"], AddedLater("evaluations")] = "evaluations"


class FitAfterOptimization(Optimization):
    """Optimization in one dimension, followed by the model's prediction on a grid."""

    grid: PositiveInt = 400


class XGBoostTable(Settings):
    """XGBoost at points of Sobol's sequence; a run is a block of them.

    Attributes:
        configurations: Number of configurations per run.
        most_rows: Largest number of rows of the data set, drawn at random.
    """

    configurations: PositiveInt = 20
    most_rows: PositiveInt | None = None


class ClassificationTable(Settings):
    """A grid of support vector machines, or of random forests, on one data set.

    Attributes:
        values: Number of values of C, and of gamma.
        blocks: Number of runs that the grid is divided into.
        most_points: Largest number of points of the data set, before it is split.
    """

    values: Annotated[int, Field(ge=2)] = 12
    blocks: PositiveInt = 20
    most_points: PositiveInt | None = None


class AgentSearch(Optimization):
    """Search for hyperparameters of deep deterministic policy gradient on a control task (NIPS 6.4).

    Attributes:
        most_episodes: Number of episodes after which an agent has not learned its task.
        most_units, most_rows, most_updates: Upper ends of the space: units in a layer, remembered steps in an update,
            updates per step of an episode.
    """

    most_episodes: PositiveInt = 2000
    most_units: Annotated[int, Field(gt=16)] = 512
    most_rows: Annotated[int, Field(gt=16)] = 256
    most_updates: Annotated[float, Field(gt=0.5)] = 16.0


class Agents(Settings):
    """Agents with the original hyperparameters or with those of a search's incumbents, trained anew.

    Attributes:
        most_episodes: Number of episodes of training.
        most_units: Largest number of units in a layer of the original agent.
        every: Number of episodes between two points of the learning curve.
        tests: Number of test episodes at each.
    """

    most_episodes: PositiveInt = 2000
    most_units: PositiveInt = 512
    every: PositiveInt = 25
    tests: PositiveInt = 100


class ResidualTask(ImageTask):
    """Residual networks on images (NIPS 6.3).

    Attributes:
        most_blocks, most_rows: Upper ends of the space: blocks in a stage, images in a minibatch.
        width: Number of planes in the first stage.
    """

    most_blocks: Annotated[int, Field(ge=2)] = 5
    most_rows: Annotated[int, Field(gt=32)] = 256
    width: PositiveInt = 16


class ResidualSearch(ResidualTask, ParallelSearch):
    """A parallel search for their hyperparameters.

    Attributes:
        workers: Number of networks that are trained side by side.
    """

    workers: PositiveInt = 8


class ResidualNetworks(ResidualTask):
    """Networks with He et al.'s hyperparameters or with those of a search's incumbents, trained anew."""


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
