"""DNGO as in its later implementation (pybnn, the competitor in chapter 3 of Klein's thesis).

It differs from the method of Snoek et al., `core.models.dngo`:

* inputs and targets are standardized, and there is no prior mean beside a constant;
* the network, from uniform weights, is trained by Adam at a constant rate, 500 epochs in batches of 10 points; points
  that do not fill a batch wait for another epoch (on the CPU tanh networks train in machine code, see
  `core.compiled.descent`);
* only alpha and beta are integrated out, under uniform priors on their logarithms.

Two things are not adopted: its likelihood has the residuals' norm where its square belongs, and it runs an ensemble
sampler for 4,000 steps where the slice sampler needs a few dozen sweeps (`core.models.linear_regression`).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, permutations
from core.models import hyperpriors
from core.models.linear_regression import BayesianLinearRegression
from core.models.representation import Representation
from core.models.sampled_network import minibatches

LIMIT = 10.0  # upper bound of |log alpha| and |log 1/beta|


class AdamRepresentation(Representation):
    """A representation trained by Adam on the squared error, without weight decay; arguments as `Representation`."""

    initialisation = "uniform"

    def __init__(
        self, *, widths: Sequence[int], activation: str, epochs: int, batch_size: int, learning_rate: float
    ) -> None:
        super().__init__(
            widths=widths,
            activation=activation,
            epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            momentum=0.0,
            weight_decay=0.0,
        )

    def _trained(self, X: Tensor, y: Tensor, generators: Generators) -> Tensor:
        descend = self._adam_compiled if self._in_machine_code(X) else self._adam
        return descend(X, y, min(self.batch_size, X.shape[1]), generators)

    def _adam_compiled(self, X: Tensor, y: Tensor, size: int, generators: Generators) -> Tensor:
        """`_adam` in machine code."""
        from core.compiled.descent import AdamDescent

        descent = AdamDescent(self.network.sizes, self.theta, X, y, size)
        for _ in range(self.epochs):
            descent.epoch(permutations(X.shape[1], len(X), generators), self.learning_rate)
        return descent.position()

    def _adam(self, X: Tensor, y: Tensor, size: int, generators: Generators) -> Tensor:
        """theta after all epochs, in batches of `size` points."""
        theta = self.theta
        theta.grad = torch.empty_like(theta)
        optimizer = torch.optim.Adam([theta], self.learning_rate)
        write_gradient = self.error_gradient(theta, theta.grad)
        for _ in range(self.epochs):
            for inputs, targets in minibatches(X, y, size, generators):
                if inputs.shape[1] == size:
                    write_gradient(inputs, targets)
                    optimizer.step()
        theta.grad = None
        return theta


class PybnnDNGO(BayesianLinearRegression):
    """Bayesian linear regression on the last layer of a network and a constant.

    Args:
        widths, activation, epochs, batch_size, learning_rate: Settings of the network, see `Representation`.
        chains, samples, burn_in, thinning, device: See `BayesianLinearRegression`.

    Raises:
        UserError: a setting out of range.
    """

    priors = hyperpriors.independent(2 * [hyperpriors.Row(low=-LIMIT, high=LIMIT)])

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        activation: str = "tanh",
        epochs: int = 500,
        batch_size: int = 10,
        learning_rate: float = 0.01,
        chains: int = 20,
        samples: int = 1,
        burn_in: int = 50,
        thinning: int = 1,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__(chains=chains, samples=samples, burn_in=burn_in, thinning=thinning, device=device)
        self.representation = AdamRepresentation(
            widths=widths, activation=activation, epochs=epochs, batch_size=batch_size, learning_rate=learning_rate
        )

    def _prepare(self, X: Tensor, y: Tensor, generators: Generators) -> None:
        """Train the network.

        Raises:
            UserError: it diverged.
        """
        self.representation.fit(X, y, generators)
        if not torch.isfinite(self.representation.theta).all():
            rate = self.representation.learning_rate
            raise UserError(
                f"PybnnDNGO: the network diverged in training with learning_rate {rate}; take a smaller one"
            )

    def _columns(self, X: Tensor) -> Tensor:
        """The last layer."""
        return self.representation.features(X)
