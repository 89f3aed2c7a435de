"""Methods compared with each other on many tasks: their runs as arrays, average ranks, tests of pairs, chances to win.

**Runs** as arrays are what all of them start from. Records hold the incumbents of a run on a task: columns run, task,
evaluation and values such as loss, with a row for each evaluation that changes one of them. Evaluations without a row
have the values of the last one that has.

**Average ranks** (Bardenet et al. 2013; Feurer et al. 2015; thesis 8.3.2). One run of each of K methods is drawn, the K
incumbents are ranked after each evaluation (ties have the average of their ranks), and the ranks are averaged over
draws and tasks. The authors draw 1,000 of the M^K combinations of M runs. We average over all of them: a rank is 1 plus
the sum over the other methods of [better] + [equal] / 2, so its mean over all combinations follows from pairs of runs,
and these from the ranks R among all K M runs together,

    mean rank of a method = 1/2 + (mean over its runs of R - 1/2) / M,

at the cost of one sort a task and evaluation, and without a generator.

**Tests** ask two questions. The thesis (8.4.2) compares all ordered pairs by one-sided Mann-Whitney U tests
(`p_values`), whose sample of a method is one number a task, its mean loss over the runs after the last evaluation; on a
single task it is the losses of its runs. A small p-value is evidence that the method of the column is better than that
of the row. With K methods there are K (K - 1) tests, of which 5% are below 0.05 if no method differs from another;
`holm` says which are below it for all tests together.

A user compares one method with K others on tasks whose losses have different units and ranges, which no such sample
can be made of. `paired_tests` takes from each task one difference between two methods that has no unit, d_t, and asks
by Wilcoxon's signed-rank test (1945; of several data sets: Demsar 2006) whether the d_t are centred at zero:

    d_t = mean over the runs of log10 r(ours) - log10 r(theirs)     where the optimum of every task is known,
    d_t = P(theirs < ours) - P(ours < theirs), over pairs of runs   otherwise,

with the regret r = max(loss - optimum, 1e-8). On a single task the runs of one seed are a pair, with a difference of
log regrets, or of losses where the optimum is not known. P-values are two-sided and adjusted for K tests (Holm 1979).

**The probability to win** is that of a run of one method to have a smaller value than a run of another, at several
times. Ties count half: regrets span orders of magnitude and are often 0 on a small table, where neither a mean nor a
median of logarithms says much. Methods draw from seeds of their own, so the runs of each are resampled separately.

With a method's n runs and another's m, W (times, n, m) holds 1 where a run of the first is smaller and 1/2 where both
are equal. Resamples that draw the runs A_bi and B_bj times have the probabilities sum_ij A_bi W_tij B_bj / (n m).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.foundation.errors import UserError
from core.report.runs.frames import cell_rows
from core.report.statistics.intervals import Interval, bootstrap_interval, counts_of
from core.study.curves import reached_so_far

Runs = dict[str, np.ndarray]
"""By method, a value after each evaluation, (tasks, runs, n)."""


@dataclass(frozen=True)
class Comparison:
    """A method beside others, on the same tasks and with the same seeds.

    Attributes:
        own: Name of the method that is compared with the others.
        tasks: Names of the tasks.
        losses: Losses of the incumbents after each evaluation, by method (tasks, runs, n); infinite before a success.
        solved: Shares of a task's targets that runs have reached by each evaluation, likewise.
        optima: The smallest loss of each task, None where it is not known.
        targets: What the targets of a task are, in words.
    """

    own: str
    tasks: tuple[str, ...]
    losses: Runs
    solved: Runs
    optima: tuple[float | None, ...]
    targets: str

    def task(self, place: int) -> Comparison:
        """The comparison on one task."""
        losses, solved = (
            {method: values[place : place + 1] for method, values in each.items()}
            for each in (self.losses, self.solved)
        )
        one = slice(place, place + 1)
        return replace(self, tasks=self.tasks[one], losses=losses, solved=solved, optima=self.optima[one])


def task_runs(frame: pd.DataFrame, benchmark: str, methods: Sequence[str], value: str, evaluations: int) -> Runs:
    """A value of several methods' incumbents on the tasks and runs that all of them have.

    Args:
        frame: The records of an experiment.
        evaluations: Number n of evaluations; a run that ended earlier keeps its last value.

    Raises:
        NotRunError: one of the methods was not run.
        UserError: the methods have no task or no run in common.
    """
    tables = {}
    for method in methods:
        rows = cell_rows(frame, benchmark, method)
        table = rows.pivot(index=["task", "run"], columns="evaluation", values=value)
        tables[method] = table.reindex(columns=range(1, evaluations + 1)).ffill(axis=1)
    common = sorted(set.intersection(*(set(table.index) for table in tables.values())))
    tasks, runs = ({pair[place] for pair in common} for place in (0, 1))
    if not common or len(common) < len(tasks) * len(runs):
        raise UserError(f"{benchmark}: {', '.join(methods)} have no full set of tasks and runs in common")
    shape = (len(tasks), len(runs), evaluations)
    return {method: table.loc[common].to_numpy(float).reshape(shape) for method, table in tables.items()}


def first_hits(solved: Runs) -> Runs:
    """The targets that each run has reached by each evaluation, given those that its incumbents reach."""
    return {method: reached_so_far(shares) for method, shares in solved.items()}


def average_ranks(losses: Runs) -> dict[str, np.ndarray]:
    """The average rank of each method on each task after each evaluation, from 1 (best) to K.

    Args:
        losses: Losses by method, (tasks, runs, n); nan is worse than every number.

    Returns:
        By method (tasks, n).
    """
    ranks, each = _ranks(losses)
    means = ranks.mean(2)
    return {method: 0.5 + (means[:, place] - 0.5) / each for place, method in enumerate(losses)}


def ranks_of_runs(losses: Runs) -> Runs:
    """What each run adds to the average rank: 1/2 + (R - 1/2) / M, whose mean over the runs is the average rank."""
    ranks, each = _ranks(losses)
    return {method: 0.5 + (ranks[:, place] - 0.5) / each for place, method in enumerate(losses)}


def _ranks(losses: Runs) -> tuple[np.ndarray, int]:
    """The ranks R of all runs together, (tasks, K, M, n), and M."""
    from scipy.stats import rankdata  # takes a second to import, and few drawings need it

    runs = {values.shape[1] for values in losses.values()}
    if len(runs) > 1:
        raise ValueError(f"average_ranks: methods of {sorted(runs)} runs; allowed: the same number of each")
    together = np.concatenate(list(losses.values()), axis=1)
    ranks = rankdata(np.where(np.isnan(together), np.inf, together), axis=1)
    (each,) = runs
    return ranks.reshape(len(ranks), len(losses), each, -1), each


LEVEL = 0.05
LEAST_REGRET = 1e-8  # below which regrets are alike: the last target of COCO (Hansen et al. 2016)
EXACT = 200  # differences of which all signs are counted; the normal approximation is exact to 3 digits by then
DIGITS = 12  # of a difference without unit; more are rounding errors, which would break ties


def final_samples(losses: Runs, evaluation: int | None = None) -> dict[str, np.ndarray]:
    """Mean losses over the runs after an evaluation, by default the last, by method (tasks,); of one task (runs,)."""
    place = -1 if evaluation is None else evaluation - 1
    return {
        method: values[:, :, place].mean(1) if len(values) > 1 else values[0, :, place]
        for method, values in losses.items()
    }


def p_values(samples: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """P-values of "the column's method is not better than the row's", nan on the diagonal.

    Args:
        samples: Samples by method, (n,); lower is better.
    """
    from scipy.stats import mannwhitneyu  # takes a second to import, and few drawings need it

    p = pd.DataFrame(np.nan, index=list(samples), columns=list(samples))
    for row, theirs in samples.items():
        for column, ours in samples.items():
            if row != column:
                p.loc[row, column] = mannwhitneyu(ours, theirs, alternative="less").pvalue
    return p


def holm(p: pd.DataFrame, level: float = LEVEL) -> pd.DataFrame:
    """Which tests reject at a level for all of them together, by Holm's step-down procedure (1979)."""
    values = p.to_numpy().ravel()
    order = np.argsort(values)  # nan, the diagonal, comes last
    tests = int(np.isfinite(values).sum())
    passes = values[order][:tests] <= level / np.arange(tests, 0, -1)
    rejected = np.zeros(values.size, dtype=bool)
    rejected[order[:tests]] = np.logical_and.accumulate(passes)
    return pd.DataFrame(rejected.reshape(p.shape), index=p.index, columns=p.columns)


