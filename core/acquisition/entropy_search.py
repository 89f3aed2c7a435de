"""Entropy search (thesis 4.1; Hennig and Schuler 2012): evaluate the most informative point about the minimum's place.

`EntropySearch` is for the Gaussian processes of this library, all runs and members at once; the gain is averaged over
the members, which integrates the hyperparameters out. Algorithm 2 draws representers for each member; here all members
share those of the averaged expected improvement. `BotorchEntropySearch` is for any BoTorch model of one output.

Information gain per cost: Eq. 4.4 of the thesis (MTBO) and Eq. 4.6 (Fabolas).

a(x, s) = gain about the minimum on the full data from an evaluation at (x, s) / (c(x, s) + overhead)

The expected information of an observation about the location of the minimum (thesis 4.1, Algorithms 3 and 4).

    a(x) = E_y [ sum_j q_j (log q_j + U_j) ] - sum_j p_j (log p_j + U_j)

p_j is the probability that representer r_j is the minimum, q_j what becomes of it after an observation y at x, and U_j
the log density that the representers were drawn from. Both sums are relative entropies to the uniform distribution, so
a is the information gained. The sign of line 9 of Algorithm 3 is printed reversed, and so are the powers of s in
Algorithm 4, by which an observation moves the posterior at the representers:

    d mu = v omega / s,    d Sigma = -v v' / s^2,    v = Sigma(r, x),  s^2 = Sigma(x, x) + noise,  omega ~ N(0, 1)

To second order in the mean and first in the covariance, with g_j and W_j of `linear_response`,

    log q_j = log p_j + a_j omega - a_j^2 / 2 + c_j (1 - omega^2) / 2 - log of the sum over j,
    a_j = g_j' v / s,    c_j = v' W_j v / s^2

which takes no further expectation propagation, whatever the number of candidates. The gain depends on moments alone, so
it applies to any model and any fidelity: representers lie at the full fidelity, candidates anywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from botorch.acquisition.acquisition import AcquisitionFunction
from botorch.acquisition.analytic import LogExpectedImprovement
from botorch.models.model import Model
from botorch.posteriors.gpytorch import GPyTorchPosterior
from botorch.posteriors.posterior import Posterior
from botorch.utils.transforms import t_batch_mode_transform
from torch import Tensor

from core.acquisition.analytic import log_expected_improvement
from core.acquisition.base import align_best, best_observed
from core.acquisition.minimum_probability import linear_response
from core.foundation.errors import UserError
from core.foundation.randomness import Generators, uniform_
from core.models.gaussian_process import ConditionedGP

FAINT = -50.0  # log of a density relative to the largest, below which all are alike
OUTCOMES = 11  # nodes of a Gauss-Hermite rule for omega
# For expectation propagation. In 31 suggestions on a quadratic, probabilities differed from those with 1e-8 by up to
# 0.017, the gain by up to 19% of its largest value, and the best of 300 candidates never.
TOLERANCE = 1e-3
ROUNDING = 1e-12  # nats, below which a gain is rounding error
BLOCK_ELEMENTS = 2**21  # products of covariances that are held at a time: 16 MB


class InformationGain:
    """The expected information gain about the location of the minimum, in nats.

    Args:
        mean: Posterior mean at the representers, (..., Z).
        covariance: Posterior covariance there, (..., Z, Z).
        log_density: Logarithm of the density that they were drawn from, up to a constant; broadcasts to (..., Z).
        outcomes: Number of hallucinated observations, nodes of a quadrature rule.

    Attributes:
        log_probability: Logarithm of p_min at the representers, (..., Z).

    Raises:
        ModelError: numbers that are not finite.
        UserError: shapes that do not fit, or fewer than 2 outcomes.
    """

    @torch.no_grad()
    def __init__(self, mean: Tensor, covariance: Tensor, log_density: Tensor, outcomes: int = OUTCOMES) -> None:
        if outcomes < 2:
            raise UserError(f"InformationGain: outcomes must be at least 2, got {outcomes}")
        self.log_probability, self.slope, bend = linear_response(mean, covariance, TOLERANCE)
        self.bend = bend.flatten(-2).mT.contiguous()  # (..., Z^2, Z): c takes one matrix product
        self.log_density = log_density.expand_as(mean)
        nodes, weights = np.polynomial.hermite_e.hermegauss(outcomes)
        self.omega = torch.from_numpy(nodes).to(mean)
        self.weights = torch.from_numpy(weights / weights.sum()).to(mean)
        self.before = _information(self.log_probability, self.log_density)

    def __call__(self, cross: Tensor, variance: Tensor) -> Tensor:
        """The gain of an observation at each of n candidates, differentiable.

        Args:
            cross: Posterior covariances of candidates and representers, (..., n, Z).
            variance: Predictive variances at the candidates, noise included, (..., n).

        Returns:
            (..., n); not below zero but for the error of the expansion.
        """
        moved = cross / variance.sqrt().unsqueeze(-1)
        elements = math.prod(moved.shape[:-2]) * moved.shape[-1] ** 2
        parts = moved.split(max(1, BLOCK_ELEMENTS // elements), dim=-2)
        return torch.cat([self._gain(part) for part in parts], -1)

    def _gain(self, moved: Tensor) -> Tensor:
        a = moved @ self.slope.mT
        c = (moved.unsqueeze(-1) * moved.unsqueeze(-2)).flatten(-2) @ self.bend
        omega = self.omega.unsqueeze(-1)
        constant = self.log_probability.unsqueeze(-2) + 0.5 * (c - a.square())
        after = constant.unsqueeze(-2) + omega * a.unsqueeze(-2) - (0.5 * omega.square()) * c.unsqueeze(-2)
        after = after.log_softmax(-1)
        return _information(after, self.log_density[..., None, None, :]) @ self.weights - self.before.unsqueeze(-1)


def draw_representers(
    log_density: Tensor, candidates: Tensor, generators: Generators, count: int
) -> tuple[Tensor, Tensor]:
    """Draw `count` of n candidates without replacement, in proportion to a density (Gumbel's top-k trick).

    Args:
        log_density: Logarithm of the density, (runs, n), up to a constant; log expected improvement in entropy search.
        candidates: Points (runs, n, d), drawn uniformly from the search space.
        generators: Generators, one per run, or one for all.

    Returns:
        points (runs, count, d), and their log density relative to the largest, (runs, count).

    Raises:
        UserError: fewer candidates than `count`, or `count` below 2.
    """
    if not 2 <= count <= candidates.shape[-2]:
        raise UserError(f"representers must be 2 to {candidates.shape[-2]}, the number of candidates; got {count}")
    log_density = (log_density - log_density.amax(-1, keepdim=True)).nan_to_num(nan=FAINT, neginf=FAINT)
    log_density = log_density.clamp_min(FAINT)
    gumbel = -(-uniform_(torch.empty_like(log_density), generators).log()).log()
    chosen = (log_density + gumbel).topk(count, dim=-1).indices
    points = candidates.gather(-2, chosen.unsqueeze(-1).expand(-1, -1, candidates.shape[-1]))
    return points, log_density.gather(-1, chosen)


def _information(log_probability: Tensor, log_density: Tensor) -> Tensor:
    """sum_j p_j (log p_j + U_j) over the last axis."""
    return (log_probability.exp() * (log_probability + log_density)).sum(-1)


REPRESENTERS = 50


def mean_gain(model: ConditionedGP, gain: InformationGain, points: Tensor, X: Tensor) -> Tensor:
    """The gain of observations at X (runs, n, d) about representers `points` (runs, Z, d), averaged over the members.

    Returns:
        (runs, n), differentiable.
    """
    _, variance = model.marginals(X)
    return gain(model.covariance_between(X, points), variance + model.noise().unsqueeze(-1)).mean(0)


class EntropySearch:
    """The expected information gain, in nats; see above.

    Args:
        model: Fitted Gaussian process.
        y: Targets that the model was fitted to, (runs, N).
        candidates: Points from which representers are chosen, (runs, n, d), drawn uniformly from the search space.
        generators: Generators, one per run, or one for all.
        representers: Number Z of representers.
        outcomes: Number of hallucinated observations.

    Attributes:
        points: Representers, (runs, Z, d).
        gain: `InformationGain` about the representers, with leading axes (members, runs).

    Raises:
        UserError: fewer candidates than representers, or a number below 2.
    """

    logarithmic: ClassVar[bool] = False

    @torch.no_grad()
    def __init__(
        self,
        model: ConditionedGP,
        y: Tensor,
        candidates: Tensor,
        generators: Generators,
        *,
        representers: int = REPRESENTERS,
        outcomes: int = OUTCOMES,
    ) -> None:
        self.model = model
        mean, variance = model.marginals(candidates)
        best, _ = best_observed(model.targets.transform(y))
        log_ei = torch.logsumexp(log_expected_improvement(mean, variance, align_best(best, mean)), 0)
        self.points, log_density = draw_representers(log_ei, candidates, generators, representers)
        self.gain = InformationGain(*model.joint(self.points), log_density, outcomes)

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q), differentiable."""
        X = self.model.expand_runs(X).double()
        shape = X.shape[:-1]
        X = X.movedim(-3, 0).flatten(1, -2)  # all candidates of a run side by side
        gain = mean_gain(self.model, self.gain, self.points, X)
        return gain.view(len(gain), *shape[:-2], shape[-1]).movedim(0, -2)


class BotorchEntropySearch(AcquisitionFunction):
    """Entropy search on a BoTorch model of one output, which is maximized by default, as is usual in BoTorch.

    Args:
        model: Fitted single-output model, such as SingleTaskGP.
        best_f: Best value observed.
        candidates: Points from which representers are chosen, (n, d), drawn uniformly from the search space.
        generator: Generator for the choice of representers.
        representers, outcomes: See `EntropySearch`.
        maximize: Whether the model's objective is maximized.

    Raises:
        UserError: a model whose posterior is not Gaussian.
        UserError: as `EntropySearch`.
    """

    @torch.no_grad()
    def __init__(
        self,
        model: Model,
        best_f: float | Tensor,
        candidates: Tensor,
        generator: torch.Generator,
        *,
        representers: int = REPRESENTERS,
        outcomes: int = OUTCOMES,
        maximize: bool = True,
    ) -> None:
        super().__init__(model=model)
        log_ei = LogExpectedImprovement(model, best_f, maximize=maximize)(candidates.unsqueeze(-2))
        points, log_density = draw_representers(log_ei.unsqueeze(0), candidates.unsqueeze(0), generator, representers)
        self.points = points.squeeze(0)
        posterior = _gaussian(model.posterior(self.points))
        mean = posterior.mean.squeeze(-1).double()
        covariance = posterior.distribution.covariance_matrix.double()
        self.gain = InformationGain(-mean if maximize else mean, covariance, log_density.squeeze(0).double(), outcomes)

    @t_batch_mode_transform(expected_q=1)  # type: ignore[arg-type]  # BoTorch wants methods of any acquisition function
    def forward(self, X: Tensor) -> Tensor:
        """X (b, 1, d) to the information gain of each point, (b,)."""
        joint = _gaussian(self.model.posterior(torch.cat([X, self.points.expand(*X.shape[:-2], -1, -1)], -2)))
        cross = joint.distribution.covariance_matrix[..., :1, 1:].flatten(0, -2)
        variance = _gaussian(self.model.posterior(X, observation_noise=True)).variance.flatten()
        return self.gain(cross.double(), variance.double()).to(X)


def _gaussian(posterior: Posterior) -> GPyTorchPosterior:
    if isinstance(posterior, GPyTorchPosterior):
        return posterior
    raise UserError(f"BotorchEntropySearch: model has a {type(posterior).__name__}; allowed: a GPyTorchPosterior")


COST_BLOCK_ELEMENTS = 2**22  # covariances of candidates with data and representers that are held at a time
LARGEST_LOG = 300.0  # largest logarithm of a predicted cost: beyond it, squares overflow


@dataclass(frozen=True)
class GainPerCost:
    """The gain per predicted cost, averaged over the members of the model of the loss.

    Attributes:
        loss: Model of the loss over configurations and a fidelity.
        cost: Model of the logarithm of the cost; None if all evaluations cost the same.
        gain: Information gain with leading axes (members, runs).
        representers: Points among which the minimum is sought, (runs, Z, d), on the full data.
        overhead: Overhead of an evaluation in the unit of costs.
    """

    loss: ConditionedGP
    cost: ConditionedGP | None
    gain: InformationGain
    representers: Tensor
    overhead: float = 0.0
    logarithmic: ClassVar[bool] = False

    def __call__(self, X: Tensor) -> Tensor:
        """X (runs, n, d) to (runs, n), nats per unit of cost; where the gain's error leaves it below zero, zero."""
        columns = self.loss.y.shape[1] + self.representers.shape[1]
        block = max(1, COST_BLOCK_ELEMENTS // (self.loss.members * len(X) * columns))
        return torch.cat([self._value(part) for part in X.split(block, 1)], 1)

    def _value(self, X: Tensor) -> Tensor:
        gain = mean_gain(self.loss, self.gain, self.representers, X).clamp_min(0)
        return gain if self.cost is None else gain / (predicted_cost(self.cost, X) + self.overhead)


def predicted_cost(model: ConditionedGP, X: Tensor) -> Tensor:
    """The exponential of the mean log cost, as in the authors' code, (runs, n).

    The mean of the cost itself grows with the variance without bound and would rule out unexplored regions.
    """
    mean = model.marginals(X)[0].mean(0)
    return model.targets.inverse(mean).clamp(-LARGEST_LOG, LARGEST_LOG).exp()
