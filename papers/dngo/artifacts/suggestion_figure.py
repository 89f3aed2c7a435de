"""DNGO Fig 1: how long a suggestion takes."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures.suggestion_times import times_figure

LABELS = {"gp": "Gaussian process, input-warped", "dngo": "DNGO"}


def fig1(results: Results, published: Published | None) -> Figure:
    """DNGO Fig 1: seconds per suggestion against the number of observations, mean and standard deviation."""
    caption = (
        "Hartmann6, uniform observations, one thread; mean and standard deviation. A suggestion fits the model and "
        "maximizes expected improvement integrated over sampled hyperparameters. A repetition ends with the first "
        "suggestion that takes longer than the scale allows."
    )
    return times_figure(results, LABELS, "as in the paper", "observations", caption)
