"""How well the models predict learning curves (Figs 5.4 to 5.6), and Hyperband with LC-Net on tables (5.7, B.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, MaxNLocator, StrMethodFormatter

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, style
from core.report.figures.curves import draw_line, mean_band
from core.report.figures.figure import draw_panels, not_run_panel, not_run_words
from core.report.figures.files import log_from_zero
from core.report.runs.frames import benchmarks_run
from core.report.runs.trajectories import SMALLEST, end_of, over_time
from core.tabular.values import LABELS as TABLES
from papers.lcnet.curves import LABELS, METRICS, SETS, curve_sets
from papers.lcnet.runs import (
    GLOBAL,
    LOCAL,
    TABLE_METHODS,
    partial_predictions,
    run_scores,
    table_runs,
    unobserved_predictions,
)

SHOWN_SET = "cnn"  # of Fig 5.4
POINTS = 5000  # of Fig 5.6, as in the thesis
SEED = 56
LINEAR = 3  # nats around 0 in which Fig 5.5's likelihoods are linear
LOWEST, HIGHEST = -2.0, 4.0  # log-likelihoods between which Fig 5.6's colours change
SHOWN_TABLES = ("protein", "slice_localization")  # of Fig 5.7
CURVE_POINTS = 200  # of a curve of Figs 5.7 and B.3


def fig5_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.4: one curve, what the models make of its first epochs, and their densities of its last value."""
    scores = partial_predictions(results)
    scores = scores[scores["run"] == 0]
    rows = scores[scores["benchmark"] == SHOWN_SET]
    whole = rows[rows["epoch"] < rows["epochs"]]
    if whole.empty:
        raise NotRunError(f"partial/{SHOWN_SET}")
    curves = curve_sets(results)[SHOWN_SET].finished().curves
    observed = int(whole["observed"].iloc[0])
    common = set.intersection(*(set(part["number"]) for _, part in whole.groupby("method")))
    number = max(common, key=lambda each: curves[each, 0] - curves[each, -1])
    rows = rows[(rows["number"] == number) & (rows["observed"] == observed)].sort_values("epoch")
    figure, (left, right) = style.subplots(1, 2, width=7.2, height=3.0)
    epochs = np.arange(1, curves.shape[1] + 1)
    left.plot(epochs, curves[number], color=style.INK, linewidth=1.8, label="true curve")
    left.axvline(observed, color=style.GREY, linestyle=":", linewidth=1)
    spread = curves[number].max() - curves[number].min()
    values = np.linspace(curves[number].min() - 0.4 * spread, curves[number].max(), 600)
    for method in filter(set(rows["method"].unique()).__contains__, (*GLOBAL, *LOCAL)):
        drawn = rows[rows["method"] == method]
        look = style.method(method)
        after = drawn[drawn["epoch"] >= observed]
        left.plot(after["epoch"], after["mean"], **look.line)
        mean, variance = drawn.iloc[-1][["mean", "variance"]].astype(float)
        if np.isfinite(variance):
            density = np.exp(-0.5 * (values - mean) ** 2 / variance) / np.sqrt(2 * np.pi * variance)
            right.plot(values, density, color=look.color, linestyle=look.dash)
        else:
            right.axvline(mean, color=look.color, linestyle=look.dash, linewidth=1)
    right.axvline(curves[number, -1], color=style.INK, linewidth=1.8)
    low, high = curves[number].min() - 0.4 * spread, curves[number].max() + 0.1 * spread
    left.set(xlabel="epoch", ylabel=METRICS[SHOWN_SET], xlim=(1, curves.shape[1]), ylim=(low, high))
    near = (values[0], curves[number].min() + 0.4 * spread)
    right.set(xlabel=f"{METRICS[SHOWN_SET]} after epoch {len(epochs)}", ylabel="density", xlim=near)
    right.set_ylim(0)
    style.legend(figure, [left], 4)
    caption = (
        f"A learning curve of the set {SETS[SHOWN_SET]}, that of the largest fall among the first, after {observed} "
        f"of {len(epochs)} epochs (dotted). Right: predictive densities of its last value; vertical lines are the "
        "truth and the last seen value, which has no density. The authors' own curves are left out, since single ones "
        "are not ours to publish."
    )
    return Figure(figure, caption, rows)


