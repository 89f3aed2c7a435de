"""The benchmark of workers: every way evaluates everything, and its verdicts."""

import os

import pytest

from benchmarks import workers
from core.study import SCHEDULER_VARIABLE


@pytest.mark.slow
def test_each_way_is_measured_on_the_same_cluster(monkeypatch):
    monkeypatch.delenv(SCHEDULER_VARIABLE, raising=False)
    with workers.threaded_cluster(2) as address:
        found = workers.multiples(address, 2, 4, 0.02, repeats=1)
    assert list(found) == ["minimize", "with a journal", "Dask", "Optuna"]
    assert all(value >= 1 for value in found.values()), "nobody is faster than the ideal"
    assert SCHEDULER_VARIABLE not in os.environ


def test_the_report_says_which_target_is_met(monkeypatch):
    found = iter([1.9, 1.3, 1.31])
    monkeypatch.setattr(workers, "multiples", lambda *given: dict.fromkeys(workers.WAYS, next(found)))
    monkeypatch.setattr(workers, "THREADS", 1)
    monkeypatch.setattr(workers, "PROCESSES", 1)
    (table,), lines = workers.report()
    assert table.row_count == 3, "evaluations of 0.1 s have no target"
    assert lines[0] == "1 threads of a process: 1.30 times the ideal, target 1.3: met"
    assert lines[1].endswith("1.31 times the ideal, target 1.3: MISSED")
    assert lines[2].startswith("1 local workers start in ")
