"""What a function returns: one loss, or a loss and a cost, and anything else to record; and losses that hide others."""

from __future__ import annotations

import json
import re
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import torch

from core import Evaluation, minimize
from core.foundation.errors import UserError
from core.objectives.guard import LONGEST
from core.optimizers.trial import as_evaluation
from core.study import evaluation, method_of
from core.study.chained_lines import chain_of, line_of
from core.study.evaluation import DEEPEST, LARGEST, LONGEST_TEXT, recorded
from core.study.minimization import about_huge_losses
from core.study.record import MARKED, Record

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
        (None, "returned None, as a function without `return` does; allowed: one loss"),
        ({"loss": 1.0, "status": "fail"}, "returned 'status' 'fail', which is an outcome like any other here; allowed"),
        (
            [1.0, 2.0],
            r"2 numbers of shape \(2,\), not one; .*two objectives .* BoTorch with qLogNoisyExpected",
        ),
        ({"cost": 1.0}, "with neither of 'loss' and 'value'; allowed: one of them"),
        ({"loss": 1.0, "value": 1.0}, "with both of 'loss' and 'value'; allowed: one of them"),
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


HALVES = [
    np.float16(0.5),
    np.longdouble(0.5),
    np.array(0.5),
    np.array([[0.5]], dtype=np.float32),
    np.array([Decimal("0.5")], dtype=object),
    np.ma.array([0.5], mask=[False]),
    pd.Series([0.5], dtype="Float64"),
    Fraction(1, 2),
    Decimal("0.5"),
    torch.tensor(0.5),
    torch.tensor([0.5], dtype=torch.bfloat16),
    torch.tensor([[0.5]], dtype=torch.float16, requires_grad=True),
    torch.tensor(0.5, dtype=torch.float8_e4m3fn),
    torch.nn.Parameter(torch.tensor(0.5)),
]
UNKNOWN = [
    np.ma.masked,
    np.ma.array([0.0], mask=[True]),
    np.ma.array(0, mask=True),
    pd.NA,
    pd.NaT,
    pd.array([pd.NA], dtype="Int64"),
    Decimal("nan"),
    Decimal("sNaN"),
    torch.tensor(float("nan"), dtype=torch.bfloat16),
]
NONE = [True, np.True_, "0.5", b"0", bytearray(b"0"), None, 1j, np.complex64(1), torch.tensor(1j), torch.tensor(True)]
NONE += [np.array([True]), np.timedelta64(3, "s"), np.datetime64("NaT"), torch.zeros(2), [], {1.0}, object()]


