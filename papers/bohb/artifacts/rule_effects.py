"""What each rule of the authors' code that the text lacks changes: our figure, from runs with and without the rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures.effects import draw_effects, effect
from core.report.runs.frames import count_runs
from core.report.runs.trajectories import SMALLEST
from core.report.verdicts.mean_comparisons import ratio_of
from papers.bohb.names import BY_TEXT, DATA_SETS, RESOLUTION, SURROGATES

TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10)


class Pair(NamedTuple):
    """The end of one method over that of another, which follows the text."""

    label: str
    benchmark: str
    code: str
    text: str


RULES = (
    Pair("six floats, loss 1 before an epoch", "letter", "floats_1", "text_1"),
    Pair("good and bad share none", "letter", "disjoint_1", "text_1"),
    Pair("its bracket sizes", "letter", "floored_1", "text_1"),
    Pair("oldest bracket first, 32 workers", "letter", "oldest_32", "text_32"),
)
METHODS = {"bohb": "BOHB", "hyperband": "Hyperband"}
COUNTING = tuple(Pair(f"BOHB, {n} dimensions", f"d{n}", "bohb", "bohb_all_kernels") for n in (8, 16))


def code_rules(results: Results, published: Published | None) -> Figure:
    """Final regrets by the authors' code over those by the text: each rule on letter, all rules on each set."""
    surrogates = frame_of(results, SURROGATES[0], BY_TEXT)
    whole = [
        Pair(f"{label}, {DATA_SETS.get(name, name)}", name, method, f"{method}_text")
        for method, label in METHODS.items()
        for name in surrogates["benchmark"].unique()
    ]
    groups = (
        ("each rule alone: BOHB on letter", results.frame("code_variants"), RULES, RESOLUTION),
        ("all rules: surrogates", surrogates, whole, RESOLUTION),
        ("all rules: counting ones", frame_of(results, "counting_ones", "counting_ones_text"), COUNTING, SMALLEST),
    )
    data = pd.DataFrame([row for group in groups for row in _rows(*group)])
    if data.empty:
        raise NotRunError("code_variants")
    figure = draw_effects(data, 1, "regret at the end, by the code over by the text", TICKS)
    caption = (
        "Ratios of geometric means of regrets at the end, by the code over by the text, with 95% intervals, over "
        f"{count_runs(surrogates)} on the surrogates; below 1 the code's is better. By the code these have a space of "
        "six floats, good and bad configurations share none, brackets begin with floor((s_max + 1) / "
        "(s + 1)) eta^s configurations, free workers serve the oldest bracket, and bandwidths of choices are not "
        "multiplied."
    )
    return Figure(figure, caption, data)


def _rows(group: str, frame: pd.DataFrame, pairs: Sequence[Pair], floor: float) -> Iterator[dict[str, object]]:
    """A row for each pair of which both were run."""
    for label, name, code, text in pairs:
        try:
            interval = ratio_of(frame, name, code, text, floor=floor)
        except NotRunError:
            continue
        yield effect(group, label, interval, benchmark=name, method=code)
