"""The constraint network of DNGO (Snoek et al. 2015, section 3.2): P[c = 1 | x], the probability that x is valid.

    P[c = 1 | x, D, Psi] = integral of P[c = 1 | x, w, Psi] p(w | D, Psi) dw                              (Eq. 10)

As for the objective, a network is trained and its output weights are integrated out: psi(x) holds the last hidden layer
and a constant, P[c = 1 | x, w] = l(w' psi(x)), and p(w | D, Psi) is normal:

    NoisyConstraint      logistic l, Laplace's approximation. With a ~ N(m, v) the integral of l(a) is close to
                         l(m / sqrt(1 + pi v / 8)) (MacKay 1992; within 0.02). alpha is integrated out by quadrature
                         over log alpha ~ N(0, 2^2), weighted with the evidence
    NoiselessConstraint  step l, expectation propagation: Phi(m / sqrt(v + SLACK^2))

The paper does not say how the network itself is trained: here it is by the squared error of labels -1 and 1, by
`core.models.representation`, and both priors above are ours. Among 20, 60, 150 and 300 epochs, 60 had the best held-out
likelihood more often than not (three constraints of two and six inputs, 20 to 200 points); it matters little. Inputs
are standardized run by run.

When to use which: where some configurations cannot be evaluated (they run out of memory, or a solver fails) and nobody
knows which beforehand. `NoisyConstraint` if the same configuration may fail once and not the next time,
`NoiselessConstraint` if it always gives the same answer. `probability` serves as the `feasibility` of
`core.acquisition.analytic.Constrained`, which shows them at work.

Bayesian linear classification on fixed features for DNGO's constraint network (section 3.2), batched over runs.

    w ~ N(0, I / alpha),   P[c_n = 1 | w] = l(a_n),   a_n = w' psi_n,   s_n = +1 where c_n = 1, -1 elsewhere

logistic: l(a) = 1 / (1 + exp(-a)), by Laplace's approximation (Bishop 2006, section 4.5): a normal at the mode of the
posterior with its curvature, and the corresponding evidence,

    H = alpha I + Psi' diag(l_n (1 - l_n)) Psi,   log p(c | alpha) =~ sum_n log l(s_n a_n) - alpha/2 w' w
                                                                      + D/2 log alpha - 1/2 log |H|

step: l(a) = 1 where a > 0. The paper covers it with the same sentence about Laplace, but the posterior is then the
prior restricted to the cone of all w that classify every point correctly: its mode is the tip w = 0 and its logarithm
has no curvature. What we need is the cone's mean and covariance, which expectation propagation gives (Minka 2001, the
"Bayes point machine"; Rasmussen and Williams 2006, section 3.6): exp(nu_n a_n - tau_n a_n^2 / 2) replaces every step,
with the moments of the true product matched one point at a time. Only the direction of w matters, so alpha is 1. The
step is blurred to Phi(a / SLACK), since features that cannot separate the classes would leave an empty cone.

Shapes: Psi (runs, N, D), s (runs, N), alpha (G,); posteriors (G, runs, ...), G = 1 for the step.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.foundation.errors import ModelError, UserError
from core.foundation.randomness import Generators
from core.models.ensemble import expand_runs, points_for, standardizer, training_data
from core.models.representation import Representation

SLACK = 1e-2
NEWTON_STEPS = 50
STEP_LENGTHS = (1.0, 0.5, 0.25, 0.1, 0.01, 0.0)
SWEEPS = 200
DAMPING = 0.5
PRECISION = 1e-8


class Posterior(NamedTuple):
    """Normal approximations N(mean, precision^-1) of p(w | c, alpha): (G, runs, D) and (G, runs, D, D).

    `factor` is the lower triangular factor of the precision; log evidences are (G, runs).
    """

    mean: Tensor
    factor: Tensor
    log_evidence: Tensor

    def activation(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of a = w' psi at features (..., runs, q, D): (G, ..., runs, q) each."""
        between = tuple(1 for _ in features.shape[:-3])
        mean = self.mean.view(len(self.mean), *between, *self.mean.shape[1:], 1)
        factor = self.factor.view(len(self.mean), *between, *self.factor.shape[1:])
        whitened = torch.linalg.solve_triangular(factor, features.mT, upper=False)
        return (features @ mean).squeeze(-1), whitened.square().sum(-2)


