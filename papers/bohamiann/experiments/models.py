"""Bayesian networks and samplers by themselves: regression data sets (thesis 3.5.2, NIPS Table 1), sinc, a mixture.

Splits and observations are drawn from seeds that all methods share; initial weights, minibatches and noise from each
method's own.
"""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pandas as pd
import torch

from core.data import load
from core.data.preparation import train_test_split
from core.experiment.context import Context
from core.foundation.randomness import make_generators, permutations
from core.models.bayes_by_backprop import BayesByBackprop
from core.models.bohamiann import BayesianNetwork
from core.models.ensemble import EnsembleModel
from core.models.mc_dropout import MCDropout
from core.models.pbp import ProbabilisticBackpropagation
from core.models.priors import WEIGHT_PRIORS, GammaHyperprior, LogNormalNoise
from core.models.scores import mixture_log_likelihood, moment_matched_log_likelihood, noise_log_likelihood, rmse
from core.objectives.toys import Sinc, TwoModeMixture, prediction_records
from core.samplers import SGHMC, AdaptiveSGHMC, EulerSGHMC, Sampler
from papers.bohamiann.settings import Mixture, Regression
from papers.bohamiann.settings import Sinc as SincSettings


def regression(context: Context[Regression]) -> pd.DataFrame:
    """Held-out error and likelihood of a Bayesian network (thesis 3.5.2, NIPS Table 1).

    One row for each repetition and point of the grid step_sizes x momentum_decays, all in the targets' units: `rmse`;
    `log_likelihood` of the Gaussian with the mixture's moments (Eq. 3.4); `mixture_log_likelihood` of the mixture
    itself; `noise_log_likelihood` without the spread between the samples; `noise_sd`, the root of the mean sampled
    noise variance; and the measured `seconds` per repetition.
    """
    settings, start = context.settings, context.settings.initial_precision
    data = load(context.benchmark)
    split_generators = [np.random.default_rng(seed) for seed in context.shared_seeds("split")]
    train, test = train_test_split(len(data.y), settings.test_fraction, split_generators)
    X, y = (torch.tensor(values, dtype=torch.float64, device=context.device) for values in (data.X, data.y))
    frames = []
    grid = list(itertools.product(settings.step_sizes, settings.momentum_decays))
    for done, (step_size, momentum_decay) in enumerate(grid):
        seeds = context.method_seeds(f"chain-{step_size:g}-{momentum_decay:g}")
        began = time.perf_counter()
        model = BayesianNetwork(
            widths=tuple(settings.widths),
            sampler=_sampler(settings, step_size, momentum_decay),
            initialisation=settings.initialisation,
            steps=settings.steps,
            burn_in=settings.burn_in,
            thinning=settings.thinning,
            batch_size=settings.batch_size,
            weight_prior=WEIGHT_PRIORS[settings.weight_prior]() if start is None else GammaHyperprior(initial=start),
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
                    "seconds": (time.perf_counter() - began) / len(context.runs),
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


def sinc(context: Context[SincSettings]) -> pd.DataFrame:
    """Predictive mean and standard deviation of one model on the sinc toy (thesis Fig 3.1).

    Rows as `prediction_records` has them; the predicted variance includes the noise.
    """
    settings = context.settings
    toy = Sinc(points=settings.points)
    X, y = toy.observations(make_generators(context.shared_seeds("points")), len(context.runs))
    grid = toy.grid()
    model = _sinc_model(settings, context.device)
    model.fit(X, y, make_generators(context.method_seeds("model"), context.device))
    return prediction_records(context.runs, X, y, grid, *model.moments(grid))


def _sinc_model(settings: SincSettings, device: str) -> EnsembleModel | ProbabilisticBackpropagation:
    """The four models of Fig 3.1 with three layers of 50 units, rectifiers for probabilistic backpropagation."""
    widths = (50, 50, 50)
    match settings.model:
        case "bayes_by_backprop":
            return BayesByBackprop(widths=widths, epochs=settings.epochs, device=device)
        case "mc_dropout":
            return MCDropout(widths=widths, epochs=settings.epochs, device=device)
        case "pbp":
            return ProbabilisticBackpropagation(widths=widths, epochs=settings.epochs, device=device)
        case "sghmc":
            sampler = SGHMC(step_size=settings.step_size)
            steps, burn_in = settings.steps, settings.burn_in
            return BayesianNetwork(widths=widths, sampler=sampler, steps=steps, burn_in=burn_in, device=device)


def mixture(context: Context[Mixture]) -> pd.DataFrame:
    """Trajectories on the two-mode posterior (thesis 3.5.1, Fig 3.2), at every `keep_every`-th step.

    Every repetition has its own data. The momenta of the authors' SGHMC start as standard normals, all others at 0.
    Columns: theta_0 and theta_1; `step`, counted from 1; `burn_in`, whether the step belongs to the burn-in. A chain
    that is no longer finite is recorded as such.
    """
    settings, device = context.settings, context.device
    targets = [
        TwoModeMixture.generate(generator, settings.points)
        for generator in make_generators(context.shared_seeds("observations"))
    ]
    observations = torch.stack([target.observations for target in targets]).to(device)
    target = TwoModeMixture(observations, settings.priors)
    starts = torch.tensor([settings.start], dtype=torch.float64, device=device).repeat(len(context.runs), 1)
    generators = make_generators(context.method_seeds("chain"), device)
    sampler = _mixture_sampler(settings)
    state = sampler.init(starts, generators) if isinstance(sampler, EulerSGHMC) else sampler.init(starts)
    batches_an_epoch = settings.points // settings.batch_size
    kept = []
    for step in range(settings.steps):
        if step == settings.burn_in:
            state = sampler.freeze(state)
        if step % batches_an_epoch == 0:
            order = permutations(settings.points, len(starts), generators)
            context.progress(step / settings.steps)
        first = (step % batches_an_epoch) * settings.batch_size
        gradient = target.gradient(state.position, order[:, first : first + settings.batch_size])
        state = sampler.step(state, gradient, generators)
        if (step + 1) % settings.keep_every == 0:
            kept.append(state.position.to("cpu", torch.float32, copy=True))
    steps = np.arange(settings.keep_every, settings.steps + 1, settings.keep_every, dtype=np.int32)
    theta = torch.stack(kept, dim=1).numpy()
    at = {"step": steps, "burn_in": steps <= settings.burn_in}
    frames = [
        pd.DataFrame({"run": run, **at, "theta_0": chain[:, 0], "theta_1": chain[:, 1]})
        for run, chain in zip(context.runs, theta, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def _mixture_sampler(settings: Mixture) -> Sampler:
    match settings.sampler:
        case "sghmc":
            return SGHMC(settings.step_size, settings.momentum_decay)
        case "euler_sghmc":
            return EulerSGHMC(settings.step_size, settings.momentum_decay)
        case "adaptive_sghmc":
            return AdaptiveSGHMC(
                step_size=settings.step_size,
                momentum_decay=settings.momentum_decay,
                raise_friction=settings.raise_friction,
            )
