"""The probability of a large average regret (Fig 3), Theorem 4.3 and the lemmas behind it, on recorded runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.figures.figure import Figure
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.cells import interval_verdict
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published
from papers.nnbo_regret import increments
from papers.nnbo_regret.decay import SEED, Decay, exceedance, fit_decay
from papers.nnbo_regret.increments import ARGUMENTS
from papers.nnbo_regret.martingale import Paths, bound_in_expectation, bound_of_run, bound_with_constants, revealed
from papers.nnbo_regret.runs import EXPERIMENTS, THRESHOLD, average_with_initial, recorded_paths

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

SHORT = 0.2  # a bound that is on the axis for a smaller share of the queries is named in its panel
COUNTEREXAMPLE = "Counterexample: simulation of the closed-form case in which Y_1 reveals f(x*)."
BINS = style.sequential(4)
Draw = Callable[[Axes, Paths], pd.DataFrame]


@published_names(rows=DECAY, columns=("gaussian_process", "hartmann4_rescaled"))
def probability(results: Results, published: Published, names: Sequence[str]) -> Figure:
    """Brofos Figs 3a and 3b: the decay on each benchmark; the rate, and perhaps n_0, of the first was published."""
    rate, published_start = published["rate", names[0]].value, published.get(("start", names[0]))
    figure, panels = style.subplots(1, len(names), height=3.0, sharey=True, squeeze=False)
    parts, fits = [], {}
    for axes, name in zip(panels[0], names, strict=True):
        above = recorded_paths(results, name).average_regret > THRESHOLD
        counted = (average_with_initial(results, name) > THRESHOLD).mean(0)
        parts.append(_draw_share(axes, above).assign(benchmark=name))
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


def theorem(results: Results, published: Published | None) -> Figure:
    """Theorem 4.3: the probability of a large average regret, and what is said to be above it."""
    caption = (
        f"P[R_n / n > {THRESHOLD}] with Wilson's 95% interval and the right-hand sides of Eq. 30 (mean over the runs), "
        f"of Eq. 27 with its expectation, and with constants. {COUNTEREXAMPLE}"
    )
    return _square(results, _bounds, "probability and bounds", caption)


def lemma4_1(results: Results, published: Published | None) -> Figure:
    """Lemma 4.1: the square of the supposed martingale and its variations."""
    caption = (
        "The square of M_n and both variations, means over the runs: the first two are equal for a martingale, and the "
        f"third for one with the variance of Eq. 17. {COUNTEREXAMPLE}"
    )
    return _square(results, _variations, "mean over the runs", caption)


def lemma4_2(results: Results, published: Published | None) -> Figure:
    """Lemma 4.2: sub-Gaussian proxies, and truncated means of the increments."""
    rows: dict[str, Draw] = {r"$\alpha^2(t)$": _proxies, r"mean of $T_a(Z)$": _truncated_means}
    columns = _paths(results)
    figure, panels = style.subplots(2, len(columns), width=7.6, height=4.9, sharey="row")
    parts = []
    for row, (label, draw) in zip(panels, rows.items(), strict=True):
        parts += [draw(axes, paths).assign(benchmark=name) for axes, (name, paths) in zip(row, columns.items())]
        row[0].set_ylabel(label)
    for axes, name in zip(panels[0], columns, strict=True):
        axes.set_title(TITLES[name])
    style.legend(figure, panels[1], 4)
    caption = (
        "Top: alpha^2(t) of the standardized increments with 95% intervals, at most 1 (dotted) if they are "
        "sub-Gaussian as stated. Bottom: means of the increments, truncated at a, in four bins of the predicted "
        "standard deviation, the smallest first, with joint 95% intervals, at most 0 (dotted) if heavy on left. "
        f"{COUNTEREXAMPLE}"
    )
    return Figure(figure, caption, _data(parts))


def _square(results: Results, draw: Draw, label: str, caption: str) -> Figure:
    """A panel for each benchmark, two by two."""
    columns = _paths(results)
    figure, panels = style.subplots(2, 2, width=6.8, height=5.2, sharey=True)
    parts = []
    for axes, (name, paths) in zip(panels.flat, columns.items(), strict=True):
        parts.append(draw(axes, paths).assign(benchmark=name))
        axes.set_title(TITLES[name])
    for axes in panels[1]:
        axes.set_xlabel("query n")
    for axes in panels[:, 0]:
        axes.set_ylabel(label)
    style.legend(figure, panels.flat, 5)
    return Figure(figure, caption, _data(parts))


def _paths(results: Results) -> dict[str, Paths]:
    """The recorded runs of each benchmark, and as many of the counterexample."""
    columns = {name: recorded_paths(results, name) for name in EXPERIMENTS}
    runs, n = next(iter(columns.values())).regret.shape
    return columns | {"counterexample": revealed(runs, n, np.random.default_rng(SEED))}


def _data(parts: list[pd.DataFrame]) -> pd.DataFrame:
    columns = ["benchmark", "quantity", "x", "value", "low", "high"]
    return pd.concat(parts, ignore_index=True).reindex(columns=columns)


def _bounds(axes: Axes, paths: Paths) -> pd.DataFrame:
    exponent, n = paths.exponent(THRESHOLD), paths.queries
    share = _draw_share(axes, paths.average_regret > THRESHOLD)
    lines = {
        "Eq. 30, p = 2": (bound_of_run(exponent, 2.0).mean(0), {"color": style.VERMILION}),
        "Eq. 30, p to infinity": (bound_of_run(exponent, np.inf).mean(0), {"color": style.ORANGE, "linestyle": "--"}),
        "Eq. 27, with expectation": (bound_in_expectation(exponent), {"color": style.GREEN, "linestyle": "-."}),
        "with constants": (bound_with_constants(paths, THRESHOLD), {"color": style.PURPLE, "linestyle": ":"}),
    }
    for label, (values, look) in lines.items():
        axes.plot(n, _positive(values), label=label, **look)
    _logarithmic(axes)
    name_those_below(axes, {label: values for label, (values, _) in lines.items()})
    bounds = [pd.DataFrame({"quantity": label, "x": n, "value": values}) for label, (values, _) in lines.items()]
    return pd.concat([share, *bounds], ignore_index=True)


def name_those_below(axes: Axes, lines: Mapping[str, np.ndarray]) -> None:
    """Write the names of bounds that are below the axis at most queries, and the last where one of them is not."""
    below = {label: np.flatnonzero(values >= FLOOR) for label, values in lines.items()}
    below = {label: on for label, on in below.items() if len(on) < SHORT * len(lines[label])}
    if below:
        last = max((int(on[-1]) + 1 for on in below.values() if len(on)), default=0)
        said = "\n".join(["below the axis" + f" after query {last}:" * bool(last) or ":", *below])
        look = {"fontsize": 7, "color": style.GREY, "ha": "left", "va": "bottom", "linespacing": 1.3}
        axes.text(0.22, 0.06, said, transform=axes.transAxes, **look)


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
    return pd.concat(parts, ignore_index=True)


def _proxies(axes: Axes, paths: Paths) -> pd.DataFrame:
    values = np.array(increments.proxies(increments.standardized(paths), ARGUMENTS, SEED))
    mean, low, high = values.T
    axes.errorbar(ARGUMENTS, mean, (mean - low, high - mean), fmt="o", color=style.BLUE)
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
        shade = BINS[number - 1]
        axes.errorbar(places, rows["mean"], bars, fmt="o", color=shade, markersize=3, label=f"bin {number}")
        parts.append(_records(f"truncated mean, bin {number}", *(rows[c] for c in ("cut", "mean", "low", "high"))))
    axes.axhline(0, color=style.BLACK, linestyle=":", linewidth=1)
    axes.set_xticks(range(len(increments.CUTS)), [f"{cut:g}" for cut in increments.CUTS])
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_xlabel("truncation a")
    return pd.concat(parts, ignore_index=True)


def _draw_share(axes: Axes, above: np.ndarray) -> pd.DataFrame:
    """Draw the share of runs (runs, n) that are above at each query, with Wilson's interval."""
    queries, (share, low, high) = np.arange(1, above.shape[1] + 1), exceedance(above)
    band = {"color": style.BLUE, "alpha": 0.2, "lw": 0, "label": "Wilson's 95% interval"}
    axes.fill_between(queries, np.maximum(low, FLOOR / 10), high, where=share > 0, **band)
    axes.plot(queries, _positive(share), color=style.BLUE, label="share of runs")
    return _records("share of runs", queries, share, low, high)


def _records(quantity: str, x, value, low, high) -> pd.DataFrame:
    """What was drawn, in the columns of the figure's data."""
    return pd.DataFrame({"quantity": quantity, "x": x, "value": value, "low": low, "high": high})


def _positive(values: np.ndarray) -> np.ndarray:
    """Values for a logarithmic axis: zeros become nan and are not drawn."""
    return np.where(values > 0, values, np.nan)


def _logarithmic(axes: Axes) -> None:
    """A logarithmic axis of probabilities."""
    axes.set_yscale("log")
    axes.set_ylim(FLOOR, 1.3)
