"""Bayesian linear regression with evidence: DNGO (Snoek et al., ICML 2015), Eqs. 4 to 8, batched over runs.

    y = Phi w + eta(X) + noise,   w ~ N(0, I / alpha),   noise ~ N(0, 1 / beta),   y~ = y - eta(X)
    K = beta Phi' Phi + alpha I,   m = beta K^-1 Phi' y~                                              (Eqs. 6, 7)
    mu(x) = m' phi(x) + eta(x),   sigma^2(x) = phi(x)' K^-1 phi(x) + 1 / beta                         (Eqs. 4, 5)
    log p(y | X, alpha, beta) = D/2 log alpha + N/2 log beta - N/2 log(2 pi)
                                - beta/2 |y~ - Phi m|^2 - alpha/2 m' m - 1/2 log |K|                  (Eq. 8)

K keeps its eigenvectors when alpha and beta change. With the singular values of Phi = Q diag(s) V', q = Q' y~ and rho
the squared length of the part of y~ outside Q, Eq. 8 is a sum,

    N/2 log(beta / 2 pi) + 1/2 sum_i log(alpha / (alpha + beta s_i^2))
    - 1/2 sum_i q_i^2 alpha beta / (alpha + beta s_i^2) - beta rho / 2

so that one decomposition, O(N D^2), serves every evaluation by a sampler: O(D) each, and Phi' Phi with its squared
condition number is never formed. eta enters the same way: with y~ = B c for fixed columns B and changing coefficients
c, Q' B and the triangular factor of the rest of B replace q and rho. Everything is float64.

`Weights` are what the regression knows of its weights: predictions, their change with further outcomes, and draws.

In the regression's weights K^-1 = V diag(variances) V' and m are the posterior's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.compiled.arguments import Priors
from core.foundation.randomness import Generators, chain_seeds, normal_, uniform_
from core.foundation.validation import check_counts
from core.models import hyperpriors
from core.models.ensemble import standardizer, training_data
from core.models.mixture import Function, GaussianMixtureModel, Moments, by_member, pick


class Weights(NamedTuple):
    """Normal posteriors of w: m (M, runs, D), V (runs, D, D), and the variances along V's columns (M, runs, D)."""

    mean: Tensor
    basis: Tensor
    variances: Tensor

    def marginals(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """m' phi and phi' K^-1 phi at features (..., runs, q, D): (M, ..., runs, q) each."""
        mean, variances, features = self._aligned(features)
        along = features @ self.basis
        return (features @ mean).squeeze(-1), (along.square() @ variances).squeeze(-1)

    def joint(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Mean (M, ..., runs, q) and covariance Phi K^-1 Phi' (M, ..., runs, q, q)."""
        mean, variances, features = self._aligned(features)
        along = features @ self.basis
        return (features @ mean).squeeze(-1), (along * variances.mT) @ along.mT

    def conditioned(self, features: Tensor, inverse: Tensor, surprise: Tensor) -> Moments:
        """As `GaussianMixtureModel.conditioned`, of features: (runs, J, D), then (..., runs, q, D).

        The outcomes change m and K^-1 once, so that a prediction costs O(D^2) however many there are: with the
        covariances B = K^-1 Phi_J' of the weights with the outcomes and the inverse S^-1 of the outcomes' covariance,
        the mean becomes m + B S^-1 surprise, and the covariance K^-1 - B S^-1 B'.
        """
        along = self.variances.unsqueeze(-1) * (features @ self.basis).mT  # B in the basis V, (M, runs, D, J)
        gain = along @ inverse
        shifts = self.basis @ (gain @ surprise.unsqueeze(-1))  # (F, M, runs, D, 1)
        removed = gain @ along.mT

        def moments(features: Tensor) -> tuple[Tensor, Tensor]:
            mean, variance = self.marginals(features)
            between = tuple(1 for _ in features.shape[:-3])
            shift = features @ shifts.view(*shifts.shape[:2], *between, *shifts.shape[2:])
            inside = features @ self.basis
            explained = ((inside @ removed.view(len(removed), *between, *removed.shape[1:])) * inside).sum(-1)
            return mean + shift.squeeze(-1), variance - explained

        return moments

    def draw(self, members: Tensor, generators: Generators) -> Tensor:
        """Weights drawn from the members (runs, count): (count, runs, D)."""
        noise = normal_(self.mean.new_empty(*members.shape, self.mean.shape[-1]), generators).transpose(0, 1)
        scaled = pick(self.variances, members).sqrt() * noise
        return pick(self.mean, members) + (self.basis @ scaled.unsqueeze(-1)).squeeze(-1)

    def _aligned(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mean and variances as columns (M, 1..., runs, D, 1) beside features (..., runs, q, D)."""
        shape = (len(self.mean), *(1 for _ in features.shape[:-3]), *self.mean.shape[1:], 1)
        return self.mean.reshape(shape), self.variances.reshape(shape), features


PRIOR_ROWS = [
    hyperpriors.Row(low=-10, high=10),  # log alpha
    hyperpriors.Row(low=math.log(1e-8), high=10, scale=0.1),  # log 1/beta; the horseshoe is that of thesis 4.4.4
]
PRIORS = hyperpriors.independent(PRIOR_ROWS)


class Regression:
    """The decomposition of features Phi (runs, N, D) and of the columns B (runs, N, C) of y~ = B c."""

    def __init__(self, features: Tensor, columns: Tensor) -> None:
        self.points, self.width = features.shape[-2:]
        left, singular, right = torch.linalg.svd(features, full_matrices=self.points < self.width)
        missing = self.width - singular.shape[-1]
        self.basis: Tensor = right.mT
        self.singular: Tensor = torch.nn.functional.pad(singular, (0, missing))
        inside = left.mT @ columns
        self.inside: Tensor = torch.nn.functional.pad(inside, (0, 0, 0, missing))
        self.outside: Tensor = torch.linalg.qr(columns - left @ inside, mode="r")[1]

    def log_evidence(self, coefficients: Tensor, log_alpha: Tensor, log_beta: Tensor) -> Tensor:
        """Eq. 8 for c (..., runs, C), log alpha and log beta (..., runs): (..., runs)."""
        alpha, beta = log_alpha.exp().unsqueeze(-1), log_beta.exp().unsqueeze(-1)
        q = (self.inside @ coefficients.unsqueeze(-1)).squeeze(-1)
        rho = (self.outside @ coefficients.unsqueeze(-1)).square().sum((-2, -1))
        shrinkage = torch.log1p(beta / alpha * self.singular.square())
        quadratic = (q.square() * (-shrinkage).exp()).sum(-1) + rho
        return 0.5 * (self.points * (log_beta - math.log(2 * math.pi)) - shrinkage.sum(-1) - log_beta.exp() * quadratic)

    def weights(self, coefficients: Tensor, log_alpha: Tensor, log_beta: Tensor) -> Weights:
        """Eqs. 6 and 7 for c (M, runs, C) and logarithms (M, runs)."""
        alpha, beta = log_alpha.exp().unsqueeze(-1), log_beta.exp().unsqueeze(-1)
        eigenvalues = alpha + beta * self.singular.square()
        q = (self.inside @ coefficients.unsqueeze(-1)).squeeze(-1)
        along = beta * self.singular * q / eigenvalues
        return Weights((self.basis @ along.unsqueeze(-1)).squeeze(-1), self.basis, 1 / eigenvalues)


def sample_hyperparameters(
    regression: Regression,
    priors: Priors,
    start: Tensor,
    width: Sequence[float],
    generators: Generators,
    sweeps: tuple[int, int, int],
) -> Tensor:
    """Slice sampling over the evidence times the prior, on the CPU: a step costs less than a call to a device.

    Args:
        start: Starting points of the chains, (runs, chains, P), with P hyperparameters as in `core.compiled.evidence`.
        width: Typical sizes of slices, (P,).
        sweeps: Number of sweeps discarded first, number kept, and number from one kept sweep to the next.

    Returns:
        (kept * chains, runs, P), on the device of `start`.
    """
    from core.compiled import evidence

    runs, chains, _ = start.shape
    arrays = (part.cpu().contiguous().numpy() for part in (regression.singular, regression.inside, regression.outside))
    singular, inside, outside = arrays
    kept = evidence.sample(
        evidence.Decomposition(singular, inside, outside, regression.points),
        priors,
        start.flatten(0, 1).cpu().numpy(),
        np.array(width, dtype=np.float64),
        chain_seeds(generators, runs * chains),
        sweeps,
    )
    return by_member(torch.from_numpy(kept).to(start.device), runs)


class BayesianLinearRegression(GaussianMixtureModel):
    """Linear regression on the inputs and a constant, with alpha and beta integrated out by slice sampling.

    Inputs and targets are standardized run by run.

    Args:
        chains: Number of slice-sampling chains per run, in lockstep.
        samples: Number of members kept per chain.
        burn_in: Number of sweeps before the first member.
        thinning: Number of sweeps from one member to the next.
        device: Device on which fit and predictions run.

    Raises:
        UserError: a count below 1.

    Attributes:
        priors: Priors of log alpha and log 1/beta.
    """

    priors = PRIORS

    def __init__(
        self,
        *,
        chains: int = 10,
        samples: int = 2,
        burn_in: int = 50,
        thinning: int = 10,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        check_counts("BayesianLinearRegression", chains=chains, samples=samples, burn_in=burn_in, thinning=thinning)
        self.chains, self.samples, self.burn_in, self.thinning = chains, samples, burn_in, thinning
        self.device = torch.device(device)

    @torch.no_grad()
    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> BayesianLinearRegression:
        """Sample alpha and beta given X (runs, N, d) and y (runs, N), or (N, d) and (N,).

        Returns:
            self, with `hyperparameters` log alpha and log noise variance, (chains * samples, runs, 2).

        Raises:
            UserError: data of the wrong shape, not finite or out of range.
        """
        X, y = training_data(X, y, self.device)
        runs = len(X)
        self.inputs, self.targets = standardizer("X", X, -2), standardizer("y", y, -1)
        y = self.targets.transform(y)
        self._prepare(self.inputs.transform(X), y, generators)
        regression = Regression(self._features(X), y.unsqueeze(-1))
        whole = X.new_ones(1, runs, 1)
        start = uniform_(X.new_empty(runs, self.chains, 2), generators) - X.new_tensor([0.5, 3.5])
        sweeps = (self.burn_in, self.samples, self.thinning)
        self.hyperparameters = sample_hyperparameters(regression, self.priors, start, [1.0, 1.0], generators, sweeps)
        log_alpha, log_noise = self.hyperparameters.unbind(-1)
        self.weights = regression.weights(whole, log_alpha, -log_noise)
        self.members, self.runs, self.dimension = len(self.hyperparameters), runs, X.shape[-1]
        return self

    def _features(self, X: Tensor) -> Tensor:
        columns = self._columns(self.inputs.transform(X))
        return torch.cat([torch.ones_like(columns[..., :1]), columns], -1)

    def _prepare(self, X: Tensor, y: Tensor, generators: Generators) -> None:
        """Learn, in a subclass, from standardized X (runs, N, d) and y (runs, N) before the regression."""

    def _columns(self, X: Tensor) -> Tensor:
        """Features of the regression, beside a constant, for standardized X (..., runs, q, d): (..., runs, q, D)."""
        return X

    def marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of f(x) for each member."""
        return self.weights.marginals(self._features(X))

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and covariance of f(X) for each member."""
        return self.weights.joint(self._features(X))

    def conditioned(self, points: Tensor, inverse: Tensor, surprise: Tensor) -> Moments:
        """As in the base, at a cost that does not depend on the number of points."""
        given = self.weights.conditioned(self._features(points), inverse, surprise)
        return lambda X: given(self._features(X))

    def noise(self) -> Tensor:
        """The noise variance 1 / beta of each member."""
        return self.hyperparameters[..., 1].exp()

    def draw(self, members: Tensor, generators: Generators) -> Function:
        """Exact draws of functions, each given by a weight vector."""
        return linear_function(self.weights.draw(members, generators), self._features)


def linear_function(weights: Tensor, features: Function) -> Function:
    """x -> w' phi(x) for weights (count, runs, D): X (..., runs, q, d) to (count, ..., runs, q)."""

    def function(X: Tensor) -> Tensor:
        columns = weights.view(len(weights), *(1 for _ in X.shape[:-3]), *weights.shape[1:], 1)
        return (features(X) @ columns).squeeze(-1)

    return function