def fig5_5(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.5: errors and likelihoods of the last value against the share of the epochs that was observed."""
    scores = run_scores(results)
    run = {name: label for name, label in SETS.items() if name in set(scores["benchmark"])}
    if not run:
        raise NotRunError("partial")
    figure, panels = style.subplots(len(run), 2, width=7.2, height=0.5 + 1.8 * len(run), sharex=True, squeeze=False)
    parts, counted = [], []
    for (left, right), (name, label) in zip(panels, run.items(), strict=True):
        rows = scores[scores["benchmark"] == name]
        left.set_title(label)
        counted.append(f"{label} {rows['curves'].min()} ({_counts(rows)})")
        for method in filter(set(rows["method"].unique()).__contains__, (*GLOBAL, *LOCAL)):
            table = rows[rows["method"] == method].set_index(["share", "run"])[["squared", "log_likelihood"]]
            _line(left, table["squared"], method)
            if table["log_likelihood"].notna().all():
                _line(right, table["log_likelihood"], method)
            parts.append(table.reset_index().assign(benchmark=name, method=method))
        left.set_yscale("log")
        right.set_yscale("symlog", linthresh=LINEAR)
        right.yaxis.set_major_locator(FixedLocator((-100, -10, -LINEAR, 0, LINEAR)))
        right.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        left.set_ylabel("mean squared error")
        right.set_ylabel("median log-likelihood")
    for axes in panels[-1]:
        axes.set_xlabel("share of the epochs observed")
    style.legend(figure, panels.flat, 4)
    caption = (
        "Predictions of the value after the last epoch from the first epochs of all curves, mean over runs; bars, "
        "where there are several runs, are their standard deviation. Scored are the curves that all models predicted: "
        f"{'; '.join(counted)}. Errors are in squared units of the metric (VAE: nats), likelihoods in nats."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def fig5_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.6: true against predicted values of curves that were not observed."""
    scores = unobserved_predictions(results)
    methods = [name for name in GLOBAL if name in set(scores["method"].unique())]
    figure, panels = style.subplots(
        len(methods), len(LABELS), width=7.2, height=1.5 * len(methods) + 0.7, squeeze=False
    )
    generator, parts = np.random.default_rng(SEED), []
    for line, method in zip(panels, methods, strict=True):
        for axes, (name, label) in zip(line, LABELS.items(), strict=True):
            rows = scores[(scores["benchmark"] == name) & (scores["method"] == method)]
            if method == methods[0]:
                axes.set_title(label)
            if rows.empty:
                not_run_panel(axes)
                continue
            rows = rows.iloc[np.sort(generator.permutation(len(rows))[:POINTS])]
            low, high = rows["truth"].quantile([0.0, 0.98])
            pad = 0.08 * (high - low)
            look = {
                "c": rows["log_likelihood"].clip(LOWEST, HIGHEST),
                "cmap": "viridis",
                "vmin": LOWEST,
                "vmax": HIGHEST,
            }
            points = axes.scatter(rows["truth"], rows["mean"], s=3, linewidths=0, rasterized=True, **look)
            axes.plot([low, high], [low, high], color=style.INK, linewidth=0.7)
            axes.set(xlim=(low - pad, high + pad), ylim=(low - pad, high + pad))
            axes.xaxis.set_major_locator(MaxNLocator(2))
            parts.append(rows)
        line[0].set_ylabel(style.label(method))
    figure.supxlabel("true value", fontsize=8.5)
    figure.supylabel("predicted mean", fontsize=8.5)
    figure.colorbar(points, ax=panels, label="log-likelihood [nats]", extend="both", aspect=40)
    caption = (
        f"Cross-validation over configurations: at most {POINTS} points of the held-out curves in each panel, on the "
        "scale of the metric (VAE: nats), the highest 2% of the true values outside of the panels. The authors' own "
        "curves are left out, since single ones are not ours to publish."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _counts(rows: pd.DataFrame) -> str:
    """The numbers of runs of a set's methods in words."""
    counts = rows.groupby("method")["run"].nunique()
    if counts.max() == 1:
        return "1 run"
    several = [f"{style.label(name)} {count}" for name, count in counts.items() if count > 1]
    return f"runs: {', '.join(several)}" + (", the others 1" if counts.min() == 1 else "")


def _line(axes: Axes, values: pd.Series, method: str) -> None:
    """Mean over the runs at each share, with their standard deviation where there are several."""
    by_share = values.groupby("share")
    look = style.method(method)
    spread = by_share.std() if by_share.size().max() > 1 else None
    axes.errorbar(by_share.mean().index, by_share.mean(), spread, marker=look.marker, markersize=3.5, **look.line)


def fig5_7(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.7: protein and slice."""
    frame = table_runs(results)
    run = benchmarks_run(frame)
    others = [*filter(set(run).__contains__, TABLES), *sorted(run)]
    return _draw_tables(frame, SHOWN_TABLES if set(SHOWN_TABLES) & set(run) else others[:1])


def figB_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig B.3: all sets."""
    frame = table_runs(results)
    run = benchmarks_run(frame)
    return _draw_tables(frame, tuple(TABLES) if set(TABLES) & set(run) else sorted(run))


def _draw_tables(frame: pd.DataFrame, names: Sequence[str]) -> Figure:
    columns = min(len(names), 2)
    rows = -(-len(names) // columns)
    figure, panels = style.subplots(rows, columns, height=2.3 * rows + 0.5, squeeze=False)

    def draw(axes: Axes, name: str) -> pd.DataFrame:
        cells = dict(iter(frame[frame["benchmark"] == name].groupby("method")))
        if not cells:
            raise NotRunError(name)
        curves = pd.concat([_curve(axes, cells[method], method) for method in TABLE_METHODS if method in cells])
        axes.set(xscale="log", yscale="log", xlabel="seconds of training")
        if curves["regret"].min() <= SMALLEST:  # all runs of a method have found the best configuration of the table
            log_from_zero(axes.yaxis, curves["regret"], SMALLEST)
            axes.set_ylim(bottom=0)
        return curves.assign(benchmark=name)

    data = draw_panels(panels.flat, {name: TABLES.get(name, name) for name in names}, draw)
    for axes in panels[:, 0]:
        axes.set_ylabel("test regret")
    style.legend(figure, panels.flat, len(TABLE_METHODS))
    runs = frame.groupby("method")["run"].nunique()
    counts = ", ".join(f"{style.label(method)} {runs[method]}" for method in TABLE_METHODS if method in runs)
    caption = (
        "Mean and standard error of the test regret of the configuration that is best on the validation data so far, "
        f"over the runs ({counts}); lines end where the first run ends. Hyperband's and BOHAMIANN's runs are "
        "chapter 7's, on the same tables, which are parts of the thesis' at the quick scale. An axis that has 0 is "
        "linear up to the smallest mean above it."
    )
    missing = (TABLES.get(name, name) for name in names if name not in benchmarks_run(frame))
    return Figure(figure, caption + not_run_words(missing), data)


def _curve(axes: Axes, rows: pd.DataFrame, method: str) -> pd.DataFrame:
    times = np.geomspace(rows.groupby("run")["finished"].min().max(), end_of(rows), CURVE_POINTS)
    mean, low, high = mean_band(over_time(rows, times))
    draw_line(axes, times, mean, low, high, style.method(method).line, steps=True)
    return pd.DataFrame({"method": method, "seconds": times, "regret": mean, "low": low, "high": high})
