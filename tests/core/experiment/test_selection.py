"""Cells by name and by pattern."""

from __future__ import annotations

import pytest

from core.experiment.selection import find_cells
from core.foundation.errors import UnknownNameError, UserError


def names(papers, name: str, scale: str = "paper") -> list[str]:
    return [cell.name.removeprefix("toy/") for cell in find_cells(papers, name, scale)]


class TestPatterns:
    @pytest.mark.parametrize(
        "pattern, found",
        [
            ("toy/fit/*/noisy", ["fit/line/noisy", "fit/curve/noisy"]),
            ("toy/*/line/plain", ["fit/line/plain", "count/line/plain"]),
            ("*/fit/curve", ["fit/curve/plain", "fit/curve/noisy"]),
            ("t?y/[cx]ount", ["count/line/plain"]),
            ("toy/*/*/n*", ["fit/line/noisy", "fit/curve/noisy"]),
        ],
    )
    def test_each_part_matches_one_part(self, toy, pattern, found):
        assert names(toy(), pattern) == found

    def test_a_pattern_of_everything_is_everything(self, toy):
        papers = toy()
        assert names(papers, "*") == names(papers, "toy") == names(papers, "*/*/*/*")

    def test_the_scale_decides(self, toy):
        assert names(toy(), "toy/fit/*/noisy", "smoke") == ["fit/bundled/noisy"]

    @pytest.mark.parametrize(
        "pattern, message",
        [
            ("toy/fit/*/nosy", "unknown cells at scale paper 'toy/fit/*/nosy'; did you mean 'toy/fit/line/noisy'"),
            ("toy/fitt/*", "did you mean 'toy/fit/"),
            ("tow/*", "unknown paper 'tow'; did you mean 'toy'?"),
            ("to?s/fit", "unknown cells at scale paper 'to?s/fit'; did you mean 'toy/fit'"),
        ],
    )
    def test_one_that_matches_nothing_names_near_ones(self, toy, pattern, message):
        with pytest.raises(UnknownNameError) as caught:
            find_cells(toy(), pattern, "paper")
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_too_many_parts(self, toy):
        with pytest.raises(UserError, match="a cell is named paper/experiment/benchmark/method"):
            find_cells(toy(), "toy/*/*/*/*", "paper")


def test_repetitions_and_settings_apply_to_all(toy):
    found = find_cells(toy(), "toy/fit/*/noisy", "paper", runs=4, overrides={"points": 7})
    assert [(cell.runs, cell.settings.points, cell.overrides) for cell in found] == [(4, 7, ("points=7",))] * 2
