"""What the rules of the authors' code change that the texts lack, on the tables: our figure."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures.charts import draw_effects, effect
from core.report.style import label as method_label
from papers.tabular.claims.pairs_of_methods import END, probability
from papers.tabular.comparison_runs import benchmarks_of
from papers.tabular.trained_tables import label

METHODS = ("tpe", "hyperband", "bohb")


def code_rules(results: Results, published: Published | None) -> Figure:
    """The probability that a run by the authors' code ends below one by the text, by method and set."""
    frame = frame_of(results, "methods", "methods_text")
    ran = set(zip(frame["benchmark"], frame["method"], strict=True))
    rows = []
    for method in METHODS:
        for name in benchmarks_of(frame):
            if {(name, method), (name, f"{method}_text")} <= ran:
                interval, _ = probability(frame, method, f"{method}_text", END, name)
                rows.append(effect(method_label(method), label(name), interval, benchmark=name))
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
