"""A worker that is killed in the middle of a trial costs no trial: the bandits' brackets come out whole."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter

import cloudpickle
import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace

from core.benchmarks.base import Fidelity, FunctionObjective
from core.optimizers.hyperband import Hyperband
from core.optimizers.random_search import RandomSearch
from core.study import run_parallel
from tests.faults.tally import DEATHS

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
    optimizer = Hyperband(SPACE, np.random.default_rng(0), 1, 3, brackets=2)
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
