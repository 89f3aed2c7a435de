"""Shapes of the claims about searches on the surrogate of the grid (4.5.1), on our runs and on those of the authors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from core.experiment.results import Results
from core.report import Check, absent, frame_of
from core.report.figures.authors_svm_runs import BENCHMARK, OPTIMUM, authors_svm_runs
from core.report.verdicts.checks import CellNotRunError
from core.report.verdicts.level_times import median_speedup, median_time
from core.report.verdicts.shapes.shape import Method, shape
from core.report.verdicts.speedups import judge_factor, shown
from papers.fabolas.authors_overhead import DESIGNS, with_authors_overhead
from papers.fabolas.names import BY_TEXT, SHARES, surrogate_name

GOOD = 0.02 - OPTIMUM
"""Regret of a good configuration, whose error is 2%."""
Data = Literal["ours", "authors"]


@shape
def sooner_on_surrogate(
    results: Results,
    slow: Method,
    fast: Method,
    above: float,
    below: float = math.inf,
    regret: float = GOOD,
    data: Data = "ours",
) -> Check:
    """The median time of one method to a regret over that of another lies between two factors."""
    runs = _searches(results, data)
    if lacking := runs.lacking(slow, fast):
        return lacking
    factor = median_speedup(runs.frame, runs.name, slow, fast, regret)
    if {slow, fast} <= set(SHARES):  # MTBO with one auxiliary task and with another
        words = f"{SHARES[fast]} over {SHARES[slow]}: "
    else:
        words = f"{fast} over {slow}{runs.variants(slow, fast, regret)}: "
    return judge_factor(factor, (above, below), words)


@shape
def seconds_on_surrogate(
    results: Results, method: Method, above: float, below: float, regret: float = GOOD, data: Data = "ours"
) -> Check:
    """The median time of a method to a regret lies between two."""
    runs = _searches(results, data)
    if lacking := runs.lacking(method):
        return lacking
    return judge_factor(median_time(runs.frame, runs.name, method, regret), (above, below), f"{method}, seconds: ")


@dataclass(frozen=True)
class Searches:
    """Runs on a surrogate.

    Attributes:
        frame: Records of `timed_search`, or published runs in their form.
        name: Benchmark.
        ours: Whether they are ours, and have variants.
    """

    frame: pd.DataFrame
    name: str
    ours: bool

    def lacking(self, *methods: str) -> Check | None:
        """The part about a method that the authors' runs lack; None if all are there.

        Raises:
            CellNotRunError: our runs lack one.
        """
        for method in methods:
            if method not in set(self.frame["method"]):
                if self.ours:
                    raise CellNotRunError(self.name, method, alone=False, words=SHARES.get(method, method))
                return absent(method)
        return None

    def variants(self, slow: str, fast: str, regret: float) -> str:
        """The speed-up of our runs with the authors' overhead, and by the settings of the text, in words.

        Of the authors' runs, what their clock counts.
        """
        if not {slow, fast} & set(DESIGNS):
            return ""
        if not self.ours:
            return " (by their clock, which adds the logarithms of seconds of training)"
        pairs = {"with the authors' overhead": (with_authors_overhead(self.frame), slow, fast)}
        text = [BY_TEXT.get(method, method) for method in (slow, fast)]
        if text != [slow, fast] and set(text) <= set(self.frame["method"]):
            pairs["by the text's settings"] = (self.frame, *text)
        factors = {words: median_speedup(frame, self.name, *pair, regret) for words, (frame, *pair) in pairs.items()}
        return f" ({'; '.join(f'{words}: {shown(factor.value)}' for words, factor in factors.items())})"


def _searches(results: Results, data: Data) -> Searches:
    if data == "authors":
        return Searches(authors_svm_runs(), BENCHMARK, ours=False)
    frame = frame_of(results, "surrogate", "auxiliary")
    return Searches(frame, surrogate_name(frame), ours=True)
