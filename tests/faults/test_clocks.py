"""Clocks that jump: durations are never negative, limits hold, and what was finished is found whatever its date."""

from __future__ import annotations

import os
import time

import numpy as np
import pandas as pd
import pytest

from core import minimize
from core.experiment.runner import run_cell
from core.experiment.storage import read_provenance
from tests.core.study.bowl import SPACE, bowl, outcomes
from tests.faults.searches import Counted, expected_of, search
from tests.faults.tally import FAULTS
from tests.faults.toy_cell import CELL, Experiment, records, shards

JUMPS = (-1e9, -3600.0, 3600.0, 1e9)
"""Seconds: to the last century, by an hour of daylight saving time, to a year that a broken battery shows."""
TESTS = 4
EACH = FAULTS["jumps of the clock"] // TESTS


@pytest.fixture
def jump(monkeypatch):
    """Moves the clock of the wall by so many seconds from now on; that which only counts seconds goes on."""
    now, shifts = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: now() + shifts[0])
    monkeypatch.setattr(time, "time_ns", lambda: int((now() + shifts[0]) * 1e9))

    def move(seconds: float) -> None:
        shifts[0] += seconds

    return move


def test_in_a_search_with_limits(jump):
    """At each evaluation: it neither ends the search nor makes an evaluation too long or a duration negative."""
    jumps = list(JUMPS * EACH)[:EACH]

    def jumping(configuration):
        if jumps:
            jump(jumps.pop())
        return bowl(configuration)

    result = minimize(
        jumping, SPACE, "random", EACH + 5, seconds=3000.0, evaluation_seconds=300.0, seed=3, progress=False
    )
    assert not jumps and len(result.records) == EACH + 5 and not any(record.failure for record in result.records)
    assert outcomes(result) == outcomes(minimize(bowl, SPACE, "random", EACH + 5, seed=3, progress=False))
    assert all(0 <= r.started <= r.finished < 3000 and r.cost >= 0 and r.overhead >= 0 for r in result.records)


def test_a_machine_that_begins_to_count_anew(tmp_path, monkeypatch):
    """After each restart its clock is at 0: the journal's goes on, so that `seconds` count from the beginning."""
    expected, counted = expected_of("random"), []
    journal, monotonic = tmp_path / "run.jsonl", time.monotonic
    for number in range(EACH):
        begun = monotonic()
        monkeypatch.setattr(time, "monotonic", lambda begun=begun: monotonic() - begun)
        counted.append(Counted(interrupt_at=2))
        if number < EACH - 1:
            with pytest.raises(KeyboardInterrupt):
                search("random", journal, counted[-1])
        else:
            counted[-1].interrupt_at = 0
            result = search("random", journal, counted[-1])
    assert outcomes(result) == expected
    assert sum(each.calls for each in counted) == len(expected) + EACH - 1  # what was interrupted is made again
    times = [time for record in result.records for time in (record.started, record.finished)]
    assert times == sorted(times) and times[0] >= 0


def test_in_a_cell(tmp_path, jump):
    run_cell(CELL, Experiment(), tmp_path / "whole")
    for number in range(EACH):
        experiment = Experiment()

        def jumping(context, experiment=experiment, seconds=JUMPS[number % 4]):
            jump(seconds)
            return experiment(context)

        run_cell(CELL, jumping, tmp_path / str(number))
        notes = read_provenance(CELL.path(tmp_path / str(number)))
        assert 0 < notes["wall_seconds"] < 600
        pd.testing.assert_frame_equal(records(tmp_path / str(number)), records(tmp_path / "whole"), check_exact=True)


def test_files_of_another_date(tmp_path):
    """Shards and records of the past and of the future are what they are."""
    generator = np.random.default_rng()
    for number in range(EACH):
        root = tmp_path / str(number)
        with pytest.raises(KeyboardInterrupt):
            run_cell(CELL, Experiment(interrupt_at=20), root)
        when = max(0.0, time.time() + JUMPS[number % len(JUMPS)] * generator.uniform())
        for file in shards(root):
            os.utime(file, (when, when))
        run_cell(CELL, again := Experiment(), root)
        os.utime(CELL.path(root), (when, when))
        run_cell(CELL, once_more := Experiment(), root)
        assert (again.begun, once_more.begun) == ([20], [])
