"""The chapter's experiments: a shard of repetitions in, a data frame of records out.

First support vector machines on subsets of a data set (4.2, 4.4.5) and Gaussian processes of them across subset sizes
(4.4.1, 4.4.5), then the searches of section 4.5 and the clock of their surrogate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from core.experiment.context import Context
from core.experiment.image_tasks import Once, images_of, key_of, remembered
from core.experiment.search import search
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.foundation.seeds import derive_seed
from core.models.gaussian_process import MarginalisedGP
from core.models.kernels import LOG_COST, LOSS, Basis
from core.objectives import objective
from core.objectives.base import Objective
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Convolutional
from core.objectives.spaces import BOUND
from core.objectives.svm import SVM, Distances, Part, grid_values, seconds, subset, svm, svm_mnist
from papers.fabolas.settings import (
    LiveSearch,
    NetworkSearch,
    SizeNoise,
    SubsamplingNoise,
    SubsetModels,
    SurrogateSeconds,
    SvmGrid,
    TabulatedGrid,
    TimedSearch,
)

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
        train = _training_subset(benchmark, share, np.random.default_rng(seed))
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
            train = _training_subset(benchmark, share, generator)
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


def _training_subset(benchmark: SVM, share: float, generator: np.random.Generator) -> Part:
    X, y = benchmark.train
    rows = subset(len(y), share, generator)
    return X[rows], y[rows]


def subset_models(context: Context[SubsetModels]) -> pd.DataFrame:
    """Predictions of errors and log seconds on all subsets, from those of random machines on the small ones.

    Every machine that was timed on all subsets is among them, since only of these the predicted times can be checked.

    Returns:
        run, `quantity` ("error" or "log seconds"), `machine` in the order of the draw, `C`, `gamma`, `share`, whether
        the model was `trained` on it, the `actual` value, and the predicted `mean` and `sd`; no row where the time was
        not measured.
    """
    settings, grid = context.settings, _by_machine(_grid(context))
    shares = np.array(sorted(grid["share"].unique()))
    frames = []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("machines"), strict=True)):
        rng = np.random.default_rng(seed)
        chosen = _draw_machines(grid, settings.machines, rng)
        rows = grid.set_index("machine").loc[chosen].reset_index()
        rows["machine"] = np.repeat(np.arange(len(chosen)), len(shares))
        for quantity, basis in (("error", LOSS), ("log seconds", LOG_COST)):
            known = rows.dropna(subset=quantity)
            X, actual = _points(known, grid), known[quantity].to_numpy()
            trained = known["share"].between(settings.smallest, settings.largest).to_numpy()
            model = _model(settings, basis).fit(_tensor(X[trained]), _tensor(actual[trained]), make_generators([seed]))
            mean, variance = model.marginals(_tensor(X))
            center, spread = mean.mean(0), (variance.mean(0) + mean.var(0, correction=0)).sqrt()
            predicted = {"mean": model.targets.inverse(center)[0], "sd": (spread * model.targets.scale)[0]}
            columns = {"run": run, "quantity": quantity, "trained": trained, "actual": actual, **predicted}
            frames.append(known[["machine", "C", "gamma", "share"]].assign(**columns))
        context.progress_of(done)(1.0)
    return pd.concat(frames, ignore_index=True)


def size_noise(context: Context[SizeNoise]) -> pd.DataFrame:
    """The noise that a Gaussian process of the errors on subsets of one size estimates, for each size.

    Returns:
        run, `share`, `sample` of the hyperparameters, and `noise`, a variance of the error.
    """
    settings, grid = context.settings, _by_machine(_grid(context))
    shares = np.array(sorted(grid["share"].unique()))
    frames = []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("machines"), strict=True)):
        count = grid["machine"].nunique()
        chosen = np.random.default_rng(seed).choice(count, min(settings.machines, count), replace=False)
        rows = grid[grid["machine"].isin(chosen)].sort_values(["share", "machine"])
        X = _points(rows, grid).reshape(len(shares), -1, 3)[..., :2]
        errors = rows["error"].to_numpy().reshape(len(shares), -1)
        model = _model(settings, None).fit(torch.tensor(X), torch.tensor(errors), make_generators([seed]))
        noise = (model.noise() * model.targets.scale.squeeze(-1).square()).numpy()  # (samples, shares)
        samples = np.repeat(np.arange(len(noise)), len(shares))
        columns = {"run": run, "share": np.tile(shares, len(noise)), "sample": samples, "noise": noise.ravel()}
        frames.append(pd.DataFrame(columns))
        context.progress_of(done)(1.0)
    return pd.concat(frames, ignore_index=True)


def _grid(context: Context[SubsetModels] | Context[SizeNoise]) -> pd.DataFrame:
    """The records of our grid if the experiment needs them, else the values of the benchmark on all sizes."""
    if context.cell.needs:
        return context.records("grid")
    return tabulated(objective(context.benchmark), SvmGrid().shares)


def _by_machine(records: pd.DataFrame) -> pd.DataFrame:
    """The grid with numbered machines, errors and log seconds, ordered by machine and share."""
    frame = records.assign(error=records["valid_error"], **{"log seconds": np.log(records["seconds"])})
    frame["machine"] = frame.groupby(["C", "gamma"]).ngroup()
    return frame.sort_values(["machine", "share"], ignore_index=True)


def _draw_machines(grid: pd.DataFrame, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Numbers of machines in random order, those that were timed on all subsets among them, but at most `count`."""
    timed = grid.groupby("machine")["seconds"].apply(lambda seconds: seconds.notna().all())
    order = rng.permutation(len(timed))
    kept = order[timed.to_numpy()[order]][:count]
    others = order[~np.isin(order, kept)][: count - len(kept)]
    return rng.permutation(np.concatenate([kept, others]))


