"""The choice of SGHMC's constants for NIPS Table 1, on records whose best points are known."""

import numpy as np
import pandas as pd
import pytest

from papers.bohamiann.sghmc_constants import select_constants

POINTS = [(1e-4, 0.05), (1e-3, 0.05), (1e-3, 0.2)]
MEANS = {"boston": [-3.0, -2.0, -9.0], "yacht": [-5.0, -8.0, -1.0]}


def records(diverged: tuple[str, int] | None = None) -> pd.DataFrame:
    """Two runs a cell, a half above and below its mean; the point `diverged` = (set, index) has a failed run."""
    rows = []
    for name, means in MEANS.items():
        for index, ((step, decay), mean) in enumerate(zip(POINTS, means, strict=True)):
            for run, offset in enumerate((-0.5, 0.5)):
                failed = diverged == (name, index) and run == 0
                value = np.nan if failed else mean + offset
                status = "failed" if failed else "ok"
                rows.append((name, "sghmc_grid", run, step, decay, value, status))
    columns = ["benchmark", "method", "run", "step_size", "momentum_decay", "score", "status"]
    return pd.DataFrame(rows, columns=columns)


def test_best_average_and_best_of_each_set():
    chosen = select_constants(records(), "score")
    rows = pd.concat(chosen.rows)
    average = rows[rows["row"] == "sghmc_best_average"]
    assert set(zip(average["step_size"], average["momentum_decay"], strict=True)) == {(1e-4, 0.05)}  # mean -4
    assert len(average) == 4
    assert chosen.per_set == {"boston": (1e-3, 0.05), "yacht": (1e-3, 0.2)}
    tuned = rows[rows["row"] == "sghmc_tuned"].groupby("benchmark")["score"].mean()
    assert tuned.to_dict() == pytest.approx({"boston": -2.0, "yacht": -1.0})


def test_a_diverged_run_makes_a_point_ineligible_where_it_diverged():
    chosen = select_constants(records(("boston", 1)), "score")
    assert chosen.per_set == {"boston": (1e-4, 0.05), "yacht": (1e-3, 0.2)}


def test_nothing_run_chooses_nothing():
    assert select_constants(records().iloc[:0], "score") == ([], "", {})
