"""The experiments of Brofos et al.: a shard of repetitions in, records out.

Searches with their regret and posterior, the model of Fig 1, and the time that searches take; then what section 6 says
in words: queries by a Gaussian process beside ours, and the time of an interpolation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
import torch
from ConfigSpace import ConfigurationSpace
from torch import Tensor

from core.acquisition.analytic import expected_improvement
from core.acquisition.maximizers.base import GridSearch, regular_grid
from core.experiment.context import Context
from core.foundation.randomness import make_generators, normal_, uniform_
from core.models.gaussian_process import GaussianProcess
from core.models.least_squares import AdaptiveLeastSquares
from core.objectives import synthetic
from core.objectives.base import Configurations, Evaluation, Fidelity
from core.optimizers.model_based import ModelBased
from core.optimizers.model_settings import GPSettings
from core.optimizers.representation import RepresentationSearch
from core.spaces import CubeEncoding
from core.study import local_workers, run_parallel, run_serial
from core.study.lockstep import run_on_cube
from core.study.record import Record
from papers.nnbo_regret.search import Queries, Runs, make_rule, regret_of
from papers.nnbo_regret.settings import GaussianProcessSearch, Interpolation, RecordedSearch, RegretSearch, WallClock

POSTERIOR = ["mu_query", "mu_optimum", "variance"]
"""Columns of the posterior, which the paths of the theorem are made of and no curve of the regret is."""


def regret(context: Context[RecordedSearch]) -> pd.DataFrame:
    """Every query of a search with its regret and its posterior: Figs 2b, 2c, 3 and Theorem 4.3.

    One row per query, in the units and with the sign of f, which is maximized:
    evaluation (a query, from 1), batch (from 1), observations (behind the posterior, the same for a batch); regret r_i;
    minimum_regret Q_i, over all points so far; mu_query, mu_optimum: posterior means at x_i and x*; variance: that of
    f(x_i) - f(x*), Eq. 17; initial_regret: the mean of the initial points, constant in a run; floored: s^2 is at its
    floor; explored: chosen by variance. Regrets alone lack the columns of `POSTERIOR`.
    """
    search = Runs(context)
    search.query(progress=context.progress)
    settings, runs, size = context.settings, len(context.runs), context.settings.batch
    columns = {
        name: torch.cat([getattr(batch, name).expand(-1, size) for batch in search.batches], 1).cpu().numpy()
        for name in Queries._fields
    }
    regrets = regret_of(search.target, torch.as_tensor(columns["value"], device=context.device)).cpu().numpy()
    initial = regret_of(search.target, search.initial).cpu().numpy()
    lowest = np.minimum.accumulate(np.concatenate([initial.min(1, keepdims=True), regrets], 1), 1)[:, 1:]
    queries = regrets.shape[1]
    iteration = np.arange(1, queries + 1, dtype=np.int32)
    batch = (iteration - 1) // size + 1
    numbers = {
        "regret": regrets,
        "minimum_regret": lowest,
        "mu_query": columns["mean"],
        "mu_optimum": columns["mean_best"],
        "variance": columns["difference"],
        "initial_regret": np.repeat(initial.mean(1, keepdims=True), queries, 1),
    }
    records = pd.DataFrame(
        {
            "run": np.repeat(list(context.runs), queries),
            "evaluation": np.tile(iteration, runs),
            "batch": np.tile(batch, runs),
            "observations": np.tile(settings.initial_points + (batch - 1) * size, runs).astype(np.int32),
            **{name: values.astype(np.float32).ravel() for name, values in numbers.items()},
            "floored": columns["floored"].ravel(),
            "explored": columns["explored"].ravel(),
        }
    )
    return records.drop(columns=POSTERIOR) if settings.record == "regrets" else records


def illustration(context: Context[RegretSearch]) -> pd.DataFrame:
    """Fig 1: the model after some queries of a one-dimensional target, over all candidates, in the units of f.

    Rows: part ("grid", "data", "query": the batch that comes next), x in [-1, 1], value (of f; "data": as observed),
    mean and sd (of an observation, Eq. 7), ei, network (the output of the trained network itself).
    """
    search = Runs(context)
    search.query()
    batch = search.next_batch(search.X, search.y)
    model = search.rule.model
    best = search.y.amin(-1, keepdim=True)
    frames = []
    for part, points in (("grid", search.rule.candidates), ("data", search.X), ("query", batch.points)):
        mean, variance = model.moments(points)
        columns = {
            "x": 2 * points.expand(len(context.runs), -1, 1)[..., 0] - 1,
            "value": -search.y if part == "data" else search.target.function(points),
            "mean": -mean,
            "sd": variance.sqrt(),
            "ei": expected_improvement(mean, variance, best),
            "network": -model.network_output(points),
        }
        arrays = {name: values.cpu().numpy() for name, values in columns.items()}
        frames += [
            pd.DataFrame({"run": run, "part": part, **{name: values[index] for name, values in arrays.items()}})
            for index, run in enumerate(context.runs)
        ]
    return pd.concat(frames, ignore_index=True)


def seconds(context: Context[RegretSearch]) -> pd.DataFrame:
    """Section 5: processor seconds of the optimizer for `queries` queries after the initial design, one run at a time.

    Rows: run, seconds. Evaluations take hardly any time. Everything is compiled before the clock starts.
    """
    Runs(_alone(context, context.runs[0])).query(context.settings.batch)
    rows = []
    for run in context.runs:
        search = Runs(_alone(context, run))
        start = time.process_time()
        search.query()
        rows.append({"run": run, "seconds": time.process_time() - start})
        context.progress(len(rows) / len(context.runs))
    return pd.DataFrame(rows)


def wall_clock(context: Context[WallClock]) -> pd.DataFrame:
    """Fig 2a: seconds until each evaluation is finished, one after another or by worker processes.

    Rows: run, evaluation (from 1, as they finish), started, finished (seconds since the first could start; starting the
    processes is not counted), worker (which process), minimum_regret so far, and evaluation_seconds (of each).
    """
    settings, evaluations = context.settings, context.settings.initial_points + context.settings.queries
    objective = SlowObjective(context.benchmark, settings.seconds, settings.noise_sd)
    frames = []
    with _evaluators(settings, context.benchmark) as evaluate:
        for run, seed in zip(context.runs, context.shared_seeds("optimizer"), strict=True):
            records = evaluate(_optimizer(settings, context.benchmark, seed), objective, evaluations, seed)
            regrets = [record.info.get("regret", np.inf) for record in records]
            frames.append(
                pd.DataFrame(
                    {
                        "run": run,
                        "evaluation": np.arange(1, len(records) + 1),
                        "started": [record.started for record in records],
                        "finished": [record.finished for record in records],
                        "worker": [record.worker for record in records],
                        "minimum_regret": np.minimum.accumulate(regrets),
                        "evaluation_seconds": settings.seconds,
                    }
                )
            )
            context.progress(len(frames) / len(context.runs))
    return pd.concat(frames, ignore_index=True)


@contextmanager
def _evaluators(settings: WallClock, benchmark: str) -> Iterator[Callable[..., list[Record]]]:
    """`run_serial`, or `run_parallel` on worker processes; everything is compiled and imported before."""
    warm = _optimizer(settings, benchmark, 0)
    run_serial(warm, SlowObjective(benchmark, 0.0, settings.noise_sd), settings.initial_points + 1, 0)
    if settings.workers == 1:
        yield run_serial
        return
    with local_workers(settings.workers) as address:
        slow = SlowObjective(benchmark, 0.2, settings.noise_sd)
        run_parallel(_optimizer(settings, benchmark, 0), slow, 2 * settings.workers, 0, address=address)
        yield partial(run_parallel, address=address)


def _optimizer(settings: WallClock, benchmark: str, seed: int) -> RepresentationSearch:
    function = synthetic.lookup(benchmark)
    rule = make_rule(settings, function.dimension)
    return RepresentationSearch(function.space, rule.candidates, rule.model, settings.batch, seed)


def _alone(context: Context, run: int) -> Context:
    return replace(context, runs=range(run, run + 1))


@dataclass(frozen=True)
class SlowObjective:
    """A synthetic function with observation noise, after a sleep for each configuration; see `core.objectives.base`.

    Attributes:
        name: Name of the synthetic function.
        seconds: Time that an evaluation of one configuration sleeps.
        noise_sd: Standard deviation of the observations.
    """

    name: str
    seconds: float
    noise_sd: float
    fidelity: Fidelity | None = None

    @property
    def space(self) -> ConfigurationSpace:
        return synthetic.lookup(self.name).space

    @property
    def optimum(self) -> float:
        return synthetic.lookup(self.name).optimum

    @property
    def worst_loss(self) -> float:
        return synthetic.lookup(self.name).worst_loss

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Sleep, then return the noisy loss; `info` has the noise-free regret."""
        function = synthetic.lookup(self.name)
        time.sleep(self.seconds * len(configurations))
        value = function.evaluate(configurations, budget, generator).loss
        loss = value + self.noise_sd * generator.standard_normal(len(value))
        cost = np.full(len(value), self.seconds)
        return Evaluation(loss, cost, tuple({"regret": float(function.regret(v))} for v in value))


