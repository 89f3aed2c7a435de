"""Entropy search (thesis 4.1; Hennig and Schuler 2012): evaluate the most informative point about the minimum's place.

`EntropySearch` is for the Gaussian processes of this library, all runs and members at once; the gain is averaged over
the members, which integrates the hyperparameters out. Algorithm 2 draws representers for each member; here all members
share those of the averaged expected improvement. `BotorchEntropySearch` is for any BoTorch model of one output.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from botorch.acquisition.acquisition import AcquisitionFunction
from botorch.acquisition.analytic import LogExpectedImprovement
from botorch.models.model import Model
from botorch.posteriors.gpytorch import GPyTorchPosterior
from botorch.posteriors.posterior import Posterior
from botorch.utils.transforms import t_batch_mode_transform
from torch import Tensor

from core.acquisition.base import align_best, best_observed
from core.acquisition.ei import log_expected_improvement
from core.acquisition.information_gain import OUTCOMES, InformationGain, draw_representers
from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.models.conditioned_process import ConditionedGP

REPRESENTERS = 50


def mean_gain(model: ConditionedGP, gain: InformationGain, points: Tensor, X: Tensor) -> Tensor:
    """The gain of observations at X (runs, n, d) about representers `points` (runs, Z, d), averaged over the members.

    Returns:
        (runs, n), differentiable.
    """
    _, variance = model.marginals(X)
    return gain(model.covariance_between(X, points), variance + model.noise().unsqueeze(-1)).mean(0)


class EntropySearch:
    """The expected information gain, in nats; see `core.acquisition.information_gain`.

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
