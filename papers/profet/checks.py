"""Shapes of the claims about PROFET, each named by rows of claims.yaml; a shape of one row has its name."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import (
    Check,
    Interval,
    NotRunError,
    all_of,
    bootstrap_interval,
    contrary,
    frame_of,
    judge,
    outside,
    pending,
    rows_of,
    slightly,
    style,
    worded,
)
from core.report.runs.frames import CellNotRunError
from core.report.runs.trajectories import incumbent, per_run
from core.report.statistics.comparisons import LEVEL, Runs, average_ranks, holm, p_values
from core.report.statistics.intervals import intervals_of, mean, mean_difference, mean_ratio, share_interval
from core.report.verdicts.shapes.shape import Benchmark, Method, shape
from core.tabular.analysis import spearman
from papers.profet.figures.tasks import vectors
from papers.profet.search_results import (
    CLASSES,
    METHODS,
    SETS,
    TUNERS,
    TUNING,
    UNLUCKY,
    both_ran,
    class_runs,
    samples_of_tests,
)

XGBOOST, SECONDS, LATENT, FORRESTER, SEARCHES, SAMPLES = range(81, 87)
"""The seeds of the bootstrap, by subject."""
STAND_IN = "rf"  # for SMAC
ORDERS = 100.0  # the least that may be called orders of magnitude
NEARLY_ALL = 0.9
COHERENT = 0.9  # rank correlation, the least that may be called coherent
NEAR = 0.5  # of the distances between all subsets
RESAMPLES = 1000


@shape
def three_sets_do_not_decide(results: Results) -> Check:
    """The ranking varies: random search ends as low as BO-GP on one of the three, whose difference is not above 0. True
    if BO-GP is worse on one beyond doubt, false if it is better on all three beyond doubt.
    """
    differences = _gains(results, UNLUCKY)
    parts = [worded(judge(interval, lower=0.0), SETS[name], "+.3g") for name, interval in differences.items()]
    lacking = [pending(SETS[name]) for name in UNLUCKY if name not in differences]
    return contrary(all_of([*parts, *lacking]))


@shape
def gp_is_better_overall(results: Results) -> Check:
    """The share of the sets on which BO-GP ends below random search; above one half (published 10 of 13)."""
    frame = frame_of(results, TUNING)
    names = both_ran(frame)
    samples = np.stack([_ends(frame, name) for name in names], 1)
    interval = bootstrap_interval(samples, lambda drawn: (drawn.mean(1) > 0).mean(1), XGBOOST)
    words = (f"{SETS[name]} {gain.text('+.3g')}" for name, gain in _gains(results, names).items())
    detail = f"share of {len(names)} sets; {'; '.join(words)}"
    return judge(interval, lower=0.5, detail=detail)


def _gains(results: Results, names: Iterable[str]) -> dict[str, Interval]:
    """What random search ends above BO-GP on each set that was run, with its interval; runs are compared in pairs.

    Methods share their initial designs run by run.

    Raises:
        NotRunError: none of the sets was run.
    """
    frame = frame_of(results, TUNING)
    differences = {
        name: bootstrap_interval(_ends(frame, name), mean, XGBOOST) for name in names if name in both_ran(frame)
    }
    if not differences:
        raise NotRunError(TUNING)
    return differences


def _ends(frame: pd.DataFrame, name: str) -> np.ndarray:
    """Final loss of random search less that of BO-GP, (runs,)."""
    random, gp = (incumbent(per_run(frame, "loss", name, method))[:, -1] for method in TUNERS)
    return random - gp


@shape
def generated_tasks_are_cheaper(results: Results) -> Check:
    """Seconds of random search with the networks trained over those on generated tasks; above 100. Random search alone:
    the others' seconds are mostly their own, here as there.
    """
    rows = rows_of(results, "wall_clock", method="random")
    ends = tuple((rows["proposals"] + rows[other]).to_numpy() for other in ("training", "evaluations"))
    interval = bootstrap_interval(ends, mean_ratio, SECONDS, paired=True)
    check = judge(interval, lower=ORDERS, detail="random search, trained over generated")
    return _if_as_published(check, results)


@shape
def time_goes_into_the_optimizers(results: Results) -> Check:
    """The optimizer's share of the seconds on generated tasks, of BO-GP and of BOHAMIANN; above 0.9."""
    parts = []
    for method in ("gp", "bohamiann"):
        rows = rows_of(results, "wall_clock", method=method)
        own, whole = rows["proposals"].to_numpy(), (rows["proposals"] + rows["evaluations"]).to_numpy()
        interval = bootstrap_interval((own, whole), mean_ratio, SECONDS, paired=True)
        parts.append(worded(judge(interval, lower=NEARLY_ALL), f"{method}, share"))
    return _if_as_published(all_of(parts), results)