def paired_tests(own: str, losses: Runs, optima: Sequence[float | None]) -> pd.DataFrame:
    """One method against each of the others, paired by task, or on a single task by the seed of the runs.

    Args:
        losses: Losses of the incumbents, by method (tasks, runs, n); nan and infinity, of a run without success, are
            worse than every number. The last evaluation counts.
        optima: The smallest loss of each task, None where it is not known.

    Returns:
        By competitor: `wins`, `ties` and `losses`, how many pairs the method is better, the same and worse in; `p`,
        two-sided; `p (Holm)`, adjusted for all rows.
    """
    rows = {}
    for other in losses:
        if other != own:
            difference = differences(losses[own][:, :, -1], losses[other][:, :, -1], optima)
            better, worse = (difference < 0).sum(), (difference > 0).sum()
            ties = len(difference) - better - worse
            rows[other] = {"wins": better, "ties": ties, "losses": worse, "p": signed_rank(difference)}
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table.assign(**{"p (Holm)": holm_adjusted(table["p"].to_numpy())})


def differences(ours: np.ndarray, theirs: np.ndarray, optima: Sequence[float | None]) -> np.ndarray:
    """One difference a task, negative where ours is better, of losses (tasks, runs); of one task, one a run."""
    worst = np.finfo(float).max
    ours, theirs = (np.where(np.isfinite(each), each, worst) for each in (ours, theirs))
    known = [each for each in optima if each is not None]
    if len(known) == len(ours):
        optimum = np.array(known)[:, None]
        first, second = (np.log10(np.maximum(each - optimum, LEAST_REGRET)) for each in (ours, theirs))
        difference: np.ndarray = first - second
        return np.asarray(np.round(difference[0] if len(ours) == 1 else difference.mean(1), DIGITS))
    if len(ours) == 1:
        with np.errstate(over="ignore"):
            return np.asarray((ours - theirs)[0])
    ranks = average_ranks({"ours": ours[:, :, None], "theirs": theirs[:, :, None]})
    return np.asarray(np.round((ranks["ours"] - ranks["theirs"])[:, 0], DIGITS))


