"""Claims about regrets and speed-ups on the surrogates of fully connected networks (6, 6.4.2.2, C.4).

Times are full evaluations; a Hyperband bracket costs about four of them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.optimizers.brackets import rung_budgets
from core.report import Check, all_of, bootstrap_interval, cell_rows, claim, frame_of, judge, open_where
from core.report.mean_comparisons import SAME_END, SEED, as_factor, cells_of, log_means, values_at
from core.report.speedups import Pair, estimate, judge_known, median, of_speedups, shown
from core.report.time_curves import end_of
from papers.bohb.claims.comparisons import (
    CLEARLY,
    FIRST_ITERATIONS,
    RESOLUTION,
    before_the_model,
    cannot_compare,
    on_sets,
    sets_of,
)
from papers.bohb.claims.comparisons import alike_on_surrogate as alike
from papers.bohb.claims.comparisons import lower_on_surrogate as lower
from papers.bohb.names import DATA_SETS, SURROGATES

EARLY, FIRST_BRACKET = 2, 4  # half a bracket, one
ETA, FIRST_MODEL = 3, 9  # BOHB has a model after N_min + 2 = d + 3 observations on a budget
GOOD = 1e-2  # the regret in Fig 6.1
COMPARABLE = 3.0  # speed-ups that differ by less than this factor


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2, Fig C.2",
    sentence="Hyperband initially performs much better than Bayesian optimization on full evaluations.",
)
def hyperband_starts_ahead(results: Results) -> Check:
    """After two full evaluations Hyperband is below two thirds of TPE's and of GP-BO's regret, on every set."""
    frame, names = sets_of(results)
    others = ("tpe", "gp")
    checks = [lower(frame, name, "hyperband", other, EARLY, CLEARLY) for name in names for other in others]
    return on_sets(checks, names)


@claim(
    artifact="figC_2", place="thesis 6.4.2.2", sentence="Hyperband is roughly three times faster than random search."
)
def hyperband_three_times_faster_than_random(results: Results) -> Check:
    """Hyperband reaches random search's regret after a quarter of its run 1.5 to 6 times sooner, median over sets."""
    return _median(results, "random", "hyperband", "quarter", (1.5, 6.0), "about 3")


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2, Fig C.2",
    sentence="For large enough budgets TPE and GP-BO end below Hyperband in all cases.",
)
def model_based_overtake_hyperband(results: Results) -> Check:
    """TPE and GP-BO end below Hyperband at the same time, on every set."""
    frame, names = sets_of(results)
    return on_sets([lower(frame, name, other, "hyperband") for name in names for other in ("tpe", "gp")], names)


@claim(artifact="fig6_4", place="thesis 6.4.2.2, Fig 6.4", sentence="Hyperband and BOHB start out identically.")
def bohb_starts_like_hyperband(results: Results) -> Check:
    """Just before BOHB's first model it and Hyperband differ by less than half, on every set.

    That is when nine configurations have been evaluated on the smallest budget of the first bracket.
    """
    frame, names = sets_of(results)
    checks = [alike(frame, name, "bohb", "hyperband", 1.5, _first_model(frame, name)) for name in names]
    return on_sets(checks, names, "identical")


@claim(
    artifact="fig6_4",
    place="thesis 6.4.2.2, Fig 6.4",
    sentence="BOHB reaches Hyperband's final performance 100 times faster.",
)
def bohb_100_times_faster_than_hyperband(results: Results) -> Check:
    """BOHB reaches Hyperband's final regret 33 to 300 times sooner, median over sets."""
    return _median(results, "hyperband", "bohb", "end", (100 / 3, 300.0), "100")


