"""What each rule of the authors' code that the text lacks changes: our figure, from runs with and without the rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.effects import draw_effects
from core.report.mean_comparisons import ratio_of
from core.report.runs import count_runs
from papers.bohb.names import BY_TEXT, DATA_SETS, RESOLUTION, SURROGATES

TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10)


class Effect(NamedTuple):
    """The end of one method over that of another, which follows the text."""

    label: str
    benchmark: str
    code: str
    text: str


RULES = (
    Effect("six floats, loss 1 before an epoch", "letter", "floats_1", "text_1"),
    Effect("good and bad share none", "letter", "disjoint_1", "text_1"),
    Effect("its bracket sizes", "letter", "floored_1", "text_1"),
    Effect("oldest bracket first, 32 workers", "letter", "oldest_32", "text_32"),
)
SETS = ("letter", "optdigits", "mnist", "adult", "digits")
METHODS = {"bohb": "BOHB", "hyperband": "Hyperband"}
COUNTING = tuple(Effect(f"BOHB, {n} dimensions", f"d{n}", "bohb", "bohb_all_kernels") for n in (8, 16))


def code_rules(results: Results, published: Published | None) -> Figure:
    """Final mean regrets by the authors' code over those by the text: each rule on letter, all rules on each set."""
    surrogates = frame_of(results, SURROGATES[0], BY_TEXT)
    whole = [
        Effect(f"{label}, {DATA_SETS.get(name, name)}", name, method, f"{method}_text")
        for method, label in METHODS.items()
        for name in SETS
    ]
    groups = (
        ("each rule alone: BOHB on letter", results.frame("code_variants"), RULES, RESOLUTION),
        ("all rules: surrogates", surrogates, whole, RESOLUTION),
        ("all rules: counting ones", frame_of(results, "counting_ones", "counting_ones_text"), COUNTING, 0.0),
    )
    data = pd.DataFrame([row for group in groups for row in _rows(*group)])
    if data.empty:
        raise NotRunError("code_variants")
    figure = draw_effects(data, 1, "mean regret at the end, by the code over by the text", TICKS)
    caption = (
        "Ratios of mean regrets at the end, by the code over by the text, with 95% intervals, over "
        f"{count_runs(surrogates)} on the surrogates; below 1 the code's is better. By the code these have a space of "
        "six floats, good and bad configurations share none, brackets begin with floor((s_max + 1) / "
        "(s + 1)) eta^s configurations, free workers serve the oldest bracket, and bandwidths of choices are not "
        "multiplied."
    )
    return Figure(figure, caption, data)


def _rows(group: str, frame: pd.DataFrame, effects: tuple[Effect, ...], floor: float) -> Iterator[dict[str, object]]:
    """A row for each effect of which both sides were run."""
    for effect in effects:
        try:
            interval = ratio_of(frame, effect.benchmark, effect.code, effect.text, floor=floor or 1e-12)
        except NotRunError:
            continue
        ends = {"value": interval.estimate, "low": interval.low, "high": interval.high}
        yield {"group": group, "label": effect.label, "benchmark": effect.benchmark, "method": effect.code, **ends}
