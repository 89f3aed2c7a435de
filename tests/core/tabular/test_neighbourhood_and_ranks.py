"""Neighbours of the best configuration, and rank correlations."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import spearmanr

from core.foundation.errors import UserError
from core.tabular.analysis import budget_correlations, dataset_correlations, spearman
from core.tabular.grid import FCNET
from core.tabular.table import local_neighbourhood, neighbours, synthetic_table
from core.tabular.values import CATEGORICAL

SAMPLES = st.integers(2, 12).flatmap(lambda n: arrays(float, (2, n), elements=st.integers(0, 5).map(float)))


@settings(deadline=None)
@given(st.integers(0, FCNET.size - 1))
def test_neighbours_differ_in_one_hyperparameter_by_one_step(position):
    start = FCNET.levels([position])[0]
    found = neighbours(FCNET, position)
    steps = FCNET.levels(found) - start
    assert ((steps != 0).sum(axis=1) == 1).all() and (abs(steps).max(axis=1) == 1).all()
    assert (
        len(set(found))
        == len(found)
        == sum(
            1 if name in CATEGORICAL or level in (0, size - 1) else 2
            for name, level, size in zip(FCNET.values, start, FCNET.shape)
        )
    )
    assert all(position in neighbours(FCNET, other) for other in found)


def test_the_neighbourhood_of_the_best(table):
    frame = local_neighbourhood(table)
    best = table.best_configuration
    assert frame["relative_change"].is_monotonic_increasing and (frame["relative_change"] >= 0).all()
    for row in frame.itertuples():
        moved = best | {row.hyperparameter: row.after}
        (position,) = table.grid.positions([moved])
        assert best[row.hyperparameter] == row.before != row.after
        assert row.test_mse == table.mean_test[position]
        repetitions = [getattr(row, f"test_mse_{i}") for i in range(4)]
        assert np.isinf(row.test_mse) or np.mean(repetitions) == pytest.approx(row.test_mse)
        assert row.relative_change == pytest.approx(row.test_mse / table.mean_test.min() - 1)
    assert len(frame) == len(neighbours(table.grid, table.best))


@settings(deadline=None)
@given(SAMPLES)
def test_correlations_equal_scipys(samples):
    first, second = samples
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        assert np.isnan(spearman(first, second))
    else:
        assert spearman(first, second) == pytest.approx(spearmanr(first, second).statistic)


def test_diverged_trainings_tie_at_the_worst():
    assert spearman(np.array([1, 2, np.inf, np.inf]), np.array([1, 2, 3, 3.0])) == pytest.approx(1)


def test_correlations_across_budgets(table):
    frame = budget_correlations(table)
    assert sorted(frame["share"].unique()) == [0.01, 0.1, 0.2, 0.5, 1.0]
    assert frame.groupby("share")["configurations"].first().tolist() == [3, 29, 58, 144, 288]
    full = frame[frame["epoch"] == 100]
    assert full["correlation"].to_numpy() == pytest.approx(1)
    everything = frame[frame["share"] == 1.0].set_index("epoch")["correlation"]
    assert everything[3] < everything[33] < 1 and len(everything) == 100
    final, early = (table.mean_valid[:, i] for i in (3, 0))
    assert everything[3] == pytest.approx(spearmanr(early, final).statistic)


def test_without_curves_only_the_stored_epochs(table):
    frame = budget_correlations(replace(table, curves=None), shares=(1.0,))
    assert frame["epoch"].tolist() == [3, 11, 33, 100]


def test_correlations_across_data_sets(table):
    """The second set has more configurations: only the common ones count."""
    other = replace(synthetic_table(FCNET.restricted(**{**table.grid.values, "dropout_2": (0.0, 0.3)}), 3), dataset="b")
    frame = dataset_correlations([table, other])
    assert len(frame) == 3 * 2 * 2 and set(frame["configurations"]) == {3, 29, 288}
    same = frame[frame["first"] == frame["second"]]
    assert same["correlation"].to_numpy() == pytest.approx(1)
    whole = frame[(frame["share"] == 1.0) & (frame["first"] != frame["second"])]["correlation"]
    assert whole.nunique() == 1 and whole.iloc[0] > 0.9
    common = other.grid.positions_of(table.grid.indices)
    assert whole.iloc[0] == pytest.approx(spearmanr(table.mean_test, other.mean_test[common]).statistic)


def test_tables_without_a_common_configuration_are_refused(table):
    other = replace(synthetic_table(FCNET.restricted(**{**table.grid.values, "dropout_2": (0.0,)}), 3), dataset="b")
    with pytest.raises(UserError, match="tables of synthetic, b: no configuration in common"):
        dataset_correlations([table, other])
