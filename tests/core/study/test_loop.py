"""The loop of the drivers on pools that answer by hand: workers that come late, and ends in the middle of results."""

from __future__ import annotations

import os
import pickle
import queue
import random
import warnings
from contextlib import nullcontext

import numpy as np
import pytest
import torch
from ConfigSpace import ConfigurationSpace

from core import minimize
from core.foundation.errors import UserError
from core.optimizers.random_search import RandomSearch
from core.study.evaluation import TrialResult
from core.study.journal import Journal, open_journal
from core.study.loop import drive
from core.study.pool import WorkerPool

SPACE = ConfigurationSpace({"x": (0.0, 1.0)})


def search():
    return RandomSearch(SPACE, np.random.default_rng(0))


class Prompt:
    """All that was submitted has ended by the next `wait`; `slots` answers as given, at last the same again."""

    def __init__(self, *slots):
        self.answers, self.submitted = list(slots), []

    def now(self):
        return 0.0

    def proposing(self):
        return nullcontext()

    def slots(self):
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def submit(self, trial):
        self.submitted.append(trial)

    def wait(self, seconds):
        ended, self.submitted = [(trial, TrialResult(0.5, 1.0)) for trial in self.submitted], []
        return ended


@pytest.mark.parametrize("answers", [(0, 1), (0, 0, 0, 2), (1, 0, 0, 3)])
def test_workers_that_join_between_two_looks_are_used(answers):
    records = drive(search(), Prompt(*answers), 3, Journal(), lambda record: None)
    assert [record.number for record in records] == [0, 1, 2]


def test_what_begins_or_ends_together_is_synchronized_together(tmp_path, monkeypatch):
    """Trials of eight workers in three rounds, all of which arrive at once: 2 x 3 times, and nothing starts before."""
    monkeypatch.setattr("core.study.loop.GATHER_SECONDS", 60.0)
    events, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (events.append("fsync"), fsync(handle))[1])
    pool = Prompt(8)
    submit, optimizer = pool.submit, search()
    pool.submit = lambda trial: (events.append("start"), submit(trial))
    tell = optimizer.tell
    optimizer.tell = lambda trial, evaluation: (events.append("tell"), tell(trial, evaluation))
    with open_journal(tmp_path / "run.jsonl", {}, SPACE) as book:
        drive(optimizer, pool, 24, book, lambda record: None)
    assert events == 3 * ["fsync", *8 * ["start"], "fsync", *8 * ["tell"]]


def test_a_slow_proposal_is_started_at_once(monkeypatch):
    monkeypatch.setattr("core.study.loop.GATHER_SECONDS", 0.0)
    pool, optimizer, waiting = Prompt(8), search(), []
    ask = optimizer.ask
    optimizer.ask = lambda n: (waiting.append(len(pool.submitted)), ask(n))[1]
    drive(optimizer, pool, 8, Journal(), lambda record: None)
    assert waiting == list(range(8))


def test_an_optimizer_that_proposes_nothing_is_told_apart():
    optimizer = search()
    optimizer._propose = lambda: None
    with pytest.raises(RuntimeError, match="RandomSearch proposes nothing though no trial is pending"):
        drive(optimizer, Prompt(2), 3, Journal(), lambda record: None)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_all_results_that_had_arrived_are_written_down_and_told_when_a_report_raises(tmp_path, error):
    optimizer, reported = search(), []

    def report(record):
        reported.append(record.number)
        raise error

    with pytest.raises(error), open_journal(tmp_path / "journal", {}) as journal:
        drive(optimizer, Prompt(3), 9, journal, report)
    assert reported == [0] and not optimizer.pending
    assert (tmp_path / "journal").read_text().count('"told"') == 3


@pytest.mark.parametrize("place", ["before", "after"])
def test_an_interruption_between_writing_and_telling_leaves_each_result_once(tmp_path, place):
    optimizer, told = search(), []
    plainly, left = optimizer.tell, [1]

    def tell(trial, evaluation):
        if trial.number == 1 and left and place == "before" and left.pop():
            raise KeyboardInterrupt
        plainly(trial, evaluation)
        told.append(trial.number)
        if trial.number == 1 and left and left.pop():
            raise KeyboardInterrupt

    optimizer.tell = tell
    with pytest.raises(KeyboardInterrupt), open_journal(tmp_path / "journal", {}) as journal:
        drive(optimizer, Prompt(3), 9, journal, lambda record: None)
    assert told == [0, 1, 2] and not optimizer.pending
    assert (tmp_path / "journal").read_text().count('"told"') == 3


def test_a_line_whose_writing_is_interrupted_is_not_there(tmp_path, monkeypatch):
    optimizer, path = search(), tmp_path / "journal"
    synchronise = [1]

    def fsync(handle):
        if '"number": 1, "configuration"' in path.read_text() and '"told"' in path.read_text() and synchronise:
            synchronise.pop()
            raise KeyboardInterrupt

    monkeypatch.setattr("core.study.journal.os.fsync", fsync)
    with pytest.raises(KeyboardInterrupt), open_journal(path, {}) as journal:
        drive(optimizer, Prompt(2), 9, journal, lambda record: None)
    with open_journal(path, {}) as journal:
        assert [kind for kind, _ in journal.events] == ["asked", "asked", "told", "told"]


def test_results_collected_before_an_error_are_returned_by_the_next_call():
    """As the driver does: an error stops the run, then what had arrived is asked for."""
    pool = WorkerPool.__new__(WorkerPool)
    pool._arrived, pool._leaving, pool._ended, pool._again, pool.attempts = queue.SimpleQueue(), [], [], [], 3
    fine = pickle.dumps({"loss": 0.5, "cost": 1.0})
    ends = [fine, UserError("the first"), fine, UserError("the second"), fine]
    trials = search().ask(len(ends))
    pool._running = {trial.number: (trial, 1) for trial in trials}
    pool._futures = dict.fromkeys(pool._running)
    for trial, end in zip(trials, ends, strict=True):
        pool._arrived.put((trial.number, end))
    with pytest.raises(UserError, match="the first"):
        pool.wait(None)
    assert [trial.number for trial, _ in pool.wait(0.0)] == [0, 2, 4]
    assert pool.wait(0.0) == []


@pytest.mark.parametrize(
    "method", [{"method": "gp", "restarts": 1}, {"method": "rf", "trees": 5}, {"method": "tpe"}, {"method": "cmaes"}]
)
def test_what_a_function_sets_for_its_process_changes_no_proposal(method):
    """All at once, and left as they are: torch's settings, NumPy's, errors for warnings, and the random numbers."""

    def quiet(configuration):
        return (configuration["x"] - 0.3) ** 2

    def rude(configuration):
        torch.set_default_device("meta")
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        np.seterr(all="raise")
        warnings.simplefilter("error")
        np.random.seed(None)  # noqa: NPY002, the legacy one is the point
        random.seed()
        return quiet(configuration)

    expected = minimize(quiet, SPACE, method, 9, progress=False)
    generator, usual = torch.get_rng_state(), np.geterr()
    with warnings.catch_warnings():
        try:
            found = minimize(rude, SPACE, method, 9, progress=False)
            assert torch.empty(0).device.type == "meta" and warnings.filters[0][0] == "error", "they are the user's"
        finally:
            torch.set_default_device(None)
            torch.set_default_dtype(torch.float32)
            torch.set_grad_enabled(True)
            torch.set_rng_state(generator)
            np.seterr(**usual)
    assert [record.configuration for record in found.records] == [record.configuration for record in expected.records]
