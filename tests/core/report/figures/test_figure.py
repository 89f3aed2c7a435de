"""Published numbers are where they belong, whatever the limits of the axes, and once in the legend."""

from __future__ import annotations

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.report import style
from core.report.figures.figure import mark_published
from core.report.verdicts.published import published_in


@pytest.fixture
def axes():
    with style.context():
        _, axes = style.subplots()
        axes.plot([1, 2], [3, 5], label="ours")
        yield axes


def shown(axes, line):
    """Where a mark is on the axes: 0 at the left or the bottom, 1 at the right or the top."""
    return axes.transAxes.inverted().transform(line.get_transform().transform(line.get_xydata()))[0]


@pytest.mark.parametrize("x, y, marker", [(1.5, 9.0, "D"), (None, 9.0, "<"), (1.5, None, "v")])
def test_a_mark_is_at_its_number(axes, x, y, marker):
    mark_published(axes, x, y, style.BLUE)
    axes.set_xlim(0, 3)
    axes.set_ylim(0, 10)
    mark = axes.lines[-1]
    expected = [1.0 if x is None else x / 3, 1.0 if y is None else y / 10]
    np.testing.assert_allclose(shown(axes, mark), expected)
    assert (mark.get_marker(), mark.get_markeredgecolor()) == (marker, style.BLUE)


def test_limits_make_room_for_a_number_beyond_the_curves(axes):
    mark_published(axes, y=9.0)
    assert axes.get_ylim()[1] > 9 and axes.get_xlim()[1] < 3


def test_a_label_is_in_the_legend_once(axes):
    for end in (3.0, 4.0):
        mark_published(axes, y=end, color=style.BLUE)
    mark_published(axes, 1.0, 4.0, label="published, Table 1")
    assert axes.get_legend_handles_labels()[1] == ["ours", "published", "published, Table 1"]


def test_a_mark_without_a_place(axes):
    with pytest.raises(ValueError, match="x, y or both"):
        mark_published(axes)


def test_numbers_of_another_artifact():
    assert published_in("profet/tableE_4")["svm_rank", "gp"].value == pytest.approx(1.22)
    with pytest.raises(UserError, match="tableE_5"):
        published_in("profet/tableE_5")
