"""Zero mean and unit variance, for each run by its own training rows (thesis 7.1; Hernandez-Lobato and Adams 2015).

    z = (x - mean) / scale          x = scale z + mean          Var[x] = scale^2 Var[z]

Works on both NumPy arrays and torch tensors, through the methods they share, so that importing core.data does not
import torch. The variance is that of the rows themselves (divided by n, not n - 1). A column that is constant on the
training rows has scale 1: it becomes zero there and stays finite elsewhere. The thesis says "dividing by the variance",
which its own errors rule out; we divide by the standard deviation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

Array = TypeVar("Array", np.ndarray[Any, Any], "Tensor")


@dataclass(frozen=True)
class Standardizer(Generic[Array]):
    """Location and scale of columns; `mean` and `scale` keep the reduced axis with length 1, ready to broadcast."""

    mean: Array
    scale: Array

    @classmethod
    def fit(cls, values: Array, axis: int = -2) -> Standardizer[Array]:
        """Learn from training rows.

        Args:
            values: Inputs (..., n, d) with the default axis, or targets (..., n) with axis -1; floats, finite.
            axis: Axis of the rows.

        Raises:
            ValueError: no rows.
        """
        rows = values.shape[axis]
        if rows == 0:
            raise ValueError(f"values of shape {tuple(values.shape)} have no rows along axis {axis} to standardize by")
        first = values[..., :1, :] if axis == -2 else values[..., :1]
        # Compared exactly: the mean of equal numbers is off by a rounding error, and so is their variance.
        constant = (values == first).all(axis, keepdims=True)
        mean = values.mean(axis, keepdims=True)
        scale = ((values - mean) ** 2).mean(axis, keepdims=True) ** 0.5
        mean = mean * ~constant + first * constant
        scale = scale * ~constant
        return cls(mean=mean, scale=scale + (scale == 0))  # also where the squares of tiny differences underflow

    def transform(self, values: Array) -> Array:
        """Values in standard units; any shape that broadcasts against `mean`."""
        return (values - self.mean) / self.scale

    def inverse(self, standardized: Array) -> Array:
        """Values, or means of predictions, back in original units."""
        return standardized * self.scale + self.mean

    def inverse_variance(self, variance: Array) -> Array:
        """Variances of predictions back in squared original units."""
        return variance * self.scale**2
