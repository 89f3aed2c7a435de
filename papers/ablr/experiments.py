"""ABLR's experiments: a shard of repetitions in, a data frame of records out.

All but the times of suggestions are searches in lockstep, each run with a task of its own, functions and models batched
over runs: on quadratic functions (section 3.1), on surrogates of stored evaluations (3.2), and of networks that are
trained (3.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from ConfigSpace import ConfigurationSpace, Float, Integer
from numpy.typing import NDArray
from torch import Tensor

from core.data import load
from core.experiment.context import Context
from core.experiment.search import initial_design, objective_generators, rows_of_search
from core.experiment.suggestion_time import measure_suggestions
from core.foundation.randomness import make_generators, uniform_
from core.foundation.schedules import constant
from core.models.ablr import ABLR
from core.models.ensemble import EnsembleModel
from core.models.multitask_gp import StackedGP
from core.models.tasks import Task
from core.objectives.task_tables import task_table
from core.optimizers.model_settings import ABLRSettings
from core.optimizers.policy import no_memory
from core.spaces import CubeEncoding
from core.study.lockstep import advance
from core.training import Networks, Parts, train
from core.training.networks import prepare
from papers.ablr.settings import Networks as NetworkSearch
from papers.ablr.settings import Quadratics, Search, SuggestionTime, Tables

DIMENSION, LOW, HIGH = 3, 0.1, 10.0
BOUND = 5.0
"""Of the quadratic functions of section 3.1. The text at hand lost the formula's numbers; these are those of the
repository's list of corrections, and the domain, which no source gives, is [-5, 5] in each coordinate: the minimum at
-b/a is inside it for most tasks."""

BATCH, SPLIT_SEED = 32, 0
DIVERGED = 1.0  # the error of a network whose training diverged


class Known(NamedTuple):
    """What a run knows before it starts: the other tasks, and the context of its own, (runs, c) or None."""

    tasks: Sequence[Task] = ()
    context: Tensor | None = None


def search(
    context: Context[Search], encoding: CubeEncoding, evaluate: Callable[[Tensor], Tensor], known: Known
) -> Tensor:
    """The outcomes of all evaluations of all runs, (runs, n, 1 + S).

    Args:
        evaluate: points of the cube (runs, k, d) to losses and side signals, (runs, k, 1 + S).
        known: what the settings allow the model to use of it.
    """
    settings = context.settings
    generators = make_generators(context.method_seeds("optimizer"), context.device)

    def propose(X: Tensor, y: Tensor) -> SimpleNamespace:
        policy = settings.method.policy_with(encoding, lambda n: model(settings, known, y[..., 1:], context.device))
        _, proposal = policy.propose(no_memory(len(X)), X, y[..., 0], X[:, :0], generators)
        return SimpleNamespace(points=proposal.points.unsqueeze(1))

    X = initial_design(context, encoding, settings.initial_design)
    y = evaluate(X)
    return advance(propose, lambda batch: evaluate(batch.points), X, y, settings.evaluations, context.progress)[1]


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


def quadratics(context: Context[Quadratics]) -> pd.DataFrame:
    """Fig 1, left: searches on quadratic functions, leaving one out.

    One row for each evaluation: run, evaluation, task, loss, and regret, the loss above the task's minimum. Run number
    r has the task r modulo their number; the others are known at random points, drawn anew for each run.
    """
    settings, runs = context.settings, np.asarray(context.runs)
    every = contexts(settings.tasks, settings.seed)
    own = every[runs % settings.tasks]
    # The others of each run: its task's successors, (runs, tasks - 1).
    others = (runs[:, None] + np.arange(1, settings.tasks)) % settings.tasks
    known = Known(_observed(context, every[others]), own)
    encoding = CubeEncoding({f"x{i + 1}": (-BOUND, BOUND) for i in range(DIMENSION)})
    loss = search(context, encoding, lambda U: quadratic(own, U).unsqueeze(-1), known)[..., 0]
    task = torch.from_numpy(runs % settings.tasks)[:, None].expand_as(loss)
    return rows_of_search(context.runs, {"task": task, "loss": loss, "regret": loss - minimum(own)[:, None]})


def _observed(context: Context[Quadratics], others: Tensor) -> list[Task]:
    """The other tasks of each run at random points, from their contexts (runs, tasks - 1, 3)."""
    generators = make_generators(context.shared_seeds("observations"))
    tasks = []
    for number, values in enumerate(others.unbind(1), start=1):
        size = (len(values), context.settings.observations, DIMENSION)
        U = uniform_(torch.empty(size, dtype=torch.float64), generators)
        tasks.append(Task(U, quadratic(values, U), values, f"quadratic {number}"))
    return tasks


def contexts(tasks: int, seed: int) -> Tensor:
    """(a, b, c) of each task, uniform in [0.1, 10], (tasks, 3)."""
    drawn = np.random.default_rng(seed).uniform(LOW, HIGH, (tasks, 3))
    return torch.from_numpy(drawn)


def quadratic(context: Tensor, U: Tensor) -> Tensor:
    """f(x) = 1/2 a |x|^2 + b 1'x + c, (runs, n), at points of the unit cube (runs, n, 3), one context for each run."""
    X = BOUND * (2 * U - 1)
    a, b, c = context.to(U).unsqueeze(-1).unbind(1)
    return 0.5 * a * X.square().sum(-1) + b * X.sum(-1) + c


