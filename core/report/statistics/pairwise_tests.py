"""Which methods are better than which, by tests of pairs of methods.

Two questions are asked. The thesis (8.4.2) compares all ordered pairs by one-sided Mann-Whitney U tests (`p_values`),
whose sample of a method is one number a task, its mean loss over the runs after the last evaluation; on a single task
it is the losses of its runs. A small p-value is evidence that the method of the column is better than that of the row.
With K methods there are K (K - 1) tests, of which 5% are below 0.05 if no method differs from another; `holm` says
which are below it for all tests together.

A user compares one method with K others on tasks whose losses have different units and ranges, which no such sample
can be made of. `paired_tests` takes from each task one difference between two methods that has no unit, d_t, and asks
by Wilcoxon's signed-rank test (1945; of several data sets: Demsar 2006) whether the d_t are centred at zero:

    d_t = mean over the runs of log10 r(ours) - log10 r(theirs)     where the optimum of every task is known,
    d_t = P(theirs < ours) - P(ours < theirs), over pairs of runs   otherwise,

with the regret r = max(loss - optimum, 1e-8). On a single task the runs of one seed are a pair, with a difference of
log regrets, or of losses where the optimum is not known. P-values are two-sided and adjusted for K tests (Holm 1979).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.report.figures import style
from core.report.runs.task_runs import Runs
from core.report.statistics.average_ranks import average_ranks

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


def draw_p_values(axes: Axes, p: pd.DataFrame) -> None:
    """Draw p-values as a heat map with their numbers, bold where Holm's procedure rejects."""
    axes.imshow(p.to_numpy(), cmap="Blues_r", vmin=0, vmax=2 * LEVEL, interpolation="nearest")
    sure, labels = holm(p), [style.label(method) for method in p]
    for (row, column), value in np.ndenumerate(p.to_numpy()):
        if np.isfinite(value):
            weight = "bold" if sure.iloc[row, column] else "normal"
            ink = "white" if value < LEVEL else style.INK
            text, size = (f"{value:.2f}", 6) if value >= 0.005 else ("<.005", 5)  # what fits into a cell
            axes.text(column, row, text, ha="center", va="center", fontsize=size, color=ink, weight=weight)
    axes.set_xticks(range(len(p)), labels, rotation=45, ha="right")
    axes.set_yticks(range(len(p)), labels)
    axes.grid(visible=False)


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
        difference = first - second
        return np.round(difference[0] if len(ours) == 1 else difference.mean(1), DIGITS)
    if len(ours) == 1:
        with np.errstate(over="ignore"):
            return (ours - theirs)[0]
    ranks = average_ranks({"ours": ours[:, :, None], "theirs": theirs[:, :, None]})
    return np.round((ranks["ours"] - ranks["theirs"])[:, 0], DIGITS)


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
    return min(1.0, 2 * min(chances[: positive + 1].sum(), chances[positive:].sum()))


def holm_adjusted(p: np.ndarray) -> np.ndarray:
    """P-values (n,) adjusted for n tests by Holm's step-down procedure: at most a level where `holm` rejects at it."""
    order = np.argsort(p)
    steps = np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
