"""The incumbent of a run, and its trace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import UserError
from core.study.trace import Record, incumbent, incumbents, trace_of


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
    [([], "all 0 evaluations failed: there is no incumbent"), ([record(0, 1, 9.0, "died")], "the first with 'died'")],
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