def logistic_posterior(features: Tensor, signs: Tensor, alphas: Tensor) -> Posterior:
    """Laplace's approximation for the logistic likelihood, by Newton steps with the best of several lengths."""
    runs, _, width = features.shape
    alphas = alphas.view(-1, 1, 1)
    signed = signs.unsqueeze(-1) * features
    w = features.new_zeros(len(alphas), runs, width)

    def objective(w: Tensor) -> Tensor:
        fit = torch.nn.functional.logsigmoid((signed @ w.unsqueeze(-1)).squeeze(-1)).sum(-1)
        return fit - 0.5 * alphas.squeeze(-1) * w.square().sum(-1)

    lengths = features.new_tensor(STEP_LENGTHS).view(-1, 1, 1, 1)
    for _ in range(NEWTON_STEPS):
        margins, factor = _curvature(w, signed, features, alphas)
        gradient = (signed.mT @ torch.sigmoid(-margins).unsqueeze(-1)).squeeze(-1) - alphas * w
        direction = torch.cholesky_solve(gradient.unsqueeze(-1), factor).squeeze(-1)
        candidates = w + lengths * direction
        best = objective(candidates).argmax(0)
        moved = candidates.gather(0, best[None, ..., None].expand(1, *w.shape)).squeeze(0)
        done = (moved - w).abs().max() < PRECISION
        w = moved
        if done:
            break
    factor = _curvature(w, signed, features, alphas)[1]
    log_determinant = factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    return Posterior(w, factor, objective(w) + 0.5 * width * alphas.squeeze(-1).log() - log_determinant)


def _curvature(w: Tensor, signed: Tensor, features: Tensor, alphas: Tensor) -> tuple[Tensor, Tensor]:
    """s_n a_n (G, runs, N) and the Cholesky factor of H."""
    margins = (signed @ w.unsqueeze(-1)).squeeze(-1)
    probability = torch.sigmoid(margins)
    weights = probability * (1 - probability)
    identity = torch.eye(features.shape[-1], dtype=features.dtype, device=features.device)
    H = features.mT @ (weights.unsqueeze(-1) * features) + alphas.unsqueeze(-1) * identity
    return margins, torch.linalg.cholesky(H)


def step_posterior(features: Tensor, signs: Tensor) -> Posterior:
    """Expectation propagation for the step likelihood, all points at once with damping; G = 1, no evidence (zeros)."""
    signed = signs.unsqueeze(-1) * features
    precision, shift = torch.zeros_like(signs), torch.zeros_like(signs)  # tau and nu for s_n a_n
    identity = torch.eye(features.shape[-1], dtype=features.dtype, device=features.device)
    for _ in range(SWEEPS):
        factor = torch.linalg.cholesky(signed.mT @ (precision.unsqueeze(-1) * signed) + identity)
        w = torch.cholesky_solve(signed.mT @ shift.unsqueeze(-1), factor)
        mean = (signed @ w).squeeze(-1)
        variance = torch.linalg.solve_triangular(factor, signed.mT, upper=False).square().sum(-2)
        new_precision, new_shift = _match(mean, variance, precision, shift)
        change = ((new_precision - precision).abs() / (1 + precision)).max()
        precision = precision + DAMPING * (new_precision - precision)
        shift = shift + DAMPING * (new_shift - shift)
        if change < PRECISION:
            break
    return Posterior(w.squeeze(-1).unsqueeze(0), factor.unsqueeze(0), mean.new_zeros(1, len(features)))


