"""What searches recorded: on generated tasks and Forrester functions, by class of tasks, and those that tune XGBoost.

The latter are those of thesis Figs 3.4 and A.2, of which chapter 8 shows two methods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import NotRunError, frame_of
from core.report.runs.frames import methods_run, once
from core.report.statistics.comparisons import Runs, first_hits, task_runs
from core.report.style import data_set_names

METHODS = ("random", "differential_evolution", "tpe", "rf", "bohamiann", "cmaes", "gp")
"""In the order of Table E.4; a random forest stands in for SMAC."""

CLASSES = {
    "svm": "Meta-SVM",
    "svm_noisy": "Meta-SVM, noise",
    "fcnet": "Meta-FCNet",
    "fcnet_noisy": "Meta-FCNet, noise",
    "xgboost": "Meta-XGBoost",
    "xgboost_noisy": "Meta-XGBoost, noise",
}
"""The benchmarks of Table E.4."""

MEANING = (
    "Targets are the noise-free values of a task on the Sobol grid, the incumbent is the configuration with the "
    "smallest value observed so far, and a random forest (RF-BO) stands in for SMAC."
)
"""What captions say of targets, incumbents and methods."""

SCENARIOS = {
    "forrester_real": "many real tasks",
    "forrester_few": "nine real tasks",
    "forrester_generated": "generated tasks",
}
"""The panels of Fig 8.4."""


def experiment_of(benchmark: str) -> str:
    """The experiment that searched on a benchmark's tasks."""
    if benchmark in SCENARIOS:
        return "forrester_few" if benchmark == "forrester_few" else "forrester"
    return f"search_{benchmark if benchmark == 'svm_noisy' else benchmark.partition('_')[0]}"


def class_runs(results: Results, benchmark: str, value: str) -> Runs:
    """A value of every method that was run, by method (tasks, runs, n): `loss` of the incumbents, or targets `solved`.

    The records have the targets that each incumbent reaches; a run has solved those that one before has reached, too.

    Raises:
        NotRunError: fewer than two methods were.
    """
    return _runs_of(frame_of(results, experiment_of(benchmark)), benchmark, value)


@once
def _runs_of(frame: pd.DataFrame, benchmark: str, value: str) -> Runs:
    present = [method for method in METHODS if method in methods_run(frame, benchmark)]
    if len(present) < 2:
        raise NotRunError(benchmark)
    runs = task_runs(
        frame, benchmark, present, value, int(frame.loc[frame["benchmark"] == benchmark, "evaluation"].max())
    )
    return first_hits(runs) if value == "solved" else runs


def group_size(results: Results) -> int:
    """Number of runs behind a sample: as many as each of the many real tasks has."""
    try:
        return next(iter(class_runs(results, "forrester_real", "loss").values())).shape[1]
    except NotRunError:
        return 2  # of the quick scale's; the thesis averages 20


def samples_of_tests(results: Results, scenario: str) -> dict[str, np.ndarray]:
    """Mean final losses of groups of runs on the same task, by method (tasks x groups,)."""
    size, means = group_size(results), {}
    for method, values in class_runs(results, scenario, "loss").items():
        whole = values.shape[1] // size * size
        means[method] = values[:, :whole, -1].reshape(len(values), -1, size).mean(-1).ravel()
    return means


def protocol(losses: Runs) -> str:
    """How many tasks, runs and evaluations there are, in words."""
    tasks, runs, evaluations = next(iter(losses.values())).shape
    return f"{tasks} tasks, {runs} runs of {evaluations} evaluations on each"


def protocols(classes: Mapping[str, Runs]) -> str:
    """The same of several classes of tasks, that of most classes last."""
    words = {name: protocol(losses) for name, losses in classes.items()}
    (most, _), *rest = Counter(words.values()).most_common()
    apart = [f"{CLASSES[name]}: {text}" for name, text in words.items() if text != most]
    return "; ".join([*apart, f"the others: {most}"]) if rest else most


TUNING = "bohamiann/xgboost"
TUNERS = ("random", "gp")
SETS = data_set_names(
    (
        "boston",
        "power_plant",
        "concrete",
        "energy",
        "naval",
        "parkinsons",
        "protein",
        "wine_red",
        "yacht",
        "slice_localization",
    )
)
"""The regression sets that XGBoost is tuned on."""
UNLUCKY = ("boston", "power_plant", "concrete")
"""Those of Fig 8.1, by the text of E.2."""


def both_ran(frame: pd.DataFrame) -> list[str]:
    """The sets on which both methods were run."""
    ran = frame.groupby("benchmark")["method"].agg(set)
    return [name for name in SETS if name in ran.index and set(TUNERS) <= ran[name]]
