"""Figures of BOHB's own settings on the surrogates, one curve per value."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from papers.bohb.artifacts.curves import DEFAULTS, curves_of, draw
from papers.bohb.artifacts.panels import BUDGET, data_set_panels, missing_sets, runs_of
from papers.bohb.artifacts.surrogate_figures import PRINTED_TIMES, mark_printed_times
from papers.bohb.names import ETAS, FACTORS, RANDOM_FRACTIONS, SAMPLES, WORKERS


def figC_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.3: BOHB on 1 to 32 workers."""
    frame = frame_of(results, "workers")

    def draw_one(axes: Axes, rows: pd.DataFrame, name: str) -> pd.DataFrame:
        drawn = draw(axes, curves_of(rows, name, WORKERS))
        mark_printed_times(axes, name)
        return drawn

    figure, drawn = data_set_panels(frame, draw_one)
    caption = (
        f"BOHB on 1 to 32 workers, on the simulated clock: mean and standard error of the regret over {runs_of(frame)}."
        f"{missing_sets(frame)} {BUDGET}. {PRINTED_TIMES}"
    )
    return Figure(figure, caption, drawn)


def figC_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.4: numbers of samples."""
    return _ratios(results, "samples", SAMPLES, "BOHB with 4 to 256 samples of the good density per proposal")


def figC_5(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.5: random fractions."""
    return _ratios(results, "random_fraction", RANDOM_FRACTIONS, "BOHB with different random fractions")


def figC_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.6: values of eta."""
    return _ratios(results, "eta", ETAS, "BOHB with different eta")


def figC_7(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.7: bandwidth factors."""
    return _ratios(results, "bandwidth_factor", FACTORS, "BOHB with different bandwidth factors")


def _ratios(results: Results, experiment: str, methods: list[str], what: str) -> Figure:
    """The curves over that of the default, from which most of them cannot be told apart as they are."""
    frame = frame_of(results, experiment)
    (default,) = set(methods) & set(DEFAULTS)
    figure, drawn = data_set_panels(
        frame, lambda axes, rows, name: _draw_ratios(axes, rows, name, methods, default), "regret / default's"
    )
    caption = (
        f"{what}: mean regret over {runs_of(frame)}, with its standard error, over the mean regret of the default at "
        f"the same time.{missing_sets(frame)} {BUDGET}. The thesis draws the regrets themselves, which are in the data."
    )
    return Figure(figure, caption, drawn)


def _draw_ratios(axes: Axes, frame: pd.DataFrame, name: str, methods: list[str], default: str) -> pd.DataFrame:
    """Draw the curves over the default's; returns the curves, with their `ratio`."""
    curves = curves_of(frame, name, methods)
    reference = curves[curves["method"] == default].set_index("time")["value"].reindex(curves["time"]).to_numpy()
    shown = curves.assign(**{column: curves[column] / reference for column in ("value", "low", "high")}).dropna()
    draw(axes, shown)
    return curves.assign(ratio=curves["value"] / reference)
