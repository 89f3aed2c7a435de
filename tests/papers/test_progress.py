"""What is said while cells are computed: lines where the output is a file, bars in a terminal. Rich rounds times up."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from papers.commands.running import Display, progress_display


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=200)


def said(console: Console) -> list[str]:
    return console.file.getvalue().splitlines()


class TestLines:
    def test_a_cell_from_its_beginning_to_its_end(self, console, clock):
        display = Display(console, [100.0], clock)
        display.begin("toy/fit [smoke]")
        display.update(0.0)
        clock.now = 40
        display.update(0.5)
        display.line()
        clock.now = 80
        display.end()
        display.line()
        assert said(console) == [
            "toy/fit [smoke]: started",
            "toy/fit [smoke]: 50% after 40 s, 41 s left",
            "toy/fit [smoke]: 100% after 1 min 20 s",
        ]

    def test_what_an_earlier_attempt_did_says_nothing_about_the_speed(self, console, clock):
        display = Display(console, [None], clock)
        display.begin("a")
        display.update(0.5)
        clock.now = 40
        display.update(0.75)
        display.line()
        assert said(console)[1] == "a: 75% after 40 s, 40 s left"

    def test_several_cells_count_by_their_recorded_seconds(self, console, clock):
        """The first took twice as long as recorded, and so will the second."""
        display = Display(console, [30.0, 60.0], clock)
        display.begin("a")
        display.update(0.0)
        clock.now = 60
        display.end()
        display.begin("b")
        display.line()
        assert said(console)[-1] == "[2/2] b: 0% after 0.0 s, all 2 cells: 2 min 1 s left"

    def test_cells_never_timed_count_as_the_others(self, console, clock):
        display = Display(console, [20.0, None, 40.0], clock)
        display.begin("a")
        display.update(0.0)
        clock.now = 20
        display.end()
        display.begin("b")
        display.line()
        assert said(console)[-1].endswith("all 3 cells: 1 min 11 s left")

    def test_lines_come_without_any_progress(self, console):
        """A computation that reports nothing for long is still seen to be alive."""
        with progress_display(console, [None], interval=0.01) as display:
            display.begin("a")
            while len(said(console)) < 3:
                time.sleep(0.01)
        assert said(console)[1].startswith("a: 0% after ")


class TestBars:
    @pytest.fixture
    def terminal(self) -> Console:
        return Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)

    def test_show_the_cell_and_all_cells_with_the_time_left(self, terminal, clock):
        display = Display(terminal, [100.0, 100.0], clock)
        with display.bars as bars:
            display.begin("toy/fit [smoke]")
            display.update(0.0)
            clock.now = 50
            display.update(0.5)
            assert {task.description: task.time_remaining for task in bars.tasks} == {
                "all 2 cells": pytest.approx(150, abs=1),
                r"toy/fit \[smoke]": pytest.approx(50, abs=1),
            }
            assert [task.percentage for task in bars.tasks] == [25, 50]
            display.end()
            display.begin("next")
            assert [task.percentage for task in bars.tasks] == pytest.approx([50, 0], abs=1e-6)
        assert "started" not in terminal.file.getvalue()

    def test_a_single_cell_has_one_bar(self, terminal, clock):
        bars = Display(terminal, [None], clock).bars
        assert [task.visible for task in bars.tasks] == [False, False]
