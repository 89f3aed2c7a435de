"""The observations of the task at hand and of earlier ones as one data set, for models that share what they learn.

Targets are standardized in one of two ways:

    joint   by the mean and the standard deviation of all observations: tasks keep their unequal scales
    task    each task by its own, so that only the shape of a task is shared (as in ABLR)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.errors import UnknownNameError
from core.models.ensemble import standardizer, training_data
from core.models.tasks import Task, check_tasks, with_contexts

SCALINGS = ("joint", "task")


class Stacked(NamedTuple):
    """All observations, those of the task at hand first.

    X: Points and then the context of their task, (runs, N, d + c).
    y: Standardized losses, (runs, N).
    task: Number of each point's task, (N,) int64; 0 is the task at hand.
    targets: Standardizer of the losses of the task at hand, (runs, 1).
    """

    X: Tensor
    y: Tensor
    task: Tensor
    targets: Standardizer[Tensor]


def check_scaling(scaling: str) -> None:
    """Raise UnknownNameError unless `scaling` is one of `SCALINGS`."""
    if scaling not in SCALINGS:
        raise UnknownNameError("scaling of tasks", scaling, SCALINGS)


def stack(
    X: Tensor,
    y: Tensor,
    earlier: Sequence[Task],
    scaling: str,
    context: Tensor | None = None,
    device: torch.device | str = "cpu",
) -> Stacked:
    """Stack the task at hand, X (runs, n, d) and y (runs, n) with its context (c,) or
    (runs, c), on the earlier tasks.

    Raises:
        UserError: data of the wrong shape, not finite, or that double precision cannot standardize; earlier tasks of
            other spaces or numbers of runs; a context that only some of the tasks have, or one with nan.
    """
    X, y = training_data(X, y, device)
    check_tasks(earlier, len(X), X.shape[-1], context)
    tasks = [Task(X, y, context, "the task at hand"), *earlier]
    points = [each.expand(len(X), -1, -1) for each in with_contexts(X, earlier, context)[0]]
    losses = [task.y.to(y).expand(len(y), -1) for task in tasks]
    sizes = torch.tensor([each.shape[1] for each in losses], device=X.device)
    number = torch.repeat_interleave(torch.arange(len(tasks), device=X.device), sizes)
    if scaling == "joint":
        targets = standardizer("y", torch.cat(losses, 1), -1)
        return Stacked(torch.cat(points, 1), targets.transform(torch.cat(losses, 1)), number, targets)
    own = [standardizer(f"y of {task.name}", each, -1) for task, each in zip(tasks, losses, strict=True)]
    standard = [scale.transform(each) for scale, each in zip(own, losses, strict=True)]
    return Stacked(torch.cat(points, 1), torch.cat(standard, 1), number, own[0])
