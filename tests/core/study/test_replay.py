"""Resuming where proposals are expensive: the state beside the journal spares them, and is a shortcut alone."""

from __future__ import annotations

import os

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace

from core.foundation.errors import UserError
from core.objectives.base import FunctionObjective
from core.optimizers.random_search import RandomSearch
from core.study import replay, run_serial

SPACE = ConfigurationSpace({"x": (0.0, 1.0)})


class Counting(RandomSearch):
    """Counts its proposals."""

    proposals = 0

    def _propose(self):
        self.proposals += 1
        return super()._propose()


@pytest.fixture
def always(monkeypatch):
    """The state is kept after every proposal, as if each had taken a second."""
    monkeypatch.setattr(replay, "WORTH_SECONDS", 0.0)


def run(path, evaluations, at=None):
    """An optimizer that ran, and what it was told; interrupted at a call."""
    calls = []

    def loss(configuration, budget, generator):
        calls.append(configuration)
        if len(calls) == at:
            raise KeyboardInterrupt
        return configuration["x"]

    optimizer = Counting(SPACE, np.random.default_rng(0))
    try:
        records = run_serial(optimizer, FunctionObjective(loss, SPACE, 9.0), evaluations, 0, journal=path)
    except KeyboardInterrupt:
        records = []
    return optimizer, [(record.number, record.loss) for record in records]


def test_what_is_kept_is_not_proposed_again(tmp_path, always):
    _, whole = run(None, 8)
    run(tmp_path / "run.jsonl", 8, at=5)
    resumed, told = run(tmp_path / "run.jsonl", 8)
    assert told == whole and resumed.proposals == 3  # the fifth was pending
    again, told = run(tmp_path / "run.jsonl", 8)
    assert told == whole and again.proposals == 0 and again.asked == 8 and not again.pending
    assert again.ask(1) == resumed.ask(1)


def test_quick_proposals_are_made_again_and_nothing_is_kept(tmp_path):
    run(tmp_path / "run.jsonl", 8, at=5)
    assert run(tmp_path / "run.jsonl", 8)[0].proposals == 8
    assert not (tmp_path / ".run.jsonl.state").exists()


def other_journal(folder):
    (folder / "run.jsonl").unlink()
    run(folder / "run.jsonl", 3)


def damaged(folder):
    state = folder / ".run.jsonl.state"
    state.write_bytes(state.read_bytes()[:100])


def shortened(folder):
    journal = folder / "run.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:5]))


def refused(folder):
    """A state of another version, which has or lacks a setting."""
    place, kept = folder / ".run.jsonl.state", replay.read_state(folder / ".run.jsonl.state")
    kept["state"]["settings"]["older"] = True
    replay.write_state(place, kept)


@pytest.mark.parametrize("spoil", [damaged, shortened, refused])
def test_a_state_that_does_not_fit_its_journal_is_not_used(tmp_path, always, spoil):
    _, whole = run(tmp_path / "run.jsonl", 8)
    spoil(tmp_path)
    optimizer, told = run(tmp_path / "run.jsonl", 8)
    assert told == whole and optimizer.proposals == 8


def test_the_state_of_another_journal_is_not_used(tmp_path, always, monkeypatch):
    run(tmp_path / "run.jsonl", 8)
    monkeypatch.setattr(replay, "WORTH_SECONDS", 60.0)
    other_journal(tmp_path)
    optimizer, told = run(tmp_path / "run.jsonl", 5)
    assert len(told) == 5 and optimizer.proposals == 5


@pytest.mark.parametrize("obstacle", ["a full disk", "a folder of its name"])
def test_a_state_that_cannot_be_written_costs_a_warning(tmp_path, always, monkeypatch, obstacle):
    """One for all that follow: the state is a shortcut, and the journal has everything."""

    def full(path, state):
        raise UserError(f"{path}: cannot be written: No space left on device")

    if obstacle == "a full disk":
        monkeypatch.setattr(replay, "write_state", full)
    else:
        (tmp_path / ".run.jsonl.state").mkdir()
    with pytest.warns(
        RuntimeWarning, match=r"\.run\.jsonl\.state: cannot be written: .*make all proposals again"
    ) as said:
        _, told = run(tmp_path / "run.jsonl", 8)
    assert len(said) == 1 and told == run(None, 8)[1]
    assert run(tmp_path / "run.jsonl", 8)[1] == told


def test_a_pipe_in_place_of_the_state_is_not_read(tmp_path, monkeypatch):
    run(tmp_path / "run.jsonl", 3)
    os.mkfifo(tmp_path / ".run.jsonl.state")
    assert len(run(tmp_path / "run.jsonl", 5)[1]) == 5


def test_what_no_file_can_keep_is_no_error(tmp_path, always):
    space = ConfigurationSpace({"x": (0.0, 1.0)})
    space.add(Categorical("activation", [abs, len]))
    objective = FunctionObjective(lambda configuration, budget, generator: configuration["x"], space, 9.0)
    optimizer = RandomSearch(space, np.random.default_rng(0))
    with pytest.warns(RuntimeWarning, match="the state holds <built-in function .*>, which no file can keep"):
        assert len(run_serial(optimizer, objective, 4, 0, journal=tmp_path / "run.jsonl")) == 4