class TestNumbers:
    """One function decides what is a number, for what is returned and for what is told."""

    @pytest.mark.parametrize("half", HALVES, ids=repr)
    def test_of_any_type(self, half):
        for returned in (half, (half, half), {"loss": half, "cost": half}):
            result = minimize(lambda configuration, returned=returned: returned, SPACE, "random", 1)
            assert result.best_loss == 0.5
            assert result.best.cost == 0.5 or returned is half
        told = as_evaluation((half, half))
        assert told.loss.tolist() == told.cost.tolist() == as_evaluation(half).loss.tolist() == [0.5]

    @pytest.mark.parametrize("unknown", UNKNOWN, ids=repr)
    def test_one_that_is_not_known_is_a_failure(self, unknown):
        def loss(configuration):
            return unknown if configuration["x"] > 0 else 1.0

        result = minimize(loss, SPACE, "random", 20)
        assert {bool(r.failure) == (r.configuration["x"] > 0) for r in result.records} == {True}
        assert result.best_loss == 1.0
        assert all(re.search("not known|masked|nan", record.failure) for record in result.records if record.failure)
        optimizer = method_of("random").build(SPACE, 0)
        [trial] = optimizer.ask()
        for given in (unknown, Evaluation(np.ma.array([0.0], mask=[True]), np.ones(1), ({},))):
            with pytest.raises(
                UserError, match=r"tell: the loss is nan; allowed: a finite number; a failed evaluation is"
            ):
                optimizer.tell(trial, given)
        assert trial.number in optimizer.pending

    @pytest.mark.parametrize("none", NONE, ids=lambda value: type(value).__name__)
    def test_what_is_none(self, none):
        with pytest.raises(UserError, match=r"the function returned .*; allowed: one loss"):
            minimize(lambda configuration: none, SPACE, "random", 2)
        with pytest.raises(UserError, match=r"tell: the evaluation is .*; allowed: a loss, a pair"):
            as_evaluation(none)

    @pytest.mark.parametrize(
        "huge", [10**400, Decimal("1e400"), Fraction(-(10**400), 3)], ids=["int", "Decimal", "Fraction"]
    )
    def test_one_too_large_for_a_float_is_infinite(self, huge):
        with pytest.warns(UserWarning, match="all 2 evaluations failed, the first with 'loss is -?inf'"):
            minimize(lambda configuration: huge, SPACE, "random", 2)

    @pytest.mark.parametrize("method", ["__array__", "tolist", "__float__"])
    def test_one_that_raises_is_a_failure(self, method):
        class Raising(float if method == "__float__" else object):
            pass

        def fail(self, *args, **kwargs):
            raise RuntimeError("of the class")

        setattr(Raising, method, fail)
        values = [Raising(), 1.0]
        if method == "tolist":  # nobody asks for it where a number is wanted
            with pytest.raises(UserError, match="not a number"):
                minimize(lambda configuration: values[0], SPACE, "random", 1)
            return
        result = minimize(lambda configuration: values[configuration["x"] > 0], SPACE, "random", 20)
        assert {r.failure for r in result.records} == {"", "RuntimeError: of the class"}
        with pytest.raises(UserError, match="tell: the evaluation is"):
            as_evaluation(values[0])

    def test_the_largest_are_recorded_as_they_are(self, tmp_path):
        losses = iter([1e308, -1e308, 5e-324])
        for function in (lambda configuration: next(losses), lambda configuration: 0.0):
            with pytest.warns(UserWarning, match=r"losses are up to 1e\+308"):
                result = minimize(function, SPACE, "random", 3, journal=tmp_path / "run.jsonl")
            assert result.trace["loss"].tolist() == [1e308, -1e308, 5e-324]

    def test_a_report_is_one(self):
        def loss(configuration, trial):
            trial.report(torch.tensor([0.5], dtype=torch.bfloat16), 1)
            trial.report(np.ma.masked if configuration["x"] > 0 else Decimal("0.25"), 2)
            return 1.0

        result = minimize(loss, SPACE, "random", 20)
        assert {str(r.marks.get("reports")) for r in result.records} == {"[[1, 0.5], [2, 0.25]]", "None"}
        for wrong in (True, "0.5"):
            with pytest.raises(UserError, match=r"report: value is .*; allowed: a number"):
                minimize(lambda configuration, trial, wrong=wrong: trial.report(wrong, 1), SPACE, "random", 2)


RESERVED = [
    *MARKED,
    "observed loss",
    "violates",
    "trial",
    "status",
    "message",
    "origin",
    "budget",
    "learning_curve",
    "x",
]


