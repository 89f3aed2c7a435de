"""Claims about regrets on the surrogates of fully connected networks (6, 6.4.2.2, C.4).

Times are full evaluations; a Hyperband bracket costs about four of them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.optimizers.brackets import rung_budgets
from core.report import Check, NotRunError, all_of, bootstrap_interval, cell_rows, claim, frame_of, judge, worded
from core.report.runs.time_curves import end_of
from core.report.verdicts.mean_comparisons import SEED, cells_of, log_means, values_at
from core.tabular.ranks import spearman
from papers.bohb.claims.comparisons import (
    ALIKE,
    CLEARLY,
    FIRST_ITERATIONS,
    on_sets,
    sets_of,
)
from papers.bohb.claims.comparisons import alike_on_surrogate as alike
from papers.bohb.claims.comparisons import lower_on_surrogate as lower
from papers.bohb.names import RESOLUTION, SHOWN, STARTS, SURROGATES

EARLY, FIRST_BRACKET = 2, 4  # half a bracket, one
ETA, FIRST_MODEL = 3, 14  # BOHB has a model after 2 N_min = 2 (d + 1) observations on a budget
COMPARED = ("random", "tpe", "hyperband", "bohb")  # the others were not run as long on all sets


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2, Fig C.2",
    sentence="Hyperband initially performs much better than Bayesian optimization on full evaluations.",
)
def hyperband_starts_ahead(results: Results) -> Check:
    """After two full evaluations Hyperband is below two thirds of the regret of GP-BO and of random search, with which
    TPE begins, on every set."""
    frame, names = sets_of(results, STARTS)
    others = ("random", "gp")
    checks = [lower(frame, name, "hyperband", other, EARLY, CLEARLY) for name in names for other in others]
    return on_sets(checks, names)


@claim(
    artifact="figC_2",
    place="thesis C.4, Fig C.2",
    sentence="BOHB and Hyperband with LC-Net improve much faster at first, like Hyperband, thanks to small budgets.",
)
def bandits_start_ahead(results: Results) -> Check:
    """After two full evaluations both are below two thirds of the regret of GP-BO and of random search, with which TPE
    begins, on every set; BOHB in many runs of three evaluations."""
    checks, others = [], ("random", "gp")
    for method, experiments in (("bohb", STARTS), ("hyperband_lcnet", SURROGATES)):
        frame, names = sets_of(results, experiments)
        checks += [lower(frame, name, method, other, EARLY, CLEARLY) for name in names for other in others]
    return on_sets(checks, names)


@claim(
    artifact="figC_2",
    place="thesis 6.3.1",
    sentence="In practice Hyperband and BOHB substantially outperform random search.",
)
def bandits_outperform_random(results: Results) -> Check:
    """After five brackets both are below two thirds of random search's regret, on every set."""
    frame, names = sets_of(results)
    methods = ("hyperband", "bohb")
    checks = [lower(frame, name, ours, "random", FIRST_ITERATIONS, CLEARLY) for name in names for ours in methods]
    return on_sets(checks, names)


@claim(
    artifact="fig6_4",
    place="thesis Fig 6.4, caption",
    sentence="Results on the other five data sets are qualitatively similar.",
)
def other_sets_are_similar(results: Results) -> Check:
    """Rank correlation of the methods' regrets after five brackets, the set of Fig 6.4 and each other; above 0.5."""
    frame, names = sets_of(results)
    if SHOWN not in names:
        raise NotRunError(f"{SURROGATES[0]} on {SHOWN}")
    ends = {name: values_at(cells_of(frame, name, COMPARED), FIRST_ITERATIONS)[0] for name in names}

    def correlation(*drawn: np.ndarray) -> np.ndarray:
        logs = log_means(drawn, RESOLUTION)
        shown, other = logs[: len(COMPARED)].T, logs[len(COMPARED) :].T
        return np.array([spearman(*pair) for pair in zip(shown, other, strict=True)])

    parts = []
    for name in names:
        if name != SHOWN:
            interval = bootstrap_interval((*ends[SHOWN], *ends[name]), correlation, SEED, n=1000)
            parts.append(worded(judge(interval, "", lower=0.5), f"{SHOWN} and {name}"))
    return on_sets(parts, names, "similar")


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2, Fig C.2",
    sentence="For large enough budgets TPE and GP-BO end below Hyperband in all cases.",
)
def model_based_overtake_hyperband(results: Results) -> Check:
    """TPE and GP-BO end below Hyperband at the same time, on every set."""
    frame, names = sets_of(results)
    return on_sets([lower(frame, name, other, "hyperband") for name in names for other in ("tpe", "gp")], names)


