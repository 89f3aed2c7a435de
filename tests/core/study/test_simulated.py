"""The simulated clock: schedules by hand, limits, and what the optimizer knows when."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace, Integer
from hypothesis import given
from hypothesis import strategies as st

from core.foundation.errors import UserError
from core.objectives.base import Evaluation
from core.optimizers.base import Optimizer
from core.study import simulate


def the_space() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Integer("x", (0, 1000)))
    return space


class Counting(Optimizer):
    """Proposes 0, 1, 2, ..; remembers what had been told whenever it was asked; ends after `most`."""

    def __init__(self, space: ConfigurationSpace, most: int | None = None) -> None:
        super().__init__(space)
        self.most, self.told, self.known = most, [], []

    @property
    def ends(self) -> bool:
        return self.most is not None

    @property
    def finished(self) -> bool:
        return self._asked == self.most

    def _propose(self):
        if self.finished:
            return None
        self.known.append(list(self.told))
        return {"x": self._asked}, None, {"known": len(self.told)}

    def _observe(self, trial, outcome):
        self.told.append(trial.number)

    def _state(self):
        return {}

    def _restore(self, state):
        pass


class Costs:
    """Trial x costs costs[x]; its loss is x, and not a number where the cost is 7."""

    def __init__(self, costs) -> None:
        self.costs, self.space, self.fidelity, self.optimum, self.worst_loss = costs, the_space(), None, 0.0, 99.0

    def evaluate(self, configurations, budget, generator) -> Evaluation:
        x = configurations[0]["x"]
        loss = float("nan") if self.costs[x] == 7 else x
        return Evaluation(np.array([loss]), np.array([self.costs[x]], dtype=float), ({"noted": x},))


def run(costs, workers, **limits):
    optimizer = Counting(the_space(), len(costs))
    return optimizer, simulate(optimizer, Costs(costs), workers, np.random.default_rng(0), **limits)


def test_two_workers_by_hand():
    optimizer, records = run([5, 2, 2, 4], 2)
    assert [(r.number, r.worker, r.started, r.finished) for r in records] == [
        (1, 1, 0, 2),
        (2, 1, 2, 4),
        (0, 0, 0, 5),
        (3, 1, 4, 8),
    ]
    assert optimizer.known == [[], [], [1], [1, 2]]
    assert [record.notes["known"] for record in sorted(records, key=lambda r: r.number)] == [0, 0, 1, 2]
    assert not optimizer.pending


def test_trials_that_end_together_are_all_told_before_the_next_is_asked_for():
    optimizer, records = run([3, 3, 3, 1, 1, 1], 3)
    assert optimizer.known[3:] == [[0, 1, 2]] * 3
    assert [record.worker for record in records] == [0, 1, 2, 0, 1, 2]


def test_trials_of_no_cost_take_no_time():
    _, records = run([0] * 10, 3)
    assert [record.number for record in records] == list(range(10))
    assert {record.finished for record in records} == {0.0}


@pytest.mark.parametrize("workers", [1, 7])
def test_a_clock_that_stands_still_is_an_error_where_nothing_else_ends_the_run(workers):
    class Repeating(Counting):
        def _propose(self):
            return {"x": 0}, None, {}

    def run_free(**limits):
        return simulate(Repeating(the_space()), Costs([0]), workers, np.random.default_rng(0), until=5.0, **limits)

    with pytest.raises(UserError, match=r"Costs: 10,00\d evaluations in succession .* from 0.0 towards until=5.0"):
        run_free()
    assert len(run_free(evaluations=10_500)) == 10_500


def test_a_message_that_says_nothing_is_no_failure():
    class Silent(Costs):
        def evaluate(self, configurations, budget, generator):
            found = super().evaluate(configurations, budget, generator)
            return Evaluation(found.loss, found.cost, ({"failure": "", "noted": 1},))

    (record,) = simulate(Counting(the_space()), Silent([1]), 1, np.random.default_rng(0), evaluations=1)
    assert (record.failure, record.loss, record.info) == ("", 0.0, {"noted": 1})


def test_failures_and_notes_are_recorded():
    _, records = run([7, 1], 1)
    assert (records[0].failure, records[0].loss, records[0].info) == ("loss is nan", 99.0, {"noted": 0})
    assert (records[1].failure, records[1].loss) == ("", 1.0)


def test_what_has_not_ended_when_the_clock_stops_stays_pending():
    optimizer, records = run([4, 4, 4, 4], 2, until=7.0)
    assert [record.number for record in records] == [0, 1]
    assert sorted(optimizer.pending) == [2, 3]
    optimizer, records = run([4, 4, 4, 4], 2, until=8.0)
    assert len(records) == 4 and not optimizer.pending


@pytest.mark.parametrize(
    "limits, expected",
    [({"until": 8.0}, [0.25, 0.5, 0.75, 1.0]), ({"evaluations": 5}, [0.2, 0.4, 0.6, 0.8, 1.0])],
)
def test_progress_is_the_share_of_the_limit(limits, expected):
    told: list[float] = []
    costs = Costs([2.0] * 20)
    simulate(Counting(costs.space), costs, 1, np.random.default_rng(0), **limits, progress=told.append)
    np.testing.assert_allclose(told, expected)


def test_evaluations_limit_what_is_started():
    optimizer, records = run([1] * 20, 3, evaluations=7)
    assert len(records) == 7 and not optimizer.pending and optimizer._asked == 7


@given(costs=st.lists(st.integers(0, 6), min_size=1, max_size=40), workers=st.integers(1, 9))
def test_schedules_are_those_of_workers_that_are_never_idle(costs, workers):
    """Each worker does one trial at a time, started the moment it was free; every trial runs exactly once."""
    _, records = run(costs, workers)
    assert sorted(record.number for record in records) == list(range(len(costs)))
    assert all(record.finished - record.started == record.cost == costs[record.number] for record in records)
    for worker in range(workers):
        mine = sorted((r.started, r.finished) for r in records if r.worker == worker)
        assert all(before[1] == after[0] for before, after in itertools.pairwise(mine))
        assert not mine or mine[0][0] == 0
    assert [record.finished for record in records] == sorted(record.finished for record in records)
    free = [0] * workers
    for number, cost in enumerate(costs):
        started = min(free)
        free[free.index(started)] = started + cost
        assert next(r for r in records if r.number == number).started == started


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_no_workers_are_refused(workers):
    with pytest.raises(UserError, match=r"workers is .*; allowed: a whole number from 1"):
        run([1], workers)


@pytest.mark.parametrize(("limits", "name"), [({"until": 0.0}, "until"), ({"evaluations": 0}, "evaluations")])
def test_limits_out_of_range_are_refused(limits, name):
    with pytest.raises(UserError, match=f"{name} is 0"):
        run([1], 1, **limits)


def test_an_optimizer_without_end_needs_a_limit():
    with pytest.raises(UserError, match="never ends by itself; allowed: give until or evaluations"):
        simulate(Counting(the_space()), Costs([1]), 1, np.random.default_rng(0))


def test_a_negative_cost_is_refused():
    with pytest.raises(UserError, match="trial 0 cost -1"):
        run([-1], 1)
