"""The learning curves behind every artifact and experiment: our collections, the authors' own, and basis functions.

curve_sets(results)["fcnet"]                                     # in an artifact or claim
curve_set(context.benchmark, context.records("curves"))          # in an experiment that needs `curves`

The authors' curves are of convolutional networks on CIFAR-10. Of 265 networks 256 have a final performance, which is
the error after the last epoch; they are taken to be the 256 of thesis 5.4.1. Batch size and numbers of units are not
whole numbers in the files, so the space here is continuous. The files that the catalogue has tell the seconds of all
40 epochs together: each epoch has its share.

The licence of the authors' curves is not known, so records hold summaries of them. Rows of such a record have `run`,
`quantity` and `value`, and what of `epoch`, `percent` and `bin` the quantity has:

| quantity | rows | value |
| :-- | :-- | :-- |
| fall | two for each network, `run` being its rank by the last | error after the first epoch less that after `epoch` |
| error | of all networks | quantile over the networks after `epoch`: of `BAND`, and all percents after the last |
| seconds | of all networks | quantile of the runtimes of all epochs |
| configurations | of all networks | number of runtimes in `bin` of `BINS` equal ones from the shortest to the longest |
| mean_over_median, .._low, .._high | of all networks | that of the runtimes, with its bootstrap interval |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.data import load_frame
from core.experiment.results import Results
from core.foundation.errors import UserError
from core.report.runs.frames import NotRunError, frame_of, once
from core.report.statistics.intervals import Interval, bootstrap_interval, median

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

LABELS = {"cnn": "CNN", "fcnet": "FCNet", "lr": "LR", "vae": "VAE"}
"""The thesis' names, in its order."""
AUTHORS = "authors_cnn"
"""The authors' own CNN curves, the thesis' first set, as a benchmark."""
SETS = {AUTHORS: "CNN (theirs)"} | LABELS | {"cnn": "CNN (ours)"}
"""All sets in the order of the figures: the authors', then our own."""
METRICS = dict.fromkeys(SETS, "validation error") | {"vae": "negative lower bound [nats]"}
"""What the curves show."""
EPOCHS = 40
"""Of the authors' networks."""

BAND = (5, 25, 50, 75, 95)
PERCENTS = tuple(range(101))
RATIO = ("mean_over_median", "mean_over_median_low", "mean_over_median_high")
RESAMPLES_SEED = 5
"""Seed of the resamples."""
BINS = 40
"""Bins of Fig B.1's histograms."""
DRAWS = 50  # of each basis function, as in Fig 5.1
POINTS = 200
DRAWS_SEED = 51


