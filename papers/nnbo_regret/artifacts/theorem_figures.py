"""Fig 3 and the theorem of Brofos et al.: raw runs in, Figure out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.figure import Figure
from core.report.names import published_names
from core.report.published import Published
from core.report.table import ReportCell, ReportTable
from core.report.verdicts import interval_verdict
from papers.nnbo_regret import increments
from papers.nnbo_regret.counterexamples import revealed
from papers.nnbo_regret.decay import SEED, Decay, exceedance, fit_decay
from papers.nnbo_regret.increments import ARGUMENTS
from papers.nnbo_regret.martingale import Paths, bound_in_expectation, bound_of_run, bound_with_constants
from papers.nnbo_regret.recorded_paths import EXPERIMENTS, THRESHOLD, average_with_initial, recorded_paths

TITLES = {
    "hartmann4_rescaled": "Hartmann 4-d",
    "gaussian_process": "GP draws",
    "brofos_quartic": "authors' quartic",
    "counterexample": "counterexample",
}
DECAY = {"rate": "rate of the decay, per query", "start": "its start n_0, in queries"}
FLOOR = 2e-3
"""Lower end of the axes of probabilities."""

LOGS_LOOK = {"color": style.GREEN, "linestyle": "--"}
PUBLISHED_LOOK = {"color": style.BLACK, "linestyle": ":", "linewidth": 1.2}


@published_names(rows=DECAY, columns=("gaussian_process",))
def fig3a(results: Results, published: Published) -> Figure:
    """Brofos Fig 3a: the probability on draws of a Gaussian process, beside the function of the authors' code."""
    return _probability(results, published, "gaussian_process", "brofos_quartic")


@published_names(rows=DECAY, columns=("hartmann4_rescaled",))
def fig3b(results: Results, published: Published) -> Figure:
    """Brofos Fig 3b: the same on the 4-d Hartmann function."""
    return _probability(results, published, "hartmann4_rescaled")


def theorem(results: Results, published: Published | None) -> Figure:
    """Theorem 4.3: bounds and probability, variations, sub-Gaussian proxies, truncated means, by benchmark."""
    columns = {name: recorded_paths(results, name) for name in EXPERIMENTS}
    runs, n = next(iter(columns.values())).regret.shape
    columns["counterexample"] = revealed(runs, n, np.random.default_rng(SEED))
    rows: dict[str, Callable[[Axes, Paths], pd.DataFrame]] = {
        "probability and bounds": _bounds,
        "variation": _variations,
        r"$\alpha^2(t)$": _proxies,
        r"mean of $T_a(Z)$": _truncated_means,
    }
    figure, panels = style.subplots(len(rows), len(columns), width=8.6, height=8.8, sharey="row")
    parts = []
    for row, (label, draw) in enumerate(rows.items()):
        for column, (name, paths) in enumerate(columns.items()):
            axes = panels[row, column]
            parts.append(draw(axes, paths).assign(benchmark=name))
            if row == 0:
                axes.set_title(TITLES[name])
        panels[row, 0].legend(fontsize=6)
        panels[row, 0].set_ylabel(label)
    caption = (
        f"Rows: P[R_n / n > {THRESHOLD}] with Wilson's 95% interval and the right-hand sides of Eq. 30 (mean over the "
        "runs), of Eq. 27 with its expectation, and with constants; M_n squared and both variations, means over the "
        "runs, equal for a martingale with the variance of Eq. 17; alpha^2(t) of the standardized increments, at most "
        "1 if sub-Gaussian as stated; means of the increments, truncated at a, in four bins of the predicted standard "
        "deviation, at most 0 if heavy on left. Intervals are 95%, in the last row jointly. Last column: simulation of "
        "the closed-form case in which Y_1 reveals f(x*)."
    )
    data = pd.concat(parts, ignore_index=True)[["benchmark", "quantity", "x", "value", "low", "high"]]
    return Figure(figure, caption, data)


def _probability(results: Results, published: Published, *names: str) -> Figure:
    """The decay on each benchmark; the first is the one whose rate, and perhaps n_0, was published."""
    rate, published_start = published["rate", names[0]].value, published.get(("start", names[0]))
    figure, panels = style.subplots(1, len(names), height=3.0, sharey=True, squeeze=False)
    parts, fits = [], {}
    for axes, name in zip(panels[0], names, strict=True):
        above = recorded_paths(results, name).average_regret > THRESHOLD
        counted = (average_with_initial(results, name) > THRESHOLD).mean(0)
        parts.append(_share(axes, above).assign(benchmark=name))
        queries = np.arange(1, above.shape[1] + 1)
        axes.plot(queries, _positive(counted), color=style.SKY, linewidth=1, label="with the initial design counted")
        fit = fits[name] = fit_decay(above, SEED)
        if above.any():
            start = int(fit.start.estimate)
            lines = [
                (fit.rate.estimate, start, {"label": "fit by likelihood", "color": style.VERMILION}),
                (fit.rate_of_logs.estimate, start, {"label": "fit by least squares of logs", **LOGS_LOOK}),
            ]
            if name == names[0]:
                stated = int(published_start.value) if published_start else start
                lines.append((rate, stated, {"label": f"published slope {rate:g}", **PUBLISHED_LOOK}))
            for slope, first, look in lines:
                after = queries[queries >= first]
                height = above[:, start - 1].mean() if first == start else 1.0
                axes.plot(after, height * np.exp(slope * (after - first)), **look)
        _logarithmic(axes)
        axes.set_title(TITLES[name])
        axes.set_xlabel("query n")
    panels[0, 0].set_ylabel(rf"$P[R_n / n > {THRESHOLD}]$")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    caption = (
        "Share of runs whose average regret is above the threshold, with Wilson's 95% interval; shares of 0 lie below "
        "the axis. Straight lines show the fitted slopes and begin at the last query whose share is at least nine "
        "tenths of the highest. Only the thin line counts the initial design."
    )
    table = _table(fits[names[0]], published, names[0], results.reduced, len(above))
    return Figure(figure, caption, pd.concat(parts, ignore_index=True), table)


