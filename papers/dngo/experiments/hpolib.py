"""Table 1: optimizers on HPOlib's benchmarks."""

from __future__ import annotations

import pandas as pd

from core.experiment.context import Context
from core.experiment.optimization import optimize
from core.objectives import objective
from papers.dngo.settings import HPOlib


def hpolib(context: Context[HPOlib]) -> pd.DataFrame:
    """Table 1: an optimizer on one of HPOlib's benchmarks; rows as `core.experiment.optimization.optimize`."""
    return optimize(context, objective(context.benchmark))