def gaussian_process(context: Context[GaussianProcessSearch]) -> pd.DataFrame:
    """GP-BO (hyperparameters of largest marginal likelihood, EI) on our grid, noise and number of uniform points.

    Each query is chosen with all earlier ones known, where ours come in batches that share a posterior. One row per
    query: run, evaluation (from 1), regret, minimum_regret over all points so far, initial_regret (the uniform points'
    mean), in the units of f.
    """
    settings, function = context.settings, synthetic.lookup(context.benchmark)
    starts, noise, own = (
        make_generators(seeds, context.device)
        for seeds in (context.shared_seeds("initial"), context.method_seeds("noise"), context.method_seeds("search"))
    )
    shape = (len(context.runs), settings.initial_points, function.dimension)
    X = uniform_(torch.empty(shape, dtype=torch.float64, device=context.device), starts)

    def observe(points: Tensor) -> Tensor:
        value = function.on_cube(points)
        return value + settings.noise_sd * normal_(torch.empty_like(value), noise)

    policy = ModelBased(
        CubeEncoding(function.space),
        lambda n: GaussianProcess(device=context.device),
        GridSearch(regular_grid(function.dimension, settings.points_per_axis)),
        GPSettings(unseen=False, unordered=False, gaussian_targets=False),
    )
    X, _ = run_on_cube(observe, policy, X, own, settings.initial_points + settings.queries)
    regret = (function.on_cube(X) - function.optimum).cpu().numpy()
    initial = regret[:, : settings.initial_points].mean(1)
    queries = np.arange(1, settings.queries + 1)
    return pd.DataFrame(
        {
            "run": np.repeat(list(context.runs), settings.queries),
            "evaluation": np.tile(queries, len(regret)),
            "regret": regret[:, settings.initial_points :].ravel(),
            "minimum_regret": np.minimum.accumulate(regret, 1)[:, settings.initial_points :].ravel(),
            "initial_regret": np.repeat(initial, settings.queries),
        }
    )


