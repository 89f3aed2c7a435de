"""Optimizers on the tables (thesis 7.4): regret over time and at the end, by other rules, and on the authors' tables.

Figs 7.5 and D.10 are of our tables; `authors_searches` is of the authors' whole ones, by evaluations, with those
methods that need no budgets; `code_rules` shows what the rules of the authors' code change that the texts lack.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import style
from core.report.figures.charts import draw_effects, effect
from core.report.figures.curves import draw_line
from core.report.figures.figure import Figure, mark_published
from core.report.figures.files import log_from_zero
from core.report.runs.frames import NotRunError, cell_rows, frame_of, with_variants
from core.report.runs.trajectories import SMALLEST, median_and_quartiles, regret_over_time
from core.report.statistics.intervals import ecdf
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published, published_in
from core.tabular.grid import FCNET
from papers.tabular.comparison import END, METHODS, benchmarks_of, comparison_runs, ends, is_short, probability
from papers.tabular.trained_tables import LABELS, describe, grid_tables, label, short_label

POINTS = 200  # per curve
TARGET = 1e-3  # the regret that 7.4.2 speaks of
ABOVE = "published: BOHAMIANN, RE, TPE end above"
ORDER = (*METHODS, "differential_evolution")  # of the methods on the authors' tables
DOTTED = {"color": style.GREY, "linestyle": ":", "linewidth": 0.8}


@published_names(rows=METHODS)
def fig7_5(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 7.5: protein."""
    frame = comparison_runs(results)
    names = benchmarks_of(frame)
    return _draw(results, frame, ["protein"] if "protein" in names else names[:1])


def figD_10(results: Results, published: Published | None) -> Figure:
    """Thesis Fig D.10: all sets. Its text says mean and standard error, its caption and Fig 7.5 quartiles."""
    frame = comparison_runs(results)
    return _draw(results, frame, benchmarks_of(frame))


