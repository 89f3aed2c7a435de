"""Searches for C and gamma: on the surrogate of the grid (section 4.5.1), and with live training (4.5.2)."""

from __future__ import annotations

import pandas as pd

from core.experiment.context import Context
from core.experiment.image_tasks import Once
from core.experiment.timed_search import timed_search
from core.objectives import objective
from core.objectives.svm import SVM, svm, svm_mnist
from papers.fabolas.settings import LiveSearch, TimedSearch


def surrogate_search(context: Context[TimedSearch]) -> pd.DataFrame:
    """Errors of the incumbents on a surrogate, which are its predictions for all of the data; see `timed_search`.

    Besides its columns: `regret`, the error above the surrogate's `optimum`, and that.

    Hyperband's incumbent is the best on all of the data, as in 4.5.
    """
    surrogate = objective(context.benchmark)
    rows = timed_search(context, surrogate, surrogate.errors, on_all=True)
    return rows.assign(regret=rows["error"] - surrogate.optimum, optimum=surrogate.optimum)


def live_search(context: Context[LiveSearch]) -> pd.DataFrame:
    """Test errors of the incumbents, trained on all of the data after the search; see `timed_search`.

    Besides its columns: `points`, the number of training points.
    """
    benchmark = live_benchmark(context.benchmark, context.settings)
    errors = Once(lambda configuration: benchmark.test_errors([configuration])[0])
    return timed_search(context, benchmark, errors, on_all=True).assign(points=len(benchmark.train[1]))


def live_benchmark(name: str, settings: LiveSearch) -> SVM:
    """The benchmark on MNIST, or on another set of the catalogue, of the size that the settings say."""
    if name == "mnist":
        return svm_mnist(settings.train_points, settings.validation_points, settings.smallest_share)
    return svm(name, settings.smallest_share, settings.most_points)
