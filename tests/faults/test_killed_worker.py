"""A process that is killed in the middle of a trial costs no trial: the bandits' brackets come out whole.

Workers, and the only process of a search with a journal, which is begun again; and its children that come back.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter

import cloudpickle
import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace

from core.foundation.errors import UserError
from core.objectives.base import Fidelity, FunctionObjective
from core.optimizers.hyperband import Hyperband
from core.optimizers.random_search import RandomSearch
from core.optimizers.settings import HyperbandSettings
from core.study import run_parallel
from tests.core.study.bowl import outcomes
from tests.faults.searches import SEARCHES, Counted, expected_of, search
from tests.faults.tally import DEATHS, FAULTS

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the workers cannot import the tests

SPACE = ConfigurationSpace({"x": (0.0, 1.0)})


def killing(fatal, folder, fidelity=None):
    """x; the first evaluation of `fatal` on each budget kills its process, the second finds the mark and goes on."""

    def kill_once(configuration, budget, generator):
        mark = f"{folder}/killed-{budget}"
        if configuration["x"] == fatal and not os.path.exists(mark):  # noqa: PTH110
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return configuration["x"]

    return FunctionObjective(kill_once, SPACE, 9.0, fidelity=fidelity)


@pytest.mark.slow
def test_random_search(address, tmp_path):
    optimizer = RandomSearch(SPACE, np.random.default_rng(0))
    fatal = max(trial.configuration["x"] for trial in RandomSearch(SPACE, np.random.default_rng(0)).ask(10))
    records = run_parallel(optimizer, killing(fatal, tmp_path), 10, seed=0, address=address)
    assert [path.name for path in tmp_path.iterdir()] == ["killed-None"] * DEATHS["a worker of random search"]
    assert sorted(record.number for record in records) == list(range(10)) and not optimizer.pending
    assert all(record.loss == record.configuration["x"] and not record.failure for record in records)


def test_hyperband(address, tmp_path):
    """The best of the first bracket kills a worker on each of its two budgets; brackets of 3 and 2 configurations."""
    optimizer = Hyperband(SPACE, np.random.default_rng(0), 1, 3, HyperbandSettings(brackets=2))
    first = Hyperband(SPACE, np.random.default_rng(0), 1, 3).ask(3)
    objective = killing(min(trial.configuration["x"] for trial in first), tmp_path, Fidelity("epochs", 1, 3))
    records = run_parallel(optimizer, objective, 100, seed=0, address=address)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed-1.0", "killed-3.0"]
    assert len(list(tmp_path.iterdir())) == DEATHS["workers of hyperband"]
    assert optimizer.finished and not optimizer.pending
    sizes = Counter((record.notes["bracket"], record.budget) for record in records)
    assert sizes == {(0, 1.0): 3, (0, 3.0): 1, (1, 3.0): 2}
    assert sorted(record.number for record in records) == list(range(6))
    assert all(record.loss == record.configuration["x"] and not record.failure for record in records)


class Ending(Counted):
    """Counts its calls in a file, across processes; at call `at` of a process something happens.

    Args:
        log: File to which each call adds a byte.
    """

    def __init__(self, log, at, happens) -> None:
        super().__init__()
        self.log, self.at, self.happens = log, at, happens

    def count(self) -> None:
        super().count()
        with open(self.log, "ab") as stream:
            stream.write(b".")
        if self.calls == self.at:
            self.happens()


def status_of(kind, journal, counted) -> int:
    """How a forked process ends that searches."""
    child = os.fork()
    if not child:
        try:
            search(kind, journal, counted)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEARCHES)
def test_the_only_process(tmp_path, kind):
    """At the same evaluation until that is recorded as failed; all others are made once, and count."""
    each, journal, log = DEATHS["the only process"] // len(SEARCHES), tmp_path / "run.jsonl", tmp_path / "log"
    for death in range(each):
        assert os.WIFSIGNALED(status_of(kind, journal, Ending(log, 1 if death else 4, kill)))
    result = search(kind, journal, counted := Counted())
    assert [record.number for record in result.records if record.failure] == [3]
    assert "died, 3 times in a row" in result.records[3].failure and len(result.records) == len(expected_of(kind))
    assert len(log.read_bytes()) == 3 + each and counted.calls == len(result.records) - 4


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEARCHES)
def test_a_process_that_is_asked_to_end(tmp_path, kind):
    """However often at the same evaluation: it is no death, and the search ends as if nobody had asked."""
    journal, log = tmp_path / "run.jsonl", tmp_path / "log"
    each = FAULTS["signals that end a process"] // len(SEARCHES)
    for number in (signal.SIGTERM, signal.SIGHUP) * (each // 2):
        ending = Ending(log, 1 if log.exists() else 4, lambda: os.kill(os.getpid(), number))  # noqa: B023
        assert os.WTERMSIG(status_of(kind, journal, ending)) == number
    assert outcomes(search(kind, journal, counted := Counted())) == expected_of(kind)
    assert counted.calls == len(expected_of(kind)) - 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEARCHES)
def test_a_child_that_comes_back(tmp_path, kind):
    """In three searches, at its first evaluation, in the middle and at the last: its parent does not notice."""
    expected = expected_of(kind)
    for number in range(FAULTS["forked children that return"] // len(SEARCHES)):
        journal, parent, children = tmp_path / f"{number}.jsonl", os.getpid(), []

        def fork() -> None:
            children.append(os.fork())  # noqa: B023
            if children[-1]:  # noqa: B023
                assert os.waitpid(children[-1], 0)[1] == 0  # noqa: B023

        ending = Ending(tmp_path / "log", (1, 6, len(expected))[number], fork)
        try:
            result = search(kind, journal, ending)
        except UserError as error:
            os._exit(0 if f"belongs to process {parent}" in str(error) and os.getpid() != parent else 1)
        finally:
            if os.getpid() != parent:
                os._exit(1)
        assert outcomes(result) == expected and len(children) == 1
        assert outcomes(search(kind, journal, counted := Counted())) == expected and counted.calls == 0


@pytest.mark.slow
def test_a_child_of_a_worker_that_comes_back(address):
    """It ends with the evaluation, whose worker goes on."""
    children = FAULTS["children of workers that return"]

    def fork(configuration, budget, generator):
        if configuration["x"] > fatal and (child := os.fork()) and os.waitpid(child, 0)[1] != 256:
            raise ValueError("the child has ended in another way")
        return configuration["x"]

    drawn = sorted(trial.configuration["x"] for trial in RandomSearch(SPACE, np.random.default_rng(0)).ask(10))
    fatal = drawn[-1 - children]
    objective = FunctionObjective(fork, SPACE, 9.0)
    records = run_parallel(RandomSearch(SPACE, np.random.default_rng(0)), objective, 10, seed=0, address=address)
    assert sorted(record.loss for record in records) == drawn and not any(record.failure for record in records)
    assert sum(record.loss > fatal for record in records) == children
