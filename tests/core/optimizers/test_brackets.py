"""Budgets, sizes and promotions against the thesis' numbers and small cases by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.foundation.errors import UserError
from core.optimizers.brackets import Bracket, bracket_size, epochs_of_brackets, promoted, rung_budgets

INF = float("inf")


def test_brackets_for_eta_3_and_81_are_those_of_the_thesis():
    assert rung_budgets(1, 81, 3) == (1, 3, 9, 27, 81)
    assert [bracket_size(rung, 5, 3) for rung in range(5)] == [81, 34, 15, 8, 5]
    assert [bracket_size(rung, 5, 3, floored=True) for rung in range(5)] == [81, 27, 9, 6, 5]  # HpBandSter's


def test_epochs_of_brackets_by_hand():
    """Budgets of 3, 11, 33 and 100 epochs; by the text the brackets of a round cost 379, 364, 398 and 400."""
    assert epochs_of_brackets(1, 3, 100, 3) == 27 * 3 + 9 * 11 + 3 * 33 + 100
    assert epochs_of_brackets(4, 3, 100, 3) == 379 + 364 + 398 + 400
    assert epochs_of_brackets(125, 3, 100, 3) == 31 * 1541 + 379
    assert epochs_of_brackets(125, 3, 100, 3, floored=True) == 31 * (379 + 298 + 398 + 400) + 379  # 461 evaluations


@pytest.mark.parametrize(
    ("minimum", "maximum", "eta", "budgets"),
    [
        (3, 100, 3, (100 / 27, 100 / 9, 100 / 3, 100)),  # tabular: starts at 3.7
        (4, 100, 3, (100 / 9, 100 / 3, 100)),  # D.3: three rungs
        (1 / 512, 1, 3, tuple(3.0**-s for s in (5, 4, 3, 2, 1, 0))),  # SVM: starts at 1/243
        (500, 10000, 3, (10000 / 9, 10000 / 3, 10000)),  # Bayesian networks: starts at 1,111
        (1, 243, 3, (1, 3, 9, 27, 81, 243)),  # log(243) / log(3) is 4.999..
        (1, 1000, 10, (1, 10, 100, 1000)),
        (0.1, 0.1 * 3**5, 3, tuple(0.1 * 3**s for s in range(6))),
        (5, 5, 2, (5,)),
        (1, 7, 2.5, (1.12, 2.8, 7)),
    ],
)
def test_rungs_go_up_to_the_largest_budget(minimum, maximum, eta, budgets):
    found = rung_budgets(minimum, maximum, eta)
    assert found == pytest.approx(budgets, rel=1e-14)
    assert found[-1] == maximum and found[0] >= minimum


@given(eta=st.integers(2, 5), rungs=st.integers(1, 8), unit=st.floats(1e-6, 1e6))
def test_rungs_are_counted_rightly_whatever_the_unit(eta, rungs, unit):
    assert len(rung_budgets(unit, unit * eta ** (rungs - 1), eta)) == rungs
    exact = [-(-rungs * eta**s // (s + 1)) for s in range(rungs)]
    assert [bracket_size(rungs - 1 - s, rungs, eta) for s in range(rungs)] == exact


@given(size=st.integers(1, 10**6), eta=st.integers(2, 10))
def test_a_share_of_one_eta_th_is_promoted_rounded_down(size, eta):
    assert promoted(size, eta) == max(1, size // eta)


def test_the_best_third_is_promoted_and_equal_losses_go_by_number():
    bracket = Bracket(number=0, rung=0, size=7, top=1, started=7)
    for trial, loss in enumerate([0.5, 0.2, 0.9, 0.2, 0.1, INF, 0.2]):
        assert not bracket.done and bracket.rung == 0
        dropped = bracket.tell(loss, trial, 10 + trial, eta=3)
        assert (dropped == []) == (trial < 6)
    assert dropped == [13, 16, 10, 12, 15]
    assert (bracket.rung, bracket.size, bracket.waiting, bracket.started) == (1, 2, [14, 11], 0)
    assert bracket.ready and not bracket.done
    bracket.started, bracket.waiting = 2, []
    assert bracket.tell(0.3, 7, 11, eta=3) == []
    assert not bracket.ready and not bracket.done
    assert bracket.tell(0.4, 8, 14, eta=3) == [11, 14]
    assert bracket.done


def test_the_order_of_telling_does_not_matter():
    results = [(0.3, 0, 0), (0.1, 1, 1), (0.2, 2, 2), (0.1, 3, 3)]
    found = []
    for order in (results, results[::-1]):
        bracket = Bracket(number=0, rung=0, size=4, top=1, started=4)
        for result in order:
            bracket.tell(*result, eta=2)
        found.append(bracket.waiting)
    assert found == [[1, 3], [1, 3]]


def test_failures_are_promoted_only_where_nothing_else_is():
    bracket = Bracket(number=0, rung=0, size=4, top=1, started=4)
    for trial in range(4):
        bracket.tell(INF, trial, trial, eta=2)
    assert bracket.waiting == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((9, 3, 3), "0 < minimum_budget <= maximum_budget"),
        ((0, 3, 3), "0 < minimum_budget <= maximum_budget"),
        ((-1, 3, 3), "0 < minimum_budget <= maximum_budget"),
        ((1, 9, 1), "eta is 1; allowed: numbers from 2"),
        ((1, 9, 1.9), "eta is 1.9; allowed: numbers from 2"),
        ((1, 9, float("nan")), "eta is nan; allowed: a finite number"),
        ((1, float("inf"), 3), "maximum_budget is inf; allowed: a finite number"),
        (("1", 9, 3), "minimum_budget is '1'; allowed: a finite number"),
        ((1, 10**400, 3), "maximum_budget is 1000.*; allowed: a finite number"),
        ((1e-300, 1e300, 2.0), r"budgets from 1e-300 to 1e\+300 are inf times apart; allowed: at most 1e\+09 times"),
        ((1e-12, 1.0, 3), r"budgets from 1e-12 to 1.0 are 1e\+12 times apart; allowed: at most 1e\+09 times"),
    ],
)
def test_bad_budgets_are_refused(arguments, message):
    with pytest.raises(UserError, match=message):
        rung_budgets(*arguments)
