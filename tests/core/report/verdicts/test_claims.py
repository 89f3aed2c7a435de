"""Running the check of a claim."""

from __future__ import annotations

import math

import pytest

from core.foundation.errors import UserError
from core.report.runs.frames import NotRunError
from core.report.statistics.intervals import Interval
from core.report.verdicts.checks import Check, judge
from core.report.verdicts.claims import Claim, run_check


def made(check):
    return Claim("wins", "claims.yaml: table1.wins", "table1", "claim", "It wins.", "Table 1", "both", check)


def test_run_check():
    good = judge(Interval(1, 0.5, 2), lower=0)
    assert run_check(made(lambda results: results), good) is good

    def missing(results):
        raise NotRunError("yacht/b")

    outcome = run_check(made(missing), None)
    assert outcome.holds == "not run" and outcome.detail == "yacht/b" and math.isnan(outcome.ours)
    for wrong in (True, Check(1, 1, 1, "yes")):
        with pytest.raises(UserError, match=r"^claims\.yaml: table1\.wins: must return a Check that is one of"):
            run_check(made(lambda results: results), wrong)
