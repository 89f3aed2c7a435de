"""The authors' own tables as records small enough to be shipped: the final validation errors of all configurations."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.tabular.authors import authors_table
from core.tabular.grid import FCNET
from core.tabular.synthetic import DATASET, synthetic_table
from core.tabular.table import Table
from papers.tabular.settings import AuthorsTable


def authors_tables(context: Context[AuthorsTable]) -> pd.DataFrame:
    """A "run" is one of the four trainings of every configuration.

    Returns:
        run, and valid_mse: the errors in the order of the grid's positions, rounded to so many significant bits that
        four tables take 2 MB.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    errors = _table(context.benchmark).valid_mse[:, -1]
    rows = [rounded(errors[:, run], context.settings.significant_bits) for run in context.runs]
    return pd.DataFrame({"run": list(context.runs), "valid_mse": rows})


def rounded(values: np.ndarray, bits: int) -> np.ndarray:
    """Numbers (n,) with so many significant bits, the first included: relative errors are at most 2^-bits."""
    mantissa, exponent = np.frexp(values.astype(np.float64))
    return np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits).astype(np.float32)


def _table(name: str) -> Table:
    return synthetic_table(FCNET, seed=0, epochs=(3,)) if name == DATASET else authors_table(name)
