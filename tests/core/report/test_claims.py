"""Claims and checks: the schema of claims.yaml, and when a claim holds."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UserError
from core.report.bootstrap import Interval
from core.report.checks import Check, NotRunError, all_of, judge, not_run, runs_of
from core.report.claims import read_claims, run_check

ENTRY = """
- id: wins
  artifact: table1
  kind: claim
  sentence: The adaptive sampler wins everywhere.
  place: Table 1
  check: wins
"""


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "claims.yaml"
        path.write_text(text)
        return path

    return write


def test_reads_entries_in_order(write):
    claims = read_claims(write(ENTRY + ENTRY.replace("id: wins", "id: again")), {"table1"})
    assert [claim.id for claim in claims] == ["wins", "again"]
    assert claims[0].sentence == "The adaptive sampler wins everywhere." and claims[0].kind == "claim"


def test_no_file_and_an_empty_file_are_no_claims(write, tmp_path):
    assert read_claims(tmp_path / "absent.yaml") == []
    assert read_claims(write("")) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (ENTRY.replace("kind: claim", "kind: guess"), r"entry 1, kind = 'guess': .*'claim' or 'shape'"),
        (ENTRY.replace("  place: Table 1\n", ""), r"entry 1, place: Field required; the keys are id, artifact"),
        (ENTRY + "  note: more\n", r"entry 1, note = 'more': Extra inputs"),
        (ENTRY.replace("id: wins", "id: Wins!"), r"entry 1, id = 'Wins!'"),
        (ENTRY + ENTRY, r"entry 2, id = 'wins' is there already"),
        (ENTRY.replace("table1", "table9"), r"entry 1, artifact = 'table9': no artifact of this paper"),
        ("wins: yes\n", r"must be a list of entries"),
        ("- [1, 2\n", r"not valid YAML"),
        ("- just words\n", r"entry 1, entry = 'just words'"),
    ],
)
def test_bad_entries_name_file_entry_key_and_value(write, text, complaint):
    path = write(text)
    with pytest.raises(UserError, match=complaint) as caught:
        read_claims(path, {"table1"})
    assert str(caught.value).startswith(str(path))


@given(st.floats(-5, 5), st.floats(0, 3), st.floats(0, 3), st.floats(-5, 5), st.floats(0, 5))
def test_a_claim_holds_inside_fails_outside_and_is_open_between(estimate, down, up, lower, width):
    interval, upper = Interval(estimate, estimate - down, estimate + up), lower + width
    outcome = judge(interval, 0.0, lower, upper).holds
    inside = lower < interval.low and interval.high < upper
    outside = interval.high < lower or upper < interval.low
    assert outcome == ("holds" if inside else "fails" if outside else "inconclusive")


def test_one_sided_claims():
    assert judge(Interval(1.0, 0.2, 2.0), "> 0", lower=0).holds == "holds"
    assert judge(Interval(1.0, 0.2, math.inf), "> 0", lower=0).holds == "holds"
    assert judge(Interval(1.0, -0.2, 2.0), "> 0", lower=0).holds == "inconclusive"
    assert judge(Interval(-1.0, -2.0, -0.1), "> 0", lower=0).holds == "fails"
    assert judge(Interval(-1.0, -2.0, -0.1), "< 0", upper=0).holds == "holds"
    assert judge(Interval(0.0, 0.0, 0.0), "> 0", lower=0).holds == "inconclusive"
    assert judge(Interval(math.nan, math.nan, math.nan), "> 0", lower=0).holds == "inconclusive"
    assert judge(Interval(math.nan, math.nan, math.nan), "anything").holds == "inconclusive"


def test_several_together():
    yes, no = (
        judge(Interval(1, 0.5, 2), "", lower=0, detail="a"),
        judge(Interval(-1, -2, -0.5), "", lower=0, detail="b"),
    )
    unsure = judge(Interval(0, -1, 1), "", lower=0)
    assert all_of([yes, yes], "2 of 2").holds == "holds" and all_of([yes, yes], "").ours == "2 of 2"
    assert all_of([yes, unsure], "").holds == "inconclusive"
    assert all_of([yes, unsure, no], "").holds == "fails" and all_of([yes, no], "", "sets").detail == "sets; a; b"
    assert all_of([no, not_run()], "").holds == "not run"
    assert all_of([], "").holds == "not run"


def frame():
    rows = [("boston", "a", 1, "ok", 2.0), ("boston", "a", 0, "ok", 1.0), ("boston", "a", 2, "failed", 9.0)]
    rows += [("boston", "b", 0, "ok", math.nan), ("yacht", "a", 0, "ok", 7.0)]
    return pd.DataFrame(rows, columns=["benchmark", "method", "run", "status", "score"])


def test_runs_of_a_cell_are_ordered_and_failures_count_as_told():
    np.testing.assert_array_equal(runs_of(frame(), "score", "boston", "a"), [1.0, 2.0, math.nan])
    np.testing.assert_array_equal(runs_of(frame(), "score", "boston", "a", failed=-math.inf), [1.0, 2.0, -math.inf])
    np.testing.assert_array_equal(runs_of(frame(), "score", "boston", "b", failed=0.0), [0.0])
    with pytest.raises(NotRunError, match="yacht/b"):
        runs_of(frame(), "score", "yacht", "b")
    with pytest.raises(NotRunError):
        runs_of(pd.DataFrame(columns=["benchmark", "method", "run", "status"]), "score", "yacht", "b")
    with pytest.raises(KeyError, match="no metric 'loss'"):
        runs_of(frame(), "loss", "boston", "a")


def test_run_check(write):
    (claim,) = read_claims(write(ENTRY))
    good = judge(Interval(1, 0.5, 2), 1.0, lower=0)
    assert run_check(claim, SimpleNamespace(wins=lambda results: results), good) is good
    missing = SimpleNamespace(wins=lambda results: runs_of(frame(), "score", "yacht", "b"))
    outcome = run_check(claim, missing, None)
    assert outcome.holds == "not run" and outcome.detail == "yacht/b" and math.isnan(outcome.ours)
    with pytest.raises(UserError, match="check = 'wins' is no function"):
        run_check(claim, None, None)
    with pytest.raises(UserError, match="must return a Check"):
        run_check(claim, SimpleNamespace(wins=lambda results: True), None)
    with pytest.raises(UserError, match="must return a Check"):
        run_check(claim, SimpleNamespace(wins=lambda results: Check(1, 1, 1, 1, "yes")), None)
