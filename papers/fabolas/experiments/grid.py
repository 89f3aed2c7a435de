"""Support vector machines on subsets of a data set: the grid of section 4.2, the noise of subsampling of 4.4.5."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.foundation.errors import UserError
from core.objectives import objective
from core.objectives.base import Objective
from core.objectives.svm import SVM, Part, subset, svm, svm_mnist
from core.objectives.svm_grid import Distances, grid_values, seconds
from papers.fabolas.settings import SubsamplingNoise, SvmGrid, TabulatedGrid

VALUES = 20
"""Of C, and of gamma."""


def grid(context: Context[SvmGrid]) -> pd.DataFrame:
    """Errors and training times of all C for one gamma and one subset: run r has gamma r // sizes and share r % sizes.

    Returns:
        run, `C`, `gamma`, `share`, number of training `points`, `valid_error`, and processor `seconds` of training, nan
        where it was not timed.

    Raises:
        UserError: more runs than pairs of gamma and share.
    """
    settings = context.settings
    pairs = settings.values * settings.sizes
    if context.runs.stop > pairs:
        raise UserError(f"{context.cell.name}: {context.runs.stop} runs; allowed: {pairs}, one per gamma and share")
    benchmark, C = benchmark_of(context.benchmark, settings), grid_values(settings.values)
    frames = []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("subsets"), strict=True)):
        number, size = divmod(run, settings.sizes)
        share, gamma = settings.shares[size], grid_values(settings.values)[number]
        train = _drawn(benchmark, share, np.random.default_rng(seed))
        errors = Distances(train, benchmark.validation).errors(gamma, C)
        times = np.full(len(C), np.nan)
        for index in settings.timed(number, share):
            times[index] = seconds(train, C[index], gamma)
        columns = {"run": run, "C": C, "gamma": gamma, "share": share, "points": len(train[1])}
        frames.append(pd.DataFrame({**columns, "valid_error": errors, "seconds": times}))
        context.progress_of(done)(1.0)
    return pd.concat(frames, ignore_index=True)


def tabulated_grid(context: Context[TabulatedGrid]) -> pd.DataFrame:
    """Errors and training times that a benchmark has for the machines of the grid, on the shares of the settings.

    Returns:
        run, `C`, `gamma`, `share`, number of training `points`, `valid_error`, and `seconds` of training.
    """
    settings = context.settings
    frame = tabulated(objective(context.benchmark), settings.shown)
    points = (settings.points * frame["share"]).round().astype(int)
    return pd.concat([frame.assign(run=run, points=points) for run in context.runs], ignore_index=True)


def tabulated(function: Objective, shares: Sequence[float]) -> pd.DataFrame:
    """`C`, `gamma`, `share`, `valid_error` and `seconds` of the 400 machines of section 4.2 on some shares."""
    values = grid_values(VALUES)
    machines = [{"C": C, "gamma": gamma} for C in values.tolist() for gamma in values.tolist()]
    generator, frames = np.random.default_rng(), []
    for share in shares:
        evaluation = function.evaluate(machines, share, generator)
        columns = {"share": share, "valid_error": evaluation.loss, "seconds": evaluation.cost}
        frames.append(pd.DataFrame(machines).assign(**columns))
    return pd.concat(frames, ignore_index=True)


def subsampling_noise(context: Context[SubsamplingNoise]) -> pd.DataFrame:
    """Errors of the chosen machines, trained in each run on one random subset of each size below that of all points.

    Returns:
        run, `C`, `gamma`, `share`, number of training `points`, and `valid_error`.
    """
    settings = context.settings
    values = grid_values(settings.values)[list(settings.chosen)]
    benchmark = benchmark_of(context.benchmark, settings)
    frames = []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("subsets"), strict=True)):
        generator = np.random.default_rng(seed)
        for share in settings.shares[:-1]:
            train = _drawn(benchmark, share, generator)
            distances = Distances(train, benchmark.validation)
            for gamma in values:
                columns = {"run": run, "C": values, "gamma": gamma, "share": share, "points": len(train[1])}
                frames.append(pd.DataFrame({**columns, "valid_error": distances.errors(gamma, values)}))
        context.progress_of(done)(1.0)
    return pd.concat(frames, ignore_index=True)


def benchmark_of(name: str, settings: SvmGrid | SubsamplingNoise) -> SVM:
    """The benchmark on MNIST, or on another set of the catalogue."""
    if name == "mnist":
        return svm_mnist(settings.train_points, settings.validation_points, settings.shares[0])
    return svm(name, settings.shares[0])


def _drawn(benchmark: SVM, share: float, generator: np.random.Generator) -> Part:
    X, y = benchmark.train
    rows = subset(len(y), share, generator)
    return X[rows], y[rows]