def _draw(results: Results, frame: pd.DataFrame, names: list[str]) -> Figure:
    tables = grid_tables(results)
    figure, panels = style.subplots(len(names), 2, width=7.2, height=2.5 * len(names) + 0.7, squeeze=False)
    parts = []
    for (left, right), name in zip(panels, names, strict=True):
        rows = frame[frame["benchmark"] == name]
        present = set(rows["method"])
        methods = [method for method in with_variants(METHODS, sorted(present)) if method in present]
        parts += [_over_time(left, frame, name, method).assign(panel="time") for method in methods]
        parts += [_at_the_end(right, frame, name, method).assign(panel="end") for method in methods]
        for axes in (left, right):
            axes.set_title(label(name))
        log_from_zero(left.yaxis, rows["regret"], SMALLEST)
        smallest = log_from_zero(right.xaxis, rows["regret"], SMALLEST)
        left.axhline(TARGET, **DOTTED)
        right.axvline(TARGET, **DOTTED)
        if name == "protein":
            mark_published(right, TARGET, published_in("tabular/fig7_5")["tpe", name].value, label=ABOVE)
        left.set_ylim(bottom=0)
        right.set_xlim(left=-0.1 * smallest)  # a method that always ends at 0 stays visible
        left.set_ylabel("test regret")
        right.set_ylabel("share of runs")
        right.set_ylim(0, 1.02)
    panels[-1, 0].set_xlabel("seconds of training")
    panels[-1, 1].set_xlabel("final test regret")
    style.legend(figure, panels.T.flat, 4)
    caption = (
        f"Left: median and quartiles of the incumbent's test regret over {runs_in_words(frame, METHODS)}; lines end "
        "where half of the runs have ended. Right: its distribution over the runs when random search has made all its "
        "evaluations, or when a method's runs end if that is earlier; if much earlier, the legend says after how many "
        "evaluations. Dotted: a regret of 0.001, which on protein's whole grid those three reach in more than 60% of "
        "their runs, and no other. Axes of regrets are linear from 0 to the smallest one above 0. "
        f"{describe(tables[name] for name in names)}"
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _over_time(axes: Axes, frame: pd.DataFrame, benchmark: str, method: str) -> pd.DataFrame:
    rows = cell_rows(frame, benchmark, method)
    times = np.geomspace(rows["finished"].min(), ends(frame, benchmark, method), POINTS)
    quartiles = np.maximum(median_and_quartiles(regret_over_time(frame, benchmark, method, times)), 0)
    shown = ~np.isnan(quartiles[1])
    times, (low, median, high) = times[shown], quartiles[:, shown]
    look = style.method(method).line | {"label": _name(frame, benchmark, method)}
    draw_line(axes, times, median, low, high, look, opacity=0.12, steps=True)
    axes.set_xscale("log")
    drawn = {"seconds": times, "low": low, "regret": median, "high": high}
    return pd.DataFrame({"benchmark": benchmark, "method": method, **drawn})


def _at_the_end(axes: Axes, frame: pd.DataFrame, benchmark: str, method: str) -> pd.DataFrame:
    end = min(ends(frame, benchmark), ends(frame, benchmark, method))
    regret, share = ecdf(np.maximum(regret_over_time(frame, benchmark, method, np.array([end]))[:, 0], 0))
    axes.step(np.append(regret[0], regret), np.append(0.0, share), where="post", **style.method(method).line)
    return pd.DataFrame({"benchmark": benchmark, "method": method, "seconds": end, "regret": regret, "share": share})


def _name(frame: pd.DataFrame, benchmark: str, method: str) -> str:
    """A method's name in the legend; for short runs with the number of evaluations that the right panel shows."""
    if not is_short(frame, benchmark, method):
        return style.label(method)
    made = cell_rows(frame, benchmark, method).groupby("run")["evaluation"].max().median()
    return f"{style.label(method)} (after {made:.0f})"


def runs_in_words(frame: pd.DataFrame, methods: Iterable[str]) -> str:
    """The number of runs of those methods that the frame has; methods with equal numbers together."""
    groups: dict[int, list[str]] = {}
    for method in (name for name in methods if (frame["method"] == name).any()):
        groups.setdefault(int(frame.loc[frame["method"] == method, "run"].nunique()), []).append(style.label(method))
    (first, _), *others = groups.items()
    return "; ".join([f"{first} runs", *(f"{', '.join(names)}: {runs} runs" for runs, names in others)])


def authors_searches(results: Results, published: Published | None) -> Figure:
    """Median and quartiles of the incumbents' validation regret on each table (ours)."""
    frame = frame_of(results, "authors_methods", "authors_smac", "authors_bohamiann")
    present = set(frame["benchmark"])
    names = [*(name for name in LABELS if name in present), *sorted(present - set(LABELS))]
    figure, panels = style.subplots(1, len(names), width=7.2, height=2.8, squeeze=False)
    parts = []
    for axes, name in zip(panels[0], names, strict=True):
        run = set(frame.loc[frame["benchmark"] == name, "method"])
        methods = [method for method in with_variants(ORDER, sorted(run)) if method in run]
        parts += [_over_evaluations(axes, frame, name, method) for method in methods]
        axes.set_title(short_label(name))
        axes.set_xscale("log")
        log_from_zero(axes.yaxis, frame.loc[frame["benchmark"] == name, "regret"], SMALLEST)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("evaluations")
    panels[0, 0].set_ylabel("validation regret")
    style.legend(figure, panels.flat, 4)
    caption = (
        f"Median and quartiles ({runs_in_words(frame, ORDER)}) of the incumbent's average validation error above the "
        f"lowest of all {FCNET.size:,} configurations; the incumbent is the lowest of the drawn trainings. The axis is "
        "linear from 0 to the smallest regret above 0."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _over_evaluations(axes: Axes, frame: pd.DataFrame, benchmark: str, method: str) -> pd.DataFrame:
    """Draw a method; evaluations cost 1, so that their number is the time."""
    numbers = np.arange(1, int(cell_rows(frame, benchmark, method)["evaluation"].max()) + 1)
    low, median, high = median_and_quartiles(regret_over_time(frame, benchmark, method, numbers.astype(float)))
    draw_line(axes, numbers, median, low, high, style.method(method).line, opacity=0.12, steps=True)
    drawn = {"evaluation": numbers, "low": low, "regret": median, "high": high}
    return pd.DataFrame({"benchmark": benchmark, "method": method, **drawn})


def code_rules(results: Results, published: Published | None) -> Figure:
    """The probability that a run by the authors' code ends below one by the text, by method and set."""
    frame = frame_of(results, "methods", "methods_text")
    ran = set(zip(frame["benchmark"], frame["method"], strict=True))
    rows = []
    for method in ("tpe", "hyperband", "bohb"):
        for name in benchmarks_of(frame):
            if {(name, method), (name, f"{method}_text")} <= ran:
                interval, _ = probability(frame, method, f"{method}_text", END, name)
                rows.append(effect(style.label(method), label(name), interval, benchmark=name))
    if not rows:
        raise NotRunError("methods_text")
    data = pd.DataFrame(rows)
    caption = (
        "Probability that a run by the rules of the authors' code has a smaller test regret than one by the text's, "
        "when random search has ended or earlier where either ends; ties count half, intervals are of 95%. By the code "
        "TPE's indices are rounded, so that end values are half as likely, and Hyperband and BOHB have HpBandSter's "
        "bracket sizes and models."
    )
    return Figure(draw_effects(data, 0.5, "probability that the code's is better"), caption, data)