def _if_as_published(check: Check, results: Results) -> Check:
    return outside(check, "smaller networks and a smaller meta-model than published") if results.reduced else check


@shape
def halves_are_neighbours(results: Results) -> Check:
    """How many halves have another neighbour, on average over the embeddings; none, that is below one half. The
    embedding depends on where its fit starts: a single one, here as in the thesis, has no interval.
    """
    lost = []
    for _, rows in frame_of(results, "latent_halves").groupby("run"):
        names, means = vectors(rows)
        sets = [name.partition("/")[0] for name in names]
        distances = np.linalg.norm(means[:, None] - means, axis=-1)
        np.fill_diagonal(distances, np.inf)
        lost.append([names[task] for task, near in enumerate(distances.argmin(1)) if sets[near] != sets[task]])
    counts = [len(names) for names in lost]
    detail = f"not so in the first of {len(lost)} embeddings: {', '.join(lost[0])}" if lost[0] else ""
    return judge(bootstrap_interval(counts, mean, LATENT), upper=0.5, detail=detail)


@shape
def first_dimension_orders_subsets(results: Results) -> Check:
    """The rank correlation of the dimension in which tasks vary most with the share, up to its sign; above 0.9."""
    values = [abs(spearman(means[:, 0], shares)) for means, shares in _subsets(results)]
    return judge(bootstrap_interval(values, mean, LATENT), lower=COHERENT, detail=f"{len(values)} draws")


@shape
def similar_subsets_are_close(results: Results) -> Check:
    """The mean distance of subsets of neighbouring sizes over that of all pairs; below one half."""
    ratios = []
    for means, shares in _subsets(results):
        ordered = means[np.argsort(shares)]
        distances = np.linalg.norm(ordered[:, None] - ordered, axis=-1)
        ratios.append(np.diagonal(distances, 1).mean() / distances[np.triu_indices(len(ordered), 1)].mean())
    return judge(bootstrap_interval(ratios, mean, LATENT), upper=NEAR, detail=f"{len(ratios)} draws")


def _subsets(results: Results) -> list[tuple[np.ndarray, np.ndarray]]:
    """Means of the latent vectors and shares of each run."""
    runs = [vectors(rows) for _, rows in frame_of(results, "latent_fractions").groupby("run")]
    return [(means, np.array(names, float)) for names, means in runs]


@shape
def generated_tasks_agree_more(results: Results) -> Check:
    """Mean absolute difference of the p-values to those on many real tasks: nine tasks' less generated ones'; above 0.
    Samples of every scenario are drawn anew in each resample.
    """
    scenarios = [samples_of_tests(results, f"forrester_{name}") for name in ("real", "few", "generated")]
    generator = np.random.default_rng(FORRESTER)

    def resampled(samples: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: generator.choice(values, (RESAMPLES, len(values))) for name, values in samples.items()}

    def agreement(scenarios: list[dict[str, np.ndarray]]) -> np.ndarray:
        real, few, generated = map(_p_values_of_pairs, scenarios)
        return np.abs(few - real).mean(1) - np.abs(generated - real).mean(1)

    drawn = agreement([resampled(each) for each in scenarios])
    gain = agreement([{name: values[None] for name, values in each.items()} for each in scenarios])
    tasks = min(len(values) for samples in scenarios for values in samples.values())
    (interval,) = intervals_of(drawn[:, None], gain, tasks)
    return judge(interval, lower=0.0)


