"""Which benchmarks the optimization experiments of the paper and of Fig A.1 ran."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report.runs.memo import once

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
    "branin": ("branin_full",),
    "hartmann6": ("hartmann6_nips", "synthetic"),
    "logistic_regression_on_grid": ("hpolib",),
    "lda_on_grid": ("hpolib",),
    "svm_on_grid": ("hpolib",),
}
"""The five HPOLib benchmarks and the experiments that ran them."""


@once
def thesis_runs(results: Results) -> pd.DataFrame:
    """The runs on the thesis' functions that the artifact draws from; Fig A.1 has no NIPS variant."""
    return pd.concat([results.frame(name) for name in THESIS if name in results.experiments], ignore_index=True)


@once
def hpolib_runs(results: Results) -> pd.DataFrame:
    """The runs of all five benchmarks: Branin's are those of Fig 1 left, Hartmann6's but BOHAMIANN's those of Fig A.1.

    Fig A.1 is the thesis', whose BOHAMIANN has another start and prior than that of the NIPS paper.
    """
    frames = []
    for benchmark, experiments in HPOLIB.items():
        for experiment in experiments:
            frame = results.frame(experiment)
            frame = frame[frame["benchmark"] == benchmark]
            frames.append(frame[~frame["method"].str.startswith("bohamiann")] if experiment == "synthetic" else frame)
    return pd.concat(frames, ignore_index=True)
