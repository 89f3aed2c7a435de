"""Lines with bands: what is drawn is what is returned, and bands are of the line's color.

Curves of errors over seconds, and the authors' runs beside them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from core.report import style
from core.report.figures import curves as authors
from core.report.figures.curves import (
    BENCHMARK,
    OPTIMUM,
    authors_svm_runs,
    draw_authors,
    draw_errors,
    draw_incumbents,
    draw_line,
    draw_prediction,
    mean_band,
)
from core.report.runs.frames import NotRunError, cell_rows
from core.report.verdicts.speedups import median_speedup, times_to_level


def frame(values: np.ndarray, method="gp") -> pd.DataFrame:
    runs, n = values.shape
    rows = {"run": np.repeat(range(runs), n), "evaluation": np.tile(range(1, n + 1), runs), "regret": values.ravel()}
    return pd.DataFrame(rows).assign(benchmark="branin", method=method)


def heights(band) -> list[float]:
    """The heights of a band's corners, lowest first."""
    return sorted(set(band.get_paths()[0].vertices[:, 1]))


def test_a_band_has_the_ends_and_the_color_of_its_line():
    _, axes = style.subplots()
    draw_line(axes, [1, 2], [3.0, 3.0], [2.0, 2.0], [5.0, 5.0], {"color": style.BLUE, "label": "a"}, opacity=0.5)
    assert heights(axes.collections[0]) == [2, 5]
    np.testing.assert_allclose(axes.collections[0].get_facecolor()[0], to_rgba(style.BLUE, 0.5))
    assert axes.lines[0].get_color() == style.BLUE and axes.lines[0].get_drawstyle() == "default"


def test_a_value_holds_until_the_next():
    _, axes = style.subplots()
    draw_line(axes, [1, 2], [3.0, 1.0], [2.0, 0.0], [5.0, 4.0], {"color": style.BLUE}, steps=True)
    assert axes.lines[0].get_drawstyle() == "steps-post"
    assert [2, 5] in axes.collections[0].get_paths()[0].vertices.tolist(), "the upper end falls where the next begins"


def test_a_mean_s_band_stays_above_a_tenth_of_it():
    mean, low, high = mean_band(np.array([[1.0, 0.0], [3.0, 20.0]]), errors=1.5)
    np.testing.assert_allclose(mean, [2, 10])
    np.testing.assert_allclose(low, [0.5, 1])
    np.testing.assert_allclose(high, [3.5, 25])


def test_what_is_drawn_is_returned():
    data = pd.concat([frame(np.array([[4.0, 1.0, 2.0]])), frame(np.array([[3.0, 3.0, 0.5]]), method="random")])
    _, axes = style.subplots()
    drawn = draw_incumbents(axes, data, "regret", "branin", ["gp", "rf", "random"])
    assert drawn.groupby("method")["mean"].apply(list).to_dict() == {"gp": [4, 1, 1], "random": [3, 3, 0.5]}
    assert [line.get_label() for line in axes.lines] == [style.label("gp"), style.label("random")]
    assert axes.get_yscale() == "log"
    _, axes = style.subplots()
    draw_incumbents(axes, data.assign(loss=-data["regret"]), "loss", "branin", ["gp"])
    assert axes.get_yscale() == "linear" and list(axes.lines[0].get_ydata()) == [-4, -4, -4]


def test_methods_that_were_not_run_are_an_error_if_they_are_all():
    _, axes = style.subplots()
    with pytest.raises(NotRunError, match="branin"):
        draw_incumbents(axes, frame(np.ones((2, 3))), "regret", "branin", ["rf"])


def test_a_prediction_has_nested_bands_and_one_name_for_them():
    _, axes = style.subplots()
    draw_prediction(axes, pd.DataFrame({"x": [0, 1], "mean": [1.0, 1.0], "sd": [0.5, 0.5]}), deviations=(1, 2))
    assert [heights(band) for band in axes.collections] == [[0.5, 1.5], [0, 2]]
    assert axes.get_legend_handles_labels()[1] == ["predictive mean", "1, 2 standard deviations"]


def runs() -> pd.DataFrame:
    rows = [(0, 1.0, 0.9), (0, 10.0, 0.1), (0, 100.0, 0.1), (1, 2.0, 0.5), (1, 20.0, 0.3), (1, 80.0, 0.3)]
    frame = pd.DataFrame(rows, columns=["run", "finished", "error"])
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
    assert gp["finished"].tolist() == [5.0, 9.0, 9.0, 7.0, 9.0] and gp["error"].tolist() == [0.9, 0.02, 0.02, 0.5, 0.5]
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
        frame = pd.DataFrame(rows, columns=["run", "finished", "regret"]).sort_values(["run", "finished"])
        return frame.assign(regret=frame["regret"].ffill(), benchmark="mnist", method=method)

    frame = pd.concat([cell("slow", [100] * 5, [200] * 5), cell("fast", [10] * 5, [50] * 5)])
    found = median_speedup(frame, "mnist", "slow", "fast", 0.5)
    assert found.value == pytest.approx(10.0) and found.ends == pytest.approx((10.0, 10.0))
    late = pd.concat([cell("slow", [100] * 5, [200] * 5), cell("fast", [99] * 5, [50] * 5)])
    assert median_speedup(late, "mnist", "slow", "fast", 0.5).value == "< 2"
    never = pd.concat([cell("slow", [999] * 5, [200] * 5), cell("fast", [10] * 5, [50] * 5)])
    assert median_speedup(never, "mnist", "slow", "fast", 0.5).value == "> 20"
