"""Degrees of agreement between the same repetitions made twice."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.experiment import agreement
from core.experiment.agreement import DIFFERS, DISTRIBUTED, EXACT, MEASURED, ROUNDED, UNTESTABLE

GENERATOR = np.random.default_rng(0)


def frame(rows: int = 30, **columns) -> pd.DataFrame:
    values = np.random.default_rng(0).normal(size=rows)
    standard = {"run": range(rows), "status": "ok", "message": "", "value": values, "seconds": values**2}
    return pd.DataFrame(standard | columns)


def judged(again: pd.DataFrame, shipped: pd.DataFrame | None = None, measured=("seconds",)) -> str:
    shipped = frame() if shipped is None else shipped
    return agreement.agreement(shipped, again, shipped, measured)[0]


class TestExact:
    def test_equal_but_for_the_seconds(self):
        assert judged(frame(seconds=7.0)) == EXACT
        assert judged(frame(seconds=7.0), measured=()) == DIFFERS

    def test_what_is_not_finite_is_equal_to_itself(self):
        values = frame()["value"].mask(frame()["run"] == 3, np.nan).mask(frame()["run"] == 4, np.inf)
        assert judged(frame(value=values), frame(value=values)) == EXACT
        assert judged(frame(), frame(value=values)) != EXACT

    @pytest.mark.parametrize("kind", [np.float16, np.float64, np.int64])
    def test_lists(self, kind):
        curves = [np.arange(run % 4, dtype=kind) for run in range(30)]
        changed = [curve + (run == 7) for run, curve in enumerate(curves)]
        assert judged(frame(curve=[list(c) for c in curves]), frame(curve=curves)) == EXACT
        assert judged(frame(curve=changed), frame(curve=curves)) != EXACT

    def test_a_type_of_number_does_not_matter(self):
        """Joined to shards with failures, integers have become floats."""
        assert judged(frame(count=5), frame(count=5.0)) == EXACT

    def test_columns_that_only_other_shards_have(self):
        shipped = frame(count=5)
        again = shipped.iloc[:10].drop(columns="value")
        assert agreement.agreement(shipped.iloc[:10].assign(value=np.nan), again, shipped, ["seconds"])[0] == EXACT


class TestRounded:
    @given(st.integers(0, 29), st.floats(1e-12, 0.5e-4), st.sampled_from([1, -1]))
    def test_small_in_units_of_the_column(self, row, size, sign):
        values = frame()["value"].to_numpy().copy()
        values[row] += sign * size * np.abs(values).max()
        assert judged(frame(value=values)) == ROUNDED

    def test_no_text_is_rounded(self):
        again = frame(label=["a"] * 29 + ["b"])
        assert judged(again, frame(label="a")) not in (EXACT, ROUNDED)


class TestDistribution:
    def test_other_draws_of_the_same(self):
        assert judged(frame(value=np.random.default_rng(1).permutation(frame()["value"]))) == DISTRIBUTED

    def test_a_shift_of_three_standard_deviations(self):
        told = agreement.agreement(frame().iloc[:10], frame(value=frame()["value"] + 3).iloc[:10], frame(), ["seconds"])
        assert told[0] == DIFFERS
        assert told[1].endswith("of value")

    def test_failures_count(self):
        failed = frame(status="failed", message="repetition raised", value=np.nan)
        assert judged(failed) == DIFFERS

    @pytest.mark.parametrize("rows", [1, 2, 3])
    def test_so_few_that_nothing_could_be_seen(self, rows):
        shipped = frame(rows)
        assert judged(shipped.assign(value=100.0), shipped) == UNTESTABLE

    @pytest.mark.slow
    def test_false_alarms_are_rare(self, monkeypatch):
        """At a level of 5%, of 100 reruns with other draws: more than 15 alarms have a probability below 0.0001."""
        monkeypatch.setattr(agreement, "LEVEL", 0.05)
        alarms = 0
        for draw in np.random.default_rng(2).normal(size=(100, 40)):
            shipped = frame(30, value=draw[:30])
            again = shipped.iloc[:10].assign(value=draw[30:])
            alarms += agreement.agreement(shipped.iloc[:10], again, shipped, ["seconds"])[0] == DIFFERS
        assert alarms <= 15

    def test_searches_of_other_lengths(self):
        rows = pd.DataFrame(
            {"run": np.repeat(range(20), 3), "status": "ok", "message": "", "evaluation": [1, 2, 3] * 20}
        )
        rows["regret"] = GENERATOR.uniform(size=60)
        shorter = rows[rows["evaluation"] < 3].assign(regret=GENERATOR.permutation(rows["regret"])[:40])
        found, remark = agreement.agreement(rows, shorter, rows, ())
        assert found == DIFFERS
        assert "last evaluation" in remark, "they have ended earlier"


class TestMeasured:
    def test_nothing_but_time(self):
        assert judged(frame(value=9.0), measured=("seconds", "value")) == MEASURED
        assert judged(frame(rows=12), measured="all") == MEASURED

    def test_a_rerun_has_every_column_that_is_shipped_even_then(self):
        assert judged(frame().drop(columns="value"), measured="all") == DIFFERS
        assert judged(frame(extra=1.0), measured="all") == MEASURED


def test_what_only_the_rerun_records_is_not_compared():
    assert judged(frame(extra=GENERATOR.uniform(size=30))) == judged(frame()) == EXACT


def test_the_level_is_what_the_docstring_says():
    assert (agreement.ROUNDING, agreement.LEVEL) == (1e-4, 0.001)
