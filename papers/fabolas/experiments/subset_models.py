"""Gaussian processes of machines across subset sizes (section 4.4.1), and of their errors on each size (4.4.5)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from core.experiment.context import Context
from core.foundation.randomness import make_generators
from core.models.gaussian_process import MarginalisedGP
from core.models.kernels import LOG_COST, LOSS, Basis
from core.objectives import objective
from papers.fabolas.experiments.grid import tabulated
from papers.fabolas.settings import SizeNoise, SubsetModels, SvmGrid


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
        chosen = _draw(grid, settings.machines, rng)
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


def _draw(grid: pd.DataFrame, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
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
