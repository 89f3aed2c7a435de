"""Thesis Fig 6.3: all methods on the surrogate of support vector machines."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures import style
from core.report.figures.error_curves import draw_authors, draw_errors
from core.report.runs.frames import count_runs
from core.report.runs.time_curves import continued
from papers.bohb.names import SVM_METHODS
from papers.bohb.svm_runs import svm_runs


def fig6_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.3: ours, and the authors' own runs of three of the methods."""
    frame = svm_runs(results)
    figure, panels = style.subplots(1, 2, width=7.2, height=3.4, sharex=True, sharey=True)
    panels[0].set_title("our runs")
    ours = draw_errors(panels[0], continued(frame), frame["benchmark"].iloc[0], SVM_METHODS, bands=True)
    panels[0].set(xlabel="seconds", ylabel="validation error of the incumbent")
    theirs = draw_authors(panels[1], SVM_METHODS)
    style.legend(figure, panels, 6)
    caption = (
        "Mean and standard error of the error that the incumbents reach with all training points, over "
        f"{count_runs(frame)}. An incumbent may have been evaluated on any share of the data, and is kept when a run "
        f"has ended. The smallest error of the surrogate, the authors', is {frame['optimum'].iloc[0]:.4f}. Dashed: the "
        "authors' runs, with other training times, of MTBO and Fabolas with their logarithms (see papers/fabolas)."
    )
    return Figure(figure, caption, pd.concat([ours, theirs], ignore_index=True))
