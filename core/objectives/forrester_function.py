"""The Forrester function and its variations, without torch: f(x) = (a x - 2)^2 sin(b x - 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.foundation.validation import require_count

if TYPE_CHECKING:
    from torch import Tensor

LARGEST = (6.0, 12.0)  # of a and b
Values = TypeVar("Values", NDArray[np.float64], "Tensor")


def forrester(x: Values, a: Values | float, b: Values | float, sin: Callable[[Any], Any] = np.sin) -> Values:
    """(a x - 2)^2 sin(b x - 4), elementwise; of tensors with `torch.sin`."""
    values: Values = (a * x - 2) ** 2 * sin(b * x - 4)
    return values


def random_parameters(count: int, seed: int = 0) -> NDArray[np.float64]:
    """Values of a and b of the first tasks of the class, (count, 2), uniform in [0, 6] and [0, 12].

    Raises:
        UserError: a count that is not a positive whole number.
    """
    return np.random.default_rng(seed).random((require_count("tasks", count), 2)) * LARGEST
