"""Steps of incumbents on a table."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.experiment.search import Searches, on_table
from core.optimizers.random_search import RandomSearch
from core.study import simulate
from core.study.curves import at_times, value_of_incumbent
from core.study.record import Record
from core.tabular.benchmark import POSITION, TabularBenchmark


@pytest.fixture(scope="module")
def benchmark_(table) -> TabularBenchmark:
    return TabularBenchmark(table)


def of_records(benchmark, records):
    return on_table(Searches("random", benchmark, range(1), [records]))


def trajectory(benchmark, losses, costs, positions):
    """Of one run with one worker; a loss of nan is a failure."""
    records = []
    for number, (loss, cost, place) in enumerate(zip(losses, costs, positions, strict=True)):
        now, failure = records[-1].finished if records else 0.0, "failed" if np.isnan(loss) else ""
        records.append(Record(number, {}, None, loss, cost, failure, now, now + cost, 0, info={POSITION: place}))
    return of_records(benchmark, records)


def test_steps_are_new_incumbents_and_the_end(benchmark_, table):
    losses, positions = [np.nan, 0.5, 0.7, 0.5, 0.4, 0.6], [9, 3, 1, 2, 7, 5]
    found = trajectory(benchmark_, losses, [1.0, 2.0, 0.5, 1.0, 1.0, 4.0], positions)
    assert found["evaluation"].tolist() == [2, 5, 6] and found["finished"].tolist() == [3.0, 5.5, 9.5]
    assert found["loss"].tolist() == [0.5, 0.4, 0.4]
    np.testing.assert_allclose(found["regret"], table.mean_test[[3, 7, 7]] - table.mean_test.min())


def test_the_best_configuration_has_no_regret(benchmark_, table):
    assert trajectory(benchmark_, [1.0], [1.0], [table.best])["regret"].tolist() == [0.0]


def test_a_diverged_incumbent_counts_with_the_largest_finite_error(benchmark_, table):
    (diverged, *_) = np.flatnonzero(~np.isfinite(table.mean_test))
    largest = table.mean_test[np.isfinite(table.mean_test)].max()
    assert trajectory(benchmark_, [1.0], [1.0], [diverged])["regret"].tolist() == [largest - table.mean_test.min()]


@given(st.data())
def test_between_the_steps_nothing_changes(benchmark_, data):
    """The steps give the regret after every evaluation that the definition gives."""
    n = data.draw(st.integers(1, 30))
    losses = np.array(data.draw(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5]), min_size=n, max_size=n)))
    positions = np.array(data.draw(st.lists(st.integers(0, benchmark_.table.grid.size - 1), min_size=n, max_size=n)))
    costs = np.arange(1.0, n + 1)
    finite = np.where(np.isfinite(benchmark_.table.mean_test), benchmark_.table.mean_test, -np.inf)
    regret = np.where(finite > 0, finite, finite.max())[positions] - benchmark_.final_optimum
    found = trajectory(benchmark_, losses, costs, positions)
    steps = at_times(found["finished"].to_numpy(), found["regret"].to_numpy(), np.cumsum(costs))
    np.testing.assert_allclose(steps, value_of_incumbent(losses, regret))


def test_without_a_success_there_is_no_incumbent(benchmark_):
    with pytest.raises(ValueError, match="all 2 evaluations of a run failed"):
        trajectory(benchmark_, [np.nan, np.nan], [1.0, 1.0], [0, 1])


def test_records_of_a_simulated_run(benchmark_, table):
    optimizer = RandomSearch(benchmark_.space, np.random.default_rng(0))
    records = simulate(optimizer, benchmark_, 1, np.random.default_rng(1), evaluations=40)
    found = of_records(benchmark_, records)
    best = min((record for record in records if not record.failure), key=lambda record: record.loss)
    assert found["loss"].iloc[-1] == best.loss and found["evaluation"].iloc[-1] == 40
    assert found["finished"].iloc[-1] == pytest.approx(records[-1].finished)
    assert found["regret"].iloc[-1] == pytest.approx(best.info["test_error"] - table.mean_test.min())


def test_failed_records_are_never_the_incumbent(table):
    """All but one configuration diverge at once: the worst-case loss that they carry does not count."""
    errors = np.full_like(table.valid_mse, np.nan)
    errors[4] = 100.0
    benchmark = TabularBenchmark(replace(table, valid_mse=errors))
    optimizer = RandomSearch(benchmark.space, np.random.default_rng(0))
    records = simulate(optimizer, benchmark, 1, np.random.default_rng(1), evaluations=2000)
    found = of_records(benchmark, records)
    assert (found["loss"] == 100).all() and found["evaluation"].iloc[0] > 1
