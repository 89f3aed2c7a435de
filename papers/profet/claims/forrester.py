"""Claims about tests on real and generated Forrester functions (8.4.2)."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, claim
from core.report.statistics.bootstrap import intervals_of
from core.report.statistics.pairwise_tests import LEVEL, holm, p_values
from core.report.verdicts.checks import judge
from papers.profet.artifacts.forrester_figures import samples_of_tests

SEED = 84
RESAMPLES = 1000


@claim(
    artifact="fig8_4",
    place="thesis 8.4.2, Fig 8.4",
    sentence="Tests on generated tasks agree better with tests on many real tasks than those on nine real tasks do.",
    published="closer",
    headline="Generated tasks agree more with real ones",
)
def generated_tasks_agree_more(results: Results) -> Check:
    """Mean absolute difference of the p-values to those on many real tasks: nine tasks' less generated ones'; above 0.

    Samples of every scenario are drawn anew in each resample.
    """
    scenarios = [samples_of_tests(results, f"forrester_{name}") for name in ("real", "few", "generated")]
    generator = np.random.default_rng(SEED)
    drawn = _gain([_pairwise(_resampled(each, generator)) for each in scenarios])
    gain = _gain([_pairwise({name: values[None] for name, values in each.items()}) for each in scenarios])
    tasks = min(len(values) for samples in scenarios for values in samples.values())
    (interval,) = intervals_of(drawn[:, None], gain, tasks)
    return judge(interval, lower=0.0)


@claim(
    artifact="fig8_4",
    place="thesis 8.4.2",
    sentence="Some differences that are significant on nine tasks are significant in the opposite direction on "
    "many tasks.",
    published="some",
)
def nine_tasks_mislead(results: Results) -> Check:
    """The number of pairs of which nine tasks call one method better, and many tasks the other; above none.

    Open, whether there are such pairs or not, where tests on nine tasks or on many find nothing for all pairs together
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


def _gain(p: list[np.ndarray]) -> np.ndarray:
    """From p-values of the three scenarios (batch, pairs) to (batch,)."""
    real, few, generated = p
    return np.abs(few - real).mean(1) - np.abs(generated - real).mean(1)


def _pairwise(samples: dict[str, np.ndarray]) -> np.ndarray:
    """P-values of all ordered pairs, (batch, pairs), of samples (batch, n)."""
    from scipy.stats import mannwhitneyu

    pairs = [(ours, theirs) for theirs in samples for ours in samples if ours != theirs]
    tests = [mannwhitneyu(samples[a], samples[b], alternative="less", axis=1, method="asymptotic") for a, b in pairs]
    return np.stack([test.pvalue for test in tests], 1)


def _resampled(samples: dict[str, np.ndarray], generator: np.random.Generator) -> dict[str, np.ndarray]:
    """Draws with replacement of the samples of all methods, (RESAMPLES, n) each."""
    return {name: generator.choice(values, (RESAMPLES, len(values))) for name, values in samples.items()}
