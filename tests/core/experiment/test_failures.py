"""What fails in a cell: one repetition, all of them, their numbers, or the experiment itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.runner import run_cell
from core.experiment.settings import Settings
from core.experiment.storage import read_records
from core.foundation.errors import UserError

CELL = Cell("toy", "fit", "line", "plain", "paper", 25, Settings(), "fit")
EVERY = frozenset(range(25))


class Failing:
    """An experiment that fails, as `how` says, whenever one of `bad` is among the repetitions; it notes its calls."""

    def __init__(self, bad: frozenset[int] | set[int] = frozenset(), how: Exception | float = np.nan) -> None:
        self.calls: list[list[int]] = []
        self.bad, self.how = bad, how

    def __call__(self, context: Context) -> pd.DataFrame:
        self.calls.append(list(context.runs))
        values = [np.random.default_rng(seed).normal() for seed in context.method_seeds("draw")]
        frame = pd.DataFrame({"run": context.runs, "value": values})
        hit = frame["run"].isin(self.bad)
        if hit.any() and isinstance(self.how, Exception):
            raise self.how
        return frame.assign(value=frame["value"].mask(hit, self.how)) if hit.any() else frame


def run(cell: Cell, function: Callable[[Context], pd.DataFrame], root: Path) -> pd.DataFrame:
    return read_records(run_cell(cell, function, root))[0]


class TestRaising:
    def test_a_repetition_that_raises_is_recorded_and_the_others_stay(self, tmp_path):
        expected = run(CELL, Failing(), tmp_path / "whole")
        records = run(CELL, Failing({4, 21}, ValueError("no [posterior]\nat all")), tmp_path)
        failed = records["run"].isin({4, 21})
        assert (records["status"] == np.where(failed, "failed", "ok")).all()
        message = r"repetition raised ValueError: no \[posterior\]\nat all \(test_failures\.py:\d+\)"
        assert records.loc[failed, "message"].str.fullmatch(message).all()
        assert records.loc[failed, "value"].isna().all()
        pd.testing.assert_series_equal(records.loc[~failed, "value"], expected.loc[~failed, "value"], check_exact=True)

    def test_a_failing_shard_is_repeated_alone_once(self, tmp_path):
        function = Failing({4}, ValueError("no"))
        run(replace(CELL, runs=12), function, tmp_path)
        assert function.calls == [list(range(10)), *([i] for i in range(10)), [10, 11]]

    def test_what_is_raised_after_an_interruption_is_its_echo(self, tmp_path, monkeypatch):
        """A library may turn an interruption into an error of its own: that is no failed repetition to repeat alone."""
        monkeypatch.setattr("core.experiment.runner.was_interrupted", lambda: True)
        function = Failing({4}, RuntimeError("callback failed"))
        with pytest.raises(KeyboardInterrupt):
            run(CELL, function, tmp_path)
        assert function.calls == [list(range(10))]
        assert not CELL.path(tmp_path).exists()

    def test_every_repetition_raised_is_an_error_and_leaves_nothing_behind(self, tmp_path):
        with pytest.raises(UserError) as caught:
            run(CELL, Failing(EVERY, ValueError("no posterior")), tmp_path)
        assert "toy/fit/line/plain: every repetition failed; the first said: " in str(caught.value)
        assert "raised ValueError: no posterior" in str(caught.value)
        assert not CELL.path(tmp_path).exists()
        mended = Failing()
        run(CELL, mended, tmp_path)
        assert len(mended.calls) == 3, "once mended, nothing of the failure is reused"

    def test_a_user_error_stops_the_cell(self, tmp_path):
        """An absent data set is not a failed repetition."""
        function = Failing({12}, UserError("data set 'boston' is absent"))
        with pytest.raises(UserError, match="data set 'boston' is absent"):
            run(CELL, function, tmp_path)
        assert function.calls == [list(range(10)), list(range(10, 20))]
        kept = CELL.path(tmp_path).parent.glob(".plain.shards/*")
        assert [file.name for file in kept] == ["000000-000010.parquet"]

    @pytest.mark.parametrize(
        "error, told",
        [
            (MemoryError(), "MemoryError"),
            (OSError(28, "No space left on device"), "OSError: [Errno 28] No space left on device"),
            (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "DefaultCPUAllocator: can't allocate memory"),
            (type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory"), "CUDA out of memory"),
        ],
    )
    def test_a_failure_of_the_machine_is_no_result(self, tmp_path, error, told):
        """The cell stops; once there is memory again, the same repetitions are computed and none is failed."""
        with pytest.raises(UserError) as caught:
            run(CELL, Failing({13}, error), tmp_path)
        assert "toy/fit/line/plain: repetitions 10 to 19: " in str(caught.value) and told in str(caught.value)
        assert not CELL.path(tmp_path).exists()
        mended = Failing()
        records = run(CELL, mended, tmp_path)
        assert mended.calls == [list(range(10, 20)), list(range(20, 25))]
        assert (records["status"] == "ok").all()

    def test_a_failure_of_the_machine_during_repetitions_alone(self, tmp_path):
        def failing(context: Context) -> pd.DataFrame:
            raise ValueError if len(context.runs) > 1 else MemoryError

        with pytest.raises(UserError, match="repetitions 0 to 0: MemoryError; this machine's failure"):
            run(CELL, failing, tmp_path)


class TestNonFinite:
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_a_metric_is_a_failure_of_its_row(self, tmp_path, value):
        records = run(CELL, Failing({4}, value), tmp_path)
        row = records[records["run"] == 4].iloc[0]
        assert (row["status"], row["message"]) == ("failed", "non-finite value")
        np.testing.assert_equal(row["value"], value)
        assert (records.loc[records["run"] != 4, "status"] == "ok").all()

    def test_a_huge_one_is_not(self, tmp_path):
        assert (run(CELL, Failing({4}, 1e308), tmp_path)["status"] == "ok").all()

    def test_every_metric_in_question_is_named(self, tmp_path):
        def two(context: Context) -> pd.DataFrame:
            return pd.DataFrame({"run": context.runs, "rmse": np.nan, "nll": np.float32(np.inf), "count": 1})

        assert (run(CELL, two, tmp_path)["message"] == "non-finite rmse, nll").all()

    def test_every_repetition_diverged_is_a_result(self, tmp_path):
        """A published nan is reproduced by ours."""
        assert (run(CELL, Failing(EVERY, np.nan), tmp_path)["status"] == "failed").all()

    def test_an_experiment_may_mark_evaluations_that_failed(self, tmp_path):
        def evaluations(context: Context) -> pd.DataFrame:
            frame = pd.DataFrame({"run": np.repeat(context.runs, 3), "evaluation": [0, 1, 2] * len(context.runs)})
            bad = frame["evaluation"] == 1
            return frame.assign(loss=1.0, status=np.where(bad, "failed", "ok"), message=np.where(bad, "diverged", ""))

        records = run(replace(CELL, runs=2), evaluations, tmp_path)
        assert list(records["status"]) == ["ok", "failed", "ok"] * 2
        assert list(records["message"]) == ["", "diverged", ""] * 2


class TestWrongReturn:
    @pytest.mark.parametrize("change", [lambda runs: runs + 1, lambda runs: runs[:-1], lambda runs: runs * 0])
    def test_other_repetitions(self, tmp_path, change):
        def wrong(context: Context) -> pd.DataFrame:
            return pd.DataFrame({"run": change(np.arange(context.runs.start, context.runs.stop))}).assign(value=1.0)

        with pytest.raises(UserError, match=r"toy/fit/line/plain: the experiment returned repetitions \[.*\], not \[0"):
            run(replace(CELL, runs=5), wrong, tmp_path)
        assert not CELL.path(tmp_path).exists()

    def test_no_run_column(self, tmp_path):
        with pytest.raises(UserError, match="the experiment returned no column 'run'"):
            run(CELL, lambda context: pd.DataFrame({"value": [1.0]}), tmp_path)