def _table(fit: Decay, published: Published, name: str, reduced: bool, runs: int) -> ReportTable:
    """The published numbers beside the fitted ones; a faster and an earlier decay is better."""
    fitted = {"rate": fit.rate, "start": fit.start}
    cells = {}
    for row in published.rows:
        verdict = interval_verdict(fitted[row], published[row, name], "lower", reduced)
        cells[row, name] = ReportCell(fitted[row].estimate, runs=runs, published=published[row, name], verdict=verdict)
    look = {"format": ".3g", "row_header": "Decay", "row_labels": DECAY, "column_labels": TITLES}
    return ReportTable("", published.rows, (name,), cells, direction="lower", **look)


def _bounds(axes: Axes, paths: Paths) -> pd.DataFrame:
    exponent, n = paths.exponent(THRESHOLD), paths.queries
    share = _share(axes, paths.average_regret > THRESHOLD)
    lines = {
        "Eq. 30, p = 2": (bound_of_run(exponent, 2.0).mean(0), {"color": style.VERMILION}),
        "Eq. 30, p to infinity": (bound_of_run(exponent, np.inf).mean(0), {"color": style.ORANGE, "linestyle": "--"}),
        "Eq. 27, with expectation": (bound_in_expectation(exponent), {"color": style.GREEN, "linestyle": "-."}),
        "with constants": (bound_with_constants(paths, THRESHOLD), {"color": style.PURPLE, "linestyle": ":"}),
    }
    for label, (values, look) in lines.items():
        axes.plot(n, _positive(values), label=label, linewidth=1.1, **look)
    _logarithmic(axes)
    axes.set_xlabel("query n")
    bounds = [pd.DataFrame({"quantity": label, "x": n, "value": values}) for label, (values, _) in lines.items()]
    return pd.concat([share, *bounds], ignore_index=True)


def _variations(axes: Axes, paths: Paths) -> pd.DataFrame:
    lines = {
        "$M_n^2$": (np.square(paths.martingale), {"color": style.BLUE}),
        "$[M]_n$": (paths.quadratic_variation, {"color": style.GREEN, "linestyle": "--"}),
        r"$\langle M \rangle_n$": (paths.predictable_variation, {"color": style.VERMILION, "linestyle": "-."}),
    }
    parts = []
    for (label, (values, look)), name in zip(lines.items(), ("M_n^2", "[M]_n", "<M>_n"), strict=True):
        axes.plot(paths.queries, values.mean(0), label=label, **look)
        parts.append(pd.DataFrame({"quantity": name, "x": paths.queries, "value": values.mean(0)}))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("query n")
    return pd.concat(parts, ignore_index=True)


def _proxies(axes: Axes, paths: Paths) -> pd.DataFrame:
    values = np.array(increments.proxies(increments.standardized(paths), ARGUMENTS, SEED))
    mean, low, high = values.T
    axes.errorbar(ARGUMENTS, mean, (mean - low, high - mean), fmt="o", color=style.BLUE, label=r"$\alpha^2(t)$")
    axes.axhline(1, color=style.BLACK, linestyle=":", linewidth=1)
    axes.set_yscale("symlog", linthresh=1)
    axes.set_xlabel("t")
    return _records("alpha^2", ARGUMENTS, *values.T)


def _truncated_means(axes: Axes, paths: Paths) -> pd.DataFrame:
    table = increments.heaviness(paths)
    parts = []
    for number, rows in table.groupby("bin"):
        places = np.arange(len(rows)) + 0.12 * (number - 2.5)
        bars = (rows["mean"] - rows["low"], rows["high"] - rows["mean"])
        shade = str(0.85 - 0.2 * number)
        axes.errorbar(places, rows["mean"], bars, fmt="o", color=shade, markersize=3, label=f"bin {number}")
        parts.append(_records(f"truncated mean, bin {number}", *(rows[c] for c in ("cut", "mean", "low", "high"))))
    axes.axhline(0, color=style.BLACK, linestyle=":", linewidth=1)
    axes.set_xticks(range(len(increments.CUTS)), [f"{cut:g}" for cut in increments.CUTS])
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_xlabel("truncation a")
    return pd.concat(parts, ignore_index=True)


def _share(axes: Axes, above: np.ndarray) -> pd.DataFrame:
    queries, (share, low, high) = np.arange(1, above.shape[1] + 1), exceedance(above)
    axes.fill_between(queries, np.maximum(low, FLOOR / 10), high, color=style.BLUE, alpha=0.2, lw=0)
    axes.plot(queries, _positive(share), color=style.BLUE, label="share of runs")
    return _records("share of runs", queries, share, low, high)


def _records(quantity: str, x, value, low, high) -> pd.DataFrame:
    return pd.DataFrame({"quantity": quantity, "x": x, "value": value, "low": low, "high": high})


def _positive(values: np.ndarray) -> np.ndarray:
    """Values for a logarithmic axis: zeros become nan and are not drawn."""
    return np.where(values > 0, values, np.nan)


def _logarithmic(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.set_ylim(FLOOR, 1.3)
