"""The runs of optimizers on the tables (thesis 7.4), when they end, and how two methods compare on one set.

The end of a set is the median time that runs of random search take for all their evaluations. The thesis' ends
(1e5 s on protein, 3e5 s on slice, 6e4 s on naval, 3e4 s on Parkinson) are those for its grid and its machines. Methods
are compared by the probability that a run of one has the smaller test regret, at shares of a set's end: at 1/25 of it
random search has made 20 of its 500 evaluations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, Interval, NotRunError, cell_rows, each_of, judge, unknown, worded
from core.report.runs.frames import once
from core.report.runs.trajectories import regret_over_time
from core.report.statistics.comparisons import probabilities, resampled_interval, time_of_lead, wins
from core.report.style import label as method_label
from papers.tabular.trained_tables import LABELS, label

PROTEIN = "protein"
END = 1.0
ALIKE = (0.4, 0.6)  # probabilities for methods that are equally good
AHEAD = 0.6  # probability for a method that has left random search behind
GRID = np.geomspace(0.01, 1.0, 41)  # shares of the end at which a method may have left it behind
FINISHED = 0.9  # runs that end before this share of the end are short
METHODS = ("random", "smac", "tpe", "bohamiann", "regularized_evolution", "reinforce", "hyperband", "bohb")


@once
def comparison_runs(results: Results) -> pd.DataFrame:
    """The trajectories of all methods.

    Raises:
        NotRunError: random search, which determines when a set ends, was not run.
    """
    parts = [results.frame(experiment) for experiment in ("methods", "smac", "bohamiann")]
    frame = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    if not (frame["method"] == "random").any():
        raise NotRunError("methods")
    return frame


def benchmarks_of(frame: pd.DataFrame) -> list[str]:
    """The sets on which random search was run: the thesis' in its order, then others."""
    names = set(frame.loc[frame["method"] == "random", "benchmark"])
    return [*(name for name in LABELS if name in names), *sorted(names - set(LABELS))]


def ends(frame: pd.DataFrame, benchmark: str, method: str = "random") -> float:
    """Seconds after which half of the runs of a method had ended; those of random search are the end of a set.

    Raises:
        NotRunError: the cell has no rows.
    """
    return float(np.median(durations(frame, benchmark, method)))


@once
def durations(frame: pd.DataFrame, benchmark: str, method: str) -> np.ndarray:
    """Seconds of each run of a method, (runs,).

    Raises:
        NotRunError: the cell has no rows.
    """
    return cell_rows(frame, benchmark, method).groupby("run")["finished"].max().to_numpy()


def is_short(frame: pd.DataFrame, benchmark: str, method: str) -> bool:
    """Whether a method's runs end too early to say anything about the end of the set."""
    return ends(frame, benchmark, method) < FINISHED * ends(frame, benchmark)


def better(frame: pd.DataFrame, ours: str, theirs: str, share: float, benchmark: str = PROTEIN) -> Check:
    """The probability at this share of the end, or where the runs of either end: above one half."""
    interval, detail = probability(frame, ours, theirs, share, benchmark)
    return judge(interval, lower=0.5, detail=detail)


def better_at_the_end(frame: pd.DataFrame, ours: str, theirs: str, benchmark: str = PROTEIN) -> Check:
    """The probability at the end: above one half; unknown where the runs of either are short."""
    return unfinished(frame, (ours, theirs), benchmark) or better(frame, ours, theirs, END, benchmark)


def alike(frame: pd.DataFrame, ours: str, theirs: str, share: float, benchmark: str = PROTEIN) -> Check:
    """The probability at this share of the end: near one half."""
    interval, detail = probability(frame, ours, theirs, share, benchmark)
    if interval.high - interval.low >= ALIKE[1] - ALIKE[0]:
        detail += f", as wide as {ALIKE[0]} to {ALIKE[1]}: too few runs to show them equal"
    return judge(interval, *ALIKE, detail=detail)


