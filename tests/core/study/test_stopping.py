"""What ends a search: time, a good enough loss, a callback, an interruption, or a mistake in the function."""

from __future__ import annotations

import operator
import signal
import threading
import time

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace, EqualsCondition

from core import Pruned, minimize
from core.foundation.errors import UserError
from core.objectives.base import Evaluation
from core.study import time_limit as limits
from core.study.time_limit import TimeLimitError, time_limit
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
        ({"evaluation_seconds": 0}, "evaluation_seconds is 0; allowed: positive"),
        ({"evaluation_seconds": float("nan")}, "evaluation_seconds is nan; allowed: positive"),
        ({"evaluation_seconds": float("inf")}, "evaluation_seconds is inf; allowed: positive"),
        ({"evaluation_seconds": "1"}, "evaluation_seconds is '1'; allowed: positive"),
        ({"evaluation_seconds": True}, "evaluation_seconds is True; allowed: positive"),
        ({"target": {}}, "target is {}; allowed: a finite number"),
        ({"target": True}, "target is True; allowed: a finite number"),
        ({"target": 10**400}, "target is 1000.*; allowed: a finite number"),
        ({"target": "1", "maximize": True}, "target is '1'; allowed: a finite number"),
        ({"maximize": "no"}, "maximize is 'no'; allowed: True or False"),
        ({"maximize": 1}, "maximize is 1; allowed: True or False"),
        ({"progress": "no"}, "progress is 'no'; allowed: True or False"),
        ({"on_interrupt": np.array(["raise", "return"])}, "on_interrupt is array.*; allowed: 'raise', 'return'"),
        ({"budgets": "19"}, "budgets is '19'; allowed: the smallest and the largest"),
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

    @pytest.mark.parametrize(
        "slip",
        [
            lambda c: c["lerning_rate"],
            lambda c: c.pop("lerning_rate"),
            lambda c: [c[f"{kind}_rate"] for kind in ["lerning"]],
            lambda c: (lambda copied: copied["lerning_rate"])(dict(c)),
            lambda c: dict(c)["lerning_rate"],
            lambda c: "{lerning_rate}".format(**c),
            lambda c: operator.itemgetter("lerning_rate")(c),
        ],
    )
    def test_a_name_that_no_configuration_has_shows_itself(self, slip):
        with pytest.raises(KeyError, match="lerning_rate") as caught:
            minimize(slip, {"learning_rate": (0.0, 1.0)}, "random", 5)
        assert caught.value.__notes__[0] == "The configuration has no 'lerning_rate'; did you mean 'learning_rate'?"

    def test_a_name_of_something_else_is_a_failure_of_the_configuration(self):
        space = ConfigurationSpace({"kind": ["a", "b"], "units": (1, 9), "more": (0.0, 1.0)})
        space.add(EqualsCondition(space["more"], space["kind"], "a"))

        def inactive(configuration):
            return configuration["more"]

        def table(configuration):
            return {"a": 1.0}[configuration["kind"]]

        def below(configuration):
            return load("lerning_rate")

        def load(name):
            return {}[name]

        def twice(configuration):
            configuration.pop("units")
            return configuration["units"] if configuration["kind"] == "b" else 1.0

        for function in (inactive, table, twice):
            result = minimize(function, space, "random", 20)
            assert {bool(r.failure) == (r.configuration["kind"] == "b") for r in result.records} == {True}
        with pytest.warns(UserWarning, match="all 2 evaluations failed, the first with .KeyError: 'lerning_rate'"):
            minimize(below, space, "random", 2)

    def test_one_in_a_group_shows_itself(self):
        def group(configuration):
            raise ExceptionGroup("tasks", [ValueError("x"), ExceptionGroup("more", [NameError("y")])])

        with pytest.raises(ExceptionGroup, match="tasks"):
            minimize(group, SPACE, "random", 2)

    @pytest.mark.parametrize("kind", ["async", "generator"])
    def test_what_only_prepares_its_work_is_refused_before_it(self, kind):
        async def waiting(configuration):
            return 1.0

        def giving(configuration):
            yield 1.0

        function = waiting if kind == "async" else giving
        with pytest.raises(UserError, match="a call only prepares its work; allowed: a function without `yield`"):
            minimize(function, SPACE, "random", 2)
        with pytest.raises(UserError, match="which has not been run; allowed: a function without `yield`"):
            minimize(lambda configuration: function(configuration), SPACE, "random", 2)

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

        result = minimize(loss, SPACE, "random", 6, evaluation_seconds=0.5)
        said = {(record.configuration["kind"], record.failure) for record in result.records}
        assert said == {("a", ""), ("b", "TimeLimitError: took longer than 0.5 s")}

    def test_workers_stop_between_steps(self, address, monkeypatch):
        monkeypatch.setenv("HPO_SCHEDULER", address)

        def loss(configuration):
            while configuration["kind"] == "b":
                time.sleep(0.01)
            return bowl(configuration)

        result = minimize(loss, SPACE, "random", 6, evaluation_seconds=0.5, workers=2)
        assert {bool(r.failure) == (r.configuration["kind"] == "b") for r in result.records} == {True}
        assert any(record.failure for record in result.records)


SHORT = 0.05


