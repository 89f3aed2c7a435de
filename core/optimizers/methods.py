"""Policies, searches and models by the settings that name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace

from core.acquisition.maximizers import DifferentialEvolution, GradientAscent, RandomLocalSearch
from core.models.bohamiann import BayesianNetwork
from core.models.dngo import DNGO
from core.models.ensemble import EnsembleModel
from core.models.gaussian_process import MarginalisedGP, MarginalLikelihoodGP
from core.models.random_forest import RandomForest
from core.optimizers.base import Optimizer
from core.optimizers.differential_evolution import DifferentialEvolution as AskedEvolution
from core.optimizers.policy import ModelBased, Policy, Uniform
from core.optimizers.settings import Optimization
from core.spaces import CubeEncoding


def make_policy(settings: Optimization, encoding: CubeEncoding, device: torch.device | str = "cpu") -> Policy:
    """Random search, or Bayesian optimization with a model."""
    if settings.optimizer == "random":
        return Uniform(encoding)

    def make(n: int) -> EnsembleModel:
        return make_model(settings, n, device)

    source = make if settings.warm_burn_in is None else Continued(make)
    maximizer = {
        "gradient": GradientAscent(),
        "differential_evolution": DifferentialEvolution(iterations=settings.generations),
        "local_search": RandomLocalSearch(),
    }[settings.maximizer]
    return ModelBased(encoding, source, maximizer, settings.acquisition)


def make_search(settings: Optimization, space: ConfigurationSpace, generator: np.random.Generator) -> Optimizer:
    """A search of its own; libraries are imported by the cells that run them alone."""
    match settings.optimizer:
        case "tpe":
            from core.optimizers.tpe import TPE

            return TPE(space, generator)
        case "smac":
            from core.optimizers.smac import SMAC

            return SMAC(space, generator, settings.evaluations)
        case "cmaes":
            from core.optimizers.cmaes import CMAES

            return CMAES(space, generator)
    return AskedEvolution(space, generator)


def make_model(settings: Optimization, n: int, device: torch.device | str = "cpu") -> EnsembleModel:
    """The model for n observations."""
    chains = settings.hyperparameter_samples
    match settings.model:
        case "gp":
            return MarginalLikelihoodGP(device=device)
        case "gp_mcmc" | "gp_warped":
            return MarginalisedGP(chains=chains, warping=settings.model == "gp_warped", device=device)
        case "rf":
            return RandomForest(trees=settings.trees, device=device)
        case "dngo":
            return DNGO(widths=settings.widths, chains=chains, device=device)
    return make_bohamiann(settings, n, device)


def make_bohamiann(
    settings: Optimization, n: int, device: torch.device | str = "cpu", **options: Any
) -> BayesianNetwork:
    """BOHAMIANN's network for n observations; `options` are arguments of it that the settings lack."""
    burn_in, steps = chain_lengths(settings, n)
    return BayesianNetwork(
        widths=settings.widths,
        burn_in=burn_in,
        steps=steps,
        thinning=(steps - burn_in) // settings.samples,
        warm_burn_in=settings.warm_burn_in,
        device=device,
        **options,
    )


def chain_lengths(settings: Optimization, n: int) -> tuple[int, int]:
    """Steps of BOHAMIANN's burn-in and of its whole chain for n observations, cut in proportion where settings say."""
    burn_in = settings.burn_in_per_point * n
    steps = burn_in + settings.chain_steps
    if settings.most_steps is not None and steps > settings.most_steps:
        sampling = max(settings.samples, round(settings.most_steps * settings.chain_steps / steps))
        burn_in, steps = settings.most_steps - sampling, settings.most_steps
    return burn_in, steps


@dataclass
class Continued:
    """A source of models that makes one network and returns it every time, so that its chains go on."""

    make: Callable[[int], BayesianNetwork]
    model: BayesianNetwork | None = field(default=None, init=False)
    made_for: int = field(default=0, init=False)

    def __call__(self, n: int) -> BayesianNetwork:
        """The network that the first number of observations made."""
        if self.model is None:
            self.model, self.made_for = self.make(n), n
        return self.model

    def state(self) -> dict[str, Any]:
        """Where the chains stand, empty before the first fit."""
        return {} if self.model is None else {"made_for": self.made_for, "chains": self.model.chain_state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state."""
        if state:
            self(state["made_for"]).load_chain_state(state["chains"])
