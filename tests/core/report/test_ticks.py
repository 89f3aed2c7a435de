"""Labels of logarithmic axes stand apart, on axes of every length."""

from itertools import pairwise

import pytest
from matplotlib.ticker import NullFormatter

from core.report import style
from core.report.ticks import thin_labels


def drawn(low: float, high: float, formatter: NullFormatter | None = None) -> list[tuple[str, float, float]]:
    """Text, left and right edge of the labels of a narrow panel's axis, after a figure is drawn."""
    with style.context():
        figure, panels = style.subplots(1, 2)
        axes = panels[0]
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        if formatter is not None:
            axes.xaxis.set_minor_formatter(formatter)
        thin_labels(figure)
        figure.canvas.draw()
        ticks = [*axes.xaxis.get_major_ticks(), *axes.xaxis.get_minor_ticks()]
        shown = [tick.label1 for tick in ticks if tick.label1.get_text() and low <= tick.get_loc() <= high]
        boxes = [(label.get_text(), label.get_window_extent()) for label in shown]
    return sorted(((text, box.x0, box.x1) for text, box in boxes), key=lambda label: label[1])


@pytest.mark.parametrize(("low", "high"), [(2e-3, 2.4e-2), (1.4e-5, 2.6e-4), (3e-3, 1.1e-2), (1e-3, 1e-2)])
def test_labels_between_powers_of_ten_do_not_meet(low, high):
    labels = drawn(low, high)
    assert len(labels) >= 2
    assert all(left[2] < right[1] for left, right in pairwise(labels))


def test_long_axes_are_labelled_at_powers_of_ten_alone():
    assert all(r"\times" not in text for text, *_ in drawn(1e-4, 1e1))


def test_a_figures_own_choice_stays():
    assert len(drawn(2e-3, 2.4e-2, NullFormatter())) == 1
