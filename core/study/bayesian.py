"""Bayesian optimization by its settings: which model, which acquisition function, and how it is maximized.

Models are imported when the first one is built.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from core.study.continued import Continued
from core.study.settings import Budgets, Initialisation, MethodSettings, WeightPriorName

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from core.models.bohamiann import BayesianNetwork
    from core.models.ensemble import EnsembleModel
    from core.optimizers.base import Optimizer
    from core.optimizers.policy import Policy
    from core.spaces import CubeEncoding

Device = Any  # torch.device or its name; pydantic would import torch to check it


class ModelSettings(MethodSettings):
    """Base of Bayesian optimization with a model.

    Attributes:
        acquisition: what the next point maximizes: expected or probability of improvement, the lower confidence bound,
            or a sample of the model.
        maximizer: of the acquisition function; "local_search" suits every space, "gradient" continuous ones, "one_step"
            finite ones; "random_search", of 500 points, is the thesis' and the cheapest.
        generations: maximum number of generations of differential evolution.
        polish: end differential evolution with an ascent by L-BFGS-B, where the model has a gradient.
        initial_design: uniform points at the start of a run; the papers use 2, with which a model of several
            hyperparameters may find one of them irrelevant and never explore it again.
    """

    in_lockstep: ClassVar[bool] = True
    has_gradient: ClassVar[bool] = True

    acquisition: Literal["ei", "pi", "lcb", "thompson"] = "ei"
    maximizer: Literal["gradient", "differential_evolution", "local_search", "one_step", "random_search"] = (
        "local_search"
    )
    generations: PositiveInt = 50
    polish: bool = False
    initial_design: NonNegativeInt = 5

    def model(self, n: int, device: Device = "cpu") -> EnsembleModel:
        """The model for n observations; a multi-task model takes earlier tasks as the argument `earlier`."""
        raise NotImplementedError

    def _policy(self, encoding: CubeEncoding, device: Device, budgets: Budgets | None, **given: Any) -> Policy:
        """Fit the model and maximize the acquisition function.

        Raises:
            UserError: maximizer "one_step" on a space with a continuous hyperparameter.
        """
        from core.acquisition.maximizers import EvolutionarySearch, GradientAscent, OneStepSearch, RandomLocalSearch
        from core.optimizers.policy import ModelBased

        make = {
            "gradient": GradientAscent,
            "differential_evolution": lambda: EvolutionarySearch(
                iterations=self.generations, polish=self.polish and self.has_gradient
            ),
            "local_search": RandomLocalSearch,
            "random_search": lambda: RandomLocalSearch(steps=0),
            "one_step": lambda: OneStepSearch.of(encoding),
        }
        return ModelBased(encoding, self._source(device, **given), make[self.maximizer](), self.acquisition)

    def _source(self, device: Device, **given: Any) -> Callable[[int], EnsembleModel]:
        """Makes the models; one whose chains may continue, as its setting `warm_burn_in` says, is made only once."""
        make = partial(self.model, device=device, **given)
        return make if getattr(self, "warm_burn_in", None) is None else Continued(make)

    def _build(
        self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int, **given: Any
    ) -> Optimizer:
        from core.optimizers.bayesopt import BayesianOptimization
        from core.spaces import CubeEncoding

        return BayesianOptimization(self.policy(CubeEncoding(space), **given), self.initial_design, seed)


class GPSettings(ModelSettings):
    """A Gaussian process whose hyperparameters have the largest marginal likelihood."""

    method: Literal["gp"] = "gp"

    def model(self, n: int, device: Device = "cpu") -> EnsembleModel:
        """The Gaussian process; n makes no difference."""
        from core.models.gaussian_process import MarginalLikelihoodGP

        return MarginalLikelihoodGP(device=device)


class IntegratedGPSettings(ModelSettings):
    """A Gaussian process whose hyperparameters are integrated out by slice sampling.

    Attributes:
        method: "gp_warped" also warps the inputs.
        hyperparameter_samples: chains of the slice sampler, one sample each.
        scale_targets: divide them by their standard deviation; RoBO, which made the thesis' searches, only subtracts
            their mean.
        warm_burn_in: sweeps of chains that continue the last suggestion's; None starts new chains every time.
    """

    method: Literal["gp_mcmc", "gp_warped"] = "gp_mcmc"
    hyperparameter_samples: PositiveInt = 10
    scale_targets: bool = True
    warm_burn_in: NonNegativeInt | None = None

    def model(self, n: int, device: Device = "cpu") -> EnsembleModel:
        """The Gaussian process; n makes no difference."""
        from core.models.continued_gp import ContinuedGP
        from core.models.gaussian_process import MarginalisedGP

        given = {
            "chains": self.hyperparameter_samples,
            "warping": self.method == "gp_warped",
            "scale_targets": self.scale_targets,
            "device": device,
        }
        if self.warm_burn_in is None:
            return MarginalisedGP(**given)
        return ContinuedGP(warm_burn_in=self.warm_burn_in, **given)


class ForestSettings(ModelSettings):
    """A random forest of `trees` trees."""

    has_gradient: ClassVar[bool] = False

    method: Literal["rf"] = "rf"
    trees: PositiveInt = 30

    @model_validator(mode="after")
    def _has_no_gradient(self) -> ForestSettings:
        if self.maximizer == "gradient":
            raise ValueError("maximizer 'gradient' does not work with 'rf': a forest has no gradient")
        return self

    def model(self, n: int, device: Device = "cpu") -> EnsembleModel:
        """The forest; n makes no difference."""
        from core.models.random_forest import RandomForest

        return RandomForest(trees=self.trees, device=device)


class DNGOSettings(ModelSettings):
    """DNGO: Bayesian linear regression on a network's last layer.

    Attributes:
        variant: "snoek" is the paper's (`core.models.dngo`), "pybnn" that of a later implementation, with which the
            thesis compares (`core.models.pybnn_dngo`).
        widths: units of the hidden layers.
        hyperparameter_samples: chains of the slice sampler, one sample each.
        updates: of the network in a training, of variant "snoek"; None for a number of epochs, see `core.models.dngo`.
    """

    method: Literal["dngo"] = "dngo"
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    hyperparameter_samples: PositiveInt = 10
    variant: Literal["snoek", "pybnn"] = "snoek"
    updates: PositiveInt | None = None

    @model_validator(mode="after")
    def _updates_are_snoek_s(self) -> DNGOSettings:
        if self.updates is not None and self.variant != "snoek":
            raise ValueError(f"updates = {self.updates}: variant {self.variant!r} trains for a number of epochs")
        return self

    def model(self, n: int, device: Device = "cpu") -> EnsembleModel:
        """The network and regression; n makes no difference."""
        from core.models.dngo import DNGO
        from core.models.pybnn_dngo import PybnnDNGO

        if self.variant == "pybnn":
            return PybnnDNGO(widths=self.widths, chains=self.hyperparameter_samples, device=device)
        return DNGO(widths=self.widths, chains=self.hyperparameter_samples, updates=self.updates, device=device)


class BohamiannSettings(ModelSettings):
    """BOHAMIANN: a Bayesian network sampled by scale-adapted SGHMC.

    Attributes:
        widths: units of the hidden layers.
        burn_in_per_point, chain_steps, samples: burn-in grows with the data, `chain_steps` follow it, of which
            `samples` are kept at equal distances.
        most_steps: limit on the chain of a suggestion, burn-in and sampling in proportion; None for the papers' chains.
        warm_burn_in: steps of burn-in of a chain that continues the last suggestion's; None burns in from scratch.
        batch_size: number of points per gradient.
        raise_friction: of the sampler, see `core.samplers.AdaptiveSGHMC`; not raised, as in the authors' code,
            predictions are better on held-out data.
        initialisation: of the weights, see `core.models.network.MLP`: "he" of the NIPS code, "uniform" of the thesis'.
        weight_prior: "gamma_hyperprior" of the NIPS code, "averaged_normal" of the thesis': `core.models.priors`.
        noise_correction: of the sampler; its first code has not the term -eps^4.
        noise_prior_median: of the noise variance, in units of the targets' variance.
    """

    method: Literal["bohamiann"] = "bohamiann"
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    burn_in_per_point: NonNegativeInt = 100
    chain_steps: PositiveInt = 10_000
    samples: PositiveInt = 100
    most_steps: Annotated[int, Field(ge=200)] | None = 4000
    warm_burn_in: NonNegativeInt | None = None
    batch_size: PositiveInt = 20
    raise_friction: bool = False
    initialisation: Initialisation = "he"
    weight_prior: WeightPriorName = "gamma_hyperprior"
    noise_correction: bool = True
    noise_prior_median: PositiveFloat = 1e-6

    @model_validator(mode="after")
    def _keeps_its_samples(self) -> BohamiannSettings:
        if self.chain_steps < self.samples:
            raise ValueError(f"chain_steps = {self.chain_steps} must be at least samples = {self.samples}")
        return self

    def model(self, n: int, device: Device = "cpu") -> BayesianNetwork:
        """The network, with chains whose burn-in grows with n."""
        from core.models.bohamiann import BayesianNetwork

        return BayesianNetwork(warm_burn_in=self.warm_burn_in, device=device, **self.chain_settings(n))

    def chain_settings(self, n: int) -> dict[str, Any]:
        """The settings of a network for n observations, as keyword arguments."""
        from core.models.priors import WEIGHT_PRIORS, LogNormalNoise
        from core.samplers import AdaptiveSGHMC

        burn_in, steps = self.chain_lengths(n)
        return {
            "widths": self.widths,
            "sampler": AdaptiveSGHMC(raise_friction=self.raise_friction, noise_correction=self.noise_correction),
            "burn_in": burn_in,
            "steps": steps,
            "thinning": (steps - burn_in) // self.samples,
            "batch_size": self.batch_size,
            "initialisation": self.initialisation,
            "weight_prior": WEIGHT_PRIORS[self.weight_prior](),
            "noise_prior": LogNormalNoise(math.log(self.noise_prior_median)),
        }

    def chain_lengths(self, n: int) -> tuple[int, int]:
        """Steps of the burn-in and of the whole chain for n observations, cut in proportion if above `most_steps`."""
        burn_in = self.burn_in_per_point * n
        steps = burn_in + self.chain_steps
        if self.most_steps is not None and steps > self.most_steps:
            sampling = max(self.samples, round(self.most_steps * self.chain_steps / steps))
            burn_in, steps = self.most_steps - sampling, self.most_steps
        return burn_in, steps