@claim(
    artifact="figC_2",
    place="thesis 6, introduction",
    sentence="BOHB often needs less than a tenth of Bayesian optimization's time to find a good solution.",
)
def bohb_ten_times_faster_than_bayesian_optimization(results: Results) -> Check:
    """BOHB reaches a regret of 0.01 more than ten times sooner than TPE and GP-BO, medians over sets."""
    return all_of(
        [_median(results, slow, "bohb", GOOD, (10.0, np.inf), "over 10") for slow in ("tpe", "gp")], "over 10"
    )


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2",
    sentence="TPE and GP-BO are faster than random search by about the same factor as BOHB is than Hyperband.",
)
def speedups_are_comparable(results: Results) -> Check:
    """The speed-ups to the final regret of the slower method, in the median of the sets, are within a factor of 3."""
    frame, names = sets_of(results)
    checks = []
    for method in ("tpe", "gp"):
        ours = [Pair.of(frame, name, "random", method, "end") for name in names]
        theirs = [Pair.of(frame, name, "hyperband", "bohb", "end") for name in names]
        found = of_speedups([*ours, *theirs], lambda b: median(b[: len(names)]) - median(b[len(names) :]))
        words = f"{method} over random search, by BOHB over Hyperband: "
        check = judge_known(found, "comparable", (1 / COMPARABLE, COMPARABLE), words)
        checks.append(open_where(check, _no_model(frame, names, [method])))
    return all_of(checks, "comparable", f"{len(names)} of {len(DATA_SETS)} sets run")


@claim(
    artifact="figC_2",
    place="thesis 6.4.2.2, C.4, Fig C.2",
    sentence="BOHB's final result is better than that of the other methods, except on letter.",
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
    """The final regrets of Hyperband and random search differ by less than a factor of 2, on every set."""
    frame, names = sets_of(results)
    return on_sets([alike(frame, name, "hyperband", "random", 2.0) for name in names], names, "the same")


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
    sentence="On letter TPE or GP-BO ends below BOHB when budgets are very large.",
)
def traditional_methods_catch_up_on_letter(results: Results) -> Check:
    """On letter the better of TPE and GP-BO ends below BOHB; if GP-BO ends early, TPE alone can only confirm it."""
    frame = frame_of(results, *SURROGATES)
    cells = cells_of(frame, "letter", ["bohb", "tpe"])
    ran = "gp" in set(frame.loc[frame["benchmark"] == "letter", "method"])
    gp = cell_rows(frame, "letter", "gp") if ran else None
    long = gp is not None and end_of(gp) * SAME_END >= min(map(end_of, cells.values()))
    samples, at = values_at(cells | ({"gp": gp} if long else {}))

    def statistic(bohb: np.ndarray, *traditional: np.ndarray) -> np.ndarray:
        return log_means([bohb], RESOLUTION)[0] - log_means(traditional, RESOLUTION).min(0)

    interval = bootstrap_interval(samples, statistic, SEED)
    detail = f"letter, BOHB over the better of {'TPE and GP-BO' if long else 'TPE alone'} at {at:.4g}"
    check = judge(interval, "an advantage", lower=0, detail=f"{detail}: {as_factor(interval)}")
    alone = "" if long or check.holds != "fails" else "GP-BO was not run as long"
    return open_where(check, cannot_compare(cells) or alone)


def _first_model(frame: pd.DataFrame, name: str) -> float:
    row = cell_rows(frame, name, "bohb").iloc[0]
    budgets = rung_budgets(row["smallest_budget"], row["largest_budget"], ETA)
    return FIRST_MODEL * budgets[-1] / row["largest_budget"]


def _median(
    results: Results, slow: str, fast: str, level: float | str, between: tuple[float, float], said: str
) -> Check:
    """Check that the median speed-up over the sets is between two values."""
    frame, names = sets_of(results)
    pairs = {name: Pair.of(frame, name, slow, fast, level) for name in names}
    each = ", ".join(f"{name} {shown(estimate(pair))}" for name, pair in pairs.items())
    words = f"{fast} over {slow} on {len(names)} of {len(DATA_SETS)} sets: {each}; median "
    check = judge_known(of_speedups(list(pairs.values()), median), said, between, words)
    return open_where(check, _no_model(frame, names, [slow, fast]))


def _no_model(frame: pd.DataFrame, names: list[str], methods: list[str]) -> str:
    return "; ".join(filter(None, (before_the_model(cells_of(frame, name, methods)) for name in names)))
