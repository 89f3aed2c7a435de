"""The bootstrap over the repetitions of a table."""

from __future__ import annotations

import pytest
from scipy import stats

from core.tabular.grid import FCNET
from core.tabular.synthetic import synthetic_table
from papers.tabular.repetitions import over_repetitions

GRID = FCNET.restricted(init_lr=(0.005,), batch_size=(8,), activation_fn_1=("tanh",), n_units_1=(16,), n_units_2=(16,))


def test_all_resamples_of_four_repetitions_give_students_interval_of_a_mean():
    table = synthetic_table(GRID, seed=0)
    values = table.seconds[0].astype(float)
    found = over_repetitions(table, lambda resampled: float(resampled.seconds[0].astype(float).mean())).interval()
    assert found == pytest.approx((values.mean(), *stats.t.interval(0.95, 3, values.mean(), stats.sem(values))))