@dataclass(frozen=True)
class CurveSet:
    """The learning curves of n configurations over T epochs, lower values being better.

    Attributes:
        name: one of `SETS`.
        space: the space that the configurations were drawn from.
        configurations: (n, d) points of the unit cube, by `core.spaces.CubeEncoding` of the space.
        curves: (n, T) the metric after each epoch, nan from the epoch in which a network diverged.
        seconds: (n, T) of each epoch, nan after that one.
    """

    name: str
    space: ConfigurationSpace
    configurations: NDArray[np.float64]
    curves: NDArray[np.float64]
    seconds: NDArray[np.float64]

    @property
    def epochs(self) -> int:
        """T."""
        return self.curves.shape[1]

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Which networks diverged, (n,)."""
        return np.isnan(self.curves).any(1)

    @property
    def falls(self) -> NDArray[np.float64]:
        """Falls from the value after the first epoch to those after the middle epoch and the last, (n, 2)."""
        return self.curves[:, :1] - self.curves[:, [self.epochs // 2, -1]]

    @property
    def runtimes(self) -> NDArray[np.float64]:
        """Seconds of all T epochs, (n,); of a diverged network T times its mean epoch."""
        return np.nanmean(self.seconds, 1) * self.epochs

    def finished(self) -> CurveSet:
        """The set without the networks that diverged."""
        kept = ~self.diverged
        arrays = {name: getattr(self, name)[kept] for name in ("configurations", "curves", "seconds")}
        return replace(self, **arrays)


def curve_set(name: str, records: pd.DataFrame) -> CurveSet:
    """The set in the records of a cell of the experiment `curves`.

    Raises:
        UnknownNameError: no collection has that name.
        UserError: a column is missing, or the curves differ in length.
    """
    from core.objectives.spaces import curve_space
    from core.spaces import CubeEncoding  # ConfigSpace, which most drawings do without

    most_units = int(records["most_units"].iloc[0]) if "most_units" in records else None
    if name == AUTHORS:  # batch size and numbers of units are not whole numbers in the authors' files
        space = curve_space("cnn", floats=True)
    else:
        space = curve_space(name, None if name == "lr" else most_units)
    columns = (*space, "curve", "seconds")
    if missing := [column for column in columns if column not in records]:
        raise UserError(f"records of learning curves: no column {missing[0]!r}; allowed: {', '.join(columns)}")
    if len(lengths := {len(values) for column in ("curve", "seconds") for values in records[column]}) != 1:
        raise UserError(f"records of learning curves: curves of {sorted(lengths)} epochs; allowed: one length")
    curves, seconds = (np.stack(list(records[column])).astype(np.float64) for column in ("curve", "seconds"))
    configurations = records[list(space)].astype(object).to_dict("records")
    return CurveSet(name, space, CubeEncoding(space).encode(configurations), curves, seconds)


@once
def curve_sets(results: Results) -> dict[str, CurveSet]:
    """The sets of our own that were collected, in the order of `LABELS`; records of the authors' hold summaries.

    Raises:
        NotRunError: there are none.
    """
    frame = frame_of(results, "curves")
    if (frame := frame[frame["benchmark"] != AUTHORS]).empty:
        raise NotRunError("curves")
    frames = {str(name): rows.dropna(axis=1, how="all") for name, rows in frame.groupby("benchmark")}
    return {name: curve_set(name, frames[name]) for name in LABELS if name in frames}


def authors_records(all_curves: bool = False, download: bool = True) -> pd.DataFrame:
    """The hyperparameters of the 256 networks, and the lists `curve` and `seconds`, one value per epoch.

    Args:
        all_curves: whether to give the nine without a final performance as well.
        download: whether to fetch the curves if no folder has them.

    Raises:
        DataUnavailableError: they are in none of the catalogue's places.
    """
    frame = load_frame("authors_lcnet_cnn", download=download)
    frame = frame if all_curves else frame[frame["final_performance"].notna()]
    curves = frame[[f"error_{epoch}" for epoch in range(1, EPOCHS + 1)]].to_numpy(np.float32)
    seconds = np.repeat(frame["runtime"].to_numpy(np.float32)[:, None] / EPOCHS, EPOCHS, axis=1)
    columns = {
        "batch_size": frame["batch_size"],
        "learning_rate": 10.0 ** frame["log10_learning_rate"],
        **{f"units_{layer}": 2.0 ** frame[f"log2_n_units_{layer}"] for layer in (1, 2, 3)},
    }
    return pd.DataFrame(columns | {"curve": list(curves), "seconds": list(seconds)}).reset_index(drop=True)


def authors_cnn(all_curves: bool = False, download: bool = True) -> CurveSet:
    """The curves of the 256 networks as a set; arguments and errors as of `authors_records`."""
    return curve_set(AUTHORS, authors_records(all_curves, download))


@dataclass(frozen=True)
class CurveSummary:
    """A summary of the authors' n networks, each trained for T epochs.

    Attributes:
        falls: (n, 2) falls of the error from the first epoch to the middle one and to the last, sorted by the last.
        band: quantiles of the error by epoch, T rows, and percent, the columns `BAND`.
        last: quantiles of the last error by percent.
        seconds: quantiles of the runtime by percent.
        counts: (`BINS`,) runtimes in equal bins from the shortest to the longest.
        mean_over_median: Ratio of the mean of the runtimes to their median.
    """

    falls: NDArray[np.float64]
    band: pd.DataFrame
    last: pd.Series
    seconds: pd.Series
    counts: NDArray[np.float64]
    mean_over_median: Interval

    @property
    def epochs(self) -> int:
        """T."""
        return len(self.band)


def summarized_curves(made: CurveSet) -> pd.DataFrame:
    """The summary of a set without diverged networks, as rows of a record."""
    runtimes, ranks = made.runtimes, range(len(made.curves))
    ranked = made.falls[np.argsort(made.falls[:, 1])]
    parts = [
        pd.DataFrame({"run": ranks, "quantity": "fall", "epoch": epoch, "value": falls})
        for epoch, falls in zip((made.epochs // 2 + 1, made.epochs), ranked.T, strict=True)
    ]
    for epoch, errors in enumerate(made.curves.T, 1):
        percents = PERCENTS if epoch == made.epochs else BAND
        parts.append(_quantiles(errors, percents).assign(quantity="error", epoch=epoch))
    parts.append(_quantiles(runtimes, PERCENTS).assign(quantity="seconds"))
    counts = np.histogram(runtimes, BINS)[0].astype(float)
    parts.append(pd.DataFrame({"quantity": "configurations", "bin": range(BINS), "value": counts}))
    interval = bootstrap_interval(runtimes, mean_over_median, RESAMPLES_SEED)
    parts.append(pd.DataFrame({"quantity": RATIO, "value": interval}))
    rows = pd.concat(parts, ignore_index=True)
    kinds = {"run": int, "epoch": "Int16", "percent": "Int16", "bin": "Int16"}
    return rows.assign(run=rows["run"].fillna(0)).astype(kinds)


def _quantiles(values: NDArray[np.float64], percents: tuple[int, ...]) -> pd.DataFrame:
    return pd.DataFrame({"percent": percents, "value": np.percentile(values, percents)})


@once
def authors_summary(results: Results) -> CurveSummary:
    """The summary in the records of the experiment `curves`.

    Raises:
        NotRunError: there is none.
    """
    frame = results.frame("curves")
    frame = frame[frame["benchmark"] == AUTHORS] if len(frame) else frame
    if frame.empty:
        raise NotRunError(f"curves/{AUTHORS}")
    rows = {str(name): each.convert_dtypes() for name, each in frame.groupby("quantity")}
    errors = rows["error"].pivot(index="epoch", columns="percent", values="value").astype(float)
    falls = rows["fall"].pivot(index="run", columns="epoch", values="value").astype(float)
    return CurveSummary(
        falls=falls.to_numpy(),
        band=errors[list(BAND)],
        last=errors.iloc[-1],
        seconds=rows["seconds"].set_index("percent")["value"].astype(float),
        counts=rows["configurations"].sort_values("bin")["value"].to_numpy(dtype=float),
        mean_over_median=Interval(*(float(rows[name]["value"].iloc[0]) for name in RATIO)),
    )


def early_part_of_the_fall(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Part of the fall of mean curves that is done in the first half of the epochs, -inf where they rise.

    Args:
        means: Falls from the first epoch to the middle one and to the last, (batch, 2).

    Returns:
        (batch,).
    """
    half, fall = means.T
    return np.divide(half, fall, out=np.full_like(fall, -np.inf), where=fall > 0)


def mean_over_median(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of values (batch, n) over their medians, (batch,)."""
    return values.mean(1) / median(values)


def basis_draws() -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """t (POINTS,), from near 0 to 1, and by function its values for uniform parameters, (DRAWS, POINTS)."""
    import torch

    from core.models.curves.basis_network import BASIS

    t = np.linspace(0, 1, POINTS + 1)[1:]
    generator = np.random.default_rng(DRAWS_SEED)
    values = {}
    for function in BASIS:
        theta = torch.from_numpy(generator.random((function.parameters, DRAWS, 1)))
        values[function.name] = function.evaluate(torch.from_numpy(t), *theta).numpy()
    return t, values
