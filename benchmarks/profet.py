"""PROFET: 1,000 generated tasks at one point each, training of a meta-model, and the comparison of six optimizers.

Networks have the thesis' size, 3 x 500, and random weights: their values make no difference to the time. emukit's
seconds were measured once with its PROFET benchmarks, one task after the other, and its training of the same network;
they are targets here, not reruns. The floor of a training step is the time of its normals, of reading and writing the
arrays of the update, and of its multiplications and additions, each measured alone on this machine.

The comparison is that of thesis 8.4.3 as `papers/profet` runs it below the paper's scale, on few tasks, and in minutes
of two cores for 100 tasks with 5 runs of 100 evaluations each. BOHAMIANN, whose searches take three core-hours there,
is left out: the shipped ones are a device's, whose speed `benchmarks.device` measures. All seconds but those of a
step's parts are CPU seconds of one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
from rich.table import Table

from benchmarks.breakdown import breakdown
from benchmarks.ours import make
from core.foundation.randomness import make_generators
from core.models.meta_models import TaskEncoder
from core.models.network import MLP
from core.objectives.generated_tasks import GeneratedTasks, generated_tasks
from core.objectives.meta_model import MetaModel, TaskFunctions
from core.study.methods import method_of
from core.study.task_search import search_tasks

WIDTHS, DIMENSION, LATENT, NETWORKS, REAL = (500, 500, 500), 2, 5, 100, 16
POINTS, COPIES, BATCH = 200, 5, 5  # of a task, of each observation, of a step
EVALUATION, EMUKIT_EVALUATION = 0.060, 0.480  # seconds of 1,000 tasks at one point each
TRAINING, EMUKIT_TRAINING = 165, 33  # steps per second
MINUTES = 60  # of two cores, for the comparison of these
WHOLE = {"tasks": 100, "runs": 5, "evaluations": 100}
PART = {"tasks": 4, "runs": 5, "evaluations": 100}
SEARCHED = {
    "maximizer": "random_search",
    "initial_design": 1,
    "unseen": False,
    "unordered": False,
    "gaussian_targets": False,
}
METHODS = {
    "random search": {"method": "random"},
    "differential evolution": {
        "method": "differential_evolution",
        "population": 10,
        "crossover": 0.5,
        "mutation": (0.5, 0.5),
    },
    "TPE": {
        "method": "tpe",
        "initial_design": 20,
        "share": 0.25,
        "candidates": 24,
        "rounded_ends": False,
        "joint": False,
    },
    "CMA-ES": {"method": "cmaes", "sigma": 0.6},
    "random forest": {"method": "rf", "trees": 10, "random_splits": False, **SEARCHED},
    "BO-GP": {"method": "gp_mcmc", "hyperparameter_samples": 4, "warm_burn_in": 3, **SEARCHED},
}


def tasks(count: int) -> GeneratedTasks:
    """The first tasks of a meta-model with random weights."""
    network = MLP((DIMENSION + LATENT, *WIDTHS, 1), "tanh", "uniform")
    weights = network.init(make_generators([0]), NETWORKS)
    ones = torch.ones(DIMENSION + LATENT, dtype=torch.float64)
    noise = torch.full((NETWORKS,), 1e-3, dtype=torch.float64)
    functions = TaskFunctions(WIDTHS, weights, noise, 0.5 * ones, 0.3 * ones, "error", 0.0, 1.0)
    latent = torch.randn(REAL, LATENT, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    encoder = TaskEncoder(latent, torch.full_like(latent, 0.1))
    return generated_tasks(MetaModel("svm", tuple(map(str, range(REAL))), encoder, functions, None, 1.0), count)


def evaluation(seconds: float) -> float:
    """Seconds of one evaluation of 1,000 tasks."""
    many = tasks(1000)
    X = torch.rand(1000, 1, DIMENSION, dtype=torch.float64)
    with torch.no_grad():
        many.values(X)
        return _best_seconds(lambda: many.values(X), seconds)


def training(seconds: float) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Seconds of a step in burn-in and in sampling, of its parts, and the floors of both."""
    sizes = [DIMENSION + LATENT, *WIDTHS, 1]
    case = {"sizes": sizes, "points": REAL * POINTS * COPIES, "batch": BATCH, "seconds": seconds}
    chain, precision = make("compiled", case, 1)
    chain.advance(1, precision)
    step = {}
    for phase in ("burn_in", "sampling"):
        step[phase] = _best_seconds(lambda: chain.advance(1, precision), seconds)
        chain.freeze()
    parts = breakdown(case)
    each = parts["normals"] + parts["arithmetic floor"]
    # Nine arrays in sampling; burn-in moves tau, g and V, reads and writes, in place of three coefficients.
    traffic = {"sampling": parts["memory floor"], "burn_in": parts["memory floor"] * 13 / 9}
    return step, parts, {phase: each + moved for phase, moved in traffic.items()}


