"""What is kept of a timed search: incumbents of each kind, the clock, settings that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from core.experiment.search import steps
from core.experiment.search_settings import TimedSearch
from core.foundation.errors import UserError
from core.study.record import Record


def record(number: int, loss: float, budget: float | None = None, cost: float = 10.0, failure: str = "", **notes):
    values = {"started": 0.0, "finished": 0.0, "worker": 0, "notes": notes, "overhead": 1.0 + number}
    return Record(number, {"x": float(number)}, budget, loss, cost, failure, **values)


def errors(configurations):
    return np.array([configuration["x"] / 100 for configuration in configurations])


def timed(records, last=None, on_all=True):
    return steps(records, last, 1.0, on_all, with_proposals=True, column="error", value=errors)


def test_without_recommendations_the_incumbent_is_the_best_seen():
    rows = timed([record(0, 0.5), record(1, 0.7), record(2, 0.3), record(3, 0.4)])
    assert rows["evaluation"].tolist() == [1, 3, 4] and rows["error"].tolist() == [0.0, 0.02, 0.02]
    assert rows["evaluation_seconds"].tolist() == [10.0, 30.0, 40.0]
    assert rows["proposal_seconds"].tolist() == [1.0, 6.0, 10.0]  # of 1, 1 + 2 + 3 and all proposals
    assert rows["finished"].tolist() == [11.0, 36.0, 50.0] and rows["budget"].tolist() == [1.0] * 3


def test_on_all_of_the_data_smaller_shares_do_not_count():
    records = [record(0, 0.1, 0.25), record(1, 0.9, 1.0), record(2, 0.2, 0.25), record(3, 0.4, 1.0)]
    rows = timed(records)
    assert rows["evaluation"].tolist() == [2, 4, 4] and rows["error"].tolist() == [0.01, 0.03, 0.03]
    anywhere = timed(records, on_all=False)
    assert anywhere["evaluation"].tolist() == [1, 4] and anywhere["budget"].tolist() == [0.25, 0.25]


def test_a_recommendation_counts_from_when_the_next_proposal_was_made():
    records = [record(0, 0.5, 0.25), record(1, 0.4, 0.25), record(2, 0.9, 0.25, recommended=0)]
    rows = timed(records, 2)
    # After one evaluation the best seen, after two what the third trial notes, in the end the last recommendation.
    assert rows["evaluation"].tolist() == [1, 3, 3] and rows["error"].tolist() == [0.0, 0.02, 0.02]
    assert rows["finished"].tolist() == [10 + 1 + 2, 30 + 1 + 2 + 3, 30 + 1 + 2 + 3]


def test_failures_are_never_the_incumbent_and_a_run_without_one_is_an_error():
    broken = record(0, 0.0, failure="broken")
    assert timed([broken, record(1, 0.7)])["evaluation"].tolist() == [2, 2]
    with pytest.raises(UserError, match="a run of 1 evaluations has no incumbent"):
        timed([record(0, 0.1, 0.25)])
    with pytest.raises(ValueError, match="all 1 evaluations of a run failed"):
        timed([broken])
    with pytest.raises(UserError, match="ended before its first evaluation"):
        timed([])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "gp"}, "allowed for method 'gp': evaluations alone"),
        ({"method": "gp", "evaluations": 5, "seconds": 3}, "evaluations = 5, seconds = 3.0; allowed for method 'gp'"),
        ({"method": "hyperband", "evaluations": 5}, "allowed for method 'hyperband': seconds alone"),
        ({"method": "rf", "evaluations": 5}, "method is 'rf'; allowed: random, gp"),
        ({"method": {"method": "mtbo", "auxiliary": [1.0]}, "evaluations": 5}, "less than 1"),
        ({"method": {"method": "gp", "disjoint": True}, "evaluations": 5}, "unknown key; method 'gp' has acquisition"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given, message):
    with pytest.raises(ValidationError, match=message):
        TimedSearch(**given)
