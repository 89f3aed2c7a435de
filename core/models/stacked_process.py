"""A Gaussian process on the observations of all tasks, stacked, whose inputs are a configuration and the context of its
task (Krause and Ong 2011; the GP "transfer" of Perrone et al. 2017, section 3.1).

Kernel, hyperparameters and their search are those of `core.models.gaussian_process`, with length scales for the context
features too; these are scaled as `core.models.tasks` says. The targets of all tasks are standardized together, so that
the context can explain how tasks differ in level and scale. A fit costs the cube of the number of all observations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.models.ensemble import points_for, training_data
from core.models.gaussian_process import GaussianProcess
from core.models.tasks import Task, beside_context, check_tasks, with_contexts


class StackedGP(GaussianProcess):
    """Gaussian process of all tasks that predicts for the task at hand.

    Args:
        earlier: Other tasks, with contexts.
        context: Features of the task at hand, (c,) or (runs, c).
        restarts, iterations, device: See `GaussianProcess`.

    Raises:
        UserError: a count below 1, or no context.
    """

    def __init__(
        self,
        earlier: Sequence[Task],
        context: Tensor,
        *,
        restarts: int = 3,
        iterations: int = 100,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__(restarts=restarts, iterations=iterations, device=device)
        if context is None:
            raise UserError("StackedGP.context is None; allowed: features of the task at hand, (c,) or (runs, c)")
        self.earlier, self.context = tuple(earlier), context
        self.columns: Tensor | None = None

    def fit(
        self, X: Tensor, y: Tensor, generators: Generators, initial: Mapping[str, Tensor] | None = None
    ) -> StackedGP:
        """Find Theta for X (runs, N, d) and y (runs, N) and the observations of the earlier tasks.

        Raises:
            UserError: data of the wrong shape, not finite or out of range, or earlier tasks that do not fit to them.
        """
        X, y = training_data(X, y, self.device)
        check_tasks(self.earlier, len(X), X.shape[-1], self.context)
        inputs, self.columns = with_contexts(X, self.earlier, self.context)
        losses = [y, *(task.y.to(y) for task in self.earlier)]
        points, targets = (
            torch.cat([each.expand(len(X), *each.shape[1:]) for each in parts], 1) for parts in (inputs, losses)
        )
        super().fit(points, targets, generators, initial)
        return self

    def _configurations(self, X: Tensor) -> Tensor:
        """The columns of X that lie in the unit cube: all but the contexts."""
        return X if self.columns is None else X[..., : X.shape[-1] - self.columns.shape[-1]]

    def expand_runs(self, X: Tensor) -> Tensor:
        """Points (..., runs | 1, q, d) beside the context of the task at hand, (..., runs, q, d + c)."""
        return super().expand_runs(X if self.columns is None else beside_context(points_for(self, X), self.columns))
