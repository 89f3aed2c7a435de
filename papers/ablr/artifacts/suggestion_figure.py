"""Fig 1, right: how long a suggestion takes."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures.suggestion_times import times_figure
from papers.ablr.names import TIMES


def fig1_right(results: Results, published: Published | None) -> Figure:
    """Fig 1, right: seconds per suggestion against the number of evaluations, mean and standard deviation."""
    caption = (
        "Hartmann3, uniform evaluations of one task, one thread; mean and standard deviation. A suggestion fits the "
        "model and maximizes expected improvement. A repetition ends with the first suggestion that takes longer than "
        "the scale allows."
    )
    return times_figure(results, TIMES, "linear axes", "evaluations", caption)
