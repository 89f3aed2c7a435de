"""Checks of what chapter 7 says of its tables.

Intervals are over the repetitions of our tables; those of noise, which resampled repetitions would hide, over the
configurations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from core.experiment.results import Results
from core.report.bootstrap import bootstrap_interval
from core.report.checks import Check, NotRunError, all_of, judge
from core.tabular.importance import best_positions, finite_errors, table_importances
from core.tabular.neighbourhood import local_neighbourhood
from core.tabular.ranks import SHARES, budget_correlations, spearman
from core.tabular.table import Table
from papers.tabular.repetitions import over_repetitions
from papers.tabular.statistics_figures import noise_of
from papers.tabular.tables import grid_table, grid_tables, label

SEED = 7
RESAMPLES = 1000  # of the configurations, of which there are many
CONSTANT_WORST = ("naval", "parkinsons", "slice_localization")


def errors_spread_over_a_magnitude(results: Results) -> Check:
    """Largest finite average test error over the smallest; above 10."""
    return _of(results, "protein", _spread, "an order of magnitude or more", lower=10.0)


def few_errors_are_below_0_3(results: Results) -> Check:
    """Share of configurations with an average test error below 0.3; below a tenth."""
    return _of(results, "protein", lambda table: (table.mean_test < 0.3).mean(), "a small subset", upper=0.1)


def times_vary_dramatically(results: Results) -> Check:
    """Longest average training over the shortest; above 10."""
    seconds = lambda table: table.mean_seconds.max() / table.mean_seconds.min()  # noqa: E731
    return _of(results, "protein", seconds, "dramatically", lower=10.0)


def noise_differs_by_configuration(results: Results) -> Check:
    """90% over 10% quantile of the final noise; above what repetitions of equally noisy configurations would show."""
    table = grid_table(results, "protein")
    chance = np.sqrt(np.divide(*stats.chi2.ppf((0.9, 0.1), table.repetitions - 1)))
    interval = bootstrap_interval(
        _finite_noise(table)[:, -1], lambda noise: np.divide(*np.quantile(noise, (0.9, 0.1), axis=1)), SEED, RESAMPLES
    )
    return judge(interval, "heteroscedastic", lower=chance, detail=f"equally noisy configurations: {chance:.2f}")


def noise_falls_with_the_epochs(results: Results) -> Check:
    """Median noise at the end over that at the first stored epochs; below 1."""
    noise = _finite_noise(grid_table(results, "protein"))
    interval = bootstrap_interval(
        (noise[:, -1], noise[:, 0]),
        lambda last, first: np.median(last, axis=1) / np.median(first, axis=1),
        SEED,
        RESAMPLES,
        paired=True,
    )
    return judge(interval, "decreases", upper=1.0)


def correlation_rises_with_the_budget(results: Results) -> Check:
    """Smallest step of the correlation from one stored budget to the next, all configurations; above 0."""

    def smallest_step(table: Table) -> float:
        return np.diff(_correlations(table, 1.0)).min()

    return _of(results, "protein", smallest_step, "increases", lower=0.0)


def correlation_falls_among_the_best(results: Results) -> Check:
    """Average correlation over the budgets below the largest, all minus the top 1%; above 0."""

    def difference(table: Table) -> float:
        return _correlations(table, 1.0)[:-1].mean() - _correlations(table, SHARES[0])[:-1].mean()

    return _of(results, "protein", difference, "decreases", lower=0.0)


def learning_rate_is_most_important(results: Results) -> Check:
    """Importance of the initial learning rate minus the next largest single one, all configurations; above 0."""
    return _of(results, "protein", _lead_of_the_rate, "highest", lower=0.0)


def single_importances_are_small(results: Results) -> Check:
    """Sum of all single importances over the whole grid; below one half, so that interactions explain more."""
    return _of(results, "protein", lambda table: _singles(table, 1.0).sum(), "very small", upper=0.5)


def pairs_reach_higher_than_singles(results: Results) -> Check:
    """Largest importance of a pair minus that of a single hyperparameter, all configurations; above 0."""

    def difference(table: Table) -> float:
        frame = table_importances(table)
        largest = frame.groupby("order")["importance"].max()
        return largest[2] - largest[1]

    return _of(results, "protein", difference, "slightly higher", lower=0.0)


def others_matter_among_the_best(results: Results) -> Check:
    """The learning rate's part of all single importances, in the top 10% minus over the whole grid; below 0."""

    def difference(table: Table) -> float:
        tenth, whole = (_singles(table, share) for share in (0.1, 1.0))
        return tenth["init_lr"] / tenth.sum() - whole["init_lr"] / whole.sum()

    return _of(results, "protein", difference, "others become important", upper=0.0)


def activations_are_the_worst_flips_on_protein(results: Results) -> Check:
    """Smaller relative change of the two activations minus the largest of all other flips; above 0."""
    return _of(results, "protein", _activation_lead, "34 to 40% against at most 7%", lower=0.0)


