"""Which benchmarks the optimization experiments of the paper and of Fig A.1 ran."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results

# The text names only three of Fig A.1's eight panels; these ten are the authors' own list.
FIGURE_A1 = [
    "branin",
    "hartmann3",
    "hartmann6",
    "camelback",
    "goldstein_price",
    "rosenbrock",
    "sin_one",
    "sin_two",
    "bohachevsky",
    "levy",
]
THESIS = ("synthetic", "synthetic_pybnn", "synthetic_nips")
"""The searches of Figs 3.3 and A.1; DNGO with a verdict is pybnn's, BOHAMIANN that of the thesis' code."""

HPOLIB = {
    "branin_full": ["branin"],
    "synthetic": ["hartmann6"],
    "hpolib_logistic": ["logistic_regression"],
    "hpolib": ["lda_on_grid", "svm_on_grid"],
}


def thesis_runs(results: Results) -> pd.DataFrame:
    """The runs on the thesis' functions that the artifact draws from; Fig A.1 has no NIPS variant."""
    return pd.concat([results.frame(name) for name in THESIS if name in results.experiments], ignore_index=True)


def hpolib_runs(results: Results) -> pd.DataFrame:
    """The runs of all five benchmarks; Branin's are those of Fig 1 left, Hartmann6's those of Fig A.1."""
    frames = []
    for experiment, benchmarks in HPOLIB.items():
        frame = results.frame(experiment)
        frames.append(frame[frame["benchmark"].isin(benchmarks)])
    return pd.concat(frames, ignore_index=True)
