"""The two tables of counts: what each column counts, and totals; what chance can make wrong."""

from __future__ import annotations

import json

from core.report.page.records import to_json
from core.report.page.summary import CLAIM_HEADS, NUMBER_HEADS, summary_of, tally
from core.report.statistics.intervals import Interval
from core.report.verdicts.checks import both, judge, outside
from tests.core.report.page.made_sidecars import sidecar, table

HOLDS, FAILS = (judge(Interval(value, value - 0.1, value + 0.1), lower=0.0) for value in (1.0, -1.0))


def made(paper, shift, checks=(), **changes):
    return json.loads(to_json(sidecar(paper, "table1", table(shift), checks, **changes)))


def row(rows, paper, heads):
    return dict(zip(heads, dict(rows)[paper], strict=True))


def test_claims_and_numbers_by_paper_and_in_total():
    papers = {
        "alpha": [made("alpha", 0.0, [HOLDS, outside(FAILS, "a part"), both(lambda: FAILS, lambda: HOLDS)])],
        "beta": [made("beta", 5.0, [FAILS])],
    }
    papers["beta"][0]["table"]["cells"][0]["verdict"]["kind"] = "as configured"
    summary = summary_of([sidecar for own in papers.values() for sidecar in own], ["alpha", "gamma"])
    claims, numbers = summary.claim_counts, summary.number_counts
    assert [name for name, _ in claims] == [name for name, _ in numbers] == ["alpha", "gamma", "beta", ""]
    alpha, total = row(claims, "alpha", CLAIM_HEADS), row(claims, "", CLAIM_HEADS)
    assert (alpha["hold"], alpha["fail"], alpha["open"], alpha["outside"]) == ("1", "1", "·", "1")
    assert alpha["outside, on our part: hold / fail / open"] == "0 / 1 / 0"
    assert alpha["on the authors' data: hold / fail / open"] == "1 / 0 / 0"
    assert (total["hold"], total["fail"]) == ("1", "2")
    assert total["at the full protocol: hold / fail / open"] == "1 / 2 / 0"
    beta, every = row(numbers, "beta", NUMBER_HEADS), row(numbers, "", NUMBER_HEADS)
    assert (beta["equal"], beta["as configured"], beta["worse"], beta["better"]) == ("·", "1", "·", "1")
    assert (every["reproduced"], every["as configured"], every["better"], every["reduced"]) == ("1", "1", "2", "4")


def test_artifacts_without_runs_are_not_counted_as_drawn():
    total = summary_of([made("alpha", 0.0), made("alpha", 0.0, absent=True)]).total
    assert (total.drawn, total.artifacts) == (1, 2)


def test_an_artifact_that_repeats_another_s_numbers_adds_none():
    once, again = made("alpha", 5.0), made("alpha", 5.0, repeats="table1")
    assert summary_of([once, again]).total.verdicts == tally(once).verdicts != tally(again).verdicts