def larger_batches_hardly_matter_on_protein(results: Results) -> Check:
    """Relative change when the incumbent's batch size is doubled; below 0.05."""
    table = grid_table(results, "protein")
    if table.best_configuration["batch_size"] == table.grid.values["batch_size"][-1]:
        raise NotRunError("a larger batch size than the incumbent's")

    def change(resampled: Table) -> float:
        configuration = table.best_configuration
        sizes = table.grid.values["batch_size"]
        doubled = configuration | {"batch_size": sizes[sizes.index(configuration["batch_size"]) + 1]}
        errors = resampled.mean_test[table.grid.positions([configuration, doubled])]
        return errors[1] / errors[0] - 1

    return judge(over_repetitions(table, change), 0.0042, upper=0.05, detail="relative change")


def constant_rate_is_the_worst_flip_elsewhere(results: Results) -> Check:
    """Relative change of the constant schedule minus the largest other; above 0 on naval, parkinsons and slice."""
    tables = grid_tables(results)
    present = [name for name in CONSTANT_WORST if name in tables]
    if not present:
        raise NotRunError("grid on naval, parkinsons or slice_localization")
    checks = []
    for name in present:
        interval = over_repetitions(tables[name], _schedule_lead)
        checks.append(judge(interval, "", lower=0.0, detail=f"{label(name)}: {interval.estimate:+.3g}"))
    return all_of(checks, f"{len(CONSTANT_WORST)} of {len(CONSTANT_WORST)}")


def one_learning_rate_is_best_everywhere(results: Results) -> Check:
    """Number of different learning rates among the best configurations; the claim needs 1."""
    best = {name: table.best_configuration["init_lr"] for name, table in grid_tables(results).items()}
    if len(best) < 2:
        raise NotRunError("grid on a second data set")
    count = float(len(set(best.values())))
    detail = ", ".join(f"{label(name)} {rate:g}" for name, rate in best.items())
    return Check(count, 1.0, count, count, "holds" if count == 1 else "fails", detail)


def datasets_correlate(results: Results) -> Check:
    """Smallest rank correlation of the test errors of two sets, all common configurations; above 0.5."""
    return _between_sets(results, lambda first, second: spearman(first, second), "high", lower=0.5)


def datasets_correlate_less_among_the_best(results: Results) -> Check:
    """The same minus that among the best tenth of the first set, smallest of all pairs; above 0."""

    def difference(first: np.ndarray, second: np.ndarray) -> float:
        best = best_positions(first, 0.1)
        return spearman(first, second) - spearman(first[best], second[best])

    return _between_sets(results, difference, "decreases", lower=0.0)


def _of(
    results: Results, name: str, statistic: Callable[[Table], float], published: str, lower=-np.inf, upper=np.inf
) -> Check:
    return judge(over_repetitions(grid_table(results, name), statistic), published, lower, upper)


def _spread(table: Table) -> float:
    errors = finite_errors(table.mean_test)
    return errors.max() / errors.min()


def _finite_noise(table: Table) -> np.ndarray:
    """Noise of the configurations of which no repetition diverged, (m, B)."""
    noise = noise_of(table)
    return noise[np.isfinite(noise).all(axis=1)]


def _correlations(table: Table, share: float) -> np.ndarray:
    """At the stored epochs, ascending."""
    frame = budget_correlations(table, (share,)).set_index("epoch")
    return frame.loc[list(table.epochs), "correlation"].to_numpy()


def _singles(table: Table, share: float):
    frame = table_importances(table, share, order=1)
    return frame.set_index("hyperparameters")["importance"]


def _lead_of_the_rate(table: Table) -> float:
    singles = _singles(table, 1.0)
    return singles["init_lr"] - singles.drop("init_lr").max()


def _changes(table: Table):
    frame = local_neighbourhood(table)
    return frame["hyperparameter"], frame["relative_change"].to_numpy()


def _activation_lead(table: Table) -> float:
    names, changes = _changes(table)
    activations = names.isin(["activation_fn_1", "activation_fn_2"]).to_numpy()
    return changes[activations].min() - changes[~activations].max()


def _schedule_lead(table: Table) -> float:
    names, changes = _changes(table)
    schedule = (names == "lr_schedule").to_numpy()
    return changes[schedule].max() - changes[~schedule].max()


def _between_sets(
    results: Results, statistic: Callable[[np.ndarray, np.ndarray], float], published: str, lower: float
) -> Check:
    """The smallest value over all ordered pairs of sets; repetitions of the first are resampled."""
    tables = list(grid_tables(results).values())
    if len(tables) < 2:
        raise NotRunError("grid on a second data set")
    checks = []
    for first in tables:
        for second in tables:
            if first is second:
                continue
            common = np.intersect1d(first.grid.indices, second.grid.indices, assume_unique=True)
            here, there = (table.grid.positions_of(common) for table in (first, second))
            other = second.mean_test[there]
            interval = over_repetitions(first, lambda t, i=here, o=other: statistic(t.mean_test[i], o))
            words = f"{label(first.dataset)} and {label(second.dataset)} {interval.estimate:.2f}"
            checks.append(judge(interval, published, lower=lower, detail=words))
    return all_of(checks, published)
