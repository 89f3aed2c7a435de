"""DNGO Fig 1: how long a suggestion takes."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Figure, Published, style
from core.report.suggestion_times import draw_times


def fig1(results: Results, published: Published | None) -> Figure:
    """DNGO Fig 1: seconds per suggestion against the number of observations, mean and standard deviation."""
    figure, (linear, logarithmic) = style.subplots(1, 2, width=7.2, height=3.0)
    labels = {"gp": "Gaussian process, input-warped", "dngo": "DNGO"}
    shown = draw_times((linear, logarithmic), results, labels)
    longest = shown.loc[shown["method"] == "gp", "observations"].max()
    linear.set_xlim(0, 2.5 * longest if longest > 0 else None)
    linear.set_ylabel("seconds of one core per suggestion")
    linear.set_title("(a) as in the paper")
    logarithmic.set(xscale="log", yscale="log", title="(b) logarithmic axes")
    for axes in (linear, logarithmic):
        axes.set_xlabel("observations")
    figure.legend(*logarithmic.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    caption = (
        "Hartmann6, uniform observations, one thread; mean and standard deviation. A suggestion fits the model and "
        "maximizes expected improvement integrated over sampled hyperparameters. A repetition ends with the first "
        "suggestion that takes longer than the scale allows."
    )
    return Figure(figure, caption, shown)