def signed_rank(difference: np.ndarray) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test of (n,) differences; zeros are left out.

    Of up to 200 differences it is exact, also with ties: the distribution of the sum of the positive ranks over all
    signs is the product of one polynomial (1 + x^rank) / 2 for each, in doubled ranks, which are whole numbers.
    """
    from scipy.stats import rankdata, wilcoxon  # takes a second to import, and few drawings need it

    difference = difference[difference != 0]
    if not len(difference):
        return 1.0
    if len(difference) > EXACT:
        return float(wilcoxon(difference, method="asymptotic").pvalue)
    ranks = np.rint(2 * rankdata(np.abs(difference))).astype(int)
    chances = np.zeros(ranks.sum() + 1)
    chances[0] = 1.0
    for rank in ranks:
        chances[rank:] += chances[:-rank].copy()
        chances /= 2
    positive = ranks[difference > 0].sum()
    return min(1.0, 2 * float(min(chances[: positive + 1].sum(), chances[positive:].sum())))


def holm_adjusted(p: np.ndarray) -> np.ndarray:
    """P-values (n,) adjusted for n tests by Holm's step-down procedure: at most a level where `holm` rejects at it."""
    order = np.argsort(p)
    steps = np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


SEED = 5
RESAMPLES = 1000


def wins(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """W (times, n, m) of values (n, times) and (m, times); single precision holds the sums exactly up to 2^23 pairs."""
    a, b = ours.T[:, :, None], theirs.T[:, None, :]
    return np.asarray((a < b) + 0.5 * (a == b), dtype=np.float32)


def probabilities(matrix: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """The probability at each time, (batch, times), for resamples with draw counts (batch, n) and (batch, m)."""
    _, n, m = matrix.shape
    first, second = (
        counts_of(drawn.astype(int), runs).astype(matrix.dtype) for drawn, runs in ((ours, n), (theirs, m))
    )
    sums = np.stack([np.einsum("bm,bm->b", first @ at, second) for at in matrix], axis=1)
    return np.asarray(sums.astype(float) / (n * m))


def resampled_interval(statistic: Callable[..., np.ndarray], *runs: int) -> Interval:
    """A statistic of the draw counts of runs (batch, n), (batch, m), .. and its bootstrap interval."""
    return bootstrap_interval(tuple(np.arange(n) for n in runs), statistic, SEED, RESAMPLES)


def time_of_lead(probability: np.ndarray, times: np.ndarray, lead: float) -> np.ndarray:
    """The time after which all probabilities (batch, times) exceed `lead`, (batch,); infinite if never."""
    stays = np.logical_and.accumulate((probability > lead)[:, ::-1], axis=1)[:, ::-1]
    return np.where(stays[:, -1], times[stays.argmax(axis=1)], np.inf)
