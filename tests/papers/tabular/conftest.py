"""Results that hold tables by formula under the thesis' data sets."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.tabular.grid import FCNET
from core.tabular.records import to_records
from core.tabular.synthetic import synthetic_table
from core.tabular.table import Table

GRID = FCNET.restricted(
    batch_size=(8, 16), n_units_1=(256, 512), n_units_2=(256, 512), dropout_1=(0.0, 0.3), dropout_2=(0.0, 0.3, 0.6)
)
SPLITS = {"protein": (27438, 9146, 9146), "naval": (7160, 2387, 2387)}


class Fake:
    """Results with the given frame of the experiment `grid`."""

    reduced = True

    def __init__(self, frame: pd.DataFrame) -> None:
        self.records = frame

    def frame(self, experiment: str) -> pd.DataFrame:
        assert experiment == "grid"
        return self.records


def results_of(*tables: Table) -> Fake:
    parts = [to_records(table).assign(benchmark=table.dataset, method="fcnet", run=0, status="ok") for table in tables]
    return Fake(pd.concat(parts, ignore_index=True))


@pytest.fixture(scope="session")
def tables() -> dict[str, Table]:
    found = {}
    for seed, (name, sizes) in enumerate(SPLITS.items()):
        split = np.repeat(np.arange(3, dtype=np.uint8), sizes)
        found[name] = replace(synthetic_table(GRID, seed), dataset=name, split=split)
    return found


@pytest.fixture(scope="session")
def results(tables) -> Fake:
    return results_of(*tables.values())


@pytest.fixture(scope="session")
def nothing() -> Fake:
    return Fake(pd.DataFrame(columns=["benchmark", "method", "run", "status", "message"]))


@pytest.fixture(scope="session")
def make_results():
    """Makes results of tables."""
    return results_of
