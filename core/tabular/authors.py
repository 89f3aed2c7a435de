"""The authors' own tables (Klein and Hutter 2019): all 62,208 configurations, final validation errors only.

    benchmark = TabularBenchmark(authors_table("protein"))     # a drawn repetition, as in thesis 7.4
    TabularBenchmark(authors_table("protein"), averaged=True)  # the average of the four, without noise

Times, learning curves, test and training errors are not among what was published in this form: an evaluation costs 1,
and regrets are measured on the validation set.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from core.data import CorruptDataError, load_frame
from core.foundation.errors import UnknownNameError
from core.tabular.grid import FCNET
from core.tabular.table import Table
from core.tabular.values import VALUES

TABLES = {
    "protein": "authors_fcnet_protein_structure",
    "slice_localization": "authors_fcnet_slice_localization",
    "naval": "authors_fcnet_naval_propulsion",
    "parkinsons": "authors_fcnet_parkinsons_telemonitoring",
}
"""The catalogue's names of the tables, by those of their data sets."""
REPETITIONS = 4


@lru_cache(maxsize=4)
def authors_table(dataset: str, download: bool = True) -> Table:
    """The table of one data set.

    Args:
        dataset: Name of the data set, a key of `TABLES`.
        download: Whether the table is downloaded if no folder has it.

    Raises:
        UnknownNameError: no table has that name.
        DataUnavailableError: it is in none of the catalogue's places.
        CorruptDataError: a configuration that Table 7.2 does not have, or one that is missing.
    """
    if dataset not in TABLES:
        raise UnknownNameError("authors' table", dataset, TABLES)
    frame = load_frame(TABLES[dataset], download=download)
    errors = frame[[f"valid_mse_{number}" for number in range(REPETITIONS)]].to_numpy(np.float32)
    ordered = np.empty_like(errors)
    ordered[_positions(TABLES[dataset], frame)] = errors
    return Table(dataset, "the authors' table", FCNET, (100,), valid_mse=ordered[:, None])


def _positions(name: str, frame: pd.DataFrame) -> np.ndarray:
    """The position of each row's configuration in the whole grid."""
    levels = [pd.Index(values).get_indexer(frame[column]) for column, values in VALUES.items()]
    positions = np.ravel_multi_index(levels, FCNET.shape) if min(map(np.min, levels)) >= 0 else np.array([])
    if len(np.unique(positions)) != FCNET.size:
        raise CorruptDataError(f"{name}: not every configuration of Table 7.2 once")
    return positions
