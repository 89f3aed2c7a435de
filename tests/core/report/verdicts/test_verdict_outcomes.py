"""Verdicts that need no test: missing, failed, divergent, exact and ordered cells."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.foundation.errors import UserError
from core.report.verdicts.cells import (
    cell_verdict,
    exact_verdict,
)
from tests.core.report.verdict_cells import published, runs_with


def test_a_single_run_is_inconclusive_whatever_is_published():
    for cell in (published(0.0), published(0.0, None, "none", None)):
        verdict = cell_verdict([3.0], cell, "higher")
        assert verdict.kind == "inconclusive" and not verdict.tested


def test_not_run_and_not_published():
    assert cell_verdict([], published(), "higher").kind == "not run"
    for reading in ("missing", "illegible"):
        verdict = cell_verdict([1.0, 2.0], published(math.nan, reading=reading), "higher")
        assert verdict.kind == "not published" and verdict.note == reading


def test_published_nan_is_reproduced_by_divergence_and_else_bettered():
    nan = published(math.nan, None, "unstated", 50, "nan")
    diverged = cell_verdict([1.0, math.nan, 2.0], nan, "higher")
    assert diverged.kind == "reproduced" and diverged.note == "1 of 3 runs failed"
    assert cell_verdict([1.0, 2.0, 3.0], nan, "higher").kind == "better"
    assert not diverged.tested


@given(st.lists(st.sampled_from([math.nan, math.inf, -math.inf, 5.0]), min_size=1, max_size=9))
def test_a_failed_run_is_worse_and_counted(values):
    failed = sum(not math.isfinite(value) for value in values)
    assume(failed)
    verdict = cell_verdict(values, published(-3.0), "higher")
    assert verdict.kind == "worse" and verdict.note == f"{failed} of {len(values)} runs failed" and not verdict.tested
    assert math.isnan(verdict.difference) if failed == len(values) else verdict.difference == 8.0


def test_reduced_by_scale_or_by_fewer_runs_than_published():
    assert cell_verdict(runs_with(0, 1, 20), published(runs=10), "higher", reduced=True).reduced
    assert cell_verdict(runs_with(0, 1, 9), published(runs=10), "higher").reduced
    assert not cell_verdict(runs_with(0, 1, 10), published(runs=10), "higher").reduced


def test_exact_values():
    assert exact_verdict("1e-6", 0.000001).kind == "equal"
    assert exact_verdict(11_934, "11936").kind == "differs"
    assert exact_verdict("yes ", "yes").kind == "equal"
    assert exact_verdict(math.nan, "nan").kind == "equal"
    assert exact_verdict("", "0").kind == "differs"


def test_unknown_direction_is_refused():
    with pytest.raises(UserError, match=r"'up'; allowed: higher, lower"):
        cell_verdict([1.0], published(), "up")
