"""What ends a search: time, a good enough loss, a callback, an interruption, or a mistake in the function."""

from __future__ import annotations

import time

import pytest

from core import minimize
from core.errors import UserError
from tests.core.study.bowl import SPACE, bowl, outcomes


class Clock:
    """A clock that a function moves."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr("core.study.loop.time.monotonic", lambda: self.now)

    def after(self, seconds):
        def loss(configuration):
            self.now += seconds
            return bowl(configuration)

        return loss


def test_nothing_begins_after_the_time_and_more_time_goes_on(tmp_path, monkeypatch):
    slow = Clock(monkeypatch).after(10.0)
    first = minimize(slow, SPACE, "random", seconds=35.0, journal=tmp_path / "run.jsonl")
    assert first.stopped == "seconds" and len(first.records) == 4
    again = minimize(slow, SPACE, "random", seconds=35.0, journal=tmp_path / "run.jsonl")
    assert outcomes(again) == outcomes(first) and again.stopped == "seconds"
    more = minimize(slow, SPACE, "random", seconds=65.0, journal=tmp_path / "run.jsonl")
    assert outcomes(more)[:4] == outcomes(first) and len(more.records) == 7
    assert outcomes(more) == outcomes(minimize(bowl, SPACE, "random", 7))


def test_evaluations_may_end_before_the_time():
    result = minimize(bowl, SPACE, "random", 3, seconds=1e6)
    assert result.stopped == "evaluations" and len(result.records) == 3


@pytest.mark.parametrize("maximize", [False, True])
def test_a_good_enough_loss_is_enough(tmp_path, maximize):
    sign = -1 if maximize else 1

    def value(configuration):
        return sign * bowl(configuration)

    given = {"maximize": maximize, "target": sign * 2.0, "journal": tmp_path / "run.jsonl"}
    result = minimize(value, SPACE, "random", 500, **given)
    assert result.stopped == "target" and len(result.records) < 500
    *before, last = [record.loss for record in result.records]
    assert last <= 2.0 < min(before) and result.best_value == sign * last
    again = minimize(lambda configuration: 1 / 0, SPACE, "random", 500, **given)
    assert outcomes(again) == outcomes(result) and again.stopped == "target"


def test_a_target_counts_on_the_largest_budget():
    def deceiving(configuration, budget):
        return 0.0 if budget < 9 else 1.0 + bowl(configuration)

    result = minimize(deceiving, SPACE, "hyperband", 40, budgets=(1, 9), target=0.5)
    assert len(result.records) == 40 and result.stopped == "evaluations"


@pytest.mark.parametrize("how", ["returns", "raises"])
def test_a_callback_sees_the_result_so_far_and_may_stop(how):
    seen = []

    def callback(result):
        seen.append((len(result.records), result.best_loss))
        if len(seen) == 5 and how == "raises":
            raise StopIteration
        return len(seen) == 5

    result = minimize(bowl, SPACE, "random", 20, callback=callback)
    assert result.stopped == "callback" and [count for count, _ in seen] == [1, 2, 3, 4, 5]
    assert [best for _, best in seen] == [min(r.loss for r in result.records[:n]) for n in range(1, 6)]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"seconds": 0}, "seconds is 0; allowed: positive and finite numbers, or None"),
        ({"target": float("nan")}, "target is nan; allowed: a finite number"),
        ({"callback": 3}, "callback is 3; allowed: a function"),
        ({"evaluation_seconds": -1}, "evaluation_seconds is -1; allowed: positive"),
        ({"on_interrupt": "stop"}, "on_interrupt is 'stop'; allowed: 'raise', 'return'"),
        ({"initial": {"x": 1.0}}, "initial is .*; allowed: a list of configurations"),
        ({"initial": [{"x": 1.0}]}, "initial: configuration 0: 'kind' is missing"),
        ({"constraints": "memory"}, "constraints is 'memory'; allowed: a list of names"),
        ({"constraints": ["loss"]}, "constraints is .'loss'.; allowed"),
        ({"pruning": "medain"}, "unknown pruning rule 'medain'; did you mean 'median'"),
        ({"pruning": 3}, "pruning is 3; allowed: None, 'median', 'successive_halving' or a rule"),
    ],
)
def test_what_is_not_allowed(argument, message):
    with pytest.raises(UserError, match=message):
        minimize(bowl, SPACE, "random", 3, **argument)


class TestInterruption:
    def interrupting(self, at):
        calls = []

        def loss(configuration):
            calls.append(configuration)
            if len(calls) == at:
                raise KeyboardInterrupt
            return bowl(configuration)

        return loss

    def test_the_result_so_far_is_returned(self, tmp_path, capsys):
        given = {"on_interrupt": "return", "journal": tmp_path / "run.jsonl"}
        result = minimize(self.interrupting(4), SPACE, "random", 9, **given)
        assert result.stopped == "interrupted" and len(result.records) == 3
        assert "interrupted after 3 of 9 evaluations" in capsys.readouterr().err
        whole = minimize(bowl, SPACE, "random", 9, **given)
        assert outcomes(whole)[:3] == outcomes(result) and whole.stopped == "evaluations"
        assert outcomes(whole) == outcomes(minimize(bowl, SPACE, "random", 9))

    def test_what_is_raised_has_it_too(self):
        with pytest.raises(KeyboardInterrupt) as caught:
            minimize(self.interrupting(3), SPACE, "random", 9)
        assert len(caught.value.result.records) == 2 and caught.value.result.stopped == "interrupted"


class TestProgrammingErrors:
    @pytest.mark.parametrize(
        "error", [NameError("x"), AttributeError("x"), ImportError("x"), SyntaxError("x"), StopIteration("x")], ids=repr
    )
    def test_one_in_the_first_evaluations_shows_itself(self, tmp_path, error):
        calls = []

        def loss(configuration):
            calls.append(configuration)
            if len(calls) == 3:
                raise error
            return bowl(configuration)

        with pytest.raises(type(error)) as caught:
            minimize(loss, SPACE, "random", 9, journal=tmp_path / "run.jsonl")
        assert caught.value is error and "a programming error stops the search" in error.__notes__[-1]
        assert caught.traceback[-1].name == "loss" and len(calls) == 3
        repaired = minimize(bowl, SPACE, "random", 9, journal=tmp_path / "run.jsonl")
        assert outcomes(repaired) == outcomes(minimize(bowl, SPACE, "random", 9))

    def test_a_later_one_is_a_failure_like_others(self):
        calls = []

        def loss(configuration):
            calls.append(configuration)
            return bowl(configuration) if len(calls) <= 10 else missing  # noqa: F821

        result = minimize(loss, SPACE, "random", 12)
        assert [record.failure for record in result.records] == [""] * 10 + [
            "NameError: name 'missing' is not defined"
        ] * 2

    def test_a_wrong_call_shows_itself_and_a_wrong_type_inside_is_a_failure(self):
        with pytest.warns(UserWarning, match="all 2 evaluations failed, the first with .TypeError"):
            minimize(lambda configuration: len(3), SPACE, "random", 2)
        with pytest.raises(TypeError, match="must have"):
            minimize(vars, SPACE, "random", 2)

    def test_workers_show_theirs(self, address, monkeypatch):
        monkeypatch.setenv("HPO_SCHEDULER", address)
        with pytest.raises(NameError, match="missing") as caught:
            minimize(lambda configuration: missing, SPACE, "random", 4, workers=2)  # noqa: F821
        assert any("in a worker process" in note for note in caught.value.__notes__)


class TestTimeLimit:
    def test_an_evaluation_that_takes_too_long_has_failed(self):
        def loss(configuration):
            try:
                time.sleep(60.0 if configuration["kind"] == "b" else 0.0)
            except Exception:
                return 0.0
            return bowl(configuration)

        result = minimize(loss, SPACE, "random", 6, evaluation_seconds=0.05)
        said = {(record.configuration["kind"], record.failure) for record in result.records}
        assert said == {("a", ""), ("b", "TimeLimitError: took longer than 0.05 s")}

    def test_workers_stop_between_steps(self, address, monkeypatch):
        monkeypatch.setenv("HPO_SCHEDULER", address)

        def loss(configuration):
            while configuration["kind"] == "b":
                time.sleep(0.01)
            return bowl(configuration)

        result = minimize(loss, SPACE, "random", 6, evaluation_seconds=0.05, workers=2)
        assert {bool(r.failure) == (r.configuration["kind"] == "b") for r in result.records} == {True}
        assert any(record.failure for record in result.records)
