"""Claims about the search for hyperparameters of shake-shake networks (thesis 6.4.5)."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, claim, frame_of, judge
from core.report.statistics.reductions import mean_difference
from core.report.verdicts.checks import NotRunError
from papers.bohb.artifacts.shake_shake_table import full_evaluations

SEED = 10


@claim(
    artifact="cifar10",
    place="thesis 6.4.5",
    sentence="The network that BOHB found has a smaller test error than Gastaldi's.",
    published="smaller",
)
def found_network_beats_gastaldis(results: Results) -> Check:
    """The mean test error is below that of the same network with the hyperparameters that Gastaldi tuned by hand.

    The thesis compares with a slightly larger network of Gastaldi's.
    """
    frame = frame_of(results, "cifar10_retrained")
    samples = []
    for name in ("bohb", "gastaldi"):
        rows = frame[frame["method"] == name]
        if rows.empty:
            raise NotRunError(f"cifar10_retrained/{name}")
        samples.append(rows["test_error"].to_numpy())
    interval = bootstrap_interval(tuple(samples), mean_difference, SEED)
    return judge(interval, upper=0.0, detail=f"its test error less that of Gastaldi's: {interval.text()}")


@claim(
    artifact="cifar10",
    place="thesis 6.4.5",
    sentence="The whole search costs less than three evaluations on the largest budget for each worker.",
    published="less than 3",
)
def search_costs_less_than_three_evaluations(results: Results) -> Check:
    """The seconds of all evaluations over those of one on the largest budget and over the number of workers."""
    cost = full_evaluations(frame_of(results, "cifar10"))
    interval = bootstrap_interval(cost, lambda drawn: drawn.mean(-1), SEED)
    return judge(interval, upper=3.0, detail=f"{interval.text()} evaluations a worker")