def _match(mean: Tensor, variance: Tensor, precision: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    """New tau and nu from the marginals of s_n a_n: the cavity, its product with the blurred step, its moments."""
    cavity_precision = (1 / variance - precision).clamp(min=1e-12)
    cavity_variance = 1 / cavity_precision
    cavity_mean = (mean / variance - shift) * cavity_variance
    total = cavity_variance + SLACK**2
    z = cavity_mean / total.sqrt()
    ratio = (-0.5 * z.square() - 0.5 * math.log(2 * math.pi) - torch.special.log_ndtr(z)).exp()
    # With curvature k = ratio (z + ratio) in (0, 1), the matched variance is v - v^2 k / total.
    curvature = (ratio * (z + ratio)).clamp(0, 1)
    new_precision = curvature / (SLACK**2 + cavity_variance * (1 - curvature))
    matched = cavity_mean + cavity_variance * ratio / total.sqrt()
    new_shift = matched * (cavity_precision + new_precision) - cavity_mean * cavity_precision
    return new_precision, new_shift


LOG_ALPHA_SD = 2.0
NODES = 9  # nodes of the quadrature over log alpha


class ConstraintNetwork(ABC):
    """Base of both constraint networks.

    Args:
        widths, activation, epochs, batch_size, learning_rate, momentum, weight_decay: See `Representation`.
        device: Device on which fit and predictions run.

    Raises:
        UserError: a setting out of range.

    Attributes (after `fit`):
        runs, dimension: Number of data sets, and number of inputs d.
        posterior: Posterior of the output weights.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        activation: str = "tanh",
        epochs: int = 60,
        batch_size: int = 32,
        learning_rate: float = 0.05,
        momentum: float = 0.9,
        weight_decay: float = 1e-5,
        device: torch.device | str = "cpu",
    ) -> None:
        self.representation = Representation(
            widths=widths,
            activation=activation,
            epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            momentum=momentum,
            weight_decay=weight_decay,
        )
        self.device = torch.device(device)
        self.runs = self.dimension = 0

    @abstractmethod
    def infer(self, features: Tensor, signs: Tensor) -> Posterior:
        """Posterior of the output weights for features (runs, N, D) and signs (runs, N), +1 where valid, -1 if not."""

    @abstractmethod
    def integrate(self, mean: Tensor, variance: Tensor) -> Tensor:
        """Probability (..., runs, q) for a ~ N(mean, variance), each (G, ..., runs, q)."""

    @torch.no_grad()
    def fit(self, X: Tensor, c: Tensor, generators: Generators) -> ConstraintNetwork:
        """Train on X (runs, N, d) and c (runs, N) bool, True where valid, or (N, d) and (N,); a class may be missing.

        Raises:
            ModelError: a network that diverged.
            UserError: c is not boolean, data of the wrong shape, not finite or out of range.
        """
        name = type(self).__name__
        c = torch.as_tensor(c)
        if c.dtype != torch.bool:
            raise UserError(f"{name}: c must hold booleans, True where the constraint is satisfied, got {c.dtype}")
        X, labels = training_data(X, c.double(), self.device)
        signs = 2 * labels - 1
        self.inputs = standardizer("X", X, -2)
        self.representation.fit(self.inputs.transform(X), signs, generators)
        features = self.features(X)
        if not torch.isfinite(features).all():
            rate = self.representation.learning_rate
            raise ModelError(f"{name}: the network diverged in training with learning_rate {rate}; take a smaller one")
        self.posterior = self.infer(features, signs)
        self.runs, self.dimension = len(X), X.shape[-1]
        return self

    def features(self, X: Tensor) -> Tensor:
        """psi(x) of X (..., runs, q, d): (..., runs, q, D + 1) float64."""
        last = self.representation.features(self.inputs.transform(X))
        return torch.cat([last, torch.ones_like(last[..., :1])], -1)

    def probability(self, X: Tensor) -> Tensor:
        """P[c = 1 | x, D], differentiable: (..., runs, q) for X (..., runs, q, d).

        Raises:
            UserError: before `fit`.
            UserError: shapes that do not match the fitted data.
        """
        X = expand_runs(type(self).__name__, points_for(self, X), self.runs, self.dimension)
        X = X.to(self.device, torch.float64)
        return self.integrate(*self.posterior.activation(self.features(X)))


class NoisyConstraint(ConstraintNetwork):
    """Bayesian logistic regression, for constraints whose answer may differ from one evaluation to the next."""

    def infer(self, features: Tensor, signs: Tensor) -> Posterior:
        """Laplace posteriors, one per node of log alpha; `log_evidence` includes the weight of the node."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        alphas = torch.as_tensor(LOG_ALPHA_SD * nodes, device=self.device).exp()
        posterior = logistic_posterior(features, signs, alphas)
        log_weights = torch.as_tensor(np.log(weights), device=self.device).unsqueeze(-1)
        return posterior._replace(log_evidence=posterior.log_evidence + log_weights)

    def integrate(self, mean: Tensor, variance: Tensor) -> Tensor:
        """The logistic function integrated over a, then averaged over log alpha by evidence."""
        shares = self.posterior.log_evidence.softmax(0)
        shares = shares.view(len(mean), *(1 for _ in mean.shape[1:-2]), self.runs, 1)
        return (shares * torch.sigmoid(mean / (1 + math.pi / 8 * variance).sqrt())).sum(0)


class NoiselessConstraint(ConstraintNetwork):
    """A step of w' psi(x), for constraints that always give the same answer."""

    def infer(self, features: Tensor, signs: Tensor) -> Posterior:
        """The posterior by expectation propagation."""
        return step_posterior(features, signs)

    def integrate(self, mean: Tensor, variance: Tensor) -> Tensor:
        """The blurred step integrated over a, in closed form."""
        probability: Tensor = torch.special.ndtr(mean / (variance + SLACK**2).sqrt())
        return probability.squeeze(0)
