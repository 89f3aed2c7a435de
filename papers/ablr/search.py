"""A shard of searches in lockstep, each run with a task of its own, functions and models batched over runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from torch import Tensor

from core.experiment.context import Context
from core.experiment.optimization import initial_design
from core.foundation.randomness import make_generators
from core.models.ablr import ABLR
from core.models.ensemble import EnsembleModel
from core.models.stacked_process import StackedGP
from core.models.tasks import Task
from core.optimizers.memory import no_memory
from core.spaces import CubeEncoding
from core.study.lockstep import advance
from core.study.methods.multitask import ABLRSettings
from papers.ablr.settings import Search


class Known(NamedTuple):
    """What a run knows before it starts: the other tasks, and the context of its own, (runs, c) or None."""

    tasks: Sequence[Task] = ()
    context: Tensor | None = None


class Points(NamedTuple):
    """The next points, (runs, 1, d)."""

    points: Tensor


def search(
    context: Context[Search], encoding: CubeEncoding, evaluate: Callable[[Tensor], Tensor], known: Known
) -> tuple[Tensor, Tensor]:
    """All evaluations of all runs.

    Args:
        evaluate: points of the cube (runs, k, d) to losses and side signals, (runs, k, 1 + S).
        known: what the settings allow the model to use of it.

    Returns:
        The points (runs, n, d), and their outcomes, (runs, n, 1 + S).
    """
    settings = context.settings
    generators = make_generators(context.method_seeds("optimizer"), context.device)

    def propose(X: Tensor, y: Tensor) -> Points:
        policy = settings.method.policy_with(encoding, lambda n: model(settings, known, y[..., 1:], context.device))
        _, proposal = policy.propose(no_memory(len(X)), X, y[..., 0], X[:, :0], generators)
        return Points(proposal.points.unsqueeze(1))

    X = initial_design(context, encoding, settings.initial_design)
    return advance(
        propose, lambda batch: evaluate(batch.points), X, evaluate(X), settings.evaluations, context.progress
    )


def model(settings: Search, known: Known, side: Tensor, device: str) -> EnsembleModel:
    """The model of the settings; `side` are the signals (runs, N, S) of the evaluations that it will be fitted to."""
    tasks = list(known.tasks) if settings.transfer else []
    own = known.context if settings.context else None
    if not settings.context:
        tasks = [Task(task.X, task.y, name=task.name) for task in tasks]
    method = settings.method
    if not isinstance(method, ABLRSettings):
        effort = {"restarts": method.restarts, "iterations": method.iterations, "device": device}
        return StackedGP(tasks, own, **effort) if tasks else method.model(0, device)
    given = side if settings.signals else None
    return ABLR(
        tasks, representation=method.basis, context=own, side=given, iterations=method.iterations, device=device
    )
