"""Acquisition functions of functions drawn from a model.

Expected improvement with evaluations pending, for mixtures of Gaussian processes: a_MCEI of Snoek et al. (2012) and
DNGO (section 3.3), integrated over hyperparameters (DNGO, Eqs. 11 and 12).

Each member i is a Gaussian process with hyperparameters Theta_i: its fantasies are drawn from its own joint prediction
at the J pending points, noise included, and it is conditioned on them exactly,

    y_f ~ N(mu_i(x_1 .. x_J), K_i),    K_i = Sigma_i(x_1 .. x_J) + sigma_i^2 I
    mu_f(x) = mu_i(x) + c_i(x)' K_i^-1 (y_f - mu_i(x_1 .. x_J)),    v_f(x) = v_i(x) - c_i(x)' K_i^-1 c_i(x)

with c_i(x) the member's covariances of x with the pending points, and v_i the variance of f. Without pending points
this is the acquisition integrated over the members. It is used as the one below, for networks.

Expected improvement with evaluations pending: a_MCEI of Snoek et al. (2012), DNGO section 3.3 and the NIPS paper's
asynchronous mode.

    a_MCEI(x) = integral of a_EI(x; D + {(x_j, y_j)}) p(y_1 .. y_J | D) dy  =~  1/F sum_f a_EI(x; D + {(x_j, y_fj)})

A fantasy y_f is what one sampled function of the ensemble predicts at all pending points, with observation noise.
Refitting the ensemble to each fantasy would cost F fits; instead the predictive distribution of Eq. 5, a Gaussian that
matches the ensemble's moments, is taken jointly over x and the pending points and conditioned on the fantasy:

    c(x)       = 1/M sum_i (f_i(x) - mu(x)) (f_i(x_j) - mu(x_j))             (J), covariances over the members
    K          = 1/M sum_i (f_i(x_j) - mu(x_j)) (f_i(x_k) - mu(x_k)) + noise  (J, J)
    mu_f(x)    = mu(x) + c(x)' K^-1 (y_f - mu(x_j)),    sigma_f^2(x) = sigma^2(x) - c(x)' K^-1 c(x)
    y*_f       = min(y*, min_j y_fj)

Without pending points this is EI of Eq. 1. `moments` and `best` have the fantasies as sample axis, so
`Integrated(LogExpectedImprovement(fantasies.moments, fantasies.best))` is log a_MCEI; a constraint's probability
enters as in `core.acquisition.analytic`.

Thompson sampling (thesis, section 2.2.3) with any model that can draw functions.

    f ~ p(f | D),    a(x) = -f(x)

The thesis prints a(x) = f(x), for maximization; here the next point is the draw's minimum. One function is drawn
for each run and stays fixed, so that the acquisition can be optimized: a member of a sample-based ensemble, or a
function of a Gaussian member of a mixture.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import singledispatch
from typing import ClassVar

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, normal_, uniform_
from core.foundation.validation import check_counts
from core.models.ensemble import EnsembleModel
from core.models.mixture import GaussianMixtureModel
from core.models.pbp import ProbabilisticBackpropagation
from core.models.sampled_network import SampledNetwork

Function = Callable[[Tensor], Tensor]


class ThompsonSample:
    """One function draw for each run: -f(x), without observation noise.

    Args:
        model: Fitted model.
        generators: Generators, one per run, or one for all runs.

    Raises:
        UserError: a model that has no functions to draw.
    """

    logarithmic: ClassVar[bool] = False

    def __init__(self, model: EnsembleModel, generators: Generators) -> None:
        self.function = draw_function(model, generators)

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        return -self.function(X)


@singledispatch
def draw_function(model: EnsembleModel, generators: Generators) -> Function:
    """A function X (..., runs, q, d) -> (..., runs, q), in the targets' units; for any ensemble, one member per run."""
    members = draw_members(model, 1, generators).squeeze(-1)

    def function(X: Tensor) -> Tensor:
        means, _ = model.predict(X)
        index = members.view(*(1 for _ in range(means.ndim - 2)), -1, 1)
        return means.gather(0, index.expand(1, *means.shape[1:])).squeeze(0)

    return function


@draw_function.register
def _(model: SampledNetwork, generators: Generators) -> Function:
    """One network per run, without the cost of the others."""
    members = draw_members(model, 1, generators).squeeze(-1)
    drawn = copy.copy(model)
    drawn.samples = model.samples[members, torch.arange(model.runs, device=members.device)].unsqueeze(0)
    return lambda X: drawn.predict(X)[0].squeeze(0)


