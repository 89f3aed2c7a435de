"""Checks of what the thesis says about regrets on the surrogates of fully connected networks (6.4.2.2, C.4).

Times are full evaluations, of which a Hyperband bracket costs about four. A claim about all data sets is judged on
those that were run, the number of which is in its detail. Regrets below the resolution of the error count as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.optimizers.brackets import rung_budgets
from core.report import Check, NotRunError, all_of, bootstrap_interval, judge
from core.report.trajectories import cell_rows
from papers.bohb.curves import frame_of
from papers.bohb.measures import (
    CLEARLY,
    RESOLUTION,
    SAME_END,
    SEED,
    cannot_compare,
    cells_of,
    described,
    end_of,
    log_means,
    lower_than,
    open_where,
    values_at,
    within_factor,
)
from papers.bohb.surrogate_figures import EXPERIMENTS, LABELS

EARLY, FIRST_BRACKET, FIRST_ITERATIONS = 2, 4, 20  # half a bracket, one, five
ETA, FIRST_MODEL = 3, 9  # BOHB has a model after N_min + 2 = d + 3 observations on a budget

lower = partial(lower_than, floor=RESOLUTION)
alike = partial(within_factor, floor=RESOLUTION)


def hyperband_starts_ahead(results: Results) -> Check:
    """After two full evaluations Hyperband is below two thirds of TPE's and of GP-BO's regret, on every set."""
    frame, names = sets_of(results)
    others = ("tpe", "gp")
    checks = [lower(frame, name, "hyperband", other, EARLY, CLEARLY) for name in names for other in others]
    return on_sets(checks, names)


def model_based_overtake_hyperband(results: Results) -> Check:
    """TPE and GP-BO end below Hyperband at the same time, on every set."""
    frame, names = sets_of(results)
    return on_sets([lower(frame, name, other, "hyperband") for name in names for other in ("tpe", "gp")], names)


def bohb_starts_like_hyperband(results: Results) -> Check:
    """Just before BOHB's first model it and Hyperband differ by less than half, on every set.

    That is when nine configurations have been evaluated on the smallest budget of the first bracket.
    """
    frame, names = sets_of(results)
    checks = [alike(frame, name, "bohb", "hyperband", 1.5, _first_model(frame, name)) for name in names]
    return on_sets(checks, names, "identical")


def bohb_ends_best(results: Results) -> Check:
    """BOHB ends below Hyperband, TPE and GP-BO at the same time, on every set but letter, which C.4 excepts."""
    frame, names = sets_of(results, besides="letter")
    others = ("hyperband", "tpe", "gp")
    return on_sets([lower(frame, name, "bohb", other) for name in names for other in others], names, "best", 5)


def random_ends_worst(results: Results) -> Check:
    """TPE, GP-BO and BOHB end below two thirds of random search's regret at the same time, on every set."""
    frame, names = sets_of(results)
    others = ("tpe", "gp", "bohb")
    return on_sets([lower(frame, name, other, "random", None, CLEARLY) for name in names for other in others], names)


def hyperband_ends_like_random(results: Results) -> Check:
    """The final regrets of Hyperband and random search differ by less than a factor of 2, on every set."""
    frame, names = sets_of(results)
    return on_sets([alike(frame, name, "hyperband", "random", 2.0) for name in names], names, "the same")


def bohb_beats_hyperband_after_first_iterations(results: Results) -> Check:
    """After five brackets BOHB is below Hyperband on every set."""
    frame, names = sets_of(results)
    return on_sets([lower(frame, name, "bohb", "hyperband", FIRST_ITERATIONS) for name in names], names)


def bohb_beats_hyperband_earlier_on_letter(results: Results) -> Check:
    """On letter BOHB is below Hyperband after the first bracket."""
    return lower(frame_of(results, *EXPERIMENTS), "letter", "bohb", "hyperband", FIRST_BRACKET)


def traditional_methods_catch_up_on_letter(results: Results) -> Check:
    """On letter the better of TPE and GP-BO ends below BOHB. Without GP-BO to the end TPE alone can only confirm it."""
    frame = frame_of(results, *EXPERIMENTS)
    cells = cells_of(frame, "letter", ["bohb", "tpe"])
    ran = "gp" in set(frame.loc[frame["benchmark"] == "letter", "method"])
    gp = cell_rows(frame, "letter", "gp") if ran else None
    long = gp is not None and end_of(gp) * SAME_END >= min(map(end_of, cells.values()))
    samples, at = values_at(cells | ({"gp": gp} if long else {}))

    def statistic(bohb: np.ndarray, *traditional: np.ndarray) -> np.ndarray:
        return log_means([bohb], RESOLUTION)[0] - log_means(traditional, RESOLUTION).min(0)

    interval = bootstrap_interval(samples, statistic, SEED)
    detail = f"letter, BOHB over the better of {'TPE and GP-BO' if long else 'TPE alone'} at {at:.4g}"
    check = judge(interval, "an advantage", lower=0, detail=f"{detail}: {described(interval)}")
    alone = "" if long or check.holds != "fails" else "GP-BO was not run as long"
    return open_where(check, cannot_compare(cells) or alone)


def lcnet_between_hyperband_and_bohb(results: Results) -> Check:
    """After five brackets and at the end Hyperband with LC-Net is below Hyperband, and BOHB below it, on every set."""
    frame, names = sets_of(results)
    orders = (("hyperband_lcnet", "hyperband"), ("bohb", "hyperband_lcnet"))
    checks = [
        lower(frame, name, *order, time) for name in names for order in orders for time in (FIRST_ITERATIONS, None)
    ]
    return on_sets(checks, names, "in between")


def sets_of(
    results: Results, experiments: Sequence[str] = EXPERIMENTS, besides: str = ""
) -> tuple[pd.DataFrame, list[str]]:
    """The runs of experiments, and the thesis' data sets among them, without one that a sentence excepts.

    Raises:
        NotRunError: none of them was run.
    """
    frame = frame_of(results, *experiments)
    ran = set(frame["benchmark"].unique())
    names = [name for name in LABELS if name in ran and name != besides]
    if not names:
        raise NotRunError(experiments[0])
    return frame, names


def on_sets(checks: list[Check], names: list[str], said: str = "all six sets", wanted: int = len(LABELS)) -> Check:
    """A claim made of a check or more for each set."""
    return all_of(checks, said, f"{len(names)} of {wanted} sets run")


def _first_model(frame: pd.DataFrame, name: str) -> float:
    row = cell_rows(frame, name, "bohb").iloc[0]
    budgets = rung_budgets(row["smallest_budget"], row["largest_budget"], ETA)
    return FIRST_MODEL * budgets[-1] / row["largest_budget"]
