"""What is said while cells are computed: lines where the output is a file, a bar in a terminal."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from core.experiment.pace import Pace
from papers.commands import progress
from papers.commands.progress import Bar, Log, all_left, progress_display


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


class TestLog:
    def test_a_cell_from_its_beginning_to_its_end(self, console, clock):
        log = Log(console, Pace([100.0], clock), 1)
        log.begin("toy/fit [smoke]")
        log.update(0.0)
        clock.now = 40
        log.update(0.5)
        log.refresh()
        clock.now = 80
        log.end()
        log.refresh()
        assert said(console) == [
            "toy/fit [smoke]: started, 1 min 40 s left",
            "toy/fit [smoke]: 50% after 40 s, 50 s left",
            "toy/fit [smoke]: 100% after 1 min 20 s",
        ]

    def test_several_cells(self, console, clock):
        log = Log(console, Pace([None, 30.0, None], clock), 3)
        log.begin("a")
        log.update(0.0)
        clock.now = 60
        log.update(0.75)
        log.refresh()
        assert said(console) == [
            "[1/3] a: started, no earlier run to estimate from",
            "[1/3] a: 75% after 1 min, 20 s left; all 3 cells: 50 s left, 1 cell never timed",
        ]

    def test_lines_come_without_any_progress(self, console, clock, monkeypatch):
        """From the clock: a computation that tells nothing for long is still seen to be alive."""
        monkeypatch.setattr(progress.Log, "__init__", quick(progress.Log.__init__))
        with progress_display(console, Pace([None], clock), 1) as display:
            display.begin("a")
            while len(said(console)) < 3:
                time.sleep(0.01)
        assert said(console)[1].startswith("a: 0% after ")


class TestBar:
    @pytest.fixture
    def terminal(self) -> Console:
        return Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)

    def test_shows_the_cell_and_all_cells_with_seconds_left(self, terminal, clock):
        bar = Bar(terminal, Pace([100.0, 30.0], clock), 2)
        with bar.shown() as shown:
            bar.begin("toy/fit [smoke]")
            bar.update(0.0)
            clock.now = 50
            bar.update(0.5)
            bar.refresh()
            assert {task.description: task.fields["left"] for task in shown.tasks} == {
                "all 2 cells": "1 min 20 s left",
                r"toy/fit \[smoke]": "50 s left",
            }
            assert [task.percentage for task in shown.tasks] == [25, 50]
            bar.end()
            bar.begin("next")
            assert [task.completed for task in shown.tasks] == [1, 0]

    def test_is_taken_in_a_terminal_alone(self, terminal, console, clock):
        for where, kind in ((terminal, Bar), (console, Log)):
            with progress_display(where, Pace([None], clock), 1) as display:
                assert isinstance(display, kind)


@pytest.mark.parametrize(
    "estimates, text",
    [([None, None], "2 cells never timed"), ([5.0, None], "5.0 s left, 1 cell never timed"), ([5.0], "5.0 s left")],
)
def test_what_is_not_known_is_said(clock, estimates, text):
    pace = Pace(estimates, clock)
    pace.begin()
    assert all_left(pace) == text


def quick(original):
    return lambda self, console, pace, cells: original(self, console, pace, cells, interval=0.01)
