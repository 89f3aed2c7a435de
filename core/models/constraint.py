"""The constraint network of DNGO (Snoek et al. 2015, section 3.2): P[c = 1 | x], the probability that x is valid.

    P[c = 1 | x, D, Psi] = integral of P[c = 1 | x, w, Psi] p(w | D, Psi) dw                              (Eq. 10)

As for the objective, a network is trained and its output weights are integrated out: psi(x) holds the last hidden layer
and a constant, P[c = 1 | x, w] = l(w' psi(x)), and p(w | D, Psi) is normal, see `core.models.classification`:

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
`core.acquisition.constrained.Constrained`, which shows them at work.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from core.foundation.errors import ModelError, UserError
from core.foundation.randomness import Generators
from core.models.classification import SLACK, Posterior, logistic_posterior, step_posterior
from core.models.ensemble import expand_runs, points_for, standardizer, training_data
from core.models.representation import Representation

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
