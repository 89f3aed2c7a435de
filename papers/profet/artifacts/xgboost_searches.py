"""Thesis Figs 8.1 and E.2: two methods that tune XGBoost, on three data sets and on all."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures.panels import tuning_panels
from core.report.runs.frames import count_runs
from papers.profet.xgboost_runs import EXPERIMENT, LABELS, METHODS, UNLUCKY, both_ran


def fig8_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 8.1: Boston housing, power plant and concrete."""
    return _panels(results, UNLUCKY)


def figE_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig E.2: all sets that both methods have tuned."""
    return _panels(results, tuple(LABELS))


def _panels(results: Results, names: tuple[str, ...]) -> Figure:
    frame = frame_of(results, EXPERIMENT)
    frame = frame[frame["method"].isin(METHODS) & frame["benchmark"].isin(both_ran(frame))]
    caption = (
        "Root mean squared validation error of the best configuration of XGBoost found so far, in the units of the "
        f"targets: mean and standard error over {count_runs(frame)}."
    )
    return tuning_panels(frame, LABELS, names, METHODS, caption)
