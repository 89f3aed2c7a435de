"""Fig 1, right: how long a suggestion takes."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Figure, Published, style
from core.report.suggestion_times import draw_times
from papers.ablr.names import TIMES


def fig1_right(results: Results, published: Published | None) -> Figure:
    """Fig 1, right: seconds per suggestion against the number of evaluations, mean and standard deviation."""
    figure, (linear, logarithmic) = style.subplots(1, 2, width=7.2, height=3.0)
    shown = draw_times((linear, logarithmic), results, TIMES)
    longest = shown.loc[shown["method"] == "gp", "observations"].max()
    linear.set_xlim(0, 2.5 * longest if longest > 0 else None)
    linear.set_ylabel("seconds of one core per suggestion")
    linear.set_title("(a) linear axes")
    logarithmic.set(xscale="log", yscale="log", title="(b) logarithmic axes")
    for axes in (linear, logarithmic):
        axes.set_xlabel("evaluations")
    style.legend(figure, [logarithmic], 3)
    caption = (
        "Hartmann3, uniform evaluations of one task, one thread; mean and standard deviation. A suggestion fits the "
        "model and maximizes expected improvement. A repetition ends with the first suggestion that takes longer than "
        "the scale allows."
    )
    return Figure(figure, caption, shown)
