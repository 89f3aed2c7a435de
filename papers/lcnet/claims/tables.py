"""What 5.4.4 and B.4 say of Hyperband with LC-Net on the tables of chapter 7.

Times are seconds of training. Chapter 7's runs of Hyperband are longer than those with LC-Net here: "the end" is that
of the runs that end first. Regrets span orders of magnitude and end at 0 on small tables, where means say little: as
in chapter 7, methods are compared by the probability that a run of one has the smaller regret, and times by medians.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, claim, judge, left_out, worded
from core.report.runs.time_curves import end_of, over_time
from core.report.statistics.win_probability import probabilities, resampled_interval, wins
from core.report.verdicts.mean_comparisons import cells_of
from core.report.verdicts.speedups import Pair, judge_known, speedup
from core.tabular.values import LABELS
from papers.lcnet.table_runs import SHOWN, table_runs

EARLY, HALF = 0.1, 0.5  # shares of the time until the first runs end
MUCH = 2.0  # times as fast


@claim(
    artifact="fig5_7",
    place="thesis 5.4.4, Fig 5.7",
    sentence="Hyperband finds a good configuration sooner than Bayesian optimization with BOHAMIANN.",
)
def hyperband_starts_ahead(results: Results) -> Check:
    """Hyperband is below BOHAMIANN after a tenth of the time, on protein and slice."""
    return _on(results, SHOWN, lambda frame, name: _lower(frame, name, "hyperband", "bohamiann", EARLY))


@claim(
    artifact="fig5_7",
    place="thesis 5.4.4, Fig 5.7",
    sentence="Given enough time Bayesian optimization with BOHAMIANN performs better than Hyperband.",
)
def bohamiann_overtakes_hyperband(results: Results) -> Check:
    """BOHAMIANN is below Hyperband at the end, on protein and slice."""
    return _on(results, SHOWN, lambda frame, name: _lower(frame, name, "bohamiann", "hyperband"))


@claim(
    artifact="fig5_7",
    place="thesis 5.4.4, Fig 5.7",
    sentence="Extended by LC-Net, Hyperband approaches the global optimum much faster.",
    headline="Makes Hyperband much faster",
)
def lcnet_is_much_faster(results: Results) -> Check:
    """With LC-Net it takes half as long to the regret that Hyperband has after half the time, on protein and slice."""
    return _on(results, SHOWN, lambda frame, name: _faster(frame, name, MUCH))


@claim(
    artifact="figB_3",
    place="thesis B.4, Fig B.3",
    sentence="LC-Net speeds up the convergence of Hyperband on all four tables.",
    headline="Speeds up Hyperband on all four tables",
)
def lcnet_speeds_up_hyperband(results: Results) -> Check:
    """The regret that Hyperband has after half the time, or on Parkinson after a tenth of it, is reached sooner."""
    return _on(results, LABELS, lambda frame, name: _faster(frame, name, 1.0, EARLY if name == "parkinsons" else HALF))


@claim(
    artifact="figB_3",
    place="thesis B.4, Fig B.3",
    sentence="With LC-Net Hyperband often ends at a better configuration, on all tables but Parkinson's.",
)
def lcnet_ends_better(results: Results) -> Check:
    """With LC-Net the regret is lower at the end, on each of the three sets."""
    names = [name for name in LABELS if name != "parkinsons"]
    return _on(results, names, lambda frame, name: _lower(frame, name, "hyperband_lcnet", "hyperband"))


@claim(
    artifact="figB_3",
    place="thesis B.4",
    sentence="On Parkinson, LC-Net helps Hyperband to find better configurations sooner, but it ends at a worse one.",
)
def lcnet_ends_worse_on_parkinson(results: Results) -> Check:
    """With LC-Net the regret is lower after a tenth of the time and higher at the end."""
    frame, name = table_runs(results), "parkinsons"
    early = _lower(frame, name, "hyperband_lcnet", "hyperband", EARLY)
    return all_of([early, _lower(frame, name, "hyperband", "hyperband_lcnet")], "sooner, but worse at the end")


def _on(results: Results, names: Iterable[str], check: Callable[[pd.DataFrame, str], Check]) -> Check:
    """The same check on each of the sets; those that were not run are left out."""
    frame, checks, missing = table_runs(results), [], 0
    for name in names:
        try:
            checks.append(check(frame, name))
        except NotRunError:
            checks.append(left_out(LABELS[name]))
            missing += 1
    if missing == len(checks):
        raise NotRunError("tables")
    return all_of(checks, f"{len(checks)} of {len(checks)}")


def _lower(frame: pd.DataFrame, name: str, better: str, worse: str, share: float = 1.0) -> Check:
    """The probability that a run of one method is below one of another after a share of the time that both ran."""
    cells = cells_of(frame, name, [better, worse])
    time = share * min(map(end_of, cells.values()))
    matrix = wins(*(over_time(rows, np.array([time])) for rows in cells.values()))
    interval = resampled_interval(lambda a, b: probabilities(matrix, a, b)[:, 0], *matrix.shape[1:])
    return worded(judge(interval, "above 0.5", lower=0.5), f"{LABELS[name]}, {better} below {worse} at {time:.4g} s")


def _faster(frame: pd.DataFrame, name: str, times: float, share: float = HALF) -> Check:
    """With LC-Net Hyperband's median regret after a share of the time that both ran is reached so many times sooner."""
    cells = cells_of(frame, name, ["hyperband", "hyperband_lcnet"])
    end = share * min(map(end_of, cells.values()))
    level = float(np.median(over_time(cells["hyperband"], np.array([end]))))
    found = speedup(Pair.of(frame, name, "hyperband", "hyperband_lcnet", level, average=np.median))
    return judge_known(found, f"over {times:g}", (times, np.inf), f"{name}, factor by which LC-Net is faster: ")
