"""Regrets and ranks of runs, with bootstrap intervals over problems and seeds.

The regret is (best - lowest) / (median - lowest), where `lowest` is the optimum or the smallest loss that any run has
found, and `median` the median loss of random search: 1 is what a random configuration gives. A run in which all
evaluations failed so far has the regret of the worst other one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.field.split import kind_of

RESAMPLES = 2000
SEEDS = 3  # number of seeds below which a method is not in the ranking, but only in that of all methods
SMALLEST = 1e-9  # regret below which differences are rounding


def regrets(runs: pd.DataFrame, checkpoint: int) -> pd.DataFrame:
    """Regret of every run at a checkpoint: columns problem, seed, method, regret."""
    column = f"best_{checkpoint}"
    parts = []
    for name, rows in runs.groupby("problem"):
        losses = rows.filter(like="best_").to_numpy()
        median = rows.loc[rows["method"] == "random", "median"].median()
        for seed, of_seed in rows.groupby("seed") if kind_of(str(name)) == "bbob" else [(None, rows)]:
            unit = of_seed.loc[of_seed["method"] == "random", "median"].median() if seed is not None else median
            lowest = 0.0 if seed is not None else np.nanmin(losses)
            regret = ((of_seed[column] - lowest) / (unit - lowest)).clip(lower=SMALLEST)
            parts.append(of_seed[["problem", "seed", "method"]].assign(regret=regret.fillna(regret.max())))
    return pd.concat(parts, ignore_index=True)


def matrix(runs: pd.DataFrame, methods: Sequence[str], checkpoint: int) -> tuple[list[str], NDArray[np.float64]]:
    """Problems, and regrets (problems, seeds, methods) of the seeds and problems that all methods ran.

    Raises:
        ValueError: there are none.
    """
    runs = runs[runs["method"].isin({*methods, "random"}) & runs[f"best_{checkpoint}"].notna()]
    table = regrets(runs, checkpoint).pivot_table(index=["problem", "seed"], columns="method", values="regret")
    table = table.reindex(columns=list(methods)).dropna()
    if table.empty:
        raise ValueError(f"no problem and seed was run by all of {', '.join(methods)}")
    names = sorted({problem for problem, _ in table.index})
    seeds = min(len(table.loc[name]) for name in names)
    return names, np.stack([table.loc[name].to_numpy()[:seeds] for name in names])


def compared(runs: pd.DataFrame, methods: Sequence[str], checkpoint: int, seeds: int = SEEDS) -> list[str]:
    """The methods that ran that long, with so many seeds or all of random search's, on at least half of the problems.

    `summary` leaves out what one of them lacks, so that a method with fewer seeds would shorten the ranking of all.
    """
    number = runs[runs[f"best_{checkpoint}"].notna()].groupby(["method", "problem"], as_index=False)["seed"].nunique()
    seeds = min(seeds, number.loc[number["method"] == "random", "seed"].max())
    ran = number[number["seed"] >= seeds].groupby("method")["problem"].agg(set)
    wanted = ran.get("random", set())
    return [name for name in methods if name in ran and 2 * len(ran[name] & wanted) >= len(wanted)]


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks along the last axis, from 1, ties averaged."""
    below = (values[..., None, :] < values[..., :, None]).sum(-1)
    equal = (values[..., None, :] == values[..., :, None]).sum(-1)
    averaged: NDArray[np.float64] = below + (equal + 1) / 2
    return averaged


def interval(values: NDArray[np.float64], seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean over problems and seeds of values (problems, seeds, methods) and its 95% interval (2, methods).

    Problems are drawn with replacement, and seeds within each.
    """
    problems, seeds, _ = values.shape
    generator = np.random.default_rng(seed)
    rows = generator.integers(problems, size=(RESAMPLES, problems, 1))
    columns = generator.integers(seeds, size=(RESAMPLES, problems, seeds))
    drawn = values[rows, columns].mean((1, 2))
    return values.mean((0, 1)), np.quantile(drawn, [0.025, 0.975], axis=0)


def summary(runs: pd.DataFrame, methods: Sequence[str], checkpoint: int) -> pd.DataFrame:
    """A row for each method: mean rank, and mean regret (for BBOB the geometric one), each with its interval."""
    names, values = matrix(runs, methods, checkpoint)
    log = kind_of(names[0]) == "bbob"
    rank, rank_ends = interval(ranks(np.round(np.log(values), 9)))
    regret, regret_ends = interval(np.log(values) if log else values)
    if log:
        regret, regret_ends = np.exp(regret), np.exp(regret_ends)
    seconds = runs[runs["method"].isin(methods)].groupby("method")["seconds"].mean().reindex(list(methods))
    frame = pd.DataFrame({"rank": rank, "regret": regret, "seconds": seconds.to_numpy()}, index=list(methods))
    for name, ends in (("rank", rank_ends), ("regret", regret_ends)):
        frame[f"{name}_low"], frame[f"{name}_high"] = ends
    return frame.assign(problems=len(names), seeds=values.shape[1]).sort_values("rank")
