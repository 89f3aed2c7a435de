"""Lines broken to fit: as if every line had been measured word by word."""

from __future__ import annotations

import numpy as np
import pytest

from core.report import style
from core.report.tables.image import Ruler

WORDS = ("AV", "To", "W.", "regret,", "±", "1e-3", "illicit", "(mean", "of", "P[R_n", "/", "n]", "−0.5", "WAVE", "$5")


def _greedy(ruler, text, width, size, weight):
    lines = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and ruler(longer, size, weight) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_lines_are_those_of_measuring_every_line(weight):
    generator = np.random.default_rng(0)
    with style.context():
        ruler = Ruler()
        for width in (20.0, 120.0, 430.0):
            text = " ".join(generator.choice(WORDS, 80))
            assert ruler.wrap(text, width, 7.6, weight) == _greedy(ruler, text, width, 7.6, weight)


def test_most_lines_are_not_measured_and_nothing_twice(monkeypatch):
    with style.context():
        ruler = Ruler()
        measured, extent = [], ruler._artist.get_window_extent
        monkeypatch.setattr(ruler._artist, "get_window_extent", lambda r: measured.append(r) or extent(r))
        ruler.wrap("word other " * 300, 430.0, 7.6)
        first = len(measured)
        assert first < 100
        ruler.wrap("word other " * 300, 430.0, 7.6)
    assert len(measured) == first


def test_text_that_is_too_long_loses_whole_sentences_before_the_last():
    text = "A title. " + "A sentence of several words. " * 8 + "Another."
    with style.context():
        ruler = Ruler()
        shortened = ruler.fit(text, "Scale paper; 3 runs.", 2, 300.0, 7.6)
        assert len(shortened) == 2 and " ".join(shortened).endswith("words. Scale paper; 3 runs.")
        assert ruler.fit(text, "Scale paper; 3 runs.", 99, 300.0, 7.6) == ruler.wrap(
            f"{text} Scale paper; 3 runs.", 300.0, 7.6
        )
        assert " ".join(ruler.fit(text, "The end.", 2, 30.0, 7.6)) == "A title. The end."
