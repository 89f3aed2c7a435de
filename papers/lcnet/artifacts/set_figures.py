"""What the collections of learning curves look like: curves, runtimes and final values (thesis Figs 5.3, B.1, B.2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures import style
from core.report.figures.figure import not_run_panel
from core.report.statistics.distributions import ecdf
from papers.lcnet.curve_sets import AUTHORS, METRICS, SETS, CurveSet, curve_sets

SHOWN = 50  # curves per set
SEED = 3  # of the choice of curves
BINS = 40


def fig5_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 5.3: random curves of each set."""
    sets = curve_sets(results)
    caption = (
        f"Up to {SHOWN} learning curves of each set, drawn at random from those of networks that did not diverge. "
        f"{_described(sets)}"
    )
    return _panels(sets, _curves, caption)


def figB_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig B.1: how long the configurations take."""
    sets = curve_sets(results)
    caption = (
        "Seconds that the configurations of each set take for all epochs, ours on one thread and with validation; "
        f"networks that diverged count as if they had gone on. The dotted line is the median. {_described(sets)}"
    )
    return _panels(sets, _runtimes, caption)


def figB_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig B.2: the distribution of the last values."""
    sets = curve_sets(results)
    caption = (
        "Share of the configurations whose last value is at most that on the axis; networks that diverged have none, "
        f"and so their share is missing at the right end. {_described(sets)}"
    )
    return _panels(sets, _last_values, caption)


def _panels(sets: dict[str, CurveSet], draw_one: Callable[[Axes, CurveSet], pd.DataFrame], caption: str) -> Figure:
    """A panel for each set, the authors' and our own; sets that were not collected say so."""
    figure, panels = style.subplots(2, 3, height=4.4)
    parts = []
    for axes, (name, label) in zip(panels.flat, SETS.items()):
        axes.set_title(label)
        if name in sets:
            parts.append(draw_one(axes, sets[name]).assign(set=name))
        else:
            not_run_panel(axes)
    for axes in panels.flat[len(SETS) :]:
        axes.set_axis_off()
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _curves(axes: Axes, made: CurveSet) -> pd.DataFrame:
    finished = made.finished().curves
    chosen = np.sort(np.random.default_rng(SEED).permutation(len(finished))[:SHOWN])
    epochs = np.arange(1, made.epochs + 1)
    colors = np.resize([style.BLUE, style.SKY, style.TEAL, style.ORANGE, style.VERMILION, style.PURPLE], len(chosen))
    for place, color in zip(chosen, colors, strict=True):
        axes.plot(epochs, finished[place], color=color, linewidth=0.7, alpha=0.7)
    axes.set(xlabel="epoch", ylabel=METRICS[made.name], xlim=(1, made.epochs))
    return pd.DataFrame(
        {
            "curve": np.repeat(chosen, made.epochs),
            "epoch": np.tile(epochs, len(chosen)),
            "value": finished[chosen].ravel(),
        }
    )


def _runtimes(axes: Axes, made: CurveSet) -> pd.DataFrame:
    axes.hist(made.runtimes, BINS, color=style.BLUE)
    axes.axvline(np.median(made.runtimes), color=style.INK, linestyle=":", linewidth=1)
    axes.set(xlabel="seconds for all epochs", ylabel="configurations", xlim=(0, None))
    return pd.DataFrame({"seconds": np.sort(made.runtimes)})


def _last_values(axes: Axes, made: CurveSet) -> pd.DataFrame:
    value, share = ecdf(made.curves[:, -1])
    axes.step(value, share, where="post", color=style.BLUE)
    axes.set(xlabel=METRICS[made.name], ylabel="share of configurations", ylim=(0, 1.02))
    return pd.DataFrame({"value": value, "share": share})


def _described(sets: dict[str, CurveSet]) -> str:
    """Sizes of the sets in words, the authors' first."""
    sizes = {
        name: f"{SETS[name]} {len(each.curves)} configurations ({each.diverged.sum()} diverged), {each.epochs} epochs"
        for name, each in sets.items()
    }
    parts = [f"The authors': {sizes.pop(AUTHORS)}."] if AUTHORS in sizes else []
    return " ".join([*parts, f"Made here: {'; '.join(sizes.values())}."] if sizes else parts)
