"""Results that hold tables by formula under the thesis' data sets, and made-up runs of optimizers on them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from core.report.statistics import comparisons
from core.tabular.frame import to_records
from core.tabular.grid import FCNET
from core.tabular.table import Table, synthetic_table
from papers.tabular import statistics
from papers.tabular.checks import searches
from papers.tabular.checks import tables as checks_of_tables
from papers.tabular.trained_tables import LABELS
from tests.papers.runs import Fake

GRID = FCNET.restricted(
    batch_size=(8, 16), n_units_1=(256, 512), n_units_2=(256, 512), dropout_1=(0.0, 0.3), dropout_2=(0.0, 0.3, 0.6)
)
SPLITS = {"protein": (27438, 9146, 9146), "naval": (7160, 2387, 2387)}


def results_of(*tables: Table) -> Fake:
    parts = [to_records(table).assign(benchmark=table.dataset, method="fcnet", run=0, status="ok") for table in tables]
    return Fake(grid=pd.concat(parts, ignore_index=True))


@pytest.fixture(scope="session")
def tables() -> dict[str, Table]:
    found = {}
    for seed, (name, sizes) in enumerate(SPLITS.items()):
        split = np.repeat(np.arange(3, dtype=np.uint8), sizes)
        found[name] = replace(synthetic_table(GRID, seed), dataset=name, split=split)
    return found


def runs_of(
    regrets: dict[str, list[float]], benchmarks=tuple(SPLITS), runs: int = 100, sd: float = 0.3
) -> pd.DataFrame:
    """Made-up trajectories: regrets after 0.1, 4, 25 and 100 s, log-normal over the runs and alike for all methods."""
    deviations = np.random.default_rng(0).permuted(np.tile(norm.ppf((np.arange(runs) + 0.5) / runs), (4, 1)), axis=1).T
    parts = []
    for benchmark, (method, steps) in product(benchmarks, regrets.items()):
        values = (np.array(steps) * np.exp(sd * deviations)).ravel()
        times = {"evaluation": np.tile([1, 20, 125, 500], runs), "finished": np.tile([0.1, 4.0, 25.0, 100.0], runs)}
        rows = {"run": np.repeat(range(runs), 4), **times, "regret": values, "loss": values}
        parts.append(pd.DataFrame(rows).assign(benchmark=benchmark, method=method))
    return pd.concat(parts, ignore_index=True).assign(status="ok", message="")


PUBLISHED_ORDER = {
    "random": [0.5, 0.1, 0.05, 0.02],
    "smac": [0.5, 0.1, 0.01, 0.004],
    "tpe": [0.5, 0.1, 0.004, 0.0008],
    "bohamiann": [0.5, 0.1, 0.005, 0.0006],
    "regularized_evolution": [0.5, 0.1, 0.05, 0.0004],
    "reinforce": [0.5, 0.1, 0.05, 0.02],
    "hyperband": [0.3, 0.03, 0.02, 0.0185],
    "bohb": [0.3, 0.02, 0.005, 0.002],
}
"""What the thesis says of the methods on protein, as regrets."""


@pytest.fixture(scope="module", autouse=True)  # undone before tests elsewhere, which may judge real runs
def fewer_resamples():
    """Whether a claim holds is far from chance in made-up runs, for which a few will do."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (comparisons, statistics, searches, checks_of_tables):
            patch.setattr(module, "RESAMPLES", 200)
        yield


@pytest.fixture(scope="session")
def results(tables) -> Fake:
    text = {"bohb_text": [1.3 * regret for regret in PUBLISHED_ORDER["bohb"]]}
    return Fake(**results_of(*tables.values()).frames, methods=runs_of(PUBLISHED_ORDER), methods_text=runs_of(text))


@pytest.fixture(scope="session")
def nothing() -> Fake:
    return Fake()


@pytest.fixture(scope="session")
def make_runs(tables):
    """Makes results of runs on all sets with the published order, some methods' regrets changed."""
    records = results_of(tables["protein"]).frames

    def make(runs: int = 200, **changed: list[float]) -> Fake:
        return Fake(**records, methods=runs_of(PUBLISHED_ORDER | changed, tuple(LABELS), runs))

    return make


@pytest.fixture(scope="session")
def make_results():
    """Makes results of tables."""
    return results_of
