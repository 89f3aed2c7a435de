"""Times to a regret in searches on the surrogate: ours, and the authors' own by the same functions.

A search has found a good configuration when its incumbent's error is 2% or less, with a smallest of 1.505%. Speed-ups
are ratios of the median times at which runs first have one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, each_of, frame_of, pending
from core.report.figures.authors_svm_runs import BENCHMARK, OPTIMUM, authors_svm_runs
from core.report.verdicts.level_times import median_speedup, median_time
from core.report.verdicts.outcomes import absent
from core.report.verdicts.speedups import BoundedFactor, judge_factor, shown
from papers.fabolas.authors_overhead import DESIGNS, with_authors_overhead
from papers.fabolas.names import BY_TEXT, surrogate_name

GOOD = 0.02 - OPTIMUM  # regret


@dataclass(frozen=True)
class Searches:
    """Runs on a surrogate.

    Attributes:
        frame: Records of `timed_search`, or published runs in their form.
        name: Benchmark.
        missing: What becomes of a comparison with a method that was not run: `pending` if it can be, else `absent`.
        ours: Whether they are ours, and have variants.
    """

    frame: pd.DataFrame
    name: str
    missing: Callable[[str], Check] = pending
    ours: bool = True

    @property
    def methods(self) -> set[str]:
        """Those that were run."""
        return set(self.frame["method"])

    def speedup(self, slow: str, fast: str, level: float) -> BoundedFactor:
        """How much sooner the median run of `fast` has a regret; raises as `median_speedup`."""
        return median_speedup(self.frame, self.name, slow, fast, level)

    def faster(self, slow: str, fast: str, between: tuple[float, float], said: str, level: float = GOOD) -> Check:
        """The claim that the speed-up lies between two factors; its detail has those of variants beside it.

        Raises:
            NotRunError: one of the two was not run.
        """
        found = self.speedup(slow, fast, level)
        return judge_factor(found, said, between, f"{fast} over {slow}{self._variants(slow, fast, level)}: ")

    def faster_than_each(self, slower: Sequence[str], fast: str, between: tuple[float, float], said: str) -> Check:
        """The same claim on each of several.

        Raises:
            NotRunError: none of them was run, or `fast` was not.
        """
        if fast not in self.methods or not self.methods & set(slower):
            raise NotRunError(f"surrogate: {fast if fast not in self.methods else ', '.join(slower)}")
        checks = each_of(slower, self.methods, lambda s: self.faster(s, fast, between, said), missing=self.missing)
        return all_of(checks, said)

    def after(self, method: str, between: tuple[float, float], said: str, level: float) -> Check:
        """The claim that the median run of a method has a regret after a time between two.

        Raises:
            NotRunError: it was not run.
        """
        found = median_time(self.frame, self.name, method, level)
        return judge_factor(found, said, between, f"{method}, seconds: ")

    def _variants(self, slow: str, fast: str, level: float) -> str:
        """The same speed-up of our runs with the authors' overhead, and by the settings of the text."""
        found = {}
        if self.ours and {slow, fast} & set(DESIGNS):
            times = Searches(with_authors_overhead(self.frame), self.name)
            found["with the authors' overhead"] = times.speedup(slow, fast, level)
            text = [BY_TEXT.get(method, method) for method in (slow, fast)]
            if set(text) <= self.methods:
                found["by the text's settings"] = self.speedup(*text, level)
        told = "; ".join(f"{words}: {shown(speedup.value)}" for words, speedup in found.items())
        return f" ({told})" if told else ""


def our_searches(results: Results) -> Searches:
    """Our runs.

    Raises:
        NotRunError: there are none.
    """
    frame = frame_of(results, "surrogate", "auxiliary")
    return Searches(frame, surrogate_name(frame))


def authors_searches() -> Searches:
    """The authors' runs, of four methods."""
    return Searches(authors_svm_runs(), BENCHMARK, absent, ours=False)