def minimum(context: Tensor) -> Tensor:
    """The smallest value on the domain, (runs,)."""
    a, b, _ = context.unbind(-1)
    best = (-b / a).clamp(-BOUND, BOUND)
    U = (best / BOUND + 1) / 2
    return quadratic(context, U[:, None, None].expand(-1, 1, DIMENSION)).squeeze(1)


def tables(context: Context[Tables]) -> pd.DataFrame:
    """Fig 2, left, and a second case of Fig 2, right: searches on surrogates of stored evaluations.

    One row for each evaluation: run, evaluation, task, loss and regret. Run number r searches the surrogate of task r
    modulo their number; evaluations of the others are known. Tasks differ in scale, so `regret` is relative: 0 at the
    smallest loss that the surrogate predicts at the stored configurations of the task, 1 at the median.
    """
    settings, table, runs = context.settings, task_table(context.benchmark), np.asarray(context.runs)
    count = len(table.names) if settings.tasks is None else min(settings.tasks, len(table.names))
    own = runs % count
    seeds = context.shared_seeds("observations")
    known = table.others(own, count, count - 1, settings.observations, seeds) if settings.transfer else ()
    loss = search(context, table.encoding, table.objective(own), Known(known))[..., 0]
    surrogates = [table.surrogate(int(task)) for task in own]
    smallest, typical = (loss.new_tensor([[getattr(s, name)] for s in surrogates]) for name in ("smallest", "typical"))
    regret = (loss - smallest) / (typical - smallest)
    task = torch.from_numpy(own)[:, None].expand_as(loss)
    return rows_of_search(context.runs, {"task": task, "loss": loss, "regret": regret})


def networks(context: Context[NetworkSearch]) -> pd.DataFrame:
    """Fig 2, right: searches that train networks, whose training errors and seconds are side signals.

    One row for each evaluation: run, evaluation, loss (validation error), train_error, and cost in seconds.
    """
    # 60% of the data set are for training and 20% for validation.
    parts, encoding = prepare(load(context.benchmark), SPLIT_SEED)[0], CubeEncoding(network_space())
    generators = objective_generators(context)

    def evaluate(points: Tensor) -> Tensor:
        outcomes = []
        for generator, part in zip(generators, points.cpu().numpy(), strict=True):
            outcomes.append(outcomes_of(encoding.decode(part), parts, generator.integers(2**63, size=len(part))))
        return torch.from_numpy(np.stack(outcomes)).to(points)

    loss, train_error, log_seconds = search(context, encoding, evaluate, Known()).unbind(-1)
    values = {"loss": loss, "train_error": train_error, "cost": 10**log_seconds}
    return rows_of_search(context.runs, values)


def network_space() -> ConfigurationSpace:
    """The five hyperparameters of feedforward networks for binary classification (section 3.3), trained by Adam.

    The text at hand lost their ranges, and says neither what kind of regularization it tunes nor the size of
    minibatches. Chosen here: 1 to 4 hidden relu layers of 4 to 64 units each, dropout from 0 to 0.8 as the
    regularization, learning rates from 1e-4 to 1e-1, 3 to 30 epochs, minibatches of 32. Its sets are from LIBSVM (w8a,
    sonar, w1a, phishing, australian); sonar and credit approval, the source of australian, are at hand, and spambase
    and German credit stand in for the others.
    """
    space = ConfigurationSpace(name="feedforward network")
    space.add(
        Integer("layers", (1, 4)),
        Integer("units", (4, 64), log=True),
        Float("dropout", (0.0, 0.8)),
        Float("learning_rate", (1e-4, 1e-1), log=True),
        Integer("epochs", (3, 30)),
    )
    return space


def outcomes_of(configurations: Sequence[Mapping[str, Any]], parts: Parts, seeds: Sequence[int]) -> NDArray[np.float64]:
    """Validation error, training error and log10 of seconds, (n, 3), of one network for each configuration and seed.

    The training error is that of the last epoch, measured with dropout while the network was trained; the seconds are
    the CPU seconds of training and validating.
    """
    rows = []
    for configuration, seed in zip(configurations, seeds, strict=True):
        layers = configuration["layers"]
        networks = Networks(
            sizes=(parts.train.X.shape[1], *(configuration["units"],) * layers, parts.classes),
            batch_size=BATCH,
            tanh=np.zeros((1, layers), bool),
            dropout=np.full((1, layers), configuration["dropout"], np.float32),
            rates=constant(configuration["learning_rate"], configuration["epochs"])[None],
            seeds=np.array([seed], np.uint64),
        )
        records = train(networks, parts)
        errors = (records.validation[0, -1], records.train[0, -1])
        rows.append([*np.nan_to_num(errors, nan=DIVERGED), np.log10(max(records.seconds[0], 1e-6))])
    return np.array(rows, dtype=np.float64)


def suggestion_time(context: Context[SuggestionTime]) -> pd.DataFrame:
    """Fig 1, right: seconds of one suggestion by repetition and number of observations; see `measure_suggestions`."""
    return measure_suggestions(context)
