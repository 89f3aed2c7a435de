"""Seconds that are left, on a clock that the test moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.experiment.pace import Pace


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def pace_of(*estimates: float | None) -> tuple[Pace, Clock]:
    clock = Clock()
    return Pace(estimates, clock), clock


class TestCell:
    @given(st.floats(0.01, 0.99), st.floats(0.1, 1e4))
    def test_without_records_by_its_own_speed(self, share, seconds):
        pace, clock = pace_of(None)
        pace.begin()
        pace.update(0.0)
        assert pace.cell_left is None
        clock.now += seconds
        pace.update(share)
        assert pace.cell_left == pytest.approx(seconds * (1 - share) / share)

    @given(st.floats(0.0, 0.99), st.floats(1.0, 1e4))
    def test_at_the_recorded_speed_both_ways_agree(self, share, estimate):
        pace, clock = pace_of(estimate)
        pace.begin()
        pace.update(0.0)
        clock.now += estimate * share
        pace.update(share)
        assert pace.cell_left == pytest.approx(estimate * (1 - share), rel=1e-6)

    def test_before_any_progress_by_records_and_the_clock(self):
        pace, clock = pace_of(60.0)
        pace.begin()
        clock.now += 20
        assert pace.cell_left == pytest.approx(40)
        clock.now += 100
        assert pace.cell_left == 0.0

    def test_what_an_earlier_attempt_left_is_no_speed(self):
        """Nine of ten shards were there: their tenths took no time, and the last one takes a tenth of the record."""
        pace, clock = pace_of(100.0)
        pace.begin()
        pace.update(0.9)
        assert pace.cell_left == pytest.approx(10)
        clock.now += 10
        pace.update(0.95)
        assert pace.cell_left == pytest.approx(0.5 * 10 + 0.5 * 0)

    def test_nothing_is_left_of_a_finished_cell(self):
        pace, _ = pace_of(5.0)
        pace.begin()
        pace.update(1.0)
        assert pace.cell_left == 0.0


class TestAll:
    def test_later_cells_count_as_recorded(self):
        pace, clock = pace_of(10.0, 20.0, None, 30.0)
        pace.begin()
        pace.update(0.0)
        clock.now += 5
        pace.update(0.5)
        assert pace.all_left == (pytest.approx(5 + 20 + 30), 1)

    def test_a_slower_machine(self):
        """The first cell took three times its record, and so will the others."""
        pace, clock = pace_of(100.0, 20.0, 30.0)
        pace.begin()
        pace.update(0.0)
        clock.now += 300
        pace.end()
        pace.begin()
        assert pace.all_left == (pytest.approx(3 * (20 + 30)), 0)

    def test_a_cell_of_a_second_says_nothing_of_the_machine(self):
        pace, clock = pace_of(1.0, 20.0)
        pace.begin()
        pace.update(0.0)
        clock.now += 9
        pace.end()
        pace.begin()
        assert pace.all_left == (pytest.approx(20), 0)

    def test_nothing_known(self):
        pace, _ = pace_of(None, None)
        pace.begin()
        assert pace.all_left == (None, 2)
