"""The incumbent of a run, and its trace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.study.record import Record, incumbent, incumbents
from core.study.trace import Trace, trace_of


def record(number: int, budget: float | None, loss: float, failure: str = "") -> Record:
    return Record(number, {}, budget, loss, 1.0, failure, 0.0, float(number), 0)


def test_the_incumbent_is_the_best_success_on_the_largest_budget():
    records = [record(0, 1, 0.1), record(1, 3, 0.4), record(2, 3, 0.3), record(3, 9, 0.0, "died"), record(4, 3, 0.3)]
    assert incumbent(records).number == 2


def test_without_a_fidelity_the_smallest_loss_counts():
    assert incumbent([record(0, None, 0.4), record(1, None, 0.2), record(2, None, 0.3)]).number == 1


def test_an_incumbent_gives_way_to_smaller_losses_on_budgets_that_are_not_smaller():
    losses = [(1, 0.5), (1, 0.6), (3, 0.55), (1, 0.4), (3, 0.3), (1, 0.1), (3, 0.3), (9, 0.2)]
    records = [record(-1, 9, 0.0, "died"), *(record(i, *entry) for i, entry in enumerate(losses))]
    assert [found.number for found in incumbents(records)] == [0, 3, 4, 7]
    assert incumbents(records[:1]) == []
    without = [record(i, None, loss) for i, loss in enumerate((0.4, 0.5, 0.2))]
    assert [found.number for found in incumbents(without)] == [0, 2]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "nothing was evaluated: there is no best configuration"),
        ([record(0, 1, 9.0, "died")], "the first with 'died'"),
    ],
)
def test_without_a_success_there_is_none(records, message):
    with pytest.raises(UserError, match=message):
        incumbent(records)


def test_the_trace_has_a_row_for_each_record_in_their_order():
    first = replace(record(3, 9.0, 0.5), notes={"origin": "model"}, overhead=0.25, worker=1)
    failed = record(1, None, 9.0, "ValueError: none")
    trace = trace_of([first, failed])
    assert trace["trial"].tolist() == [3, 1] and trace["configuration"].tolist() == [first.configuration] * 2
    assert trace["loss"].tolist() == [0.5, 9.0] and trace["budget"].fillna(-1).tolist() == [9.0, -1.0]
    assert trace["origin"].tolist() == ["model", ""] and trace["overhead"].tolist() == [0.25, 0.0]
    assert trace["status"].tolist() == ["ok", "failed"] and trace["message"].tolist() == ["", "ValueError: none"]
    assert trace_of([]).columns.tolist() == trace.columns.tolist()


class TestTrace:
    """Three runs: the second has failures, the third nothing else."""

    RUNS = (
        [record(0, None, 0.5), record(1, None, 0.7), record(2, None, 0.2), record(3, None, 0.2)],
        [record(0, 1, 9.0, "died"), record(1, 1, 0.1), record(2, 3, 0.3), record(3, 1, 0.05), record(4, 3, 0.04)],
        [record(0, 1, 9.0, "died")],
    )
    TRACE = Trace.of(RUNS, [4, 7, 9])

    def test_has_a_row_for_each_evaluation_of_each_run(self):
        assert self.TRACE.frame["run"].tolist() == [4] * 4 + [7] * 5 + [9]
        assert self.TRACE.frame.drop(columns="run").equals(trace_of([each for run in self.RUNS for each in run]))
        assert Trace.of(self.RUNS).frame["run"].unique().tolist() == [0, 1, 2]
        evaluations = self.TRACE.evaluations()
        assert evaluations["evaluation"].tolist() == [1, 2, 3, 4, 1, 2, 3, 4, 5, 1]
        assert evaluations["status"].tolist().count("failed") == 2

    def test_incumbents_and_the_best_of_each_run_are_those_of_its_records(self):
        found = self.TRACE.incumbents()
        for number, records in zip((4, 7, 9), self.RUNS, strict=True):
            rows = found[found["run"] == number]
            assert rows["trial"].tolist() == [each.number for each in incumbents(records)]
        final = self.TRACE.final()
        assert final["run"].tolist() == [4, 7]
        assert final["trial"].tolist() == [incumbent(records).number for records in self.RUNS[:2]]

    def test_the_losses_of_the_incumbents_at_times(self):
        found = self.TRACE.at([-1.0, 0.0, 1.5, 2.0, 9.0])
        nan = np.nan
        expected = [[nan, 0.5, 0.5, 0.2, 0.2], [nan, nan, 0.1, 0.1, 0.04], [nan] * 5]
        np.testing.assert_array_equal(found, expected)
        assert self.TRACE.at(1.0).shape == (3, 1)

    def test_the_time_to_a_level(self):
        assert self.TRACE.time_to(0.2).tolist() == [2.0, 1.0, np.inf]
        assert self.TRACE.time_to(np.array([0.5, 0.05, 9.0])).tolist() == [0.0, 3.0, np.inf]

    def test_of_no_runs_is_empty(self):
        empty = Trace.of([])
        assert empty.frame.columns.tolist() == self.TRACE.frame.columns.tolist()
        assert empty.incumbents().empty and empty.final().empty
        assert empty.at([1.0, 2.0]).shape == (0, 2) and empty.time_to(1.0).shape == (0,)
