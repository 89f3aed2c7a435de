"""Information gain per cost: Eq. 4.4 of the thesis (MTBO) and Eq. 4.6 (Fabolas).

a(x, s) = gain about the minimum on the full data from an evaluation at (x, s) / (c(x, s) + overhead)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from core.acquisition.entropy_search import mean_gain
from core.acquisition.information_gain import InformationGain
from core.models.conditioned_process import ConditionedGP

BLOCK_ELEMENTS = 2**22  # covariances of candidates with data and representers that are held at a time
LARGEST_LOG = 300.0  # largest logarithm of a predicted cost: beyond it, squares overflow


@dataclass(frozen=True)
class GainPerCost:
    """The gain per predicted cost, averaged over the members of the model of the loss.

    Attributes:
        loss: Model of the loss over configurations and a fidelity.
        cost: Model of the logarithm of the cost; None if all evaluations cost the same.
        gain: Information gain with leading axes (members, runs).
        representers: Points among which the minimum is sought, (runs, Z, d), on the full data.
        overhead: Overhead of an evaluation in the unit of costs.
    """

    loss: ConditionedGP
    cost: ConditionedGP | None
    gain: InformationGain
    representers: Tensor
    overhead: float = 0.0
    logarithmic: ClassVar[bool] = False

    def __call__(self, X: Tensor) -> Tensor:
        """X (runs, n, d) to (runs, n), nats per unit of cost; where the gain's error leaves it below zero, zero."""
        columns = self.loss.y.shape[1] + self.representers.shape[1]
        block = max(1, BLOCK_ELEMENTS // (self.loss.members * len(X) * columns))
        return torch.cat([self._value(part) for part in X.split(block, 1)], 1)

    def _value(self, X: Tensor) -> Tensor:
        gain = mean_gain(self.loss, self.gain, self.representers, X).clamp_min(0)
        return gain if self.cost is None else gain / (predicted_cost(self.cost, X) + self.overhead)


def predicted_cost(model: ConditionedGP, X: Tensor) -> Tensor:
    """The exponential of the mean log cost, as in the authors' code, (runs, n).

    The mean of the cost itself grows with the variance without bound and would rule out unexplored regions.
    """
    mean = model.marginals(X)[0].mean(0)
    return model.targets.inverse(mean).clamp(-LARGEST_LOG, LARGEST_LOG).exp()
