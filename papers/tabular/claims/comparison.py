"""What 7.4.1 says of the methods in Fig 7.5: its observations, judged on protein but for the one that says "often"."""

from __future__ import annotations

import math
from dataclasses import replace

from core.experiment.results import Results
from core.report import Cause, Check, claim, not_run, worded
from core.report.verdicts.outcomes import at_least
from papers.tabular.claims import observations
from papers.tabular.claims.pairs_of_methods import PROTEIN
from papers.tabular.comparison_runs import benchmarks_of, comparison_runs
from papers.tabular.trained_tables import LABELS, label


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="SMAC, TPE and BOHAMIANN are as good as random search in the beginning.",
)
def model_based_begin_like_random(results: Results) -> Check:
    return observations.begin_like_random(comparison_runs(results), PROTEIN)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="Once they have a meaningful model, SMAC, TPE and BOHAMIANN are better than random search.",
    headline="SMAC, TPE, BOHAMIANN end below random",
)
def model_based_end_below_random(results: Results) -> Check:
    return observations.end_below_random(comparison_runs(results), PROTEIN)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="SMAC, TPE and BOHAMIANN begin to be better than random search at about the same time.",
)
def model_based_leave_random_together(results: Results) -> Check:
    return observations.leave_random_together(comparison_runs(results), PROTEIN)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="SMAC, TPE and BOHAMIANN end with different regrets.",
)
def model_based_end_differently(results: Results) -> Check:
    return observations.end_differently(comparison_runs(results), PROTEIN)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="In the beginning BOHB is as good as Hyperband.",
)
def bohb_begins_like_hyperband(results: Results) -> Check:
    return observations.bohb_like_hyperband(comparison_runs(results), PROTEIN)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="Once it has a meaningful model, BOHB is better than Hyperband.",
    headline="BOHB ends below Hyperband",
)
def bohb_ends_below_hyperband(results: Results) -> Check:
    return observations.bohb_below_hyperband(comparison_runs(results), PROTEIN)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="Hyperband reaches reasonably good results earlier than random search.",
)
def hyperband_is_fast(results: Results) -> Check:
    return observations.hyperband_below_random_early(comparison_runs(results), PROTEIN)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="In the end Hyperband improves only slightly over random search, and by less than before.",
    headline="Hyperband ends little below random",
)
def hyperband_ends_little_below_random(results: Results) -> Check:
    return observations.hyperband_slightly_below_random(comparison_runs(results), PROTEIN)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="Regularized evolution needs more time than Bayesian optimization to leave random search behind.",
)
def evolution_needs_longer_than_model_based(results: Results) -> Check:
    return observations.evolution_needs_longer(comparison_runs(results), PROTEIN)


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="Regularized evolution often ends best of all methods.",
    headline="Regularized evolution often ends best",
    cause=Cause(
        "our substitute",
        "500 evaluations search 768 configurations instead of 62,208: on protein TPE and BOHB find the best one in 91% "
        "of their runs, so that no method can end lower; evolution finds it in 13% of its runs after its first "
        "population of 100 and in 81% at the end",
    ),
)
def evolution_is_best_at_the_end(results: Results) -> Check:
    """On how many of the sets at hand; "often" is on half of them or more."""
    frame = comparison_runs(results)
    names = [name for name in LABELS if name in benchmarks_of(frame)]
    checks = [worded(observations.evolution_ends_best(frame, name), label(name)) for name in names]
    parts = [replace(check, detail=f"{check.holds}: {check.detail}") for check in checks]
    return at_least(math.ceil(len(parts) / 2), parts, "often") if parts else not_run("often")


@claim(
    artifact="fig7_5",
    place="thesis 7.4.1",
    sentence="REINFORCE needs even more time than regularized evolution and Bayesian optimization.",
)
def reinforce_is_slowest(results: Results) -> Check:
    return observations.reinforce_later_than_all(comparison_runs(results), PROTEIN)