class TestOutcomes:
    @pytest.mark.parametrize("value", [False, None, [1], "", "text", 3, {"a": 1}], ids=repr)
    def test_no_name_is_taken_for_one_of_the_library(self, tmp_path, value):
        def loss(configuration):
            return {"loss": configuration["x"] ** 2, "failure": value if value != "text" else 0.5} | dict.fromkeys(
                RESERVED, value
            )

        given = {"constraints": ["fine"], "pruning": "median", "journal": tmp_path / "run.jsonl"}
        for method in ("random", "gp"):
            result = minimize(lambda c: {**loss(c), "fine": -1.0}, SPACE, method, 7, **given | {"journal": None})
            assert {record.failure for record in result.records} == {""} and result.best is not None
            for record in result.records:
                assert {name: record.info[name] for name in RESERVED} == dict.fromkeys(RESERVED, value)
                assert record.info["failure"] == (value if value != "text" else 0.5)
                assert record.marks == {"constraints": {"fine": -1.0}}
            assert set(result.trace["status"]) == {"ok"}
        minimize(lambda c: {**loss(c), "fine": -1.0}, SPACE, "random", 7, **given)
        again = minimize(lambda c: 1 / 0, SPACE, "random", 7, **given)
        assert again.records[0].info["pruned"] == value and not again.records[0].failure

    def test_their_columns_have_names_of_their_own(self):
        def loss(configuration):
            return {"value": 2.0, "status": "mine", "trial": 9, "cost": 3.0, "x": 4.0, "value (returned)": 5.0}

        frame = minimize(loss, {"x": (0.0, 1.0), "message": (0.0, 1.0)}, "random", 2, maximize=True).frame
        assert frame["trial"].tolist() == [0, 1] and frame["trial (returned)"].tolist() == [9, 9]
        assert frame["status"].tolist() == ["ok"] * 2 and frame["status (returned)"].tolist() == ["mine"] * 2
        assert frame["value"].tolist() == [2.0] * 2 and frame["value (returned)"].tolist() == [5.0] * 2
        assert (frame["x"] < 1).all() and frame["x (returned)"].tolist() == [4.0] * 2
        assert frame["message (returned)"].tolist() == [""] * 2 and (frame["message"] < 1).all()

    def test_a_text_beside_nan_says_why_and_beside_a_loss_is_refused(self):
        def why(configuration):
            return {"loss": float("nan"), "failure": "diverged"} if configuration["x"] > 0 else 1.0

        assert {r.failure for r in minimize(why, SPACE, "random", 20).records} == {"", "diverged"}
        with pytest.raises(
            UserError, match="returned 'failure' 'diverged' beside the loss 1; allowed: an exception or"
        ):
            minimize(lambda configuration: {"loss": 1.0, "failure": "diverged"}, SPACE, "random", 2)

    def test_a_journal_of_an_earlier_version_goes_on(self, tmp_path):
        """Its lines have the marks among the outcomes."""

        def loss(configuration, trial):
            trial.report(configuration["x"], 1)
            if trial.should_prune():
                return configuration["x"]
            return {"loss": configuration["x"], "fine": -3 - configuration["x"], "kept": 1}

        given = {"constraints": ["fine"], "pruning": "median", "journal": tmp_path / "run.jsonl"}
        first = minimize(loss, SPACE, "tpe", 12, **given)
        assert {"ok", "pruned", "infeasible"} <= set(first.trace["status"])
        lines, before = [], ""
        for line in given["journal"].read_bytes().splitlines():
            entry = json.loads(line)
            del entry["chain"]
            if "told" in entry:
                entry["told"]["info"] |= entry["told"].pop("marks")
            lines.append(line_of(entry, before))
            before = chain_of(lines[-1])
        given["journal"].write_bytes(b"".join(lines))
        again = minimize(loss, SPACE, "tpe", 15, **given)
        whole = minimize(loss, SPACE, "tpe", 15, **given | {"journal": None})
        for one, other in zip(again.records, whole.records, strict=True):
            assert (one.configuration, one.loss, one.info, one.marks) == (
                other.configuration,
                other.loss,
                other.info,
                other.marks,
            )

    @pytest.mark.parametrize("marks", [3, {"pruned": True}, {"reports": [3]}, {"constraints": {"a": "b"}}, {"mine": 1}])
    def test_marks_that_are_none_are_refused(self, tmp_path, marks):
        journal = tmp_path / "run.jsonl"
        minimize(lambda configuration: 1.0, SPACE, "random", 1, journal=journal)
        lines, before = [], ""
        for line in journal.read_bytes().splitlines():
            entry = json.loads(line)
            del entry["chain"]
            if "told" in entry:
                entry["told"]["marks"] = marks
            lines.append(line_of(entry, before))
            before = chain_of(lines[-1])
        journal.write_bytes(b"".join(lines))
        with pytest.raises(UserError, match="line 3, 'told', is not a Record: marks is"):
            minimize(lambda configuration: 1.0, SPACE, "random", 2, journal=journal)


def cycle():
    inner: dict = {}
    inner["again"] = [inner]
    return inner


def nested(levels):
    value = 1.0
    for _ in range(levels):
        value = [value]
    return value


class Raising:
    """Raises whatever is asked of it."""

    def __getattribute__(self, name):
        if name in ("__class__", "__init__"):
            return object.__getattribute__(self, name)
        raise RuntimeError(name)

    def __repr__(self):
        raise RuntimeError("repr")

    def __len__(self):
        raise RuntimeError("len")


class Itself:
    def tolist(self):
        return self


