"""Lines with bands: what is drawn is what is returned, and bands are of the line's color."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from core.report import NotRunError, style
from core.report.figures.curves import draw_incumbents, draw_line, draw_prediction, mean_band


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
