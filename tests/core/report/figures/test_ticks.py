"""Labels of logarithmic axes stand apart, on axes of every length, and simpler ticks look as those they replace."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from core.report import style
from core.report.figures.files import PlainPowers, log_from_zero, simplify_ticks


def drawn(low: float, high: float, formatter: NullFormatter | None = None) -> list[tuple[str, float, float]]:
    """Text, left and right edge of the labels of a narrow panel's axis, after a figure is drawn."""
    with style.context():
        figure, panels = style.subplots(1, 2)
        axes = panels[0]
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        if formatter is not None:
            axes.xaxis.set_minor_formatter(formatter)
        simplify_ticks(figure)
        figure.canvas.draw()
        ticks = [*axes.xaxis.get_major_ticks(), *axes.xaxis.get_minor_ticks()]
        shown = [tick.label1 for tick in ticks if tick.label1.get_text() and low <= tick.get_loc() <= high]
        boxes = [(label.get_text(), label.get_window_extent()) for label in shown]
    return sorted(((text, box.x0, box.x1) for text, box in boxes), key=lambda label: label[1])


SPANS = [
    (2e-3, 2.4e-2),
    (1.4e-5, 2.6e-4),
    (3e-3, 1.1e-2),
    (1e-3, 1e-2),
    (0.25, 0.98),
    (0.3, 0.92),
    (510, 1700),
    (6, 7.1),
]


@pytest.mark.parametrize(("low", "high"), SPANS)
def test_labels_between_powers_of_ten_do_not_meet(low, high):
    labels = drawn(low, high)
    assert 1 <= len(labels) <= 5
    assert all(left[2] < right[1] for left, right in pairwise(labels))


def test_long_axes_are_labelled_at_powers_of_ten_alone():
    assert [text for text, *_ in drawn(1e-4, 1e1)] == ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹"]


def test_labels_between_are_multiples_of_powers():
    assert [text for text, *_ in drawn(3e-3, 1.1e-2)] == ["0.005", "0.01"]


def test_labels_on_both_sides_of_zero_have_minus_signs():
    with style.context():
        figure, axes = style.subplots()
        axes.set(yscale="symlog", ylim=(-100, 100))
        simplify_ticks(figure)
        formatted = axes.yaxis.get_major_formatter().format_ticks([-100, 0, 10])
    assert formatted == ["−10²", "0", "10¹"]


@pytest.mark.parametrize("shared", [False, True])
def test_unlabelled_ticks_look_as_those_of_matplotlib(shared):
    """Powers are plain text in both, so that nothing but the ticks may differ."""
    images = []
    for simplify in (simplify_ticks, plain_powers):
        with style.context():
            figure, panels = style.subplots(1, 2, sharey=shared)
            for axes in panels:
                axes.set(xscale="log", yscale="log", xlim=(0.02, 700), ylim=(1e-3, 3))
            simplify(figure)
            figure.canvas.draw()
            images.append(np.asarray(figure.canvas.buffer_rgba()).astype(int))
    assert np.abs(images[0] - images[1]).max() <= 1  # of 255, where lines end between pixels
    assert len(panels[0].xaxis.get_minor_ticks()) > 20  # there was something to replace


def plain_powers(figure: Figure) -> None:
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(PlainPowers(axis.get_major_formatter()))


def test_a_figures_own_choice_stays():
    assert len(drawn(2e-3, 2.4e-2, NullFormatter())) == 1


def labels_from_zero(values: list[float], limits: tuple[float, float]) -> tuple[float, list[str]]:
    """Where the logarithmic part of an axis of values begins, and the axis' labels from bottom to top."""
    with style.context():
        figure, axes = style.subplots()
        threshold = log_from_zero(axes.yaxis, values, 1e-12)
        axes.set_ylim(limits)
        simplify_ticks(figure)
        figure.canvas.draw()
        ticks = [tick for tick in axes.yaxis.get_major_ticks() if limits[0] <= tick.get_loc() <= limits[1]]
        boxes = sorted((tick.label1.get_window_extent() for tick in ticks), key=lambda box: box.y0)
        assert all(low.y1 < high.y0 for low, high in pairwise(boxes))
        return threshold, [tick.label1.get_text() for tick in sorted(ticks, key=lambda tick: tick.get_loc())]


@pytest.mark.parametrize(
    ("values", "limits", "expected"),
    [
        ([0.0, 1e-13, 1.2e-5, 0.03], (0, 0.05), ["0", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]),
        ([0.0, 1e-13, 9e-5, 0.03], (0, 0.05), ["0", "10⁻⁴", "10⁻³", "10⁻²"]),
        ([0.0, 3.0, 40.0], (-50, 60), ["−50", "−20", "−10", "−5", "−2", "0", "2", "5", "10", "20", "50"]),
        ([0.0, 3.0, 7.0], (0, 8), ["0", "1", "2", "5"]),
        ([0.0, 3.0, 7.0], (-6, 8), ["−5", "−2", "−1", "0", "1", "2", "5"]),
    ],
)
def test_an_axis_from_zero_has_labels_that_stand_apart(values, limits, expected):
    threshold, labels = labels_from_zero(values, limits)
    assert threshold == pytest.approx(min(value for value in values if value > 1e-12))
    assert labels == expected


def test_an_axis_that_only_has_zeros_is_drawn():
    assert labels_from_zero([0.0, 0.0], (0, 1e-11))[0] == pytest.approx(1e-12)


def test_a_panel_without_axes_gets_no_ticks():
    with style.context():
        figure, (left, right) = style.subplots(1, 2)
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", xlim=(1, 1e3), ylim=(1e-3, 1))
        left.set_axis_off()
        simplify_ticks(figure)
    assert not left.lines and right.lines
