"""Curves of errors over seconds, and the authors' runs beside them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.report import style
from core.report.figures import curves as authors
from core.report.figures.curves import BENCHMARK, OPTIMUM, authors_svm_runs, draw_authors, draw_errors
from core.report.runs.frames import NotRunError, cell_rows
from core.report.verdicts.speedups import median_speedup, times_to_level


def runs() -> pd.DataFrame:
    rows = [(0, 1.0, 0.9), (0, 10.0, 0.1), (0, 100.0, 0.1), (1, 2.0, 0.5), (1, 20.0, 0.3), (1, 80.0, 0.3)]
    frame = pd.DataFrame(rows, columns=["run", "time", "error"])
    return frame.assign(benchmark="mnist", method="random")


def test_a_line_starts_when_all_runs_have_an_incumbent_and_ends_with_the_first_of_them():
    _, axes = style.subplots()
    drawn = draw_errors(axes, runs(), "mnist", ["random", "fabolas"], bands=True)
    assert drawn["time"].iloc[0] == pytest.approx(2.0) and drawn["time"].iloc[-1] == pytest.approx(80.0)
    assert drawn["value"].iloc[0] == pytest.approx(0.7) and drawn["value"].iloc[-1] == pytest.approx(0.2)
    assert set(drawn["method"]) == {"random"}
    with pytest.raises(NotRunError, match="letter"):
        draw_errors(axes, runs(), "letter", ["random"])


def test_the_authors_runs_have_our_form(monkeypatch):
    columns = ["method", "run", "seconds", "evaluations", "error"]
    rows = [("ei", 0, 5.0, 1.0, 0.9), ("ei", 0, 9.0, 2.0, 0.02), ("ei", 1, 7.0, 1.0, 0.5), ("mtbo", 0, 1.0, 1.0, 0.01)]
    monkeypatch.setattr(authors, "published_runs", lambda name: pd.DataFrame(rows, columns=columns))
    found = authors_svm_runs()
    gp = cell_rows(found, BENCHMARK, "gp")
    assert gp["time"].tolist() == [5.0, 9.0, 9.0, 7.0, 9.0] and gp["error"].tolist() == [0.9, 0.02, 0.02, 0.5, 0.5]
    assert cell_rows(found, BENCHMARK, "mtbo")["regret"].tolist() == [0.0, 0.0]
    _, axes = style.subplots()
    assert set(draw_authors(axes, ["gp", "mtbo"])["method"]) == {"gp", "mtbo"}


def test_the_panel_needs_no_data_set(monkeypatch, tmp_path):
    monkeypatch.setenv("REPLICATION_DATA", str(tmp_path))
    _, axes = style.subplots()
    drawn = draw_authors(axes, ["gp", "entropy_search", "mtbo", "fabolas"])
    assert drawn["method"].nunique() == 4 and {line.get_linestyle() for line in axes.lines} == {"--"}


@pytest.mark.parametrize(
    ("method", "seconds"), [("gp", 56_545), ("entropy_search", 66_941), ("mtbo", 2_724), ("fabolas", 392)]
)
def test_the_authors_medians_to_two_percent(method, seconds):
    """As derived from their files before this code was written."""
    found = authors_svm_runs()
    times = times_to_level(cell_rows(found, BENCHMARK, method), 0.02 - OPTIMUM)[:, 0]
    assert len(times) == 30 and np.median(times) == pytest.approx(seconds, abs=1)


def test_speed_ups_of_medians_have_bounds_where_runs_end_early():
    def cell(method, times, ends):
        rows = [(run, when, 0.0) for run, when in enumerate(times) if when <= ends[run]]
        rows += [(run, 0.1, 1.0) for run in range(len(times))] + [(run, end, np.nan) for run, end in enumerate(ends)]
        frame = pd.DataFrame(rows, columns=["run", "time", "regret"]).sort_values(["run", "time"])
        return frame.assign(regret=frame["regret"].ffill(), benchmark="mnist", method=method)

    frame = pd.concat([cell("slow", [100] * 5, [200] * 5), cell("fast", [10] * 5, [50] * 5)])
    found = median_speedup(frame, "mnist", "slow", "fast", 0.5)
    assert found.value == pytest.approx(10.0) and found.ends == pytest.approx((10.0, 10.0))
    late = pd.concat([cell("slow", [100] * 5, [200] * 5), cell("fast", [99] * 5, [50] * 5)])
    assert median_speedup(late, "mnist", "slow", "fast", 0.5).value == "< 2"
    never = pd.concat([cell("slow", [999] * 5, [200] * 5), cell("fast", [10] * 5, [50] * 5)])
    assert median_speedup(never, "mnist", "slow", "fast", 0.5).value == "> 20"
