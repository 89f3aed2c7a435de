"""The interface of acquisition functions: a(x) is the utility of evaluating x next, which a maximizer maximizes.

The objective is minimized throughout. An acquisition function takes points X (..., runs, q, d) of the unit cube and
returns values (..., runs, q): every point of every run is valued on its own, so q is an axis of candidates, not a
joint batch. Values are differentiable in X. A leading sample axis, (samples, ..., runs, q), appears if the moments have
one; `core.acquisition.analytic` averages it away.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import torch
from torch import Tensor

from core.foundation.errors import UserError

Moments = Callable[[Tensor], tuple[Tensor, Tensor]]  # X (..., runs, q, d) -> mean, variance, each ([s,] ..., runs, q)


@runtime_checkable
class Acquisition(Protocol):
    """A function of X (..., runs, q, d) with values (..., runs, q); `logarithmic` if they are logs of a utility."""

    @property
    def logarithmic(self) -> bool: ...

    def __call__(self, X: Tensor) -> Tensor: ...


def best_observed(y: Tensor, feasible: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The smallest observation that satisfies the constraints, run by run: y* of Eq. 2.8 (thesis).

    Args:
        y: Observations (runs, N).
        feasible: Whether each observation satisfies the constraints, (runs, N) bool; all do by default.

    Returns:
        best (runs,), and any_feasible (runs,) bool. If no observation is feasible, `best` is the smallest of all, a
        finite number for closed forms to work with, and `any_feasible` is False.

    Raises:
        UserError: shapes that do not fit, or no observation.
    """
    feasible = torch.ones_like(y, dtype=torch.bool) if feasible is None else feasible
    if y.ndim != 2 or y.shape != feasible.shape or y.shape[1] == 0:
        raise UserError(
            f"best_observed: y has shape {tuple(y.shape)} and feasible {tuple(feasible.shape)}, "
            "expected both (runs, N) with N at least 1"
        )
    any_feasible = feasible.any(-1)
    return torch.where(feasible | ~any_feasible[:, None], y, torch.inf).amin(-1), any_feasible


def align_best(best: Tensor, mean: Tensor) -> Tensor:
    """Give `best` the axes of moments: (runs,) to (runs, 1), and (samples, runs) to (samples, 1 ..., runs, 1).

    Raises:
        UserError: different numbers of runs.
    """
    if best.ndim not in (1, 2) or mean.ndim < 2 or best.shape[-1] not in (1, mean.shape[-2]):
        raise UserError(
            f"best: has shape {tuple(best.shape)}, the moments {tuple(mean.shape)}; expected (runs,) or "
            "(samples, runs) and (..., runs, q)"
        )
    if best.ndim == 1:
        return best.unsqueeze(-1)
    return best.reshape(len(best), *(1 for _ in range(mean.ndim - 3)), best.shape[-1], 1)


def safe_deviation(variance: Tensor) -> tuple[Tensor, Tensor]:
    """Standard deviations for closed forms that treat certainty separately.

    Args:
        variance: Variances, in which rounding may have left zeros and small negative values.

    Returns:
        sigma, 1 where the variance is not positive, and certain, bool, which marks these places. A nan stays nan.
    """
    certain = variance <= torch.finfo(variance.dtype).tiny
    return torch.where(certain, 1.0, variance).sqrt(), certain


@dataclass(frozen=True)
class Improvement(ABC):
    """A closed form over the smallest observation; a subclass sets `closed_form`.

    Attributes:
        moments: Method of a model with that name.
        best: Smallest observation, (runs,) or (samples, runs).
    """

    logarithmic: ClassVar[bool] = False

    moments: Moments
    best: Tensor

    @staticmethod
    @abstractmethod
    def closed_form(mean: Tensor, variance: Tensor, best: Tensor) -> Tensor:
        """The utility of the shape that the moments (..., runs, q) and an aligned `best` broadcast to."""

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        mean, variance = self.moments(X)
        return self.closed_form(mean, variance, align_best(self.best, mean))
