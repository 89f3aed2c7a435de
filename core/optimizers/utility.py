"""The acquisition function that fits a model: the papers' choice for each kind.

A Bayesian network's samples are matched by one Gaussian (Eq. 5 of the NIPS paper), and so are a forest's trees (Eqs.
2.6 and 2.7); a Gaussian process and DNGO have sampled hyperparameters, over which the acquisition is averaged (Eq. 2.5;
DNGO, Eq. 12). A Gaussian process predicts the function, the others an observation. With points pending, either is
averaged over fantasies of their outcomes (`core.acquisition.sampled`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from core.acquisition import (
    Fantasies,
    Integrated,
    LogExpectedImprovement,
    LowerConfidenceBound,
    MixtureFantasies,
    ProbabilityOfImprovement,
    ThompsonSample,
)
from core.acquisition.base import Acquisition, best_observed
from core.models.ensemble import EnsembleModel
from core.models.mixture import GaussianMixtureModel
from core.models.random_forest import RandomForest


def utility(
    model: EnsembleModel,
    name: str,
    y: Tensor,
    pending: Tensor,
    generators: Sequence[torch.Generator],
    fantasies: int,
) -> Acquisition:
    """The acquisition function of a fitted model, given observations y (runs, N) and pending points (runs, J, d)."""
    if name == "thompson":
        return ThompsonSample(model, generators)
    best, _ = best_observed(y)
    if pending.shape[1]:
        drawn = _fantasies(model, pending, best, generators, fantasies)
        return Integrated(_closed_form(name, drawn.moments, drawn.best))
    if isinstance(model, GaussianMixtureModel) and not isinstance(model, RandomForest):
        return Integrated(_closed_form(name, _of_members(model), best))
    return _closed_form(name, model.moments, best)


def _fantasies(
    model: EnsembleModel, pending: Tensor, best: Tensor, generators: Sequence[torch.Generator], count: int
) -> Fantasies | MixtureFantasies:
    """Outcomes of the pending points, in all about `count` for each run."""
    if isinstance(model, GaussianMixtureModel):
        return MixtureFantasies(model, pending, best, generators, fantasies=max(1, count // model.members))
    return Fantasies(model, pending, best, generators, fantasies=count)


def _closed_form(name: str, moments: Callable[[Tensor], tuple[Tensor, Tensor]], best: Tensor) -> Acquisition:
    if name == "ei":
        return LogExpectedImprovement(moments, best)
    return ProbabilityOfImprovement(moments, best) if name == "pi" else LowerConfidenceBound(moments)


def _of_members(model: GaussianMixtureModel) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
    """Means and variances (M, ..., runs, q): of the function for a Gaussian process, of an observation otherwise."""
    if not model.of_function:
        return model.predict

    def moments(X: Tensor) -> tuple[Tensor, Tensor]:
        mean, variance = model.marginals(model.expand_runs(X).double())
        return model.targets.inverse(mean), model.targets.inverse_variance(variance)

    return moments