def _points(rows: pd.DataFrame, grid: pd.DataFrame) -> NDArray[np.float64]:
    """log C, log gamma and log s in the unit cube, (n, 3)."""
    columns = ["C", "gamma", "share"]
    low, high = np.log(grid[columns].min().to_numpy()), np.log(grid[columns].max().to_numpy())
    return (np.log(rows[columns].to_numpy()) - low) / (high - low)


def _tensor(values: NDArray[np.float64]) -> torch.Tensor:
    """With a leading run axis."""
    return torch.from_numpy(np.ascontiguousarray(values))[None]


def _model(settings: SubsetModels | SizeNoise, basis: Basis | None) -> MarginalisedGP:
    return MarginalisedGP(samples=settings.samples, burn_in=settings.burn_in, thinning=settings.thinning, basis=basis)


CLOCK = {"on_all": True, "with_proposals": True}
"""The clock of 4.5 counts evaluations and proposals; an incumbent that no method recommends was trained on all data."""


def surrogate_search(context: Context[TimedSearch]) -> pd.DataFrame:
    """Errors of the incumbents on a surrogate, its predictions for all of the data; see `Searches.incumbents`.

    Besides its columns: `regret`, the error above the surrogate's `optimum`, and that.

    Hyperband's incumbent is the best on all of the data, as in 4.5.
    """
    surrogate = objective(context.benchmark)
    rows = search(context, surrogate).incumbents("error", surrogate.errors, **CLOCK)
    return rows.assign(regret=rows["error"] - surrogate.optimum, optimum=surrogate.optimum)


def live_search(context: Context[LiveSearch]) -> pd.DataFrame:
    """Test errors of the incumbents, trained on all of the data after the search; see `Searches.incumbents`.

    Besides its columns: `points`, the number of training points.
    """
    name, settings = context.benchmark, context.settings
    if name == "mnist":
        benchmark = svm_mnist(settings.train_points, settings.validation_points, settings.smallest_share)
    else:
        benchmark = svm(name, settings.smallest_share, settings.most_points)
    errors = Once(lambda configuration: benchmark.test_errors([configuration])[0])
    rows = search(context, benchmark).incumbents("error", errors, **CLOCK)
    return rows.assign(points=len(benchmark.train[1]))


def network_search(context: Context[NetworkSearch]) -> pd.DataFrame:
    """Test errors of the incumbents, trained anew on the images for training and validation; see `Searches.incumbents`.

    Besides its columns: `images`, the number of images for training.
    """
    settings = context.settings
    data = images_of(settings)
    benchmark = ImageClassification(
        Convolutional(settings.most_units, settings.most_rows),
        data,
        settings.epochs,
        smallest_share=settings.smallest_images / len(data.train),
        device=context.device,
    )

    def error(configuration: Mapping[str, Any]) -> float:
        return benchmark.test_error(configuration, derive_seed("test error", key_of(configuration)))

    kept = remembered(context, benchmark)
    return search(context, kept).incumbents("error", Once(error), **CLOCK).assign(images=len(data.train))


def surrogate_seconds(context: Context[SurrogateSeconds]) -> pd.DataFrame:
    """Quantiles of the seconds of machines that are drawn uniformly, as those of an initial design are.

    Returns:
        run, `share`, `quantile` and `seconds`.
    """
    settings, surrogate, frames = context.settings, objective(context.benchmark), []
    for run, seed in zip(context.runs, context.shared_seeds("machines"), strict=True):
        logs = np.random.default_rng(seed).uniform(-BOUND, BOUND, (settings.machines, 2))
        for share in settings.shares:
            seconds = np.quantile(surrogate.look_up(logs, share)[1], settings.quantiles)
            rows = {"share": share, "quantile": settings.quantiles, "seconds": seconds}
            frames.append(pd.DataFrame({"run": run, **rows}))
    return pd.concat(frames, ignore_index=True)
