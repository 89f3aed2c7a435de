"""Ordinary least squares on a learned representation: Brofos et al., Eqs. 6 to 8.

With nu(x) the last hidden layer of a trained network (`core.models.representation`) and Phi (N, D) that of the data,

    mu(x)      = ((Phi' Phi)^-1 Phi' y)' nu(x)                                                            (Eq. 6)
    sigma^2(x) = s^2 (1 + G),   G = nu(x)' (Phi' Phi)^-1 nu(x)                                            (Eqs. 7, 8)
    s^2        = |y - Phi w|^2 / N,   the maximum likelihood estimate of the noise

The authors' code divides by N - D + 1 instead, has an intercept and leaves the targets as they are: `corrected_noise`,
`intercept` and `standardize=False`.

The 1 in Eq. 7 is the noise of an observation, s^2 G the variance of f(x), that of w ~ N(w^, s^2 (Phi' Phi)^-1).

With as many points as units, the fit passes through every target: s^2 and every variance are 0, and expected
improvement is undefined, although the paper starts this way (section 3.1). Here s^2 is kept above a floor; with fewer
points than units, Phi' Phi has no inverse and `fit` raises. Directions in which Phi does not vary to working precision
(duplicated points, saturated units) take no part in w or G, as with the pseudo-inverse.

Inputs and targets are standardized run by run. Shapes as in `core.models.mixture`, with one member.

`AdaptiveLeastSquares` relearns its representation as data arrive: Brofos et al., sections 3 and 3.2.

The regression (Eqs. 6 to 8) is repeated at every update, on all observations. The network
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
from torch.nn.functional import pad

from core.data.preparation import Standardizer
from core.foundation.errors import ModelError, UserError
from core.foundation.randomness import Generators
from core.foundation.validation import check_counts, check_positive
from core.models.ensemble import LARGEST_SINGLE, check_reach, standardizer, training_data
from core.models.linear_regression import Weights, linear_function
from core.models.mixture import Function, GaussianMixtureModel
from core.models.representation import Representation

FLAT = 1e-5  # root mean square of all features below which they count as zero


class LeastSquaresNetwork(GaussianMixtureModel):
    """Least squares on the last layer of a tanh network.

    Args:
        widths, epochs, batch_size, learning_rate, momentum, weight_decay: See `Representation`.
        min_noise: Lower bound of s^2, in the units in which the targets are fitted.
        corrected_noise: Whether to divide by N - D + 1, with D the units of the last layer, instead of N.
        intercept: Whether to add a constant to the features.
        standardize: Whether to standardize the targets; otherwise they are fitted unscaled.
        device: Device on which fit and predictions run.

    Raises:
        UserError: a setting out of range.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        epochs: int = 300,
        batch_size: int = 32,
        learning_rate: float = 0.05,
        momentum: float = 0.9,
        weight_decay: float = 1e-5,
        min_noise: float = 1e-6,
        corrected_noise: bool = False,
        intercept: bool = False,
        standardize: bool = True,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        check_positive("LeastSquaresNetwork", min_noise=min_noise)
        self.corrected_noise, self.intercept, self.standardize = corrected_noise, intercept, standardize
        self.representation = Representation(
            widths=widths,
            activation="tanh",
            epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            momentum=momentum,
            weight_decay=weight_decay,
        )
        self.min_noise, self.device = min_noise, torch.device(device)

    @torch.no_grad()
    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> LeastSquaresNetwork:
        """Train the network and regress on its last layer; X (runs, N, d) and y (runs, N), or (N, d) and (N,).

        Returns:
            self, with `noise_variance` s^2 in the units in which the targets are fitted, (runs,).

        Raises:
            ModelError: a network that diverged.
            UserError: fewer points than units, data of the wrong shape, not finite or out of range.
        """
        X, y = training_data(X, y, self.device)
        units = self.representation.widths[-1]
        if y.shape[1] < units:
            raise UserError(
                f"LeastSquaresNetwork: {y.shape[1]} points for a last layer of {units} units; take at least {units} "
                "points, or fewer units"
            )
        self.inputs = standardizer("X", X, -2)
        if self.standardize:
            self.targets = standardizer("y", y, -1)
        else:
            check_reach("y", y, LARGEST_SINGLE)
            self.targets = Standardizer(torch.zeros_like(y[:, :1]), torch.ones_like(y[:, :1]))
        y = self.targets.transform(y)
        self.representation.fit(self.inputs.transform(X), y, generators)
        features = self.features(X)
        if not torch.isfinite(features).all():
            rate = self.representation.learning_rate
            raise ModelError(f"LeastSquaresNetwork: the network diverged with learning_rate {rate}; take a smaller one")
        self._solve(features, y)
        self.members, self.runs, self.dimension = 1, len(X), X.shape[-1]
        return self

    def features(self, X: Tensor) -> Tensor:
        """nu(x) for X (..., runs, q, d) in original units: (..., runs, q, D), with a last column 1 if `intercept`."""
        units = self.representation.features(self.inputs.transform(X))
        return torch.cat([units, torch.ones_like(units[..., :1])], -1) if self.intercept else units

    def _solve(self, features: Tensor, y: Tensor) -> None:
        taken = self.representation.widths[-1] - 1 if self.corrected_noise else 0
        self.weights, self.noise_variance = least_squares(features, y, self.min_noise, y.shape[-1] - taken)

    def marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of f(x): Eq. 6 and s^2 G."""
        return self.weights.marginals(self.features(X))

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and covariance of f(X)."""
        return self.weights.joint(self.features(X))

    def noise(self) -> Tensor:
        """The noise variance s^2."""
        return self.noise_variance.unsqueeze(0)

    def draw(self, members: Tensor, generators: Generators) -> Function:
        """Functions with weights from N(w^, s^2 (Phi' Phi)^-1)."""
        return linear_function(self.weights.draw(members, generators), self.features)


def least_squares(features: Tensor, y: Tensor, min_noise: float, divisor: int | None = None) -> tuple[Weights, Tensor]:
    """Eqs. 6 to 8 for features (runs, N, D) and y (runs, N): the weights, one member, and s^2 (runs,).

    `divisor` divides the sum of squares in s^2; it is N by default. If several weight vectors fit equally well, as for
    N < D, the shortest one is taken.
    """
    divisor = divisor or y.shape[-1]
    missing = max(0, features.shape[-1] - features.shape[-2])  # rows of zeros give D singular vectors
    features, y = pad(features, (0, 0, 0, missing)), pad(y, (0, missing))
    left, singular, right = torch.linalg.svd(features, full_matrices=False)
    cutoff = torch.finfo(features.dtype).eps * features.shape[1] * singular[:, :1]
    # Units that are all dead at the data, as at one repeated point, carry only rounding errors and no direction.
    cutoff = cutoff.masked_fill(singular[:, :1] < FLAT * features.shape[1] ** 0.5, torch.inf)
    inverse = torch.where(singular > cutoff, 1 / singular, 0)
    coefficients = (right.mT @ (inverse.unsqueeze(-1) * (left.mT @ y.unsqueeze(-1)))).squeeze(-1)
    residual = y - (features @ coefficients.unsqueeze(-1)).squeeze(-1)
    noise = (residual.square().mean(-1) * (y.shape[-1] / divisor)).clamp(min=min_noise)
    variances = noise.unsqueeze(-1) * inverse.square()
    return Weights(coefficients.unsqueeze(0), right.mT, variances.unsqueeze(0)), noise


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
