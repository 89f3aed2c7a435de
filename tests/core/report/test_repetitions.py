"""The bootstrap over the repetitions of a table."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.report.repetitions import of_table, over_repetitions
from core.tabular.grid import FCNET
from core.tabular.synthetic import synthetic_table

GRID = FCNET.restricted(init_lr=(0.005,), batch_size=(8,), activation_fn_1=("tanh",), n_units_1=(16,), n_units_2=(16,))


def test_the_bootstrap_over_repetitions_is_exact():
    table = synthetic_table(GRID, seed=0)
    values = table.seconds[0].astype(float)
    found = over_repetitions(table, lambda resampled: float(resampled.seconds[0].astype(float).mean()))
    means = np.array([values[list(picks)].mean() for picks in product(range(4), repeat=4)])
    assert found.estimate == pytest.approx(values.mean())
    assert found.low == pytest.approx(np.quantile(means, 0.025, method="lower"))
    assert found.high == pytest.approx(np.quantile(means, 0.975, method="higher"))
    check = of_table(table, lambda resampled: float(resampled.seconds[0].astype(float).mean()), "long", lower=0.0)
    assert (check.holds, check.ours, check.low, check.high) == ("holds", *found)
