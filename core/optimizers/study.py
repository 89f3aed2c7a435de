"""A cell that optimises: an objective, a method by its settings, all repetitions of a shard.

Every method starts from the same initial design in the same repetition, and an objective draws from a generator that
methods share. Methods with a policy advance all repetitions in lockstep; those of other libraries run one by one.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from core.acquisition.maximizers import DifferentialEvolution, GradientAscent, RandomLocalSearch
from core.benchmarks.objective import Objective
from core.experiment.context import Context
from core.models.bohamiann import BayesianNetwork
from core.models.dngo import DNGO
from core.models.ensemble import EnsembleModel
from core.models.gaussian_process import MarginalisedGP, MarginalLikelihoodGP
from core.models.random_forest import RandomForest
from core.optimizers.lockstep import minimise
from core.optimizers.policy import ModelBased, Policy, Uniform, uniform_points
from core.optimizers.proposer import Proposer
from core.optimizers.settings import Optimization
from core.randomness import make_generators
from core.spaces import CubeEncoding

MAXIMIZERS = {
    "gradient": GradientAscent(),
    "differential_evolution": DifferentialEvolution(),
    "local_search": RandomLocalSearch(),
}


def optimise(context: Context, objective: Objective) -> pd.DataFrame:
    """Run a cell's repetitions: one row an evaluation.

    Returns:
        run, evaluation (from 1), loss, regret (loss above the optimum, where that is known), cost, overhead (seconds
        of the proposal), origin, status, message.
    """
    settings, encoding = context.settings, CubeEncoding(objective.space)
    generators = make_generators(context.method_seeds("optimizer"), context.device)
    initial = initial_design(context, encoding, settings.initial_design)
    proposer = Proposer(make_policy(settings, encoding, context.device), initial, generators)
    noise = objective_generators(context)
    records = minimise(objective, proposer, settings.evaluations, noise, context.progress).frame(context.runs)
    if objective.optimum is not None:
        records.insert(3, "regret", records["loss"] - objective.optimum)
    return records


def initial_design(context: Context, encoding: CubeEncoding, n: int) -> Tensor:
    """n uniform points of each repetition, (runs, n, d), the same for all methods."""
    return uniform_points(encoding, n, make_generators(context.shared_seeds("initial design"), context.device))


def objective_generators(context: Context) -> list[np.random.Generator]:
    """What the objective draws from in each repetition, the same for all methods."""
    return [np.random.default_rng(seed) for seed in context.shared_seeds("objective")]


def make_policy(settings: Optimization, encoding: CubeEncoding, device: torch.device | str = "cpu") -> Policy:
    """The policy that settings name: random search, or Bayesian optimization with a model."""
    if settings.optimizer == "random":
        return Uniform(encoding)
    maximizer = MAXIMIZERS[settings.maximizer]
    return ModelBased(encoding, lambda n: make_model(settings, n, device), maximizer, settings.acquisition)


def make_model(settings: Optimization, n: int, device: torch.device | str = "cpu") -> EnsembleModel:
    """The model that settings name, for n observations."""
    chains = settings.hyperparameter_samples
    match settings.model:
        case "gp":
            return MarginalLikelihoodGP(device=device)
        case "gp_mcmc" | "gp_warped":
            return MarginalisedGP(chains=chains, warping=settings.model == "gp_warped", device=device)
        case "rf":
            return RandomForest(device=device)
        case "dngo":
            return DNGO(widths=settings.widths, chains=chains, device=device)
    burn_in, steps = chain_lengths(settings, n)
    return BayesianNetwork(
        widths=settings.widths,
        burn_in=burn_in,
        steps=steps,
        thinning=(steps - burn_in) // settings.samples,
        device=device,
    )


def chain_lengths(settings: Optimization, n: int) -> tuple[int, int]:
    """Steps of BOHAMIANN's burn-in and of its whole chain for n observations, cut in proportion where settings say."""
    burn_in = settings.burn_in_per_point * n
    steps = burn_in + settings.chain_steps
    if settings.most_steps is not None and steps > settings.most_steps:
        sampling = max(settings.samples, round(settings.most_steps * settings.chain_steps / steps))
        burn_in, steps = settings.most_steps - sampling, settings.most_steps
    return burn_in, steps