def interpolation(context: Context[Interpolation]) -> pd.DataFrame:
    """Processor seconds of Eqs. 6 to 8 on uniform points of a function, given the network; the first is not recorded.

    Rows: run, observations, seconds (the median of the repeats).
    """
    settings, function = context.settings, synthetic.lookup(context.benchmark)
    rows = []
    for run, points, own in zip(
        context.runs,
        make_generators(context.shared_seeds("observations")),
        make_generators(context.method_seeds("network")),
        strict=True,
    ):
        shape = (1, max(settings.observations), function.dimension)
        X = uniform_(torch.empty(shape, dtype=torch.float64), [points])
        y = function.on_cube(X)
        model = AdaptiveLeastSquares(steps=settings.steps)
        model.update(X[:, : settings.trained_on], y[:, : settings.trained_on], [own])
        for n in settings.observations:
            taken = [_seconds(model, X[:, :n], y[:, :n]) for _ in range(settings.repeats + 1)]
            rows.append({"run": run, "observations": n, "seconds": float(np.median(taken[1:]))})
        context.progress(len(rows) / len(settings.observations) / len(context.runs))
    return pd.DataFrame(rows)


def _seconds(model: AdaptiveLeastSquares, X: Tensor, y: Tensor) -> float:
    start = time.process_time()
    model.regress(X, y)
    return time.process_time() - start