@claim(
    artifact="fig6_4",
    place="thesis 6.4.2.2, Fig 6.4",
    kind="check",
    sentence="Hyperband and BOHB start out identically.",
)
def bohb_starts_like_hyperband(results: Results) -> Check:
    """Just before BOHB's first model it and Hyperband differ by less than half, on every set.

    That is when 14 configurations have been evaluated on the smallest budget, or later, where the first bracket has
    fewer of them: the many short runs, of three evaluations, then end before it.
    """
    frame, names = sets_of(results, STARTS)
    checks = [alike(frame, name, "bohb", "hyperband", 1.5, _first_model(frame, name)) for name in names]
    return on_sets(checks, names, "identical")


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2, C.4, Fig C.2",
    sentence="BOHB's final result is better than that of the other methods, except on letter.",
    headline=True,
)
def bohb_ends_best(results: Results) -> Check:
    """BOHB ends below Hyperband, TPE and GP-BO at the same time, on every set but letter, which C.4 excepts."""
    frame, names = sets_of(results, besides="letter")
    others = ("hyperband", "tpe", "gp")
    return on_sets([lower(frame, name, "bohb", other) for name in names for other in others], names, "best", 5)


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2, C.4",
    sentence="All model-based methods substantially outperform random search at the end.",
)
def random_ends_worst(results: Results) -> Check:
    """TPE, GP-BO and BOHB end below two thirds of random search's regret at the same time, on every set."""
    frame, names = sets_of(results)
    others = ("tpe", "gp", "bohb")
    return on_sets([lower(frame, name, other, "random", None, CLEARLY) for name in names for other in others], names)


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2",
    sentence="At the end Hyperband has approached the performance of random search.",
)
def hyperband_ends_like_random(results: Results) -> Check:
    """The final regrets of Hyperband and random search differ by less than a factor of 1.25, on every set."""
    frame, names = sets_of(results)
    return on_sets([alike(frame, name, "hyperband", "random", ALIKE) for name in names], names, "the same")


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2, Fig C.2",
    sentence="With LC-Net Hyperband is somewhat better than alone, and worse than BOHB on all sets.",
)
def lcnet_between_hyperband_and_bohb(results: Results) -> Check:
    """After five brackets and when its own runs end, it is below Hyperband, and BOHB below it, on every set."""
    frame, names = sets_of(results)
    orders = (("hyperband_lcnet", "hyperband"), ("bohb", "hyperband_lcnet"))
    checks = [
        lower(frame, name, *order, time)
        for name in names
        for order in orders
        for time in (FIRST_ITERATIONS, end_of(cell_rows(frame, name, "hyperband_lcnet")))
    ]
    return on_sets(checks, names, "in between")


@claim(
    artifact="figC_2",
    place="thesis C.4, Fig C.2",
    sentence="On all surrogates BOHB outperforms Hyperband after the first couple of iterations.",
)
def bohb_beats_hyperband_after_first_iterations(results: Results) -> Check:
    """After five brackets BOHB is below Hyperband on every set."""
    frame, names = sets_of(results)
    return on_sets([lower(frame, name, "bohb", "hyperband", FIRST_ITERATIONS) for name in names], names)


@claim(artifact="figC_2", place="thesis C.4, Fig C.2", sentence="On letter BOHB overtakes Hyperband even earlier.")
def bohb_beats_hyperband_earlier_on_letter(results: Results) -> Check:
    """On letter BOHB is below Hyperband after the first bracket."""
    return lower(frame_of(results, *SURROGATES), "letter", "bohb", "hyperband", FIRST_BRACKET)


@claim(
    artifact="figC_2",
    place="thesis C.4, Fig C.2",
    sentence="On letter traditional Bayesian optimization ends below BOHB when budgets are very large.",
)
def traditional_methods_catch_up_on_letter(results: Results) -> Check:
    """On letter TPE and GP-BO end below BOHB at the same time."""
    frame = frame_of(results, *SURROGATES)
    return all_of([lower(frame, "letter", other, "bohb") for other in ("tpe", "gp")], "an advantage")


def _first_model(frame: pd.DataFrame, name: str) -> float:
    rows = cell_rows(frame, name, "bohb")
    smallest, largest = rows[["smallest_budget", "largest_budget"]].iloc[0]
    return min(FIRST_MODEL * rung_budgets(smallest, largest, ETA)[0] / largest, end_of(rows))
