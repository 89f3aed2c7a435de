"""Headline claims on one scale, the README's figure of them, and the sentences, all against the sidecars' numbers."""

from __future__ import annotations

import json
import math
from collections import Counter

import pytest
from matplotlib.colors import same_color

from core.report import style
from core.report.page.front_figure import COLORS, LARGEST, SMALLEST, front_figure
from core.report.page.headlines import effect_of, headlines
from core.report.page.records import to_json
from core.report.page.summary import outcomes, summary_of
from core.report.statistics.intervals import Interval
from core.report.verdicts.checks import all_of, at_least, both, contrary, judge, not_run, outside
from tests.core.report.page.made_sidecars import sidecar

HOLDS = judge(Interval(80.0, 60.0, 90.0), lower=50.0)
FAILS = judge(Interval(8.0, 7.0, 9.0), lower=10.0)
OPEN = judge(Interval(1.0, 0.5, 1.5), upper=1.0)


def record(check):
    return json.loads(to_json({"check": check}))["check"]


@pytest.mark.parametrize(
    "check, published, expected",
    [
        (HOLDS, 100.0, (0.8, 0.6, 0.9, 0.5, math.inf)),  # over the published number
        (FAILS, "much", (0.8, 0.7, 0.9, 1.0, math.inf)),  # over the limit of the criterion
        (judge(Interval(1.2, 1.1, 1.3), 0.5, 2.0), "linear", (1.2, 1.1, 1.3, 0.5, 2.0)),  # over its middle
        (judge(Interval(0.5, 0.4, 0.6), 0.0, 2.0), "less", (0.25, 0.2, 0.3, 0.0, 1.0)),
        (all_of([HOLDS, FAILS, OPEN, OPEN]), "all", (0.25, 0.25, 0.75, 1.0, 1.0)),  # two of four parts may hold yet
        (at_least(1, [HOLDS, FAILS, OPEN, OPEN]), "1 of 4", (0.25, 0.25, 0.75, 0.25, 1.0)),
        (contrary(FAILS), 16.0, (0.5, 7 / 16, 9 / 16, math.nan, math.nan)),
    ],
)
def test_effects_are_ours_over_the_published_value_or_the_share_of_parts(check, published, expected):
    found = effect_of(record(check), published)
    assert tuple(vars(found).values()) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("check", [not_run(), judge(Interval(0.3, 0.1, 0.5), lower=0.0)])
def test_without_runs_or_a_ratio_there_is_no_effect(check):
    assert effect_of(record(check), "more") is None


@pytest.fixture
def sidecars():
    part = outside(judge(Interval(30.0, 20.0, 40.0), upper=12.0), "of a part")
    checks = [HOLDS, FAILS, OPEN, part, both(lambda: FAILS, lambda: HOLDS), not_run(), HOLDS]
    made = sidecar("alpha", "fig1", checks=checks)
    for claim, words in zip(made["claims"], "abcdef ", strict=True):
        published = {"a": 100.0, "d": 10.0}.get(words, "words")
        claim |= {"headline": words.strip(), "reduced": words != "a", "published": published}
    for number in (1, 3, 4):
        made["claims"][number]["cause"] = {"kind": "the paper" if number == 3 else "our code", "evidence": "it says"}
    return [json.loads(to_json(made))]


def test_headlines_are_the_marked_claims_with_outcomes_causes_and_values(sidecars):
    found = headlines(sidecars)
    assert [(each.words, each.ours.holds, each.full, each.cause) for each in found] == [
        ("a", "holds", True, ""),
        ("b", "fails", False, "our code"),
        ("c", "inconclusive", False, ""),
        ("d", "outside", False, "the paper"),
        ("e", "fails", False, "our code"),
        ("f", "not run", False, ""),
    ]
    assert [each.ours.shown for each in found] == ["80 (100)", "8", "1", "30 (10)", "8", ""]
    assert found[4].authors.holds == "holds" and found[3].ours.part == "fails" and found[0].authors is None


def test_the_figure_has_a_dot_for_each_effect_and_a_bar_of_counts(sidecars):
    summary = summary_of(sidecars)
    found, counts = summary.headlines, summary.total
    with style.context():
        figure = front_figure(summary, {"alpha": "Alpha"})
    page, axes = figure.axes
    dots = [line for line in axes.lines if len(line.get_xdata()) == 1]
    answers = [(each.ours, each.full) for each in found]
    answers.insert(4, (found[4].authors, True))  # drawn before the dot of our own runs
    expected = [(each, full) for each, full in answers if each.effect is not None]
    assert len(dots) == len(expected) == 6
    for dot, (each, full) in zip(dots, expected, strict=True):
        assert dot.get_xdata()[0] == pytest.approx(min(max(each.effect.value, SMALLEST), LARGEST))
        assert same_color(dot.get_markeredgecolor(), COLORS[each.holds])
        assert same_color(dot.get_markerfacecolor(), COLORS[each.holds] if full else "white")
    widths = Counter()
    for bar in page.patches:
        widths[bar.get_facecolor()] += bar.get_width() / sum(each.get_width() for each in page.patches)
    assert len(page.patches) == len(counts.claims) + len(counts.reproduced)
    ours = [bar.get_width() for bar in page.patches[: len(counts.claims)]]
    numbers = [counts.claims[outcome] for outcome in COLORS if counts.claims[outcome]]
    assert [width / sum(ours) for width in ours] == pytest.approx([each / counts.claims.total() for each in numbers])
    texts = {text.get_text() for text in page.texts}
    assert {"Alpha", *"abcdef", "80 (100)", "our code", "the paper", "not run", "authors' data"} <= texts


def test_effects_beyond_the_axis_become_arrows():
    made = sidecar("alpha", "fig1", checks=[judge(Interval(9000.0, 1.0, 9100.0), lower=1.0)])
    made["claims"][0]["headline"] = "far"
    with style.context():
        figure = front_figure(summary_of([json.loads(to_json(made))]), {"alpha": "Alpha"})
    (dot,) = [line for line in figure.axes[1].lines if len(line.get_xdata()) == 1]
    assert dot.get_marker() == ">" and dot.get_xdata()[0] == LARGEST


def test_three_sentences_with_the_numbers(sidecars):
    first, second, third = summary_of(sidecars).sentences
    assert first == (
        "Of 6 headline claims of 1 papers, 1 holds, 2 fail, 1 is open, 1 is out of reach and 1 is not run; "
        "1 were tested at the full protocol of their paper, of which 1 holds, 0 fail and 0 are open."
    )
    assert second.endswith("our code (2), the paper (1).")
    assert third.startswith(
        "Of all 7 claims 2 hold, 2 fail, 1 is open, 1 is out of reach and 1 is not run; on the authors' own data "
        "1 holds"
    )
    assert summary_of([]).sentences == []


def test_outcomes_in_words():
    assert outcomes({"holds": 1, "outside": 2}) == "1 holds, 0 fail, 0 are open and 2 are out of reach"
