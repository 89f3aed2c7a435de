"""The last observed value of a curve as its prediction, as in successive halving (Li et al. 2017)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.models.curves.base import CurveModel, CurvePrediction
from core.models.curves.data import ObservedCurves


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
