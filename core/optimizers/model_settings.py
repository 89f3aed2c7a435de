"""Settings of Bayesian optimization: what all models share, one class for each model, and those of several tasks.

The defaults are the library's. A model that is made without settings has its paper's: `GaussianProcess()` a prior of
the length scales that does not grow with the dimension, `RandomForest()` 100 trees on bootstrap samples, `DNGO()` 20
epochs, models of several tasks one standardization of all losses, and a network the chain lengths that it is given.

Models are imported when the first one is built.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from core.foundation.errors import UserError
from core.foundation.strict import AddedLater
from core.optimizers.settings import Budgets, MethodSettings

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from core.models.ablr import ABLR
    from core.models.bohamiann import BayesianNetwork
    from core.models.tasks import Fourier, Network, Task
    from core.optimizers.base import Optimizer
    from core.optimizers.policy import Fittable, Policy
    from core.spaces import CubeEncoding

LEAST_POINTS, POINTS_PER_DIMENSION, MOST_POINTS = 5, 2, 10
ASCENTS = 30  # steps of L-BFGS-B at the end of a search at several scales
MOST_FREE = 6  # tasks whose covariance is free: of 13 tasks a fit would take three times as long as with rank 1
Device = Any  # torch.device or its name; pydantic would import torch to check it
Initialisation = Literal["he", "uniform"]
WeightPriorName = Literal["gamma_hyperprior", "averaged_normal"]
Scaling = Literal["joint", "task"]  # of targets, see `core.models.tasks`


class ModelSettings(MethodSettings):
    """Base of Bayesian optimization with a model.

    Attributes:
        has_gradient: Whether the acquisition function of the model has a gradient.
        climbs: Whether a search at several scales ends with an ascent along that gradient.
        initial_with_earlier: Library's number of initial points if there are earlier tasks.
        acquisition: Acquisition function that the next point maximizes: expected or probability of improvement, the
            lower confidence bound, or a sample of the model.
        maximizer: Maximizer of the acquisition function: "multiscale" suits every space, as does "local_search", the
            papers'; "gradient" suits continuous ones, and "one_step" finite ones; "random_search", with 500 points, is
            the thesis' and the cheapest.
        generations: Maximum number of generations of differential evolution.
        polish: Whether differential evolution ends with an ascent by L-BFGS-B, if the model has a gradient.
        initial_design: Number of uniform points at the start of a run; None is a number that grows with the dimension
            (`initial_size`). The papers use 2, after which a model of several hyperparameters may consider one of them
            irrelevant and never explore it again.
        unseen: Whether no configuration of a finite space is proposed twice; without noise a second evaluation tells
            nothing new.
        unordered: Whether the model sees categories as unordered, and inactive hyperparameters as such
            (`core.optimizers.features`), rather than the coordinates of the unit cube.
        gaussian_targets: Whether the model sees losses on a scale on which they look Gaussian and none is an outlier
            (`core.optimizers.features`).
    """

    in_lockstep: ClassVar[bool] = True
    optimizer: ClassVar[str] = "BayesianOptimization"
    has_gradient: ClassVar[bool] = True
    climbs: ClassVar[bool] = False
    initial_with_earlier: ClassVar[int] = 5

    acquisition: Literal["ei", "pi", "lcb", "thompson"] = "ei"
    maximizer: Literal[
        "multiscale", "gradient", "differential_evolution", "local_search", "one_step", "random_search"
    ] = "multiscale"
    generations: PositiveInt = 50
    polish: bool = False
    initial_design: NonNegativeInt | None = None
    unseen: Annotated[bool, AddedLater(False)] = True
    unordered: Annotated[bool, AddedLater(False)] = True
    gaussian_targets: Annotated[bool, AddedLater(False)] = True

    @property
    def initial_points(self) -> int:
        """The number of points in the initial design; raises UserError if it depends on the space."""
        if self.initial_design is None:
            raise UserError("initial_design is None, which depends on the space; allowed here: a number from 0")
        return self.initial_design

    def model(self, n: int, device: Device = "cpu") -> Fittable:
        """The model for n observations; a multi-task model takes earlier tasks as the argument `earlier`."""
        raise NotImplementedError

    def _policy(self, encoding: CubeEncoding, device: Device, budgets: Budgets | None, **given: Any) -> Policy:
        """Fit the model and maximize the acquisition function; raises as `policy_with`."""
        model = partial(self.model, device=device)  # the settings by which a saved state is recognized
        return self.policy_with(encoding, model, **given)

    def policy_with(self, encoding: CubeEncoding, model: Callable[..., Fittable], **given: Any) -> Policy:
        """Fit the model that is made for n observations, and with `given`, and maximize the acquisition function.

        Raises:
            UserError: maximizer "one_step" on a space with a continuous hyperparameter.
        """
        from core.acquisition.maximizers import (
            EvolutionarySearch,
            GradientAscent,
            MultiscaleSearch,
            OneStepSearch,
            RandomLocalSearch,
        )
        from core.optimizers import ModelBased

        make: dict[str, Callable[[], Any]] = {
            "multiscale": lambda: MultiscaleSearch(
                unordered=frozenset(encoding.cardinalities), ascents=ASCENTS if self.climbs else 0
            ),
            "gradient": GradientAscent,
            "differential_evolution": lambda: EvolutionarySearch(
                iterations=self.generations, polish=self.polish and self.has_gradient
            ),
            "local_search": RandomLocalSearch,
            "random_search": lambda: RandomLocalSearch(steps=0),
            "one_step": lambda: OneStepSearch.of(encoding),
        }
        return ModelBased(
            encoding,
            model,
            make[self.maximizer](),
            self,
            continues=self._continues(**given),
            **given,
        )

    def _continues(self, **given: Any) -> bool:
        """Whether the chains of a model made with `given` continue from one suggestion to the next."""
        return getattr(self, "warm_burn_in", None) is not None

    def _build(
        self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int, **given: Any
    ) -> Optimizer:
        from core.optimizers import BayesianOptimization
        from core.spaces import CubeEncoding

        encoding = CubeEncoding(space)
        initial = self.initial_design
        if initial is None:
            initial = self.initial_with_earlier if given.get("earlier") else initial_size(encoding.dimension)
        return BayesianOptimization(self.policy(encoding, **given), initial, seed)


def initial_size(dimension: int) -> int:
    """The library's number of initial points in a space of so many hyperparameters, from 5 to 10."""
    return min(max(LEAST_POINTS, POINTS_PER_DIMENSION * dimension), MOST_POINTS)


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