@shape
def nine_tasks_mislead(results: Results) -> Check:
    """The number of pairs of which nine tasks call one method better, and many tasks the other; above none. Open,
    whether there are such pairs or not, where tests on nine tasks or on many find nothing for all pairs together
    (Holm): there were too few runs.
    """
    real, few = (p_values(samples_of_tests(results, f"forrester_{name}")) for name in ("real", "few"))
    pairs = [(row, column) for row in few for column in few if row != column]
    reversed_ = [pair for pair in pairs if few.loc[pair] < LEVEL and real.loc[pair[::-1]] < LEVEL]
    detail = "; ".join(f"{column} before {row}" for row, column in reversed_)
    significant = [holm(p).to_numpy().any() for p in (few, real)]
    holds = ("holds" if reversed_ else "fails") if all(significant) else "inconclusive"
    few_runs = "" if all(significant) else f"no test passes on {'many' if significant[0] else 'nine'} tasks"
    detail = "; ".join(filter(None, [detail, few_runs]))
    return Check(f"{len(reversed_)} of {len(pairs) // 2}", np.nan, np.nan, holds, detail)


def _p_values_of_pairs(samples: dict[str, np.ndarray]) -> np.ndarray:
    """P-values of all ordered pairs, (batch, pairs), of samples (batch, n)."""
    from scipy.stats import mannwhitneyu

    pairs = [(ours, theirs) for theirs in samples for ours in samples if ours != theirs]
    tests = [mannwhitneyu(samples[a], samples[b], alternative="less", axis=1, method="asymptotic") for a, b in pairs]
    return np.stack([test.pvalue for test in tests], 1)


@shape
def solves_more(results: Results, benchmark: Benchmark, more: Method, less: Method, averaged: bool = False) -> Check:
    """The share of targets solved by one method less that of another, in percent, is above 0.

    Args:
        averaged: Whether shares are averaged over all evaluations, instead of those at the end.
    """
    words = f"{style.label(more)} less {style.label(less)}"
    return _difference(results, (benchmark, more), (benchmark, less), words, averaged)


@shape
def solves_fewer_with_noise(results: Results, benchmark: Benchmark, method: Method) -> Check:
    """The share of targets that a method solves without noise less that with it, in percent, is above 0."""
    words = f"{style.label(method)} without less with noise"
    return _difference(results, (benchmark, method), (f"{benchmark}_noisy", method), words)


@shape
def loses_more_from_noise(results: Results, benchmark: Benchmark, more: Method, less: Method) -> Check:
    """What noise costs one method in solved targets, in percent, less what it costs another, is above 0."""
    cells = tuple((name, method) for method in (more, less) for name in (benchmark, f"{benchmark}_noisy"))
    if lacking := _lacking(results, *cells):
        return lacking

    def difference(one: np.ndarray, one_noisy: np.ndarray, other: np.ndarray, other_noisy: np.ndarray) -> np.ndarray:
        return mean_difference(one, one_noisy) - mean_difference(other, other_noisy)

    interval = bootstrap_interval(_pairs(results, *cells), difference, SEARCHES, paired=True)
    words = f"{CLASSES[benchmark]}, what noise costs {style.label(more)} less {style.label(less)}"
    return worded(judge(interval, lower=0.0), words, "+.3g")


@shape
def lacks_of_the_lead(results: Results, benchmark: Benchmark, best: Method, method: Method, below: float) -> Check:
    """The share of the best method's lead over random search that a method lacks is above 0 and below a limit."""
    cells = tuple((benchmark, name) for name in (best, method, "random"))
    if lacking := _lacking(results, *cells):
        return lacking

    def share(first: np.ndarray, ours: np.ndarray, random: np.ndarray) -> np.ndarray:
        return (first.mean(1) - ours.mean(1)) / (first.mean(1) - random.mean(1))

    interval = bootstrap_interval(_pairs(results, *cells), share, SEARCHES, paired=True)
    check = slightly(judge(interval, lower=0.0, upper=below), below)
    return worded(check, f"{CLASSES[benchmark]}, share of {style.label(best)}'s lead over random search lost")


