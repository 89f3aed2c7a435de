"""Evaluations of other tasks, from which a multi-task model learns about the task at hand.

A multi-task model takes earlier tasks when it is made, `Model(earlier=tasks)`; `fit(X, y, generators)` then fits the
observations of the task at hand together with them, and `predict` and `posterior` refer to the task at hand. A
warm-started search is therefore a search with another model (`core.optimizers.model_based.ModelBased`).

The two shared representations of ABLR (sections 2.2 and 2.3): x to D features, each with parameters theta to learn.

    Network    3 x 50 tanh, the last hidden layer is phi(x); theta are its weights
    Fourier    phi(x) = sqrt(2 / D) cos(U x / sigma + b),  U normal, b uniform on [0, 2 pi], fixed; theta = log sigma

The text leaves open how the inputs are scaled and the weights initialised. Here inputs in the unit cube are mapped to
[-1, 1], and weights are drawn as in `core.models.network`. sigma starts at the square root of the dimension, at which
points of the cube are neither all alike nor all unrelated.

Shapes: theta (runs, P), X (..., runs, N, d) or with runs = 1 the same for all, to phi (..., runs, N, D), float64.
`rows` are the runs to which theta belongs, if not all: weights or frequencies drawn by `begin` differ between runs.

A representation is a description, which models may share; `begin` returns its `Features`, with weights or frequencies.

The observations of the task at hand and of earlier ones as one data set, for models that share what they learn.

Targets are standardized in one of two ways:

    joint   by the mean and the standard deviation of all observations: tasks keep their unequal scales
    task    each task by its own, so that only the shape of a task is shared (as in ABLR)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.errors import UnknownNameError, UserError
from core.foundation.randomness import Generators, normal_, uniform_
from core.foundation.validation import check_counts
from core.models.ensemble import standardizer, training_data
from core.models.network import ACTIVATIONS, MLP


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


Rows = slice | Tensor
ALL = slice(None)


class Features(Protocol):
    """phi, given what a representation drew for the data."""

    def __call__(self, theta: Tensor, X: Tensor, rows: Rows = ALL) -> Tensor:
        """phi(x), differentiable in both."""


class Network:
    """Hidden layers of these widths; the output layer of the `MLP` that holds their weights is not used.

    Raises:
        UserError: no layer, or one without units.
    """

    def __init__(self, widths: Sequence[int] = (50, 50, 50)) -> None:
        if len(widths) == 0:
            raise UserError(f"Network.widths: must hold at least one hidden layer, got {widths}")
        check_counts("Network", **{f"widths[{place}]": width for place, width in enumerate(widths)})
        self.widths, self.width = tuple(widths), widths[-1]

    def begin(self, runs: int, dimension: int, generators: Generators) -> tuple[NetworkFeatures, Tensor]:
        """Layers for inputs of this dimension, and the first theta, (runs, P)."""
        network = MLP((dimension, *self.widths, 1))
        return NetworkFeatures(network), network.init(generators, runs).double()


@dataclass(frozen=True)
class NetworkFeatures:
    """The last hidden layer of `network`, whose weights are theta."""

    network: MLP

    def __call__(self, theta: Tensor, X: Tensor, rows: Rows = ALL) -> Tensor:
        """phi(x), differentiable in both."""
        a = 2 * X - 1
        for W, b in self.network.unpack(theta)[:-1]:
            a = ACTIVATIONS["tanh"][0](a @ W + b.unsqueeze(-2))
        return a


class Fourier:
    """`width` random features of a Gaussian kernel with a learned bandwidth.

    Raises:
        UserError: no features.
    """

    def __init__(self, width: int = 100) -> None:
        check_counts("Fourier", width=width)
        self.width = width

    def begin(self, runs: int, dimension: int, generators: Generators) -> tuple[FourierFeatures, Tensor]:
        """Features with U and b drawn, and the first theta, (runs, 1)."""
        U = normal_(torch.empty(runs, dimension, self.width, dtype=torch.float64), generators)
        b = 2 * math.pi * uniform_(torch.empty(runs, 1, self.width, dtype=torch.float64), generators)
        return FourierFeatures(U, b), torch.full((runs, 1), 0.5 * math.log(dimension), dtype=torch.float64)


@dataclass(frozen=True)
class FourierFeatures:
    """Cosines of frequencies U (runs, d, D) and phases b (runs, 1, D)."""

    U: Tensor
    b: Tensor

    def __call__(self, theta: Tensor, X: Tensor, rows: Rows = ALL) -> Tensor:
        """phi(x), differentiable in both."""
        return math.sqrt(2 / self.b.shape[-1]) * torch.cos(
            (2 * X - 1) @ self.U[rows] / theta.exp().unsqueeze(-1) + self.b[rows]
        )
