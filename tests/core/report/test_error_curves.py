"""Curves of errors over seconds, and the authors' runs beside them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data import DataUnavailableError
from core.report import authors_svm_runs as authors
from core.report import error_curves, style
from core.report.authors_svm_runs import BENCHMARK, OPTIMUM, authors_svm_runs
from core.report.checks import NotRunError
from core.report.error_curves import draw_authors, draw_errors
from core.report.runs import cell_rows, split_runs
from core.study.curves import time_to


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
    columns = ["method", "run", "seconds", "evaluations", "incumbent_error"]
    rows = [("ei", 0, 5.0, 1.0, 0.9), ("ei", 0, 9.0, 2.0, 0.02), ("ei", 1, 7.0, 1.0, 0.5), ("mtbo", 0, 1.0, 1.0, 0.01)]
    monkeypatch.setattr(authors, "load_frame", lambda name, download: pd.DataFrame(rows, columns=columns))
    found = authors_svm_runs()
    gp = cell_rows(found, BENCHMARK, "gp")
    assert gp["time"].tolist() == [5.0, 9.0, 9.0, 7.0, 9.0] and gp["error"].tolist() == [0.9, 0.02, 0.02, 0.5, 0.5]
    assert cell_rows(found, BENCHMARK, "mtbo")["regret"].tolist() == [0.0, 0.0]
    _, axes = style.subplots()
    assert set(draw_authors(axes, ["gp", "mtbo"])["method"]) == {"gp", "mtbo"}


def test_without_the_data_the_panel_says_so(monkeypatch):
    def missing(name, download):
        raise DataUnavailableError(name)

    monkeypatch.setattr(authors, "load_frame", missing)
    _, axes = style.subplots()
    assert error_curves.draw_authors(axes, ["gp"]).empty and axes.texts[0].get_text() == "not at hand"


@pytest.mark.parametrize(
    ("method", "seconds"), [("gp", 56_545), ("entropy_search", 66_941), ("mtbo", 2_724), ("fabolas", 392)]
)
def test_the_authors_medians_to_two_percent(method, seconds):
    """As derived from their files before this code was written."""
    found = authors_svm_runs()
    if found is None:
        pytest.skip("the authors' runs are not at hand")
    split = split_runs(cell_rows(found, BENCHMARK, method), "time", "regret")
    times = [float(time_to(regret, time, 0.02 - OPTIMUM)) for time, regret in split]
    assert len(times) == 30 and np.median(times) == pytest.approx(seconds, abs=1)
