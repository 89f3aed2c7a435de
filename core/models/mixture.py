"""Models whose predictive distribution is a finite mixture of Gaussian processes, as BoTorch models.

A member i is a Gaussian process with hyperparameters Theta_i, drawn from their posterior or a single estimate:
f ~ GP(mu_i, Sigma_i), y = f + N(0, sigma_i^2). The hyperparameters are integrated out by the average over members
(Snoek et al. 2012; DNGO section 3), whose moments for an observation are

    mu(x)       = 1/M sum_i mu_i(x)
    sigma^2(x)  = 1/M sum_i [(mu_i(x) - mu(x))^2 + Sigma_i(x, x) + sigma_i^2]

BoTorch sees the members as the last batch axis, as in its own fully Bayesian models: acquisition functions are computed
for each member and averaged, which is the acquisition integrated over hyperparameters. Targets are standardized; the
abstract methods below refer to standardized targets, the public ones to the original units.

Shapes: X is (..., runs, q, d); everything else has a leading member axis M, (M, ..., runs, q).
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import torch
from botorch.posteriors.fully_bayesian import GaussianMixturePosterior
from gpytorch.distributions import MultivariateNormal
from linear_operator import to_linear_operator
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.randomness import Generators, uniform_
from core.models.ensemble import EnsembleModel

Function = Callable[[Tensor], Tensor]
Moments = Callable[[Tensor], tuple[Tensor, Tensor]]
JITTER = 1e-10  # share of the largest variance added to joint covariances of several points


class GaussianMixtureModel(EnsembleModel):
    """Base of models with Gaussian members; a subclass implements `fit` and the four abstract methods.

    Attributes (after `fit`):
        targets: Standardizer of the targets, with mean and scale (runs, 1).
        members: Number M of Gaussian processes per run.
    """

    of_function: ClassVar[bool] = False
    """Whether acquisition functions are of the function itself, as the papers have them for Gaussian processes, or of
    an observation."""

    _is_ensemble = True  # BoTorch averages acquisition functions over the last batch axis

    def __init__(self) -> None:
        super().__init__()
        self.members = 0
        self.targets: Standardizer[Tensor]

    @abstractmethod
    def marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of f(x) for each member, standardized: (M, ..., runs, q) each, X (..., runs, q, d)."""

    @abstractmethod
    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean (M, ..., runs, q) and covariance (M, ..., runs, q, q) of f(X), standardized."""

    @abstractmethod
    def noise(self) -> Tensor:
        """Noise variance sigma_i^2 of each member, standardized: (M, runs)."""

    @abstractmethod
    def draw(self, members: Tensor, generators: Generators) -> Function:
        """Functions from the posterior of the given members (runs, count), standardized.

        Returns:
            X (..., runs, q, d) -> (count, ..., runs, q).
        """

    def conditioned(self, points: Tensor, inverse: Tensor, surprise: Tensor) -> Moments:
        """The moments of f(x) of each member, given outcomes at other points.

        Args:
            points: Points (runs, J, d).
            inverse: Inverse of each member's covariance of their outcomes, (M, runs, J, J).
            surprise: Outcomes less each member's means, several times over, (F, M, runs, J), standardized.

        Returns:
            Function from X (..., runs, q, d) to means (F, M, ..., runs, q) and variances (M, ..., runs, q),
            standardized; rounding errors may make these negative. Each x is joined with the points alone, so that the
            cost grows with q, not with its square; it grows with the square of J, unless a subclass knows better.
        """

        def moments(X: Tensor) -> tuple[Tensor, Tensor]:
            alone = X.movedim(-2, 0).unsqueeze(-2)
            others = points.to(X).expand(*alone.shape[:-2], -1, -1)
            mean, covariance = self.joint(torch.cat([alone, others], -2))  # (M, q, ..., runs, 1 + J ...)
            cross = covariance[..., 0, 1:]
            weights = torch.einsum("m...rj,mrjk->m...rk", cross, inverse)
            shift = torch.einsum("m...rj,fmrj->fm...r", weights, surprise)
            variance = covariance[..., 0, 0] - (weights * cross).sum(-1)
            return (mean[..., 0] + shift).movedim(2, -1), variance.movedim(1, -1)

        return moments

    def predict(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of an observation under each member, (M, ..., runs, q), in the units of the targets."""
        X = self.expand_runs(X).double()
        mean, variance = self.marginals(X)
        return self.targets.inverse(mean), self.targets.inverse_variance(variance + self._noise_at(X))

    def _posterior(self, X: Tensor, noisy: bool) -> GaussianMixturePosterior:
        """A mixture whose component means are (batch..., M, q, 1)."""
        X = X.double()
        mean, covariance = self.joint(X)
        if noisy:
            covariance = covariance + torch.diag_embed(self._noise_at(X).expand(mean.shape))
        if mean.shape[-1] > 1:  # members whose points share all randomness have singular covariances
            ridge = JITTER * covariance.diagonal(dim1=-2, dim2=-1).amax(-1, keepdim=True)
            covariance = covariance + torch.diag_embed(ridge.expand(mean.shape))
        mean, covariance = self.targets.inverse(mean), covariance * self.targets.scale.unsqueeze(-1).square()
        if self.runs == 1:
            mean, covariance = mean.squeeze(-2), covariance.squeeze(-3)
        covariance = to_linear_operator(covariance.movedim(0, -3))  # factorised when samples are drawn
        return GaussianMixturePosterior(MultivariateNormal(mean.movedim(0, -2), covariance))

    def _noise_at(self, X: Tensor) -> Tensor:
        """The noise variances with the axes of predictions at X (..., runs, q, d)."""
        return self.noise().view(-1, *(1 for _ in X.shape[:-3]), self.runs, 1)

    def sample_functions(self, count: int, generators: Generators) -> Function:
        """Draws of f from the posterior, for Thompson sampling, each from a member chosen at random.

        Args:
            count: Number of functions per run.
            generators: Generators, one per run, or one for all.

        Returns:
            X (..., runs, q, d) -> values (count, ..., runs, q) in the units of the targets, differentiable; the same
            functions at every call.
        """
        uniforms = uniform_(self.targets.mean.new_empty(self.runs, count), generators)
        functions = self.draw((uniforms * self.members).long(), generators)
        return lambda X: self.targets.inverse(functions(self.expand_runs(X).double()))

    @property
    def batch_shape(self) -> torch.Size:
        """(M,) after one run, (runs, M) after several."""
        return torch.Size([self.members] if self.runs == 1 else [self.runs, self.members])


def by_member(samples: Tensor, runs: int) -> Tensor:
    """Samples (samples, runs * chains, P), a run's chains side by side, as members (samples * chains, runs, P)."""
    by_run = samples.view(len(samples), runs, -1, samples.shape[-1])
    return by_run.transpose(1, 2).flatten(0, 1)


def pick(values: Tensor, members: Tensor) -> Tensor:
    """Entries of values (M, runs, ...) for the members (runs, count): (count, runs, ...)."""
    return values[members.T, torch.arange(values.shape[1], device=values.device)]
