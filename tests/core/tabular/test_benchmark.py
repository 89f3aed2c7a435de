"""Lookups: losses, costs, budgets, and what the optimizer is not told."""

from dataclasses import replace

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.objectives.base import FAILURE, LEARNING_CURVE
from core.objectives.guard import guarded_evaluate
from core.optimizers.hyperband import Hyperband
from core.optimizers.random_search import RandomSearch
from core.optimizers.settings import HyperbandSettings
from core.study import simulate
from core.tabular.benchmark import TabularBenchmark


@pytest.fixture
def benchmark_(table) -> TabularBenchmark:
    return TabularBenchmark(table)


def test_each_lookup_is_of_one_repetition_drawn_at_random(benchmark_, table):
    configuration = table.grid.configurations([5])
    found = benchmark_.evaluate(configuration * 4000, 100, np.random.default_rng(0))
    pairs, counts = np.unique(np.stack([found.loss, found.cost]), axis=1, return_counts=True)
    expected = np.stack([table.valid_mse[5, -1], table.seconds[5]]).astype(float)
    np.testing.assert_array_equal(pairs, expected[:, np.argsort(expected[0])])
    assert (abs(counts - 1000) < 5 * np.sqrt(750)).all()  # binomial, five standard deviations


@pytest.mark.parametrize(("budget", "epoch"), [(100 / 27, 3), (100 / 9, 11), (100 / 3, 33), (100, 100), (None, 100)])
def test_budgets_are_truncated_to_epochs_and_cost_their_share(benchmark_, table, budget, epoch):
    loss, cost = benchmark_.look_up(np.arange(table.grid.size), budget, np.random.default_rng(3))
    drawn = np.random.default_rng(3).integers(4, size=table.grid.size)
    rows = np.arange(table.grid.size)
    np.testing.assert_array_equal(loss, table.valid_mse[rows, table.epochs.index(epoch), drawn])
    np.testing.assert_allclose(cost, table.seconds[rows, drawn] * epoch / 100, rtol=1e-6)


def test_a_budget_that_lost_its_last_digit_is_still_whole(benchmark_, table):
    exact, _ = benchmark_.look_up(np.arange(9), 33, np.random.default_rng(0))
    below, _ = benchmark_.look_up(np.arange(9), 33 - 1e-14, np.random.default_rng(0))
    np.testing.assert_array_equal(exact, below)


def test_budgets_between_need_the_curves(benchmark_, table):
    assert benchmark_.fidelity.minimum == 1
    assert np.isfinite(benchmark_.look_up([0], 50, np.random.default_rng(0))[0]).all()
    bare = TabularBenchmark(replace(table, curves=None))
    assert bare.fidelity.minimum == 3
    with pytest.raises(UserError, match="epoch 50 is not stored; allowed: 3, 11, 33, 100"):
        bare.look_up([0], 50, np.random.default_rng(0))
    with pytest.raises(UserError, match="budget 2; allowed: epochs from 3"):
        bare.look_up([0], 2, np.random.default_rng(0))


def test_info_has_the_average_test_error_after_all_epochs(benchmark_, table):
    configurations = table.grid.configurations([3, 1])
    info = benchmark_.evaluate(configurations, 3, np.random.default_rng(0)).info
    assert [entry["test_error"] for entry in info] == table.mean_test[[3, 1]].tolist()
    assert [entry["position"] for entry in info] == [3, 1]
    assert min(table.mean_test) == benchmark_.final_optimum <= table.mean_test[3]


def test_a_configuration_off_the_grid_is_refused(benchmark_, table):
    configuration = table.grid.configurations([0])[0] | {"batch_size": 16}
    with pytest.raises(UserError, match="batch_size = 16; allowed: 8, 64"):
        benchmark_.evaluate([configuration], 100, np.random.default_rng(0))


def test_a_diverged_training_is_a_failed_evaluation_with_the_worst_loss(benchmark_, table):
    (position, *_) = np.flatnonzero(np.isnan(table.valid_mse[:, -1, 0]))
    configuration = table.grid.configurations([position])
    found = guarded_evaluate(benchmark_, configuration * 50, 100, np.random.default_rng(0))
    assert 0 < found.failed.sum() < 50
    assert (found.loss[found.failed] == benchmark_.worst_loss).all() and benchmark_.worst_loss == np.nanmax(
        table.valid_mse
    )
    assert all("loss is nan" in entry[FAILURE] for entry in found.info if FAILURE in entry)


def test_optimizers_run_on_a_table(benchmark_):
    records = simulate(
        RandomSearch(benchmark_.space, np.random.default_rng(0)),
        benchmark_,
        1,
        np.random.default_rng(1),
        evaluations=20,
    )
    assert len(records) == 20 and records[-1].finished == pytest.approx(sum(record.cost for record in records))
    hyperband = Hyperband(
        benchmark_.space,
        np.random.default_rng(0),
        minimum_budget=3,
        maximum_budget=100,
        settings=HyperbandSettings(eta=3, brackets=2),
    )
    records = simulate(hyperband, benchmark_, 1, np.random.default_rng(1))
    assert {round(record.budget, 3) for record in records} == {3.704, 11.111, 33.333, 100}


@pytest.mark.parametrize(("budget", "epoch"), [(100 / 27, 3), (50, 50), (None, 100)])
def test_learning_curves_are_those_of_the_repetitions_drawn(table, budget, epoch):
    positions = np.arange(0, table.grid.size, 7)
    configurations = table.grid.configurations(positions)
    plain = TabularBenchmark(table).evaluate(configurations, budget, np.random.default_rng(3))
    told = TabularBenchmark(table, learning_curves=True).evaluate(configurations, budget, np.random.default_rng(3))
    np.testing.assert_array_equal(told.loss, plain.loss)
    np.testing.assert_array_equal(told.cost, plain.cost)
    drawn = np.random.default_rng(3).integers(4, size=len(positions))
    curves = np.stack([info[LEARNING_CURVE] for info in told.info])
    assert curves.shape == (len(positions), epoch) and LEARNING_CURVE not in plain.info[0]
    np.testing.assert_array_equal(curves[:, -1], told.loss)
    stored = table.curves[positions, drawn, : epoch - 1].astype(float) ** 2
    np.testing.assert_allclose(curves[:, :-1], stored, rtol=1e-6)


def test_a_table_without_curves_cannot_tell_them(table):
    with pytest.raises(UserError, match="learning curves are not stored; allowed: learning_curves = False"):
        TabularBenchmark(replace(table, curves=None), learning_curves=True)
