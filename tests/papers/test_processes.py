"""Work shared by forked processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from core.errors import UserError
from papers.commands.processes import CAN_FORK, shared_out

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="forks on Linux alone")


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_every_task_is_done_once(processes, tmp_path):
    def work(number: int) -> int:
        with open(tmp_path / str(number), "a") as file:
            file.write("done")
        return 0

    assert shared_out(range(40), work, processes) == 0
    assert {int(path.name): path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(range(40), "done")


def test_no_process_waits_for_another(tmp_path):
    """Whoever is free takes the next task: the others of one slow task are done by the other process."""

    def work(number: int) -> int:
        while number == 0 and len(list(tmp_path.iterdir())) < 9:
            time.sleep(0.01)
        (tmp_path / str(number)).touch()
        return 0

    assert shared_out(range(10), work, 2) == 0
    assert len(list(tmp_path.iterdir())) == 10


def test_the_worst_status_is_that_of_all():
    assert shared_out(range(6), lambda number: 2 if number == 3 else 0, 2) == 2
    assert shared_out([], lambda number: 2, 2) == 0


def test_what_was_imported_is_there(tmp_path):
    def work(number: int) -> int:
        (tmp_path / f"{number} of {os.getppid()}").touch()
        return 0

    shared_out(range(3), work, 2)
    assert {path.name for path in tmp_path.iterdir()} == {f"{number} of {os.getpid()}" for number in range(3)}


def test_a_killed_process_is_told_and_costs_one_task(tmp_path):
    def work(number: int) -> int:
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        (tmp_path / str(number)).touch()
        return 0

    with pytest.raises(UserError, match="a process was ended by signal 9; what it had finished is kept"):
        shared_out(range(8), work, 2)
    assert {path.name for path in tmp_path.iterdir()} == set("0234567")


def test_processes_end_with_their_parent(tmp_path):
    """A parent that is killed leaves nobody at work for longer than a task takes."""

    def work(number: int) -> int:
        (tmp_path / f"{number} {os.getpid()}").touch()
        time.sleep(0.2)
        return 0

    parent = os.fork()
    if parent == 0:
        shared_out(range(1000), work, 2)  # would take 100 seconds
        os._exit(0)
    while not list(tmp_path.iterdir()):
        time.sleep(0.01)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    deadline = time.monotonic() + 60
    while any(map(runs, {int(path.name.split()[1]) for path in tmp_path.iterdir()})) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(list(tmp_path.iterdir())) < 200


def runs(process: int) -> bool:
    """Whether a process is there and not a zombie that nobody waits for."""
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
