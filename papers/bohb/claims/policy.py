"""Claims about proximal policy optimization on cart-pole (6.4.4).

What is compared is the expected number of episodes of the incumbents, by geometric means over the runs, as regrets are
elsewhere. Times are full evaluations of nine trials.
"""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import Check, claim, frame_of
from core.report.verdicts.mean_comparisons import within_factor
from papers.bohb.claims.comparisons import ALIKE, CLEARLY, lower

BENCHMARK = "cartpole"
BEGINNING = 3  # Hyperband's first bracket; BOHB's first model needs two brackets of nine configurations on one trial


@claim(
    artifact="fig6_6",
    place="thesis 6.4.4, Fig 6.6",
    sentence="Hyperband and BOHB work equally well in the beginning on cart-pole.",
)
def bandits_start_alike_on_cartpole(results: Results) -> Check:
    """After the first bracket the two are within 1.25 of each other."""
    return within_factor(_episodes(results), BENCHMARK, "bohb", "hyperband", ALIKE, BEGINNING)


@claim(
    artifact="fig6_6",
    place="thesis 6.4.4, Fig 6.6",
    sentence="BOHB converges to a much better configuration than Hyperband on cart-pole.",
)
def bohb_ends_much_better_on_cartpole(results: Results) -> Check:
    """At the end BOHB's incumbent takes less than two thirds of the episodes that Hyperband's takes."""
    return lower(_episodes(results), BENCHMARK, "bohb", "hyperband", margin=CLEARLY)


@claim(
    artifact="fig6_6",
    place="thesis 6.4.4",
    sentence="TPE does not find a configuration as good as BOHB's on cart-pole within the budget.",
)
def tpe_ends_behind_on_cartpole(results: Results) -> Check:
    """At the end BOHB's incumbent takes fewer episodes than TPE's."""
    return lower(_episodes(results), BENCHMARK, "bohb", "tpe")


def _episodes(results: Results) -> pd.DataFrame:
    """The runs, with episodes in the column that is compared."""
    frame = frame_of(results, "ppo")
    return frame.assign(regret=frame["episodes"])
