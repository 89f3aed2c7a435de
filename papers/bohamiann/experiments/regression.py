"""Bayesian networks on regression data sets (thesis 3.5.2, NIPS Table 1).

Splits are drawn from seeds that all methods share; initial weights, minibatches and noise from each method's own.
"""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pandas as pd
import torch

from core.data import load
from core.data.splits import train_test_split
from core.experiment.context import Context
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.priors import WEIGHT_PRIORS, GammaHyperprior, LogNormalNoise, WeightPrior
from core.models.scores import mixture_log_likelihood, moment_matched_log_likelihood, noise_log_likelihood, rmse
from core.samplers import SGHMC, AdaptiveSGHMC
from papers.bohamiann.settings import Regression


def regression(context: Context[Regression]) -> pd.DataFrame:
    """Held-out error and likelihood of a Bayesian network (thesis 3.5.2, NIPS Table 1).

    One row for each repetition and point of the grid step_sizes x momentum_decays, all in the targets' units: `rmse`;
    `log_likelihood` of the Gaussian with the mixture's moments (Eq. 3.4); `mixture_log_likelihood` of the mixture
    itself; `noise_log_likelihood` without the spread between the samples; `noise_sd`, the root of the mean sampled
    noise variance; and the measured `seconds` per repetition.
    """
    settings = context.settings
    data = load(context.benchmark)
    split_generators = [np.random.default_rng(seed) for seed in context.shared_seeds("split")]
    train, test = train_test_split(len(data.y), settings.test_fraction, split_generators)
    X, y = (torch.tensor(values, dtype=torch.float64, device=context.device) for values in (data.X, data.y))
    frames = []
    grid = list(itertools.product(settings.step_sizes, settings.momentum_decays))
    for done, (step_size, momentum_decay) in enumerate(grid):
        seeds = context.method_seeds(f"chain-{step_size:g}-{momentum_decay:g}")
        start = time.perf_counter()
        model = BayesianNetwork(
            widths=tuple(settings.widths),
            sampler=_sampler(settings, step_size, momentum_decay),
            initialisation=settings.initialisation,
            steps=settings.steps,
            burn_in=settings.burn_in,
            thinning=settings.thinning,
            batch_size=settings.batch_size,
            weight_prior=_weight_prior(settings),
            noise_prior=LogNormalNoise(math.log(settings.noise_prior_median), settings.noise_prior_variance),
            device=context.device,
        ).fit(X[train], y[train], make_generators(seeds, context.device))
        means, noise = model.predict(X[test])
        frames.append(
            pd.DataFrame(
                {
                    "run": list(context.runs),
                    "step_size": step_size,
                    "momentum_decay": momentum_decay,
                    "rmse": rmse(means, y[test]).cpu(),
                    "log_likelihood": moment_matched_log_likelihood(means, noise, y[test]).cpu(),
                    "mixture_log_likelihood": mixture_log_likelihood(means, noise, y[test]).cpu(),
                    "noise_log_likelihood": noise_log_likelihood(means, noise, y[test]).cpu(),
                    "noise_sd": noise.expand_as(means).mean((0, -1)).sqrt().cpu(),
                    "seconds": (time.perf_counter() - start) / len(context.runs),
                }
            )
        )
        context.progress((done + 1) / len(grid))
    return pd.concat(frames, ignore_index=True)


def _sampler(settings: Regression, step_size: float, momentum_decay: float) -> SGHMC | AdaptiveSGHMC:
    if settings.sampler == "sghmc":
        return SGHMC(step_size=step_size, momentum_decay=momentum_decay)
    return AdaptiveSGHMC(
        step_size=step_size,
        momentum_decay=momentum_decay,
        raise_friction=settings.raise_friction,
        noise_correction=settings.noise_correction,
    )


def _weight_prior(settings: Regression) -> WeightPrior:
    if settings.initial_precision is not None:
        return GammaHyperprior(initial=settings.initial_precision)
    return WEIGHT_PRIORS[settings.weight_prior]()
