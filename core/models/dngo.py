"""DNGO, deep networks for global optimization (Snoek et al., ICML 2015, section 3): Bayesian linear regression on the
last hidden layer of a network.

1. A network (3 x 50 tanh) is trained by SGD with momentum, see `core.models.representation`; phi is its last layer.
2. y = w' phi(x) + eta(x) + noise, with the regression of `core.models.linear_regression` (Eqs. 4 to 8) and the prior
   mean of Eq. 9, a convex quadratic on the unit cube,

       eta(x) = lambda + (x - c)' Lambda (x - c) = lambda + sum_k Lambda_kk (x_k^2 - 2 c_k x_k + c_k^2)

   so that y~ = y - eta is a combination of the fixed columns y, 1, x_k, x_k^2, as required by `Regression`.
3. alpha, beta, lambda, Lambda and c are integrated out by slice sampling over the evidence (Eq. 8) times the prior.
   The paper gives c_k a normal prior with mean 0.5 and Lambda_kk a horseshoe. What it leaves open is chosen here: the
   horseshoe's scale 0.1, standard deviations of 0.25 for c_k (centres inside the cube) and 1 for lambda, alpha and
   beta as in `linear_regression`. (Its text integrates out "b", lambda and c; b is undefined and read as Lambda_kk.)

Inputs lie in the unit cube, as the paper scales them: the network sees them minus 1/2, eta as given. Targets are
standardized run by run. The features are a point estimate, so a network trained until it passes through the targets
leaves no residual and predictions that are far too certain; with inputs of unit variance, or 300 epochs, intervals
of 95% contained from 1 to 70% of unseen values of Hartmann6. 20 epochs (held-out likelihood and coverage on Branin and
Hartmann6, 10 to 100 points) keep about 90%. Shapes as in `core.models.mixture`.

DNGO's features by evidence maximization, the alternative that Snoek et al. (ICML 2015), section 3.1.2, weigh against
the MAP estimate of `core.models.representation`.

The weights theta of the network, below its output layer, maximize the log marginal likelihood of Eq. 8 together with
the regression's precisions,

    J(theta, alpha, beta) = -1/N log p(y | X, alpha, beta; phi(.; theta)) + decay/2 |theta|^2

by the same descent as the MAP estimate and with as many updates (momentum, rate falling to 0, gradients of at most unit
length). Each update uses all data: the evidence is not a sum over points, so a minibatch would estimate something else.
Every update differentiates through the factorisation of K = beta Phi' Phi + alpha I, a D x D matrix, which is what the
paper avoids. log alpha and log beta stay in the ranges of `core.models.linear_regression`'s prior.

Only the features are kept; DNGO then integrates out alpha and beta as always. Everything is float64, since the
factorisation of K amplifies rounding. Shapes: X (runs, N, d), y (runs, N), standardized.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from core.compiled.arguments import Priors
from core.foundation.errors import ModelError
from core.foundation.randomness import Generators, uniform_
from core.foundation.validation import check_counts
from core.models import hyperpriors
from core.models.ensemble import LARGEST_SINGLE, check_reach, standardizer, training_data, warn_of_scale
from core.models.linear_regression import PRIOR_ROWS, Regression, linear_function, sample_hyperparameters
from core.models.mixture import Function, GaussianMixtureModel, Moments, pick
from core.models.network import MLP
from core.models.representation import Representation

LAMBDA_SCALE = 0.1
CENTRE, CENTRE_SD = 0.5, 0.25
OFFSET_SD = 1.0


class DNGO(GaussianMixtureModel):
    """DNGO; members share the representation and differ in (log alpha, log noise, lambda, log Lambda_kk, c_k).

    Args:
        widths, activation, epochs, batch_size, learning_rate, momentum, weight_decay: See `Representation`.
        chains: Number of slice-sampling chains per run, in lockstep.
        samples: Number of members kept per chain.
        burn_in: Number of sweeps before the first member.
        thinning: Number of sweeps from one member to the next.
        updates: Approximate number of gradient steps per training, in whole passes over the data, in place of `epochs`.
        device: Device on which fit and predictions run.

    Raises:
        UserError: a setting out of range.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        activation: str = "tanh",
        epochs: int = 20,
        batch_size: int = 32,
        learning_rate: float = 0.05,
        momentum: float = 0.9,
        weight_decay: float = 1e-5,
        chains: int = 10,
        samples: int = 1,
        burn_in: int = 15,
        thinning: int = 1,
        updates: int | None = None,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        self.representation = Representation(
            widths=widths,
            activation=activation,
            epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            momentum=momentum,
            weight_decay=weight_decay,
        )
        check_counts("DNGO", chains=chains, samples=samples, burn_in=burn_in, thinning=thinning)
        self.chains, self.samples, self.burn_in, self.thinning = chains, samples, burn_in, thinning
        if updates is not None:
            check_counts("DNGO", updates=updates)
        self.updates, self.device = updates, torch.device(device)

    @torch.no_grad()
    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> DNGO:
        """Train the network and sample the hyperparameters; X (runs, N, d) and y (runs, N), or (N, d) and (N,).

        Returns:
            self, with `hyperparameters` (M, runs, 3 + 2 d).

        Raises:
            ModelError: a network that diverged.
            UserError: data of the wrong shape, not finite or out of range.
        """
        X, y = training_data(X, y, self.device)
        runs, d = len(X), X.shape[-1]
        check_reach("X", X, LARGEST_SINGLE)
        warn_of_scale("DNGO", X)
        self.targets = standardizer("y", y, -1)
        y = self.targets.transform(y)
        if self.updates is not None:
            self.representation.epochs = max(1, round(self.updates / -(-y.shape[1] // self.representation.batch_size)))
        self.representation.fit(X - CENTRE, y, generators)
        features = self._features(X)
        if not torch.isfinite(features).all():
            rate = self.representation.learning_rate
            raise ModelError(f"DNGO: the network diverged in training with learning_rate {rate}; take a smaller one")
        columns = torch.cat([y.unsqueeze(-1), torch.ones_like(y).unsqueeze(-1), X, X.square()], -1)
        regression = Regression(features, columns)
        start = X.new_tensor([0.0, -5.0, 0.0] + d * [-3.0] + d * [CENTRE])
        start = start + 0.5 * uniform_(X.new_empty(runs, self.chains, 3 + 2 * d), generators) - 0.25
        width = [2.0, 2.0, 1.0] + d * [4.0] + d * [0.5]
        sweeps = (self.burn_in, self.samples, self.thinning)
        theta = sample_hyperparameters(regression, priors(d), start, width, generators, sweeps)
        self.hyperparameters = theta
        self.coefficients = residual_coefficients(theta, d)
        self.weights = regression.weights(self.coefficients, theta[..., 0], -theta[..., 1])
        self.members, self.runs, self.dimension = len(theta), runs, d
        return self

    def marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of f(x) for each member: Eqs. 4 and 5 without the noise."""
        mean, variance = self.weights.marginals(self._features(X))
        return mean + quadratic(X, self.coefficients), variance

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and covariance of f(X) for each member."""
        mean, covariance = self.weights.joint(self._features(X))
        return mean + quadratic(X, self.coefficients), covariance

    def conditioned(self, points: Tensor, inverse: Tensor, surprise: Tensor) -> Moments:
        """As in the base, at a cost that does not depend on the number of points (section 3.3)."""
        given = self.weights.conditioned(self._features(points), inverse, surprise)

        def moments(X: Tensor) -> tuple[Tensor, Tensor]:
            mean, variance = given(self._features(X))
            return mean + quadratic(X, self.coefficients), variance

        return moments

    def noise(self) -> Tensor:
        """The noise variance 1 / beta of each member."""
        return self.hyperparameters[..., 1].exp()

    def draw(self, members: Tensor, generators: Generators) -> Function:
        """Exact draws of functions, with output weights from their posterior."""
        linear = linear_function(self.weights.draw(members, generators), self._features)
        coefficients = pick(self.coefficients, members)
        return lambda X: linear(X) + quadratic(X, coefficients)

    def _features(self, X: Tensor) -> Tensor:
        return self.representation.features(X - CENTRE)


def residual_coefficients(theta: Tensor, d: int) -> Tensor:
    """Coefficients of y, 1, x_k, x_k^2 in y~ = y - eta(x): (..., 2 + 2 d) for theta (..., 3 + 2 d)."""
    curvature, centre = theta[..., 3 : 3 + d].exp(), theta[..., 3 + d :]
    offset = theta[..., 2] + (curvature * centre.square()).sum(-1)
    leading = torch.stack([torch.ones_like(offset), -offset], -1)
    return torch.cat([leading, 2 * curvature * centre, -curvature], -1)


def quadratic(X: Tensor, coefficients: Tensor) -> Tensor:
    """eta(x) of Eq. 9 for X (..., runs, q, d) and coefficients of y~ (M, runs, 2 + 2 d): (M, ..., runs, q)."""
    basis = torch.cat([torch.ones_like(X[..., :1]), X, X.square()], -1)
    shape = (len(coefficients), *(1 for _ in X.shape[:-3]), coefficients.shape[1], -1, 1)
    return -(basis @ coefficients[..., 1:].reshape(shape)).squeeze(-1)


def priors(d: int) -> Priors:
    """Priors of log alpha, log 1/beta, lambda, log Lambda_kk and c_k."""
    curvature, centre = (
        hyperpriors.Row(low=-15, high=10, scale=LAMBDA_SCALE),
        hyperpriors.Row(mean=CENTRE, sd=CENTRE_SD),
    )
    return hyperpriors.independent([*PRIOR_ROWS, hyperpriors.Row(sd=OFFSET_SD)] + d * [curvature] + d * [centre])


LOG_BETA_AT_FIRST = math.log(100.0)  # a noise of one tenth of the targets' standard deviation


class EvidenceRepresentation(Representation):
    """Networks of one architecture, one per run, that maximize the evidence; settings as `Representation`.

    Attributes (after `fit`):
        theta: Weights (runs, P) float64; those of the output layer only decay.
        log_alpha, log_beta: Logarithms of the precisions that maximize the evidence, (runs,).
    """

    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> EvidenceRepresentation:
        """Train on standardized X (runs, N, d) and y (runs, N), with one generator per run or one for all."""
        X, y = X.double(), y.double()
        self.network = MLP((X.shape[-1], *self.widths, 1))
        theta = self.network.init(generators, len(X), X.device).double()
        position = torch.cat([theta, torch.zeros_like(theta[:, :2])], 1)
        position[:, -1] = LOG_BETA_AT_FIRST
        (low_alpha, high_alpha), (low_noise, high_noise) = ((row.low, row.high) for row in PRIOR_ROWS)
        velocity, updates = torch.zeros_like(position), self.updates(X.shape[1])
        for taken in range(updates):
            gradient = self._gradient(position, X, y)
            self.step(position, velocity, gradient, self.learning_rate * (1 - taken / updates))
            position[:, -2].clamp_(low_alpha, high_alpha)
            position[:, -1].clamp_(-high_noise, -low_noise)
        self.theta, self.log_alpha, self.log_beta = position[:, :-2], position[:, -2], position[:, -1]
        return self

    def updates(self, points: int) -> int:
        """Number of updates of a training on N points: as many as minibatches would make."""
        return self.epochs * math.ceil(points / self.batch_size)

    def _gradient(self, position: Tensor, X: Tensor, y: Tensor) -> Tensor:
        """dJ of every run, (runs, P + 2), at positions of theta, log alpha and log beta."""
        with torch.enable_grad():
            position = position.detach().requires_grad_()
            self.theta = position[:, :-2]
            evidence = log_evidence(self.features(X), y, position[:, -2], position[:, -1])
            objective = 0.5 * self.weight_decay * self.theta.square().sum() - evidence.sum() / y.shape[1]
            return torch.autograd.grad(objective, position)[0]


def log_evidence(features: Tensor, y: Tensor, log_alpha: Tensor, log_beta: Tensor) -> Tensor:
    """Eq. 8 as printed, differentiable in everything: Phi (runs, N, D), y (runs, N), logarithms (runs,) to (runs,).

    Raises:
        torch.linalg.LinAlgError: K is not finite or not positive definite in double precision.
    """
    points, width = features.shape[-2:]
    alpha, beta = log_alpha.exp(), log_beta.exp()
    diagonal = alpha[:, None, None] * torch.eye(width, dtype=features.dtype, device=features.device)
    factor = torch.linalg.cholesky(beta[:, None, None] * features.mT @ features + diagonal)
    mean = beta[:, None, None] * torch.cholesky_solve(features.mT @ y.unsqueeze(-1), factor)
    residual = y.unsqueeze(-1) - features @ mean
    value: Tensor = (
        0.5 * width * log_alpha
        + 0.5 * points * (log_beta - math.log(2 * math.pi))
        - 0.5 * beta * residual.square().sum((-2, -1))
        - 0.5 * alpha * mean.square().sum((-2, -1))
        - factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    )
    return value