class TestWhateverIsRecorded:
    """Nothing that is returned beside the loss ends a search."""

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (cycle(), {"again": ["..."]}),
            (nested(DEEPEST - 1), nested(DEEPEST - 1)),
            (Itself(), "..."),
            (Raising(), "<Raising>"),
            ([Raising(), 1], ["<Raising>", 1]),
            ({Raising: 1, 2: 3, None: 4}, {str(Raising): 1, "2": 3, "None": 4}),
            (10**5000, "<int>"),
            ("half \ud800", "half \\ud800"),  # as in names of files that are no text
            ({"\ud800": 1}, {"\\ud800": 1}),
            (10**300, 10**300),
            (np.longdouble(0.5), 0.5),
            (np.clongdouble(1), repr(np.clongdouble(1))),
            (np.ma.masked, None),
            (torch.ones(2, dtype=torch.bfloat16, requires_grad=True), [1.0, 1.0]),
            (pd.Index([1, 2]), [1, 2]),
            (np.zeros(LARGEST + 1), f"<ndarray of {LARGEST + 1:,}>"),
            (range(10**9), f"<range of {10**9:,}>"),
            ((1, {"a": (2, None)}), [1, {"a": [2, None]}]),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_a_value(self, tmp_path, value, expected):
        for workers_journal in (None, tmp_path / "run.jsonl"):
            result = minimize(
                lambda configuration: {"loss": 1.0, "kept": value}, SPACE, "random", 2, journal=workers_journal
            )
            assert [record.info["kept"] for record in result.records] == [expected] * 2
        read = minimize(lambda configuration: 1.0, SPACE, "random", 2, journal=tmp_path / "run.jsonl")
        assert read.records[0].info["kept"] == expected

    def test_what_is_deep_or_long_is_cut(self, monkeypatch):
        deep = recorded({"deep": nested(10_000)})["deep"]
        assert str(deep).count("[") == DEEPEST and "'...'" in str(deep)
        assert len(recorded({"set": {"x" * 50_000}})["set"]) == LONGEST_TEXT
        monkeypatch.setattr(evaluation, "LARGEST", 10)
        assert recorded({"a": [1] * 5, "b": [1] * 5, "c": "12345", "d": "1", "e": [1]}) == {
            "a": [1] * 5,
            "b": "<list of 5>",
            "c": "'12345'",
            "d": "1",
            "e": "...",
        }

    def test_what_branches_is_cut(self, monkeypatch):
        """With ten parts at every level it would have 10**60."""
        monkeypatch.setattr(evaluation, "LARGEST", 1000)
        levels = [[1.0]]
        for _ in range(60):
            levels.append([levels[-1]] * 10)
        counted = str(recorded({"tree": levels[-1]}))
        assert "..." in counted and counted.count("[") <= 1000

    def test_by_workers(self, address, monkeypatch):
        monkeypatch.setenv("HPO_SCHEDULER", address)

        def loss(configuration):
            inner: dict = {}
            inner["again"] = inner
            return {"loss": configuration["x"], "inner": inner, "deep": [[[1]]]}

        result = minimize(loss, SPACE, "random", 3, workers=2)
        assert [record.info for record in result.records] == [{"inner": {"again": "..."}, "deep": [[[1]]]}] * 3


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Own(BaseException):
    pass


class TestExceptions:
    @pytest.mark.parametrize(
        ("error", "failure"),
        [
            (Unspeakable(), "Unspeakable: its message cannot be read (RuntimeError)"),
            (ValueError("x" * 10**6), f"ValueError: {'x' * (LONGEST - len('ValueError:  ...'))} ..."),
            (SystemExit(3), "SystemExit: 3"),
            (GeneratorExit(), "GeneratorExit: "),
            (Own("mine"), "Own: mine"),
            (
                ExceptionGroup("two", [ValueError("a"), ExceptionGroup("more", [Unspeakable()])]),
                "ExceptionGroup: two (2 sub-exceptions): ValueError: a; ExceptionGroup: more (1 sub-exception): "
                "Unspeakable: its message cannot be read (RuntimeError)",
            ),
            (BaseExceptionGroup("one", [Own("mine")]), "BaseExceptionGroup: one (1 sub-exception): Own: mine"),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_each_is_a_failure(self, tmp_path, error, failure):
        def loss(configuration):
            if configuration["x"] > 0:
                raise error
            return 1.0

        for _ in range(2):
            result = minimize(loss, SPACE, "random", 20, journal=tmp_path / "run.jsonl")
            assert {record.failure for record in result.records} == {"", failure}

    def test_an_interruption_in_a_group_ends_the_search(self):
        def loss(configuration):
            raise BaseExceptionGroup("two", [ValueError("a"), KeyboardInterrupt()])

        with pytest.raises(BaseExceptionGroup, match="two"):
            minimize(loss, SPACE, "random", 2)

    def test_by_workers(self, address, monkeypatch):
        monkeypatch.setenv("HPO_SCHEDULER", address)

        def loss(configuration):
            class Mine(BaseException):
                def __str__(self):
                    raise RuntimeError("no words")

            raise Mine

        with pytest.warns(
            UserWarning, match="all 3 evaluations failed, the first with 'Mine: its message cannot be read"
        ):
            minimize(loss, SPACE, "random", 3, workers=2)


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
