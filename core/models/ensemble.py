"""Models whose predictive distribution is a finite set of sampled functions, as BoTorch models.

An ensemble holds M sampled parameter vectors theta^i for each of R independent runs. Every prediction is the mixture of
Eq. 4 (NIPS 2016) and Eq. 3.3 (thesis): member i predicts N(f(x; theta^i), sigma^2_i). Its first two moments are Eq. 5
(NIPS) and Eq. 3.4 (thesis), where the noise variance is inside the average over samples:

    mu(x)       = 1/M sum_i f(x; theta^i)
    sigma^2(x)  = 1/M sum_i [(f(x; theta^i) - mu(x))^2 + sigma^2_i]

Shapes: X is (..., runs, q, d); means and noise variances are (samples, ..., runs, q), the sample axis first. BoTorch
sees one run as a model without batch shape and R > 1 runs as a model of batch shape (R,).

Failures of linear algebra as failures of the model that needed it.
"""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.exceptions.errors import UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.models.model import Model
from botorch.posteriors.ensemble import EnsemblePosterior
from botorch.posteriors.posterior import Posterior
from torch import Tensor

from core.data.preparation import Array, Standardizer
from core.foundation.errors import ModelError, UserError

CUBE_SLACK = 1e-2  # distance from the unit cube from which inputs count as unscaled, as in BoTorch
LARGEST_INPUT = 1e100  # largest unscaled input, since models form squares and products
LARGEST_SINGLE = torch.finfo(torch.float32).max


class EnsembleModel(Model):
    """Base of the sample-based models; a subclass implements `fit` and `predict` and sets `runs` and `dimension`.

    Attributes:
        runs: Number of independent data sets fitted, 0 before `fit`.
        dimension: Number of input features d, 0 before `fit`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.runs = 0
        self.dimension = 0

    @abstractmethod
    def predict(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and noise variance of every member, in the units of the targets.

        Args:
            X: Points (..., runs, q, d); a runs axis of length 1, or none with X (q, d), applies to every run. An array
                or a list, as in `fit`, is converted to a float64 tensor.

        Returns:
            float64 means (samples, ..., runs, q), differentiable in X, and noise variances that broadcast to them.
        """

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Predictive mean and variance of an observation, including noise (Eq. 5 / 3.4), each (..., runs, q)."""
        means, noise_variances = self.predict(X)
        mean = means.mean(0)
        return mean, ((means - mean).square() + noise_variances).mean(0)

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """Posterior over f(X), or over observations at X if `observation_noise` is True, as BoTorch defines it.

        Args:
            X: Points, (batch..., q, d) after one run, (..., runs, q, d) after several.

        Returns:
            The values (batch..., samples, q, 1) of sampled functions; subclasses may override `_posterior`.

        Raises:
            UnsupportedError: noise given as a tensor, or to a model that cannot add it, and outputs other than 0.
        """
        if not isinstance(observation_noise, bool):
            raise UnsupportedError("posterior: observation_noise must be True or False, a tensor is not supported")
        if output_indices not in (None, [0]):
            raise UnsupportedError(f"posterior: output_indices is {output_indices}, the only output is 0")
        self.eval()
        X = points_for(self, X)
        inputs = self.transform_inputs(X)
        posterior = self._posterior(
            self.expand_runs(inputs.unsqueeze(-3) if self.runs == 1 else inputs), observation_noise
        )
        return posterior if posterior_transform is None else posterior_transform(posterior=posterior, X=X)

    def _posterior(self, X: Tensor, noisy: bool) -> Posterior:
        """The result of `posterior` for X (..., runs, q, d): here the functions themselves, (batch..., samples, q, 1).

        Raises:
            UnsupportedError: with noise, which a set of functions cannot hold.
        """
        if noisy:
            raise UnsupportedError("posterior: observation_noise is not supported, moments(X) includes the noise")
        means = self.predict(X)[0]
        means = means.squeeze(-2) if self.runs == 1 else means
        return EnsemblePosterior(means.movedim(0, -2).unsqueeze(-1))

    def condition_on_observations(self, X: Tensor, Y: Tensor, **kwargs: Any) -> Model:
        """Raise UnsupportedError: the model would have to be fitted again."""
        raise UnsupportedError(
            f"{type(self).__name__} cannot be conditioned on observations without a new fit; allowed: `fit` with all "
            "of them, X_pending of an acquisition function, or core.acquisition.Fantasies"
        )

    def fantasize(self, X: Tensor, sampler: Any, **kwargs: Any) -> Model:
        """Raise UnsupportedError, as `condition_on_observations`: look-ahead acquisition functions need it."""
        raise UnsupportedError(
            f"{type(self).__name__} has no fantasies in BoTorch's sense, which are models conditioned on samples; "
            "allowed: acquisition functions without look-ahead, or core.acquisition.Fantasies"
        )

    @property
    def num_outputs(self) -> int:
        """One: the targets are scalars."""
        return 1

    @property
    def batch_shape(self) -> torch.Size:
        """Empty after one run, (runs,) after several."""
        return torch.Size([]) if self.runs == 1 else torch.Size([self.runs])

    def expand_runs(self, X: Tensor) -> Tensor:
        """Check the inputs of `predict` and give them their runs axis, see `expand_runs`."""
        return expand_runs(type(self).__name__, points_for(self, X), self.runs, self.dimension)


def expand_runs(owner: str, X: Tensor, runs: int, dimension: int) -> Tensor:
    """Check inputs of a model and give them their runs axis: (..., runs, q, d).

    Values that require a gradient are not checked: they are the steps of a search, which come by the thousand.

    Args:
        owner: Name of the model in errors.
        X: Points (..., runs, q, d), (..., 1, q, d) or (q, d).
        runs: Number of data sets fitted, 0 before `fit`.
        dimension: Number of input features d.

    Raises:
        UserError: before `fit`.
        UserError: shapes that do not match the fitted data, or values that are not finite.
    """
    if runs == 0:
        raise UserError(f"{owner}: call fit before predict")
    if X.ndim < 2 or X.shape[-1] != dimension:
        raise UserError(f"{owner}: X has shape {tuple(X.shape)}, expected (..., {runs}, q, {dimension})")
    # One sum costs a fraction of looking at every value; it is finite only if all of them are.
    if not X.requires_grad and not math.isfinite(X.sum().item()):
        require_finite(f"{owner}: X", X)
    if X.ndim == 2:
        X = X.unsqueeze(0)
    if X.shape[-3] not in (1, runs):
        raise UserError(f"{owner}: X has {X.shape[-3]} runs (axis -3), the model was fitted on {runs}")
    return X.expand(*X.shape[:-3], runs, *X.shape[-2:])


def points_for(model: Any, X: Any) -> Tensor:
    """Return a tensor unchanged; convert an array or a list, as `fit` takes them, to float64 on the model's device."""
    if isinstance(X, Tensor):
        return X
    return torch.as_tensor(X, dtype=torch.float64, device=getattr(model, "device", None))


