"""Settings of Bayesian optimization, one class for each model; `core.study.methods.model_based` has what they share.

Models are imported when the first one is built.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from core.foundation.strict import AddedLater
from core.study.methods.model_based import Device, ModelSettings
from core.study.methods.settings import Initialisation, WeightPriorName

if TYPE_CHECKING:
    from core.models.bohamiann import BayesianNetwork
    from core.optimizers.model_based import Fittable


class GPSettings(ModelSettings):
    """A Gaussian process whose hyperparameters have the largest marginal likelihood.

    Attributes:
        restarts: Number of starting points of a fit.
        iterations: Maximum number of steps of L-BFGS-B from each starting point.
        dimension_scaled: Whether the prior of the length scales grows with the dimension, see `core.models.matern`.
    """

    climbs: ClassVar[bool] = True

    method: Literal["gp"] = "gp"
    restarts: PositiveInt = 3
    iterations: PositiveInt = 100
    dimension_scaled: Annotated[bool, AddedLater(False)] = True

    def model(self, n: int, device: Device = "cpu") -> Fittable:
        """The Gaussian process, which does not depend on n."""
        from core.models.gaussian_process import GaussianProcess

        return GaussianProcess(
            restarts=self.restarts,
            iterations=self.iterations,
            device=device,
            dimension_scaled=self.dimension_scaled,
        )


class IntegratedGPSettings(ModelSettings):
    """A Gaussian process whose hyperparameters are integrated out by slice sampling.

    Attributes:
        method: Name of the method; "gp_warped" also warps the inputs.
        hyperparameter_samples: Number of chains of the slice sampler, each of which gives one sample.
        scale_targets: Whether targets are divided by their standard deviation; RoBO, with which the thesis' searches
            were made, only subtracts their mean.
        warm_burn_in: Number of sweeps of a chain that continues from the last suggestion; None starts new chains every
            time.
    """

    climbs: ClassVar[bool] = True

    method: Literal["gp_mcmc", "gp_warped"] = "gp_mcmc"
    hyperparameter_samples: PositiveInt = 10
    scale_targets: bool = True
    warm_burn_in: NonNegativeInt | None = None

    def model(self, n: int, device: Device = "cpu") -> Fittable:
        """The Gaussian process, which does not depend on n."""
        from core.models.gaussian_process import MarginalisedGP

        return MarginalisedGP(
            chains=self.hyperparameter_samples,
            warm_burn_in=self.warm_burn_in or 0,
            warping=self.method == "gp_warped",
            scale_targets=self.scale_targets,
            device=device,
        )


class ForestSettings(ModelSettings):
    """A random forest of `trees` trees.

    Attributes:
        trees: Number of trees.
        random_splits: Whether all trees are grown on all data with random thresholds, rather than on bootstrap samples
            with the best ones, see `core.models.random_forest`.
    """

    has_gradient: ClassVar[bool] = False

    method: Literal["rf"] = "rf"
    trees: PositiveInt = 30
    random_splits: Annotated[bool, AddedLater(False)] = True

    @model_validator(mode="after")
    def _has_no_gradient(self) -> ForestSettings:
        if self.maximizer == "gradient":
            raise ValueError("maximizer 'gradient' does not work with 'rf': a forest has no gradient")
        return self

    def model(self, n: int, device: Device = "cpu") -> Fittable:
        """The forest, which does not depend on n."""
        from core.models.random_forest import RandomForest

        return RandomForest(
            trees=self.trees, bootstrap=not self.random_splits, random_splits=self.random_splits, device=device
        )


class DNGOSettings(ModelSettings):
    """DNGO: Bayesian linear regression on a network's last layer.

    Attributes:
        variant: Variant of the method: "snoek" is the paper's (`core.models.dngo`), "pybnn" is the later implementation
            that the thesis compares with (`core.models.pybnn_dngo`).
        widths: Widths of the hidden layers.
        hyperparameter_samples: Number of chains of the slice sampler, each of which gives one sample.
        updates: Number of updates in each training of the network, for variant "snoek"; None trains for the papers' 20
            epochs (`core.models.dngo`), which for a few dozen points are too few updates to learn much.
    """

    method: Literal["dngo"] = "dngo"
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    hyperparameter_samples: PositiveInt = 10
    variant: Literal["snoek", "pybnn"] = "snoek"
    updates: PositiveInt | None = 1000

    @model_validator(mode="before")
    @classmethod
    def _pybnn_s_default(cls, settings: Any) -> Any:
        pybnn = isinstance(settings, Mapping) and settings.get("variant") == "pybnn"
        return {"updates": None, **settings} if pybnn else settings

    @model_validator(mode="after")
    def _updates_are_snoek_s(self) -> DNGOSettings:
        if self.updates is not None and self.variant != "snoek":
            raise ValueError(f"updates = {self.updates}: variant {self.variant!r} trains for a number of epochs")
        return self

    def model(self, n: int, device: Device = "cpu") -> Fittable:
        """The network and the regression, which do not depend on n."""
        from core.models.dngo import DNGO
        from core.models.pybnn_dngo import PybnnDNGO

        if self.variant == "pybnn":
            return PybnnDNGO(widths=self.widths, chains=self.hyperparameter_samples, device=device)
        return DNGO(widths=self.widths, chains=self.hyperparameter_samples, updates=self.updates, device=device)


class ChainSettings(ModelSettings):
    """Base of the networks that are sampled by scale-adapted SGHMC.

    Attributes:
        widths: Widths of the hidden layers.
        burn_in_per_point, chain_steps, samples: Lengths of the chain: the burn-in grows with the data, `chain_steps`
            steps follow it, and `samples` of these are kept at equal distances.
        most_steps: Maximum number of steps of one suggestion's chain, to which burn-in and sampling are cut in
            proportion; None for the papers' chains.
        warm_burn_in: Number of burn-in steps of a chain that continues from the last suggestion; None burns in from
            scratch.
        batch_size: Number of points per gradient.
        raise_friction: Whether the sampler raises the friction, see `core.samplers.AdaptiveSGHMC`; without this, as in
            the authors' code, predictions on held-out data are better.
        initialisation: Initialisation of the weights, see `core.models.network.MLP`: "he" as in the NIPS code,
            "uniform" as in the thesis' code.
        weight_prior: Prior of the weights, see `core.models.priors`: "gamma_hyperprior" as in the NIPS code,
            "averaged_normal" as in the thesis' code.
        noise_correction: Whether the sampler corrects its noise by the term -eps^4, which the first code lacks.
        noise_prior_median: Median of the prior of the noise variance, in units of the targets' variance.
    """

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
    def _keeps_its_samples(self) -> Self:
        if self.chain_steps < self.samples:
            raise ValueError(f"chain_steps = {self.chain_steps} must be at least samples = {self.samples}")
        return self

    def network(self, n: int, device: Device = "cpu") -> BayesianNetwork:
        """A network for n observations, with chains whose burn-in grows with n."""
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
        """Steps of the burn-in and of the whole chain for n observations, cut in proportion to at most `most_steps`."""
        burn_in = self.burn_in_per_point * n
        steps = burn_in + self.chain_steps
        if self.most_steps is not None and steps > self.most_steps:
            sampling = max(self.samples, round(self.most_steps * self.chain_steps / steps))
            burn_in, steps = self.most_steps - sampling, self.most_steps
        return burn_in, steps


class BohamiannSettings(ChainSettings):
    """BOHAMIANN: a Bayesian network, see `ChainSettings`."""

    method: Literal["bohamiann"] = "bohamiann"

    def model(self, n: int, device: Device = "cpu") -> BayesianNetwork:
        """The network, with chains whose burn-in grows with n."""
        return self.network(n, device)
