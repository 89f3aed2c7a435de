"""The incumbent of a run."""

from __future__ import annotations

import pytest

from core.errors import UserError
from core.study.trace import Record, incumbent, incumbents


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
