"""Random forest on (configuration, t) with empirical variances (Breiman 2001; Hutter et al. 2014)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.foundation.randomness import make_generators
from core.models.curves.base import CurvePrediction, GlobalCurveModel
from core.models.curves.data import ObservedCurves
from core.models.random_forest import RandomForest


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