class ABLRSettings(ModelSettings):
    """ABLR: a Bayesian linear regression for every task, on a representation that they share.

    Attributes:
        representation: Representation: "network", or "fourier" for random Fourier features.
        widths: Widths of the network's hidden layers.
        features: Number of random Fourier features.
        iterations: Maximum number of steps of L-BFGS-B in a fit.
    """

    learns_from_tasks: ClassVar[bool] = True

    method: Literal["ablr"] = "ablr"
    representation: Literal["network", "fourier"] = "network"
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    features: PositiveInt = 100
    iterations: PositiveInt = 100

    def model(self, n: int, device: Device = "cpu", earlier: Sequence[Task] = ()) -> ABLR:
        """The model, which does not depend on n."""
        from core.models.ablr import ABLR

        return ABLR(earlier, representation=self.basis, iterations=self.iterations, device=device)

    @property
    def basis(self) -> Network | Fourier:
        """The features of a point."""
        from core.models.tasks import Fourier, Network

        return Network(self.widths) if self.representation == "network" else Fourier(self.features)


class MultiTaskGPSettings(ModelSettings):
    """A Gaussian process with a covariance of tasks; without earlier tasks it is the same as "gp_mcmc".

    Attributes:
        scaling: Whether the losses of all tasks are standardized together ("joint"), or those of each task separately
            ("task").
        rank: Rank of the covariance of tasks beside its diagonal. With None the covariance of up to six tasks, that at
            hand included, is free, and that of more has rank 1, since all its entries are sampled.
        hyperparameter_samples: Number of chains of the slice sampler, each of which gives one sample.
        burn_in: Number of sweeps of a chain before its sample.
        warm_burn_in: Number of sweeps before the sample of a chain that continues from the last suggestion; None starts
            new chains every time.
    """

    learns_from_tasks: ClassVar[bool] = True
    initial_with_earlier: ClassVar[int] = 1

    method: Literal["mt_gp"] = "mt_gp"
    scaling: Scaling = "task"
    rank: Annotated[PositiveInt | None, AddedLater(None)] = None
    hyperparameter_samples: PositiveInt = 10
    burn_in: PositiveInt = 15
    warm_burn_in: NonNegativeInt | None = 5

    def model(self, n: int, device: Device = "cpu", earlier: Sequence[Task] = ()) -> Fittable:
        """The Gaussian process, which does not depend on n."""
        from core.models.gaussian_process import MarginalisedGP
        from core.models.multitask_gp import MultiTaskGP

        if not earlier:
            return MarginalisedGP(chains=self.hyperparameter_samples, burn_in=self.burn_in, device=device)
        return MultiTaskGP(
            earlier,
            scaling=self.scaling,
            rank=self.rank or (None if len(earlier) < MOST_FREE else 1),
            chains=self.hyperparameter_samples,
            burn_in=self.burn_in,
            warm_burn_in=self.warm_burn_in or 0,
            device=device,
        )

    def _continues(self, **given: Any) -> bool:
        return super()._continues() and bool(given)


class MultiTaskBohamiannSettings(ChainSettings):
    """BOHAMIANN with learned features of every task; without earlier tasks it is the same as "bohamiann".

    Attributes:
        features: Number of features of a task.
        scaling: Standardization of the losses, as for "mt_gp".
        warm_burn_in: Always None: chains cannot be continued and burn in from scratch.
    """

    learns_from_tasks: ClassVar[bool] = True

    method: Literal["mt_bohamiann"] = "mt_bohamiann"
    features: PositiveInt = 5
    scaling: Scaling = "task"
    warm_burn_in: None = None

    def model(self, n: int, device: Device = "cpu", earlier: Sequence[Task] = ()) -> Fittable:
        """The network, with chains whose burn-in grows with the observations of all tasks."""
        from core.models.multitask_bohamiann import MultiTaskNetwork

        if not earlier:
            return self.network(n, device)
        settings = self.chain_settings(n + sum(task.X.shape[1] for task in earlier))
        return MultiTaskNetwork(earlier, features=self.features, scaling=self.scaling, device=device, **settings)
