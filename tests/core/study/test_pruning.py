"""Evaluations that report on the way and are given up."""

from __future__ import annotations

import pytest

from core import minimize
from core.foundation.errors import UserError
from core.optimizers.base import Trial
from core.study.pruning import LIMITS, HalvingRule, MedianRule, Pruned, RunningTrial
from tests.core.study.bowl import SPACE, bowl, outcomes


def curve(*values):
    return list(enumerate(values, start=1))


class TestRules:
    def test_the_median_of_completed_evaluations(self):
        curves = [(curve(3.0, 2.0), False), (curve(5.0, 4.0), False), (curve(4.0, 1.0), False), (curve(9.0), True)]
        assert MedianRule(startup=3).limits(curves) == {1: 4.0, 2: 2.0}
        assert MedianRule(startup=3, warmup=1).limits(curves) == {2: 2.0}
        assert MedianRule(startup=4).limits(curves) == {} == MedianRule().limits([])

    def test_the_best_of_all_that_reached_a_rung(self):
        """By hand: with n others, places = max(1, (n + 1) // 3)."""
        curves = [(curve(*[value] * 3), value > 2) for value in (1.0, 2.0, 3.0, 4.0, 5.0)]
        assert HalvingRule().limits(curves) == {1: 2.0, 3: 2.0}
        assert HalvingRule().limits(curves[:2]) == {1: 1.0, 3: 1.0}
        assert HalvingRule(first=2).limits(curves) == {2: 2.0}
        assert HalvingRule(eta=2).limits(curves) == {1: 3.0, 2: 3.0} and HalvingRule().limits([]) == {}

    @pytest.mark.parametrize("make", [lambda: MedianRule(0), lambda: MedianRule(5, -1), lambda: HalvingRule(1.5)])
    def test_settings_out_of_range(self, make):
        with pytest.raises(UserError, match="Rule"):
            make()


class TestReports:
    def trial(self, sign=1):
        return RunningTrial(Trial(3, {"x": 1.0}, None, {LIMITS: {2: 1.0}}), None, sign)

    def test_a_value_above_the_limit_is_given_up(self):
        trial = self.trial()
        trial.report(9.0, 1)
        assert not trial.should_prune()
        trial.report(1.0, 2)
        assert not trial.should_prune()
        worse = self.trial()
        worse.report(1.1, 2)
        assert worse.should_prune()
        worse.report(0.0, 3)
        assert worse.should_prune(), "what was given up stays so"

    def test_where_values_are_maximized_it_is_one_below(self):
        trial = self.trial(sign=-1)
        trial.report(-1.1, 2)
        assert trial.should_prune() and trial.reports == [(2, 1.1)]

    def test_what_is_no_number_is_given_up(self):
        trial = self.trial()
        trial.report(float("nan"), 1)
        assert trial.should_prune()

    @pytest.mark.parametrize("step", [0, 1, 1.5, "2", True])
    def test_steps_ascend(self, step):
        trial = self.trial()
        trial.report(1.0, 1)
        with pytest.raises(UserError, match=r"report: step is .*; allowed: a whole number from 2"):
            trial.report(1.0, step)


def training(how="break", sign=1, steps=9):
    def loss(configuration, trial):
        for step in range(1, steps + 1):
            value = sign * (bowl(configuration) + 1 / step)
            trial.report(value, step)
            if trial.should_prune():
                if how == "raise":
                    raise Pruned
                break
        return value

    return loss


@pytest.mark.parametrize("rule", ["median", "successive_halving", MedianRule(startup=3)])
@pytest.mark.parametrize("method", ["random", "tpe"])
def test_most_are_given_up_and_the_best_is_found(rule, method):
    result = minimize(training(), SPACE, method, 40, pruning=rule)
    status = result.trace["status"].value_counts()
    steps = sum(len(record.marks["reports"]) for record in result.records)
    assert status["pruned"] >= 5 and status["ok"] >= 2 and steps < 40 * 9 * 0.9
    complete = [record for record in result.records if "pruned" not in record.marks]
    assert result.best in complete and result.best_loss == min(record.loss for record in complete)
    if method == "random":
        assert result.best_loss == minimize(training(), SPACE, method, 40).best_loss


def test_to_break_and_to_raise_are_the_same():
    first, second = (minimize(training(how), SPACE, "tpe", 30, pruning="median") for how in ("break", "raise"))
    assert outcomes(first) == outcomes(second)


def test_values_that_are_maximized_are_pruned_alike():
    first = minimize(training(), SPACE, "tpe", 30, pruning="median")
    second = minimize(training(sign=-1), SPACE, "tpe", 30, pruning="median", maximize=True)
    assert outcomes(first) == outcomes(second) and second.best_value == -first.best_loss


def test_without_a_rule_nothing_is_given_up():
    result = minimize(training(), SPACE, "random", 10)
    assert set(result.trace["status"]) == {"ok"} and all(len(r.marks["reports"]) == 9 for r in result.records)


def test_a_run_that_is_killed_prunes_as_before(tmp_path):
    calls = []

    def interrupting(configuration, trial):
        calls.append(configuration)
        if len(calls) in (9, 16):
            raise KeyboardInterrupt
        return training()(configuration, trial)

    given = {"evaluations": 25, "pruning": "median", "journal": tmp_path / "run.jsonl"}
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            minimize(interrupting, SPACE, "tpe", **given)
    resumed = minimize(interrupting, SPACE, "tpe", **given)
    whole = minimize(training(), SPACE, "tpe", 25, pruning="median")
    assert outcomes(resumed) == outcomes(whole)
    assert [record.marks for record in resumed.records] == [record.marks for record in whole.records]
    with pytest.raises(UserError, match="is the journal of a run with pruning"):
        minimize(interrupting, SPACE, "tpe", 25, journal=tmp_path / "run.jsonl")


def test_workers_prune_too(address, monkeypatch):
    monkeypatch.setenv("HPO_SCHEDULER", address)
    result = minimize(training(), SPACE, "random", 30, pruning="median", workers=2)
    assert "pruned" in set(result.trace["status"]) and LIMITS not in result.records[-1].notes


def test_to_give_up_before_any_report_is_a_failure():
    def hasty(configuration, trial):
        raise Pruned

    with pytest.warns(UserWarning, match="all 2 evaluations failed, the first with 'Pruned"):
        minimize(hasty, SPACE, "random", 2, pruning="median")
