"""Curves of runs over time at other times."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.report.runs.trajectories import continued, over_time


def test_budgets_that_sum_up_to_a_time_but_for_rounding_count():
    rows = pd.DataFrame({"run": 0, "time": [0.5, 1.0000000000000002], "evaluations": [1, 2], "regret": [0.3, 0.1]})
    assert over_time(rows, np.array([1.0])).item() == 0.1


def test_a_run_of_failures_so_far_has_the_worst_loss():
    columns = {"run": [0, 0, 1], "time": [3.0, 5.0, 1.0], "evaluations": [3, 5, 1], "loss": [0.4, 0.2, 0.7]}
    rows = pd.DataFrame({**columns, "regret": columns["loss"], "worst_loss": 9.0})
    assert over_time(rows, np.array([0.5, 2.0, 4.0]), "loss").tolist() == [[9.0, 9.0, 0.4], [0.7, 0.7, 0.7]]
    assert over_time(rows, np.array([2.0])).tolist() == [[0.4], [0.7]]


def test_runs_that_end_early_keep_their_incumbent():
    columns = {"method": ["a", "a", "a", "b"], "run": [0, 0, 1, 0], "time": [1.0, 9.0, 4.0, 2.0]}
    frame = pd.DataFrame({**columns, "error": [0.5, 0.1, 0.3, 0.2]}).assign(benchmark="x")
    found = continued(frame)
    rows = [tuple(row) for row in found[["method", "run", "time", "error"]].to_numpy().tolist()]
    ends = [("a", 0, 9.0, 0.1), ("a", 1, 9.0, 0.3), ("b", 0, 2.0, 0.2)]
    assert sorted(rows) == sorted([*zip(*(frame[name] for name in ("method", "run", "time", "error"))), *ends])
    assert found.groupby(["method", "run"])["time"].is_monotonic_increasing.all()