@draw_function.register
def _(model: GaussianMixtureModel, generators: Generators) -> Function:
    functions = model.sample_functions(1, generators)
    return lambda X: functions(X).squeeze(0)


@draw_function.register
def _(model: ProbabilisticBackpropagation, generators: Generators) -> Function:
    raise UserError("ThompsonSample: ProbabilisticBackpropagation predicts moments and has no function to draw")


def draw_members(model: EnsembleModel, draws: int, generators: Generators) -> Tensor:
    """Members drawn uniformly with replacement, (runs, draws) int64, on the model's device."""
    with torch.no_grad():
        means, _ = model.predict(torch.full((1, max(model.dimension, 1)), 0.5, dtype=torch.float64))
    device = generators.device if isinstance(generators, torch.Generator) else generators[0].device
    uniforms = uniform_(torch.empty(model.runs, draws, dtype=torch.float64, device=device), generators)
    return (uniforms * len(means)).long().to(means.device)


class Fantasies:
    """Outcomes of pending evaluations, drawn once, and the ensemble's predictions given each of them.

    Args:
        model: Fitted ensemble.
        pending: Points under evaluation, (runs, J, d); J may be 0.
        best: Smallest observation y*, (runs,).
        generators: Generators, one per run, or one for all runs.
        fantasies: Number F of outcomes.

    Attributes:
        outcomes: Fantasies y_f, (F, runs, J).
        best: Smallest values y*_f, (F, runs).

    Raises:
        UserError: shapes that do not match the model, or fewer than one fantasy.
        UserError: a mixture of Gaussian processes, whose members are not functions: see `MixtureFantasies`.
    """

    def __init__(
        self, model: EnsembleModel, pending: Tensor, best: Tensor, generators: Generators, *, fantasies: int = 10
    ) -> None:
        check_counts("Fantasies", fantasies=fantasies)
        if isinstance(model, GaussianMixtureModel):
            raise UserError(f"Fantasies: members of {type(model).__name__} are not functions; use MixtureFantasies")
        if pending.ndim != 3 or pending.shape[0] != model.runs or best.shape != (model.runs,):
            raise UserError(
                f"Fantasies: pending has shape {tuple(pending.shape)} and best {tuple(best.shape)}, "
                f"expected ({model.runs}, J, {model.dimension}) and ({model.runs},)"
            )
        self.model = model
        with torch.no_grad():
            members = draw_members(model, fantasies, generators)
            means, noise = (values.double() for values in model.predict(pending))
            noise = noise.expand_as(means)
            self.mean = means.mean(0)
            self.deviations = means - self.mean
            self.inverse = _inverse(self.deviations, noise.mean(0))
            index = members.T.unsqueeze(-1).expand(-1, -1, pending.shape[1])
            source = generators.device if isinstance(generators, torch.Generator) else generators[0].device
            normals = torch.empty(model.runs, fantasies, pending.shape[1], dtype=torch.float64, device=source)
            normal_(normals, generators)
            spread = noise.gather(0, index).sqrt() * normals.to(means.device).transpose(0, 1)
            self.outcomes = means.gather(0, index) + spread
            known = best.to(means).expand(fantasies, -1).unsqueeze(-1)
            self.best = torch.cat([known, self.outcomes], -1).amin(-1)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Predictive means (F, ..., runs, q) and variances (1, ..., runs, q), noise included, given each fantasy."""
        means, noise = self.model.predict(X)
        mean, noise = means.mean(0), noise.mean(0)
        deviations = means - mean
        covariance = torch.einsum("s...rq,srj->...rqj", deviations, self.deviations) / len(means)
        weights = covariance @ self.inverse
        surprise = (self.outcomes - self.mean).permute(1, 2, 0)
        conditional = mean + (weights @ surprise).movedim(-1, 0)
        explained = (weights * covariance).sum(-1)
        # Rounding errors may explain more variance than there is.
        variance = (deviations.square().mean(0) - explained).clamp_min(0) + noise
        return conditional, variance.unsqueeze(0)


def _inverse(deviations: Tensor, noise: Tensor) -> Tensor:
    """K^-1, (runs, J, J), of deviations (members, runs, J) and noise variances (runs, J).

    A pseudo-inverse: a point that is pending twice, without noise, makes K singular. A run whose members diverged, with
    K not finite, gets the identity; its deviations make its own predictions nan and affect no other run.
    """
    kernel = torch.einsum("srj,srk->rjk", deviations, deviations) / len(deviations) + torch.diag_embed(noise)
    finite = kernel.isfinite().flatten(1).all(-1)
    eye = torch.eye(kernel.shape[-1], dtype=kernel.dtype, device=kernel.device)
    inverse: Tensor = torch.linalg.pinv(torch.where(finite[:, None, None], kernel, eye), hermitian=True)
    return inverse


class MixtureFantasies:
    """Outcomes of pending evaluations, drawn once, and the mixture's predictions given each of them.

    Args:
        model: Fitted mixture of M members.
        pending: Points under evaluation, (runs, J, d); J may be 0.
        best: Smallest observation y*, (runs,).
        generators: Generators, one per run, or one for all runs.
        fantasies: Number of outcomes for each member; F = fantasies * M.

    Attributes:
        outcomes: Fantasies y_f in the units of the targets, (F, runs, J), one of every member before the next.
        best: Smallest values min(y*, min_j y_fj), (F, runs).

    Raises:
        UserError: shapes that do not match the model, or fewer than one fantasy.
    """

    def __init__(
        self, model: GaussianMixtureModel, pending: Tensor, best: Tensor, generators: Generators, *, fantasies: int = 1
    ) -> None:
        check_counts("MixtureFantasies", fantasies=fantasies)
        if pending.ndim != 3 or pending.shape[0] != model.runs or best.shape != (model.runs,):
            raise UserError(
                f"MixtureFantasies: pending has shape {tuple(pending.shape)} and best {tuple(best.shape)}, "
                f"expected ({model.runs}, J, {model.dimension}) and ({model.runs},)"
            )
        self.model, self.pending = model, model.expand_runs(pending).double()
        with torch.no_grad():
            mean, covariance = model.joint(self.pending)
            root, self.inverse = _root_and_inverse(covariance + torch.diag_embed(model.noise()[..., None] + 0 * mean))
            source = generators.device if isinstance(generators, torch.Generator) else generators[0].device
            members, runs, waiting = mean.shape
            normals = torch.empty(runs, fantasies, members, waiting, dtype=mean.dtype, device=source)
            normals = normal_(normals, generators).to(mean.device).movedim(0, 2)
            self.surprise = (root @ normals.unsqueeze(-1)).squeeze(-1)  # (fantasies, M, runs, J), standardized
            self.outcomes = model.targets.inverse(mean + self.surprise).flatten(0, 1)
            self._conditioned = model.conditioned(self.pending, self.inverse, self.surprise)
            known = best.to(mean).expand(len(self.outcomes), -1).unsqueeze(-1)
            self.best = torch.cat([known, self.outcomes], -1).amin(-1)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Means and variances, noise included, given each fantasy: X (..., runs, q, d) to (F, ..., runs, q)."""
        mean, variance = self._conditioned(self.model.expand_runs(X).double())
        noise = self.model.noise().view(len(variance), *(1 for _ in range(variance.ndim - 3)), -1, 1)
        # Rounding errors may explain more variance than there is.
        variance = (variance.clamp_min(0) + noise).expand(len(mean), *(-1 for _ in range(variance.ndim)))
        means = self.model.targets.inverse(mean.flatten(0, 1))
        return means, self.model.targets.inverse_variance(variance.flatten(0, 1))


def _root_and_inverse(covariance: Tensor) -> tuple[Tensor, Tensor]:
    """A root R with R R' = K, and the pseudo-inverse, of covariances (..., J, J) that may be singular.

    A covariance that is not finite gets the identity's: its member's mean is not finite either, and affects no other.
    """
    finite = covariance.isfinite().flatten(-2).all(-1)
    eye = torch.eye(covariance.shape[-1], dtype=covariance.dtype, device=covariance.device)
    values, vectors = torch.linalg.eigh(torch.where(finite[..., None, None], covariance, eye))
    largest = torch.cat([values, values.new_zeros(*values.shape[:-1], 1)], -1).amax(-1, keepdim=True)
    solid = values > largest * covariance.shape[-1] * torch.finfo(values.dtype).eps
    inverse = torch.where(solid, 1 / torch.where(solid, values, 1.0), 0.0)
    root = vectors * torch.where(solid, values, 0.0).sqrt().unsqueeze(-2)
    return root, (vectors * inverse.unsqueeze(-2)) @ vectors.mT
