"""The architectures that the searches of section 3.1.1 found, and fresh runs of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import rows_of

SEARCHED = ("layers_1", "layers_2", "layers_3", "layers_4")


def confirmed(results: Results, method: str) -> np.ndarray:
    """Relative losses of the fresh runs of one depth, averaged over functions: (seeds,).

    Raises:
        NotRunError: the cell has no rows.
    """
    rows = rows_of(results, "architecture", method=method, part="confirmation")
    return rows.groupby(["run", "seed"])["loss"].mean().to_numpy()


def best_architecture(results: Results, method: str) -> pd.Series:
    """The architecture that was confirmed: the columns that its number of layers has."""
    rows = rows_of(results, "architecture", method=method, part="confirmation")
    columns = [name for name in rows if name.startswith(("width", "dropout", "decay", "learning_rate", "momentum"))]
    return rows.iloc[0][columns].dropna().astype(float)


def values_of(architecture: pd.Series, kind: str) -> np.ndarray:
    """The architecture's widths, dropouts or decays, in the order of the layers."""
    return architecture[sorted(name for name in architecture.index if name.startswith(kind))].to_numpy()