class Stubborn:
    """A function that catches everything, and after so many interruptions ends as `how` says."""

    def __init__(self, how, interruptions=3):
        self.how, self.interruptions = how, interruptions

    def __call__(self, configuration, trial=None):
        caught = 0
        while caught < self.interruptions:
            try:
                while True:
                    time.sleep(0.01)
            except BaseException:
                caught += 1
        if self.how == "raises":
            raise ValueError("of its own")
        if self.how == "slips":
            raise NameError("of its own")
        if self.how == "exits":
            raise SystemExit(3)
        if self.how == "gives up":
            trial.report(-100.0, 1)
            raise Pruned
        return -100.0


class TestOverrun:
    """What overran has failed, whatever came of it, and is interrupted until it ends."""

    @pytest.mark.parametrize("how", ["returns", "raises", "slips", "exits", "gives up"])
    @pytest.mark.parametrize("thread", [False, True])
    def test_it_has_failed(self, how, thread):
        results = []

        def search():
            space = {"x": (0.0, 1.0)}
            with pytest.warns(UserWarning, match="all 1 evaluations failed"):
                results.append(minimize(Stubborn(how), space, "random", 1, evaluation_seconds=SHORT, pruning="median"))

        if thread:
            other = threading.Thread(target=search)
            other.start()
            other.join()
        else:
            search()
        [record] = results[0].records
        assert record.failure == "TimeLimitError: took longer than 0.05 s" and not record.marks and not record.info

    def test_in_workers(self, address, monkeypatch):
        monkeypatch.setenv("HPO_SCHEDULER", address)

        def loss(configuration):
            caught = 0
            while caught < 2 and configuration["kind"] == "b":
                try:
                    while True:
                        time.sleep(0.01)
                except BaseException:
                    caught += 1
            return -100.0 if configuration["kind"] == "b" else bowl(configuration)

        result = minimize(loss, SPACE, "random", 6, evaluation_seconds=0.5, workers=2)
        assert {bool(r.failure) == (r.configuration["kind"] == "b") for r in result.records} == {True}
        assert result.best_loss > -100.0

    def test_a_benchmark_is_held_to_it_too(self):
        class Benchmark:
            space = ConfigurationSpace({"x": (0.0, 1.0)})

            def evaluate(self, configurations, budget, generator):
                Stubborn("returns", 1)(configurations[0])
                return Evaluation(np.array([-100.0]), np.ones(1), ({},))

        with pytest.warns(UserWarning, match="all 1 evaluations failed"):
            result = minimize(Benchmark(), None, "random", 1, evaluation_seconds=SHORT)
        assert result.records[0].failure == "TimeLimitError: took longer than 0.05 s"

    def test_nobody_could_interrupt_it(self, monkeypatch):
        """As when compiled code does not let another thread run: the clock alone tells."""
        now, shift = time.perf_counter, [0.0]
        monkeypatch.setattr(time, "perf_counter", lambda: now() + shift[0])

        def loss(configuration):
            shift[0] += 100.0
            return -100.0

        with pytest.warns(UserWarning, match="all 2 evaluations failed"):
            result = minimize(loss, SPACE, "random", 2, evaluation_seconds=50.0)
        assert {record.failure for record in result.records} == {"TimeLimitError: took longer than 50 s"}

    def test_its_state_is_not_kept(self, tmp_path):
        seen = []

        def loss(configuration, budget, state):
            seen.append((budget, dict(state)))
            state["budget"] = budget
            return Stubborn("returns", 1)(configuration) if budget == 1 and len(seen) == 1 else configuration["x"] + 1

        journal = tmp_path / "run.jsonl"
        minimize(loss, {"x": (0.0, 1.0)}, "hyperband", 2, budgets=(1, 3), evaluation_seconds=0.5, journal=journal)
        assert len(list((tmp_path / ".run.jsonl.states").iterdir())) == 1

    def test_an_inner_limit_leaves_the_outer_one(self):
        with pytest.raises(TimeLimitError, match=r"took longer than 0\.1 s"), time_limit(0.1):
            with pytest.raises(TimeLimitError, match=r"took longer than 0\.01 s"), time_limit(0.01):
                time.sleep(60)
            with time_limit(50.0):
                time.sleep(60)

    def test_it_may_have_alarms_of_its_own(self):
        rung = []
        before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
        try:
            with pytest.raises(TimeLimitError), time_limit(0.2):
                signal.setitimer(signal.ITIMER_REAL, 0.01)
                while not rung:
                    time.sleep(0.01)
                signal.setitimer(signal.ITIMER_REAL, 0)
                time.sleep(60)
        finally:
            signal.signal(signal.SIGALRM, before)

    @pytest.mark.parametrize("thread", [False, True])
    def test_no_interruption_comes_after_the_end(self, thread):
        """Limits that end at about the same time as their blocks: each ends in one of two ways, and none is left."""
        ends = []

        def many():
            for number in range(400):
                try:
                    with time_limit(1e-5 * (number % 20 + 1)):
                        sum(range(100 * (number % 7)))
                    ends.append("in time")
                except TimeLimitError:
                    ends.append("too long")
            time.sleep(0.15)

        if thread:
            other = threading.Thread(target=many)
            other.start()
            other.join()
        else:
            many()
        assert len(ends) == 400 and not limits._limits

    @pytest.mark.parametrize("seconds", [1e300, 10**400, np.float32(100)])
    def test_one_that_is_never_reached(self, seconds):
        result = minimize(bowl, SPACE, "random", 2, evaluation_seconds=seconds)
        assert not any(record.failure for record in result.records)

    def test_an_interruption_by_the_user_passes(self):
        with pytest.raises(KeyboardInterrupt), time_limit(0.01):
            try:
                time.sleep(60)
            except BaseException:
                raise KeyboardInterrupt from None
