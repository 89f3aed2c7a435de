"""Settings of BOHB's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from core.experiment.bandit_rules import BanditSearch
from core.experiment.settings import AddedLater, Settings
from core.experiment.timed_search_settings import TimedSearch

if TYPE_CHECKING:
    from core.study.settings import MethodSettings

__all__ = ["BayesianNetworkSearch", "Collect", "CountingOnesSearch", "Densities", "SimulatedSearch", "TimedSearch"]


class Collect(Settings):
    """Learning curves of configurations drawn from Table C.1 (thesis C.8.1).

    Attributes:
        configurations: number n trained in a run; run r has those numbered r n to (r + 1) n - 1.
        epochs: length of each training.
        seed: of the split, the configurations and all trainings.
        whole: whether all 70,000 images of MNIST are taken, not the 10,000 test images.
    """

    configurations: PositiveInt
    epochs: PositiveInt = 50
    seed: NonNegativeInt = 0
    whole: Annotated[bool, AddedLater()] = False


class SimulatedSearch(BanditSearch):
    """Repetitions of one optimizer on one objective with a fidelity; see `papers.bohb.experiments.simulated_runs`.

    Attributes:
        optimizer: a name of `core.study.methods`. "smac" needs envs/requirements-smac.txt; "gp_mcmc" makes one
            evaluation after the other. Both, and "random" and "tpe", evaluate on the largest budget only.
        full_evaluations: the clock stops after this many times the largest budget.
        brackets: length of a run of a bandit (Hyperband, with LC-Net or without, or BOHB), instead of full_evaluations.
        workers: number that evaluate side by side.
        categorical_factor: of BOHB.
        surrogate_of_code: of the authors' space and loss, see `core.benchmarks.fcnet_surrogate`.
    """

    optimizer: Literal["random", "tpe", "smac", "gp_mcmc", "hyperband", "hyperband_lcnet", "bohb"]
    full_evaluations: PositiveFloat | None = None
    brackets: PositiveInt | None = None
    workers: PositiveInt = 1
    categorical_factor: PositiveFloat = 1
    surrogate_of_code: Annotated[bool, AddedLater()] = False

    @model_validator(mode="after")
    def _ends(self) -> SimulatedSearch:
        bandit = self.optimizer in ("hyperband", "hyperband_lcnet", "bohb")
        if (self.full_evaluations is None) == (self.brackets is None) or (self.brackets is not None and not bandit):
            raise ValueError(
                "give one of full_evaluations and brackets, brackets only for hyperband, hyperband_lcnet or bohb"
            )
        if not bandit and self.full_evaluations < 1:
            raise ValueError(f"full_evaluations = {self.full_evaluations}: {self.optimizer!r} needs at least 1")
        if self.optimizer == "gp_mcmc" and self.workers != 1:
            raise ValueError(f"workers = {self.workers}: optimizer 'gp_mcmc' has 1")
        if self.optimizer == "gp_mcmc" and self.full_evaluations % 1:
            raise ValueError(
                f"full_evaluations = {self.full_evaluations}: optimizer 'gp_mcmc' has a whole number of them"
            )
        return self

    @property
    def method(self) -> MethodSettings:
        """The method that these settings name, with those of them that it has."""
        from core.study.methods import IntegratedGPSettings, method_with

        if self.optimizer == "gp_mcmc":  # as RoBO's
            return IntegratedGPSettings(method="gp_mcmc", initial_design=2)
        return method_with(self.optimizer, self)


class CountingOnesSearch(SimulatedSearch):
    """A search on stochastic counting ones with `dimension` dimensions, half of them categorical."""

    dimension: Annotated[int, Field(gt=0, multiple_of=2)]


class BayesianNetworkSearch(SimulatedSearch):
    """A search for hyperparameters of a Bayesian network.

    Attributes:
        raise_friction, noise_correction: of its sampler, see `core.samplers.AdaptiveSGHMC`; the defaults are those of
            the authors' benchmark.
    """

    raise_friction: bool = False
    noise_correction: bool = False


class Densities(Settings):
    """Two kernel density estimates of points drawn from a mixture of Gaussians in two dimensions (Fig C.1)."""

    components: Literal[1, 2]
    points: PositiveInt = 16
    grid: PositiveInt = 60
