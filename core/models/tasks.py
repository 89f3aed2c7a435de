"""Evaluations of other tasks, from which a multi-task model learns about the task at hand.

A multi-task model takes earlier tasks when it is made, `Model(earlier=tasks)`; `fit(X, y, generators)` then fits the
observations of the task at hand together with them, and `predict` and `posterior` refer to the task at hand. A
warm-started search is therefore a search with another model (`core.optimizers.model_based.ModelBased`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from core.foundation.errors import UserError


@dataclass(frozen=True)
class Task:
    """The evaluations of one earlier task, for all runs.

    Attributes:
        X: Points of the unit cube, (runs, N, d); with runs = 1, all runs share them.
        y: Losses of the points, (runs, N), in the task's own units.
        context: Features of the task, such as the size of its data set, (c,), or (runs, c) if runs have different
            tasks; None without features.
        name: Name of the task in errors.

    Raises:
        UserError: no observations, shapes that do not fit together, or values that are not finite.
    """

    X: Tensor
    y: Tensor
    context: Tensor | None = None
    name: str = "task"

    def __post_init__(self) -> None:
        if self.X.ndim != 3 or self.y.shape != self.X.shape[:2]:
            shapes = f"{tuple(self.X.shape)} and {tuple(self.y.shape)}"
            raise UserError(f"{self.name}: X and y have shapes {shapes}; allowed: (runs, N, d) and (runs, N)")
        if not self.X.shape[1]:
            raise UserError(f"{self.name}: has no observations; allowed: at least one")
        for name, values in (("X", self.X), ("y", self.y)):
            if not torch.isfinite(values).all():
                raise UserError(f"{self.name}: {name} has values that are not finite")
        _check_context(self.name, self.context)

    def of_runs(self, rows: Sequence[int]) -> Task:
        """Return the task restricted to some of the runs; what all runs share is unchanged."""
        X, y = ((values if len(values) == 1 else values[list(rows)]) for values in (self.X, self.y))
        context = self.context
        if context is not None and context.ndim == 2 and len(context) > 1:
            context = context[list(rows)]
        return replace(self, X=X, y=y, context=context)


def check_tasks(tasks: Sequence[Task], runs: int, dimension: int, context: Tensor | None = None) -> None:
    """Check that tasks match the task at hand.

    Raises:
        UserError: another space or number of runs, contexts that only some have, of another number of runs or features,
            or not finite.
    """
    for name, each in (("the task at hand", context), *((task.name, task.context) for task in tasks)):
        _check_context(name, each, runs)
    for task in tasks:
        if task.X.shape[-1] != dimension:
            raise UserError(
                f"{task.name}: has {task.X.shape[-1]} hyperparameters; allowed: {dimension}, as the task at hand"
            )
        if task.X.shape[0] not in (1, runs):
            raise UserError(f"{task.name}: has {task.X.shape[0]} runs; allowed: 1, or {runs} as the task at hand")
        sizes = [None if each is None else each.shape[-1] for each in (task.context, context)]
        if sizes[0] != sizes[1]:
            raise UserError(f"{task.name}: has {sizes[0]} context features; allowed: {sizes[1]}, as the task at hand")


def _check_context(name: str, context: Tensor | None, runs: int | None = None) -> None:
    if context is None:
        return
    if context.ndim not in (1, 2) or (context.ndim == 2 and runs is not None and len(context) not in (1, runs)):
        allowed = "(c,) or (runs, c)" if runs is None else f"(c,), (1, c) or ({runs}, c)"
        raise UserError(f"{name}: context has shape {tuple(context.shape)}; allowed: {allowed}")
    if not torch.isfinite(context).all():
        raise UserError(f"{name}: context has values that are not finite")


def context_columns(tasks: Sequence[Task], context: Tensor) -> list[Tensor]:
    """Contexts of the task at hand, (c,) or (runs, c), and then of the others, as inputs of a model: (runs | 1, 1, c).

    Each feature is scaled to the range [0, 1] over all these tasks, like the hyperparameters in their cube; a feature
    that does not vary is 0.
    """
    values = torch.broadcast_tensors(*(torch.atleast_2d(each).double() for each in (context, *own_contexts(tasks))))
    values = torch.stack(values)
    low, high = values.amin(0), values.amax(0)
    scaled = (values - low) / torch.where(high > low, high - low, 1.0)
    return list(scaled.unsqueeze(-2))


def with_contexts(X: Tensor, tasks: Sequence[Task], context: Tensor | None) -> tuple[list[Tensor], Tensor | None]:
    """Points of the task at hand, X (runs, n, d), and then of the others, each beside its context where they have one.

    Returns:
        The inputs, (runs | 1, n, d + c) each, and the columns of the task at hand, (runs | 1, 1, c) or None.
    """
    points = [X, *(task.X.to(X) for task in tasks)]
    if context is None:
        return points, None
    columns = [each.to(X) for each in context_columns(tasks, context)]
    return [beside_context(*pair) for pair in zip(points, columns, strict=True)], columns[0]


def own_contexts(tasks: Sequence[Task]) -> list[Tensor]:
    """The contexts of tasks that have one."""
    return [task.context for task in tasks if task.context is not None]


def beside_context(X: Tensor, columns: Tensor) -> Tensor:
    """X (..., runs | 1, n, d) with the context (runs | 1, 1, c) of its task in c more columns."""
    shape = torch.broadcast_shapes(X.shape[:-1], (*columns.shape[:-2], X.shape[-2]))
    return torch.cat([X.expand(*shape, -1), columns.expand(*shape, -1)], -1)
