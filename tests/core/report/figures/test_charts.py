"""Planar histograms: every evaluation is counted once, in the cell of its place and score."""

from __future__ import annotations

import numpy as np

from core.report import style
from core.report.figures.charts import planar_histogram


def test_every_evaluation_is_counted():
    runs = [np.array([0.0, 0.0, 4.0, 8.0]), np.array([0.0, 8.0])]
    with style.context():
        _, axes = style.subplots()
        counts = planar_histogram(axes, runs, [np.maximum.accumulate(each) for each in runs], bins=(10, 2))
    np.testing.assert_array_equal(counts, [[2, 0], [1, 1], [0, 1], [0, 1]])  # no more cells than evaluations
    assert len(axes.lines) == 2 and axes.get_legend_handles_labels()[1] == ["best so far"]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), [0, 0, 4, 8])


def test_scores_that_are_all_equal():
    with style.context():
        _, axes = style.subplots()
        assert planar_histogram(axes, [np.zeros(6)], [np.zeros(6)], bins=(3, 4)).sum() == 6
