"""Made-up tables in place of the authors', and what the experiments record of them."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.experiment.selection import find_cells
from core.tabular.grid import FCNET
from core.tabular.table import Table
from papers.tabular.experiments import authors, authors_analysis
from papers.tabular.table_statistics import Resampled
from tests.papers.functions import CATALOGUE


def made_up(name: str, mean: np.ndarray, noise: float = 0.001) -> Table:
    """A table with these errors (62,208,), in four repetitions with little noise."""
    factors = np.exp(noise * np.random.default_rng(0).standard_normal((FCNET.size, 4)))
    return Table(name, "made up", FCNET, (100,), valid_mse=np.float32(mean[:, None] * factors)[:, None])


def recorded(*experiments: str, **tables: Table) -> dict[str, pd.DataFrame]:
    """Records of these experiments, by name, if the authors' tables were these."""
    return {name: _frame(name, tables) for name in experiments}


def recorded_statistics(*statistics: Resampled, **tables: Table) -> dict[str, pd.DataFrame]:
    """The same of the experiment `authors_statistics`, with these statistics alone."""
    with patch.object(authors_analysis, "OF_VALIDATION_ERRORS", statistics):
        return recorded("authors_statistics", **tables)


def _frame(experiment: str, tables: dict[str, Table]) -> pd.DataFrame:
    module = authors if hasattr(authors, experiment) else authors_analysis
    of_all = experiment == "authors_pairs"
    frames = []
    for name in ["all"] if of_all else list(tables):
        (cell,) = find_cells(CATALOGUE, f"tabular/{experiment}/{name}", "paper")
        with (
            patch.object(module, "table_of_authors", lambda context, name, seed=0: tables[name]),
            patch.object(authors_analysis, "TABLES", tables),
        ):
            frame = getattr(module, experiment)(Context(cell, range(cell.runs)))
        frames.append(frame.assign(benchmark=name, method="fcnet", status="ok", message=""))
    return pd.concat(frames).sample(frac=1, random_state=0, ignore_index=True)
