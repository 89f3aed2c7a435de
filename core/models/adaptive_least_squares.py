"""Least squares on a representation that is relearned as data arrive: Brofos et al., sections 3 and 3.2.

The regression (Eqs. 6 to 8, `core.models.least_squares`) is repeated at every update, on all observations. The network
below it is trained at the first update, and again either after every `refit_every` new observations or when their
number passes a multiple of it. The paper trains it "after n observations" without stating n; the authors' code uses
100, 200 and 300. Each training starts from new random weights.

Between trainings the representation, its input scale and the scale of the targets do not change, so that features
of fixed candidates can be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.foundation.validation import check_counts
from core.models.ensemble import training_data
from core.models.least_squares import LeastSquaresNetwork


class AdaptiveLeastSquares(LeastSquaresNetwork):
    """A `LeastSquaresNetwork` that is updated rather than fitted.

    Args:
        widths: Widths of the hidden layers.
        steps: Approximate number of gradient steps per training: whole passes over the data, at least one.
        refit_every: Number of observations from one training to the next.
        at_multiples: Whether to train when the number of observations passes a multiple of `refit_every`, as in the
            authors' code.
        batch_size, learning_rate: See `core.models.representation.Representation`.
        others: See `LeastSquaresNetwork`; `epochs` is not accepted, since it follows from `steps`.

    Attributes (after `update`):
        trained_on: Number of observations at the last training, 0 before it.

    Raises:
        UserError: a setting out of range.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        steps: int = 1500,
        refit_every: int = 100,
        at_multiples: bool = False,
        batch_size: int = 32,
        learning_rate: float = 0.05,
        **others: Any,
    ) -> None:
        check_counts("AdaptiveLeastSquares", steps=steps, refit_every=refit_every)
        if "epochs" in others:
            raise UserError(
                f"AdaptiveLeastSquares.epochs is {others['epochs']!r}; allowed: steps, which decide on them"
            )
        super().__init__(widths=widths, batch_size=batch_size, learning_rate=learning_rate, **others)
        self.steps, self.refit_every, self.at_multiples, self.trained_on = steps, refit_every, at_multiples, 0

    def update(self, X: Tensor, y: Tensor, generators: Generators) -> bool:
        """Take in all observations so far: X (runs, N, d), y (runs, N).

        Returns:
            Whether the network was trained, so that earlier features are no longer valid.

        Raises:
            UserError: as `fit`.
        """
        N = y.shape[-1]
        if self.trained_on and not self._is_due(N):
            self.regress(X, y)
            return False
        passes = -(-N // self.representation.batch_size)
        self.representation.epochs = max(1, round(self.steps / passes))
        self.fit(X, y, generators)
        self.trained_on = N
        return True

    def _is_due(self, N: int) -> bool:
        if self.at_multiples:
            return N // self.refit_every > self.trained_on // self.refit_every
        return N - self.trained_on >= self.refit_every

    @torch.no_grad()
    def regress(self, X: Tensor, y: Tensor) -> None:
        """Eqs. 6 to 8 on the current representation, for X (runs, N, d) and y (runs, N)."""
        X, y = training_data(X, y, self.device)
        self._solve(self.features(X), self.targets.transform(y))

    @torch.no_grad()
    def network_output(self, X: Tensor) -> Tensor:
        """Predict with the network's own output layer at X (..., runs, q, d), in the units of the targets."""
        network = self.representation
        hidden = network.features(self.inputs.transform(self.expand_runs(X).double()))
        weight, bias = network.network.unpack(network.theta.double())[-1]
        return self.targets.inverse((hidden @ weight + bias.unsqueeze(-2)).squeeze(-1))
