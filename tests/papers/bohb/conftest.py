"""Runs at the smoke scale, made once."""

from __future__ import annotations

import pandas as pd
import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.runner import run_cell
from core.experiment.storage import read_records
from papers.bohb import experiments


@pytest.fixture(scope="session")
def smoke(tmp_path_factory):
    """Runs a cell of the smoke scale and returns its records."""
    root, catalogue, made = tmp_path_factory.mktemp("bohb"), Catalogue(), {}

    def run(name: str) -> pd.DataFrame:
        if name not in made:
            (cell,) = catalogue.find_cells(f"bohb/{name}", "smoke")
            path = run_cell(cell, getattr(experiments, cell.function), root, say=lambda text: None)
            made[name] = read_records(path)[0].assign(benchmark=cell.benchmark, method=cell.method)
        return made[name]

    run("collect/digits/fcnet")
    return run