@shape
def ranks_before(results: Results, benchmark: Benchmark, first: Method, later: Method) -> Check:
    """The average rank of one method less that of another, among all, is above 0."""
    losses = class_runs(results, benchmark, "loss")
    if first not in losses or len(losses) < len(METHODS):
        raise NotRunError(benchmark)
    ranks = average_ranks(losses)
    interval = bootstrap_interval((ranks[later][:, -1], ranks[first][:, -1]), mean_difference, SEARCHES, paired=True)
    part = worded(judge(interval, lower=0.0), f"{style.label(later)} less {style.label(first)}", "+.3g")
    return _unless_stand_in(part, later)


def _difference(
    results: Results, first: tuple[str, str], second: tuple[str, str], words: str, averaged: bool = False
) -> Check:
    """Share of targets solved by one method on one benchmark less that of another, in percent; above 0.

    Tasks are compared in pairs. If one benchmark has more of them than the other, its first ones are the same.
    """
    if lacking := _lacking(results, first, second):
        return lacking
    interval = bootstrap_interval(
        _pairs(results, first, second, averaged=averaged), mean_difference, SEARCHES, paired=True
    )
    part = worded(judge(interval, lower=0.0), f"{CLASSES[first[0]]}, {words}", "+.3g")
    return _unless_stand_in(part, first[1], second[1])


def _lacking(results: Results, *cells: tuple[str, str]) -> Check | None:
    """The part about the first cell (benchmark, method) that was not run; None if all were.

    Raises:
        CellNotRunError: a whole class was not searched.
    """
    for benchmark, method in cells:
        if method not in _solved(results, benchmark):
            return pending(f"{style.label(method)} on {CLASSES[benchmark]}")
    return None


def _pairs(results: Results, *cells: tuple[str, str], averaged: bool = False) -> tuple[np.ndarray, ...]:
    """Percent of targets that several cells solve on the tasks that all have, runs averaged, (tasks,) each."""
    solved = [_solved(results, benchmark)[method] for benchmark, method in cells]
    values = [100 * (each.mean(-1) if averaged else each[..., -1]).mean(1) for each in solved]
    return tuple(each[: min(map(len, values))] for each in values)


def _solved(results: Results, benchmark: str) -> Runs:
    """The targets that each method solves; a class without noise stands for both in what was not run."""
    try:
        return class_runs(results, benchmark, "solved")
    except NotRunError as error:
        raise CellNotRunError(CLASSES[benchmark.removesuffix("_noisy")], "any method", alone=False) from error


def _unless_stand_in(part: Check, *methods: str) -> Check:
    return outside(part, "RF-BO for SMAC") if STAND_IN in methods else part


@shape
def bowls_are_in_the_corner(results: Results) -> Check:
    """Mean error outside of the lower right quarter less that inside, task by task, and its lowest; above 0."""
    frame = frame_of(results, "svm_samples")
    inside = (frame["x0"] > 0.5) & (frame["x1"] < 0.5)
    tasks = frame["task"]
    depth = frame["value"].where(~inside).groupby(tasks).mean() - frame["value"].where(inside).groupby(tasks).mean()
    lowest = frame.loc[frame.groupby("task")["value"].idxmin()]
    at = ((lowest["x0"] > 0.4) & (lowest["x1"] < 0.6)).to_numpy()
    parts = [
        worded(
            judge(bootstrap_interval(depth.to_numpy(), lambda drawn: drawn.min(1), SAMPLES), lower=0.0),
            "smallest depth",
        ),
        worded(judge(share_interval(at), lower=0.5), "share of minima there"),
    ]
    return all_of(parts)


@shape
def local_structure_changes(results: Results) -> Check:
    """Mean correlation of pairs of different tasks over the grid; below 0.95. Tasks are resampled."""
    frame = frame_of(results, "svm_samples")
    table: pd.DataFrame = frame.pivot(index=["x0", "x1"], columns="task", values="value")
    correlations = np.corrcoef(table.to_numpy().T)

    def between(picks: np.ndarray) -> np.ndarray:
        first, second = picks[:, :, None].astype(int), picks[:, None, :].astype(int)
        other = first != second
        total, pairs = (correlations[first, second] * other).sum((1, 2)), other.sum((1, 2))
        return np.divide(total, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)

    tasks = np.arange(len(correlations))
    return judge(bootstrap_interval(tasks, between, SAMPLES), upper=0.95, detail=f"{len(tasks)} tasks")