def comparison() -> dict[str, float]:
    """CPU seconds of every method on a part of the tasks."""
    some, seconds = tasks(PART["tasks"]), {}
    for name, given in METHODS.items():
        method, seeds = method_of(given), range(PART["runs"])
        search_tasks(tasks(1), method, 3, [0], [0], 1)  # compiles
        start = time.process_time()
        search_tasks(some, method, PART["evaluations"], seeds, seeds, 1)
        seconds[name] = time.process_time() - start
    return seconds


def report(seconds: float) -> tuple[list[Table], list[str]]:
    """Tables of the training and of the comparison, and lines that say which targets are met."""
    whole = evaluation(seconds)
    lines = [
        f"PROFET, 1,000 tasks at one point each: {1e3 * whole:.0f} ms, {EMUKIT_EVALUATION / whole:.0f}x emukit, "
        f"target {1e3 * EVALUATION:.0f} ms: {_met(whole <= EVALUATION)}"
    ]
    step, parts, floors = training(seconds)
    table = Table(title=f"PROFET, a step of training, 3 x 500, batch of {BATCH}: milliseconds (parts measured alone)")
    for column in ("part", "ms"):
        table.add_column(column, justify="left" if column == "part" else "right")
    for name, value in (step | parts).items():
        if name not in ("operations", "peak", "moved", "bandwidth"):
            table.add_row(name.replace("_", "-"), f"{1e3 * value:.2f}")
    speed = 1 / step["burn_in"]
    lines.append(
        f"PROFET, training: {speed:.0f} steps/s in burn-in, {1 / step['sampling']:.0f} in sampling, "
        f"{speed / EMUKIT_TRAINING:.1f}x emukit, target {TRAINING}: {_met(speed >= TRAINING)}; floors "
        + " and ".join(f"{floors[phase] / step[phase]:.0%} of a step" for phase in ("burn_in", "sampling"))
    )
    costs, more = comparison(), np.prod([WHOLE[key] / PART[key] for key in WHOLE])
    parts_table = Table(title="PROFET, six optimizers on {tasks} tasks, {runs} runs of {evaluations}".format(**PART))
    for column in ("method", "CPU s", "minutes of two cores, {tasks} x {runs} x {evaluations}".format(**WHOLE)):
        parts_table.add_column(column, justify="left" if column == "method" else "right")
    for name, cost in costs.items():
        parts_table.add_row(name, f"{cost:.1f}", f"{cost * more / 120:.1f}")
    minutes = float(sum(costs.values()) * more / 120)
    lines.append(
        f"PROFET, whole comparison: {minutes:.0f} min of two cores, target {MINUTES}: {_met(minutes < MINUTES)}"
    )
    return [table, parts_table], lines


def _best_seconds(call: Callable[[], object], seconds: float) -> float:
    """Shortest of repeated calls by this thread's CPU seconds, for as long as `seconds`."""
    deadline, times = time.perf_counter() + seconds, []
    while not times or time.perf_counter() < deadline:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def _met(condition: bool) -> str:
    return "met" if condition else "MISSED"
