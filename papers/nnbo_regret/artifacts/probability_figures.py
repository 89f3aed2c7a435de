"""Fig 3 of Brofos et al., the probability of a large average regret: raw runs in, Figure out."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report.figures import style
from core.report.figures.figure import Figure
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.cells import interval_verdict
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published
from papers.nnbo_regret.decay import SEED, Decay, exceedance, fit_decay
from papers.nnbo_regret.recorded_paths import THRESHOLD, average_with_initial, recorded_paths

TITLES = {
    "hartmann4_rescaled": "Hartmann 4-d",
    "gaussian_process": "GP draws",
    "brofos_quartic": "Authors' quartic",
    "counterexample": "Counterexample",
}
STAND_INS = {"gaussian_process": "the kernel and the scale of the authors' draws are not stated"}
"""Targets that are not the authors' own, and why; of these, numbers are `outside`."""
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


def _probability(results: Results, published: Published, *names: str) -> Figure:
    """The decay on each benchmark; the first is the one whose rate, and perhaps n_0, was published."""
    rate, published_start = published["rate", names[0]].value, published.get(("start", names[0]))
    figure, panels = style.subplots(1, len(names), height=3.0, sharey=True, squeeze=False)
    parts, fits = [], {}
    for axes, name in zip(panels[0], names, strict=True):
        above = recorded_paths(results, name).average_regret > THRESHOLD
        counted = (average_with_initial(results, name) > THRESHOLD).mean(0)
        parts.append(draw_share(axes, above).assign(benchmark=name))
        queries = np.arange(1, above.shape[1] + 1)
        axes.plot(queries, positive(counted), color=style.SKY, linewidth=1, label="with the initial design counted")
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
        logarithmic(axes)
        axes.set_title(TITLES[name])
        axes.set_xlabel("query n")
    panels[0, 0].set_ylabel(rf"$P[R_n / n > {THRESHOLD}]$")
    style.legend(figure, [panels[0, 0]], 3)
    caption = (
        "Share of runs whose average regret is above the threshold, with Wilson's 95% interval; shares of 0 lie below "
        "the axis, and their intervals are in the data. Straight lines show the fitted slopes and begin at the last "
        "query whose share is at least nine tenths of the highest. Only the thin line counts the initial design."
    )
    table = _table(fits[names[0]], published, names[0], results.reduced, len(above))
    return Figure(figure, caption, pd.concat(parts, ignore_index=True), table)


def _table(fit: Decay, published: Published, name: str, reduced: bool, runs: int) -> ReportTable:
    """The published numbers beside the fitted ones; these describe the decay, and neither of them is an objective."""
    fitted = {"rate": fit.rate, "start": fit.start}
    cells = {}
    for row in published.rows:
        verdict = interval_verdict(fitted[row], published[row, name], "neither", reduced)
        if name in STAND_INS:
            verdict = verdict.outside(STAND_INS[name])
        cells[row, name] = ReportCell(fitted[row].estimate, runs=runs, published=published[row, name], verdict=verdict)
    look = {"format": ".3g", "row_header": "Decay", "row_labels": DECAY, "column_labels": TITLES}
    return ReportTable(published.rows, (name,), cells, direction="neither", **look)


def draw_share(axes: Axes, above: np.ndarray) -> pd.DataFrame:
    """Draw the share of runs (runs, n) that are above at each query, with Wilson's interval."""
    queries, (share, low, high) = np.arange(1, above.shape[1] + 1), exceedance(above)
    band = {"color": style.BLUE, "alpha": 0.2, "lw": 0, "label": "Wilson's 95% interval"}
    axes.fill_between(queries, np.maximum(low, FLOOR / 10), high, where=share > 0, **band)
    axes.plot(queries, positive(share), color=style.BLUE, label="share of runs")
    return records("share of runs", queries, share, low, high)


def records(quantity: str, x, value, low, high) -> pd.DataFrame:
    """What was drawn, in the columns of the figure's data."""
    return pd.DataFrame({"quantity": quantity, "x": x, "value": value, "low": low, "high": high})


def positive(values: np.ndarray) -> np.ndarray:
    """Values for a logarithmic axis: zeros become nan and are not drawn."""
    return np.where(values > 0, values, np.nan)


def logarithmic(axes: Axes) -> None:
    """A logarithmic axis of probabilities."""
    axes.set_yscale("log")
    axes.set_ylim(FLOOR, 1.3)