def probability(frame: pd.DataFrame, ours: str, theirs: str, share: float, benchmark: str) -> tuple[Interval, str]:
    """The probability that a run of `ours` is below one of `theirs`, at the latest when either's end, and words."""
    share = min(share, *(ends(frame, benchmark, name) / ends(frame, benchmark) for name in (ours, theirs)))
    matrix = wins(*(regret_at(frame, benchmark, name, [share]) for name in (ours, theirs)))
    interval = resampled_interval(lambda a, b: probabilities(matrix, a, b)[:, 0], *matrix.shape[1:])
    words = f"{label(benchmark)}, {method_label(ours)} below {method_label(theirs)} at {share:.2g} of the end"
    return interval, f"{words}: {interval.text('.2f')}"


def later(frame: pd.DataFrame, ours: str, theirs: str, benchmark: str = PROTEIN) -> Check:
    """Check that `ours` leaves random search behind later than `theirs`, or never: difference of times above 0."""
    interval = _between_times(frame, ours, theirs, _difference, benchmark)
    words = _times_in_words(frame, (ours, theirs), benchmark)
    return worded(judge(interval, lower=0.0), f"{words}; difference")


def together(frame: pd.DataFrame, ours: str, theirs: str, benchmark: str = PROTEIN) -> Check:
    """Check that both leave random search behind within a factor of two: log2 of the ratio of times in -1 to 1."""
    interval = _between_times(frame, ours, theirs, _log_ratio, benchmark)
    words = _times_in_words(frame, (ours, theirs), benchmark)
    return worded(judge(interval, -1.0, 1.0), f"{words}; log2 of the ratio")


def regret_at(frame: pd.DataFrame, benchmark: str, method: str, shares: Iterable[float] = (END,)) -> np.ndarray:
    """Regrets at shares of the end, (runs, shares); infinite before a run's first evaluation."""
    regrets = regret_over_time(frame, benchmark, method, np.array(list(shares)) * ends(frame, benchmark))
    return np.where(np.isnan(regrets), np.inf, regrets)


def unfinished(frame: pd.DataFrame, methods: Iterable[str], benchmark: str = PROTEIN) -> Check | None:
    """The part about the end of a set that short runs leave unknown; None where all are long enough."""
    for name in methods:
        if is_short(frame, benchmark, name):
            share = ends(frame, benchmark, name) / ends(frame, benchmark)
            return unknown(f"{label(benchmark)}, {method_label(name)}: its runs end at {share:.2f} of the end")
    return None


def each(
    frame: pd.DataFrame, methods: Iterable[str], check: Callable[[str], Check], benchmark: str = PROTEIN
) -> list[Check]:
    """A part for each method on a set, absent ones included.

    Raises:
        NotRunError: none was run.
    """
    methods = list(methods)
    run = set(frame.loc[frame["benchmark"] == benchmark, "method"])
    if not run & set(methods):
        raise NotRunError(f"methods/{benchmark}")
    return each_of(methods, run, check, method_label)


def _between_times(
    frame: pd.DataFrame, ours: str, theirs: str, statistic: Callable[..., np.ndarray], benchmark: str
) -> Interval:
    first, second = (_against_random(frame, name, benchmark) for name in (ours, theirs))

    def value(a: np.ndarray, b: np.ndarray, random: np.ndarray) -> np.ndarray:
        times = (time_of_lead(probabilities(w, runs, random), GRID, AHEAD) for w, runs in ((first, a), (second, b)))
        return statistic(*times)

    return resampled_interval(value, first.shape[1], second.shape[1], first.shape[2])


@once
def _against_random(frame: pd.DataFrame, method: str, benchmark: str) -> np.ndarray:
    return wins(*(regret_at(frame, benchmark, name, GRID) for name in (method, "random")))


def _difference(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Difference of two times; two methods that never leave are equally late."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(ours - theirs, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _log_ratio(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """log2 of the ratio of two times; infinite for two methods that never leave."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.log2(ours / theirs), nan=np.inf, posinf=np.inf, neginf=-np.inf)


def _times_in_words(frame: pd.DataFrame, methods: Iterable[str], benchmark: str) -> str:
    words = []
    for name in methods:
        time = time_of_lead(_against_random(frame, name, benchmark).mean(axis=(1, 2))[None], GRID, AHEAD)[0]
        words.append(f"{method_label(name)} {'never' if np.isinf(time) else f'from {time:.2g} of the end on'}")
    return f"{label(benchmark)}, ahead of random search: {', '.join(words)}"
