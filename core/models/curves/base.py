"""The base classes of all models of learning curves. A model is fitted to partially observed curves and extrapolates
them; global models share knowledge between configurations and also predict for configurations without observations.

Random forest on (configuration, t) with empirical variances (Breiman 2001; Hutter et al. 2014).

The last observed value of a curve as its prediction, as in successive halving (Li et al. 2017).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.curves.data import (
    ObservedCurves,
    check_configurations,
    check_times,
    observed_curves,
    without_outliers,
)
from core.models.random_forest import RandomForest


class CurvePrediction(NamedTuple):
    """Predicted distribution of an observation: mean and variance, noise included; nan variances if there is none."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]


class CurveModel(ABC):
    """Base of the models; a subclass implements `_fit` and `_extrapolate`.

    Attributes:
        one_unit: Whether all curves are fitted in one unit. Values that would hide the others are then clipped, see
            `core.models.curves.data.without_outliers`.
    """

    one_unit: ClassVar[bool] = True

    _observed: ObservedCurves | None = None

    def fit(self, configurations: Any, curves: Any, epochs: int | None = None, seed: int = 0) -> Self:
        """Fit the model.

        Args:
            configurations: Numbers (n, d) in any encoding; they are standardized.
            curves: Values (n, T), one per epoch, with nan for epochs not observed yet, which must be the last of a
                curve; or n sequences of any lengths. One observed epoch is enough.
            epochs: Number T of epochs of a complete curve, where t = 1; None for the number of columns of `curves`, or
                for the length of the longest sequence.
            seed: Seed of all random numbers.

        Returns:
            self.

        Raises:
            UserError: shapes that do not fit together, a curve without an observation, with nan between observed
                values, with an infinite value or with more epochs than `epochs`.
        """
        self._observed = observed_curves(configurations, curves, epochs)
        name = type(self).__name__
        self._fit(without_outliers(self._observed, name) if self.one_unit else self._observed, seed)
        return self

    def extrapolate(self, t: Any = 1.0) -> CurvePrediction:
        """Predict the fitted curves.

        Args:
            t: Times epoch / epochs in (0, 1], one number or (k,).

        Returns:
            Mean and variance, (n,) or (n, k).

        Raises:
            UserError: before `fit`.
            UserError: t outside (0, 1].
        """
        observed, times = self.observed, check_times(t)
        mean, variance = self._extrapolate(observed, np.atleast_1d(times))
        return CurvePrediction(*(values[:, 0] if times.ndim == 0 else values for values in (mean, variance)))

    def predict(self, configurations: Any, t: Any = 1.0) -> CurvePrediction:
        """Predict curves of any configurations; only a `GlobalCurveModel` can do so.

        Raises:
            UserError: always here.
        """
        raise UserError(
            f"{type(self).__name__} predicts only the curves that it was fitted to; allowed: extrapolate(t) instead of "
            "predict(configurations, t)"
        )

    @property
    def observed(self) -> ObservedCurves:
        """Curves given to `fit`. Raises UserError before `fit`."""
        if self._observed is None:
            raise UserError(f"{type(self).__name__}: call fit first")
        return self._observed

    @abstractmethod
    def _fit(self, observed: ObservedCurves, seed: int) -> None:
        """Fit to checked curves."""

    @abstractmethod
    def _extrapolate(self, observed: ObservedCurves, times: NDArray[np.float64]) -> CurvePrediction:
        """Predict the fitted curves at `times` (k,): (n, k)."""


class GlobalCurveModel(CurveModel):
    """Base of the models that predict for any configuration; a subclass implements `_fit` and `_predict`."""

    def predict(self, configurations: Any, t: Any = 1.0) -> CurvePrediction:
        """Predict curves of any configurations.

        Args:
            configurations: Configurations to predict for, (m, d).
            t: Times epoch / epochs in (0, 1], one number or (k,).

        Returns:
            Mean and variance of an observation, (m,) or (m, k).

        Raises:
            UserError: before `fit`.
            UserError: t outside (0, 1], or configurations of another shape.
        """
        observed, times = self.observed, check_times(t)
        configurations = check_configurations(configurations, observed.configurations.shape[1])
        mean, variance = self._predict(configurations, np.atleast_1d(times))
        return CurvePrediction(*(values[:, 0] if times.ndim == 0 else values for values in (mean, variance)))

    def _extrapolate(self, observed: ObservedCurves, times: NDArray[np.float64]) -> CurvePrediction:
        return self._predict(observed.configurations, times)

    @abstractmethod
    def _predict(self, configurations: NDArray[np.float64], times: NDArray[np.float64]) -> CurvePrediction:
        """Predict at `times` (k,): (m, k)."""


class LastSeenValue(CurveModel):
    """Predicts the last value observed up to t, hence a constant beyond the last observed epoch, without a variance."""

    one_unit: ClassVar[bool] = False

    def _fit(self, observed: ObservedCurves, seed: int) -> None:
        pass

    def _extrapolate(self, observed: ObservedCurves, times: NDArray[np.float64]) -> CurvePrediction:
        epoch = np.maximum(np.floor(times * observed.epochs + 1e-9).astype(np.int64), 1)
        known = np.minimum(epoch, observed.lengths[:, None])
        mean = np.take_along_axis(observed.values, known - 1, 1)
        return CurvePrediction(mean, np.full_like(mean, np.nan))


class CurveForest(GlobalCurveModel):
    """Random forest with one training point per observed epoch; beyond the last observed t it is constant.

    Args:
        settings: Settings of `core.models.random_forest.RandomForest`, by name.

    Raises:
        UserError: a setting out of range.
    """

    def __init__(self, **settings: Any) -> None:
        self.model = RandomForest(**settings)

    def _fit(self, observed: ObservedCurves, seed: int) -> None:
        inputs, values = observed.points()
        self.model.fit(torch.from_numpy(inputs), torch.from_numpy(values), make_generators([seed]))

    def _predict(self, configurations: NDArray[np.float64], times: NDArray[np.float64]) -> CurvePrediction:
        inputs = np.column_stack([np.repeat(configurations, len(times), 0), np.tile(times, len(configurations))])
        mean, variance = self.model.moments(torch.from_numpy(inputs))
        shape = (len(configurations), len(times))
        return CurvePrediction(mean.reshape(shape).numpy(), variance.reshape(shape).numpy())
