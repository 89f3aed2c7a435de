"""Claims about what benchmarking costs (8, Fig 8.2), in seconds.

They are about the authors' networks and meta-model; below the paper's scale ours are smaller, and both are `outside`.
"""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Cause, Check, all_of, bootstrap_interval, claim, judge, outside, rows_of, worded
from core.report.statistics.reductions import mean_ratio

SEED = 82
ORDERS = 100.0  # the least that may be called orders of magnitude
NEARLY_ALL = 0.9


@claim(
    artifact="fig8_2",
    place="thesis 8, Fig 8.2",
    sentence="Benchmarking on generated tasks is orders of magnitude cheaper than on the original benchmark.",
    published="orders of magnitude",
    headline="Generated tasks 100 times cheaper",
    cause=Cause(
        "reduced protocol",
        "45 times cheaper than networks trained on 500 rows for 8 epochs; MNIST's 70,000 rows for 100 epochs are more "
        "than 1,000 times as much training, and a factor of 2.2 is lacking",
    ),
)
def generated_tasks_are_cheaper(results: Results) -> Check:
    """Seconds of random search with the networks trained over those on generated tasks; above 100.

    Random search alone: the others' seconds are mostly their own, here as there.
    """
    rows = rows_of(results, "wall_clock", method="random")
    ends = tuple((rows["proposals"] + rows[other]).to_numpy() for other in ("training", "evaluations"))
    interval = bootstrap_interval(ends, mean_ratio, SEED, paired=True)
    check = judge(interval, lower=ORDERS, detail="random search, trained over generated")
    return _if_as_published(check, results)


@claim(
    artifact="fig8_2",
    place="thesis 8, Fig 8.2",
    sentence="On generated tasks the time goes almost exclusively into the optimizers themselves.",
    published="almost exclusively",
)
def time_goes_into_the_optimizers(results: Results) -> Check:
    """The optimizer's share of the seconds on generated tasks, of BO-GP and of BOHAMIANN; above 0.9."""
    parts = []
    for method in ("gp", "bohamiann"):
        rows = rows_of(results, "wall_clock", method=method)
        own, whole = rows["proposals"].to_numpy(), (rows["proposals"] + rows["evaluations"]).to_numpy()
        interval = bootstrap_interval((own, whole), mean_ratio, SEED, paired=True)
        parts.append(worded(judge(interval, lower=NEARLY_ALL), f"{method}, share"))
    return _if_as_published(all_of(parts), results)


def _if_as_published(check: Check, results: Results) -> Check:
    return outside(check, "smaller networks and a smaller meta-model than published") if results.reduced else check
