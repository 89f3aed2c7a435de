"""What a function returns: one loss, or a loss and a cost; and losses that hide others."""

from __future__ import annotations

import re
import warnings

import pytest

from core import minimize
from core.errors import UserError
from core.optimizers.told import as_evaluation
from core.study.huge_losses import about_huge_losses
from core.study.record import Record

SPACE = {"x": (-5.0, 5.0)}


@pytest.mark.parametrize(
    "returned, told",
    [
        (
            (1.0, -2.0),
            r"returned \(1\.0, -2\.0\), whose cost is -2; allowed: one loss, or .*two objectives have to be weighed",
        ),
        ((1.0, float("inf")), "whose cost is inf"),
        ((1.0, float("nan")), "whose cost is nan"),
    ],
)
def test_what_is_no_cost_fails_in_words(returned, told):
    with pytest.warns(UserWarning, match="all 2 evaluations failed"):
        result = minimize(lambda configuration: returned, SPACE, "random", 2)
    assert [bool(re.search(told, record.failure)) for record in result.records] == [True, True]


@pytest.mark.parametrize(
    "returned, told",
    [
        ((1.0, 2.0, 3.0), "a tuple of 3; allowed: one loss, or"),
        ((1.0,), "a tuple of 1; allowed: one loss, or"),
        ((), "a tuple of 0"),
        ((1.0, "2"), "returned '2' of type str, not a number"),
        (None, "returned None of type NoneType, not a number"),
        (
            [1.0, 2.0],
            r"2 numbers of shape \(2,\), not one; .*two objectives .* BoTorch with qLogNoisyExpected",
        ),
        ({"cost": 1.0}, "allowed: a dictionary with 'loss'"),
        ({"loss": 1.0, "value": 1.0}, "allowed: a dictionary with 'loss'"),
        ({"loss": [1.0, 2.0]}, "returned 2 numbers"),
    ],
)
def test_what_can_be_no_loss_stops_the_search(returned, told):
    with pytest.raises(UserError, match=told):
        minimize(lambda configuration: returned, SPACE, "random", 2)


def test_a_dictionary_has_the_loss_and_whatever_else_is_recorded():
    def loss(configuration):
        return {"loss": configuration["x"], "cost": 3, "epochs": 7, "kind": "small"}

    result = minimize(loss, SPACE, "random", 2)
    assert result.trace["loss"].tolist() == [record.configuration["x"] for record in result.records]
    assert result.trace["cost"].tolist() == [3.0, 3.0]
    assert [record.info for record in result.records] == [{"epochs": 7, "kind": "small"}] * 2


def test_a_cost_of_nothing_is_a_cost():
    assert minimize(lambda c: (c["x"], 0), SPACE, "random", 2).trace["cost"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("told", [(1.0,), (1.0, 2.0, 3.0), (1.0, -1.0), (1.0, float("nan"))])
def test_what_is_told_by_hand_is_held_to_the_same(told):
    with pytest.raises(UserError, match=r"^tell: the (evaluation|pair) .*allowed: "):
        as_evaluation(told)


def records(losses, failures=()):
    return [
        Record(number, {}, None, loss, 1.0, "died" if number in failures else "", 0.0, 0.0, 0)
        for number, loss in enumerate(losses)
    ]


class TestHugeLosses:
    def test_one_that_hides_the_others(self):
        text = about_huge_losses(records([1.0, 2.0, 3.0, 1e30]))
        assert text.startswith("losses are up to 1e+30, but 1 to 3 otherwise: models") and "nan" in text

    def test_those_that_rank_behind_failures(self):
        assert "from 1e+100 on they rank behind failures" in about_huge_losses(records([1.0, 2e100, 3e120]))

    @pytest.mark.parametrize(
        "losses, failures",
        [
            ([1.0, 2.0, 3.0, 1e6], ()),
            ([1e30, 2e30, 5e30, 9e30], ()),
            ([10.0 ** -(2 * power) for power in range(9)], ()),
            ([1.0, 2.0, 3.0, 1e100], (3,)),
            ([0.5, 0.5, 0.5, 1e30], ()),
            ([1.0], ()),
            ([], ()),
        ],
    )
    def test_nothing_to_say(self, losses, failures):
        assert about_huge_losses(records(losses, failures)) == ""

    def test_a_user_reads_it(self):
        def loss(configuration):
            return 1e30 if configuration["x"] < 0 else configuration["x"] ** 2

        with pytest.warns(UserWarning, match=r"losses are up to 1e\+30, .*raise an exception or return nan"):
            minimize(loss, SPACE, "random", 30)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            minimize(lambda configuration: configuration["x"] ** 2, SPACE, "random", 30)