def require_finite(name: str, values: Tensor) -> None:
    """Raise ValueError, naming the first place, if any value is nan or infinite."""
    if not torch.isfinite(values).all():
        place = (~torch.isfinite(values)).nonzero()[0].tolist()
        raise UserError(f"{name}{place} is {values[tuple(place)].item()}, expected finite values")


def training_data(X: Tensor, y: Tensor, device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
    """Check a model's training data and give it a runs axis.

    Args:
        X: Inputs (runs, N, d), or (N, d) for one run.
        y: Targets (runs, N), or (N,) for one run; also with a last axis of one output, (N, 1), as BoTorch has them.

    Returns:
        float64 tensors on `device`, (runs, N, d) and (runs, N).

    Raises:
        UserError: shapes that do not fit together, no observation, no feature, or values that are not finite.
    """
    X, y = (torch.as_tensor(values, dtype=torch.float64, device=device).detach() for values in (X, y))
    if y.ndim == X.ndim and y.shape[-1] == 1:
        y = y.squeeze(-1)
    if X.ndim == 2 and y.ndim == 1:
        X, y = X.unsqueeze(0), y.unsqueeze(0)
    if X.ndim != 3 or y.ndim != 2 or X.shape[:2] != y.shape or 0 in X.shape:
        raise UserError(
            f"training data: X has shape {tuple(X.shape)} and y {tuple(y.shape)}, "
            "expected (runs, N, d) and (runs, N), or (N, d) and (N,) or (N, 1), none of them 0"
        )
    for name, values in (("X", X), ("y", y)):
        require_finite(f"training data: {name}", values)
    return X, y


def warn_of_scale(owner: str, X: Tensor) -> None:
    """Warn of inputs (runs, N, d) outside the unit cube; for models that take them as they are.

    The priors of such a model are stated for the cube: where inputs reach from 0 to 1,000 it fits, and is wrong.
    Models that standardize their inputs, and forests, which see only their order, need no warning.
    """
    low, high = (bound.item() for bound in X.aminmax())
    if low < -CUBE_SLACK or high > 1 + CUBE_SLACK:
        warnings.warn(
            f"{owner}: X reaches from {low:g} to {high:g}, but the model's priors are those of the unit cube; "
            "scale each column to [0, 1]",
            InputDataWarning,
            stacklevel=3,
        )


def standardizer(name: str, values: Array, axis: int) -> Standardizer[Array]:
    """`Standardizer.fit` of the training data called `name`, a tensor or an array.

    Raises:
        ModelError: double precision cannot hold the squares of their deviations.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        fitted = Standardizer.fit(values, axis)
    low, high = torch.as_tensor(values).aminmax(dim=axis, keepdim=True)
    check_scale(name, low, high, torch.as_tensor(fitted.scale))
    return fitted


def check_scale(name: str, low: Tensor, high: Tensor, scale: Tensor) -> None:
    """Raise ModelError if `scale` cannot be that of values from `low` to `high`, because squares overflowed.

    Where squares vanish, values differ by less than 1e-154 and count as constant, with scale 1.
    """
    if not scale.isfinite().all():
        raise ModelError(
            f"training data: {name} from {low.min().item():g} to {high.max().item():g} cannot be standardized in "
            "double precision; rescale it"
        )


def check_reach(name: str, values: Tensor, most: float = LARGEST_INPUT) -> None:
    """Raise ModelError if training data that are used without scaling exceed `most`."""
    if (values.abs() > most).any():
        reach = values.abs().max().item()
        raise ModelError(f"training data: {name} reaches {reach:g}; allowed: up to {most:g}, rescale it")


@contextmanager
def linear_algebra() -> Iterator[None]:
    """Context in which a matrix that cannot be decomposed raises a ModelError; for policies, which fit and search."""
    try:
        yield
    except (torch.linalg.LinAlgError, np.linalg.LinAlgError) as error:  # type: ignore[attr-defined]  # not in __all__
        raise ModelError(f"linear algebra: {error}") from error
