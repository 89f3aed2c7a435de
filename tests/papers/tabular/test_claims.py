"""Checks on tables whose properties are known, and on tables changed to the contrary."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from core.report.checks import NotRunError
from core.report.claims import read_claims
from core.tabular.table import Table
from papers.tabular import artifacts, claims
from papers.tabular.repetitions import over_repetitions

CLAIMS = read_claims(Path(claims.__file__).parent / "published" / "claims.yaml", dir(artifacts))


def with_test(table: Table, mean: np.ndarray, noise: float = 1e-3) -> Table:
    """The table with these average test errors, and small noise over the repetitions."""
    rng = np.random.default_rng(0)
    factors = np.exp(noise * rng.standard_normal((table.grid.size, 4)))
    return replace(table, test_mse=np.float32(mean[:, None] * factors))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_claim_has_a_check_that_decides_something(claim, results, nothing):
    check = getattr(claims, claim.check)(results)
    assert check.holds in ("holds", "fails", "inconclusive")
    with pytest.raises(NotRunError):
        getattr(claims, claim.check)(nothing)


def test_the_bootstrap_over_repetitions_is_exact(tables):
    table = tables["protein"]
    values = table.seconds[0].astype(float)
    found = over_repetitions(table, lambda resampled: float(resampled.seconds[0].astype(float).mean()))
    means = np.array([values[list(picks)].mean() for picks in product(range(4), repeat=4)])
    assert found.estimate == pytest.approx(values.mean())
    assert found.low == pytest.approx(np.quantile(means, 0.025, method="lower"))
    assert found.high == pytest.approx(np.quantile(means, 0.975, method="higher"))


def test_spread_and_share_of_errors(tables, make_results):
    table = tables["protein"]
    wide = with_test(table, np.geomspace(0.25, 25, table.grid.size))
    narrow = with_test(table, np.geomspace(0.2, 0.4, table.grid.size))
    assert claims.errors_spread_over_a_magnitude(make_results(wide)).holds == "holds"
    assert claims.errors_spread_over_a_magnitude(make_results(narrow)).holds == "fails"
    assert claims.few_errors_are_below_0_3(make_results(wide)).holds == "holds"
    assert claims.few_errors_are_below_0_3(make_results(narrow)).holds == "fails"


def test_equally_noisy_configurations_are_told_from_others(tables, make_results):
    table, rng = tables["protein"], np.random.default_rng(1)
    n = table.grid.size
    equal = 1 + 0.1 * rng.standard_normal((n, 4, 4))
    other = 1 + 0.01 * np.geomspace(1, 100, n)[:, None, None] * rng.standard_normal((n, 4, 4))
    check = claims.noise_differs_by_configuration(make_results(replace(table, valid_mse=np.float32(other))))
    assert check.holds == "holds" and check.ours > 10
    check = claims.noise_differs_by_configuration(make_results(replace(table, valid_mse=np.float32(equal))))
    assert check.ours == pytest.approx(3.27, rel=0.1)  # what chance gives


def test_activations_and_schedules_as_worst_flips(tables, make_results):
    protein, naval = tables["protein"], tables["naval"]
    rate, batch, schedule, first, second, *_ = protein.grid.levels(np.arange(protein.grid.size)).T
    base = 1 + 0.01 * rate + 0.01 * batch
    activations = with_test(protein, base + 0.05 * schedule + 0.4 * first + 0.5 * second)
    schedules = with_test(protein, base + 0.9 * schedule + 0.4 * first + 0.5 * second)
    assert claims.activations_are_the_worst_flips_on_protein(make_results(activations)).holds == "holds"
    assert claims.activations_are_the_worst_flips_on_protein(make_results(schedules)).holds == "fails"
    as_naval = {name: replace(table, dataset="naval") for name, table in {"a": activations, "s": schedules}.items()}
    assert naval.grid == protein.grid
    assert claims.constant_rate_is_the_worst_flip_elsewhere(make_results(as_naval["s"])).holds == "holds"
    assert claims.constant_rate_is_the_worst_flip_elsewhere(make_results(as_naval["a"])).holds == "fails"
    check = claims.larger_batches_hardly_matter_on_protein(make_results(activations))
    assert check.holds == "holds" and check.ours == pytest.approx(0.01, abs=0.002)


def test_importances(tables, make_results):
    """Only the rate matters; then only whether rate and schedule agree."""
    table = tables["protein"]
    rate, _, schedule, *_ = table.grid.levels(np.arange(table.grid.size)).T
    single = make_results(with_test(table, 1.0 + rate))
    assert claims.learning_rate_is_most_important(single).holds == "holds"
    assert claims.single_importances_are_small(single).holds == "fails"
    assert claims.pairs_reach_higher_than_singles(single).holds == "fails"
    pair = make_results(with_test(table, 1.0 + (rate % 2 == schedule)))
    assert claims.single_importances_are_small(pair).holds == "holds"
    assert claims.pairs_reach_higher_than_singles(pair).holds == "holds"


def test_correlations_between_sets(tables, make_results):
    first, second = tables["protein"], tables["naval"]
    rng = np.random.default_rng(0)
    errors = np.exp(rng.standard_normal(first.grid.size))
    other = errors * np.exp(0.3 * rng.standard_normal(first.grid.size))
    alike = make_results(with_test(first, errors), with_test(second, other))
    assert claims.datasets_correlate(alike).holds == "holds"
    assert claims.datasets_correlate_less_among_the_best(alike).holds == "holds"
    apart = make_results(with_test(first, errors), with_test(second, rng.permutation(errors)))
    assert claims.datasets_correlate(apart).holds == "fails"


def test_one_learning_rate_everywhere(tables, make_results):
    first, second = tables["protein"], tables["naval"]
    rate = first.grid.levels(np.arange(first.grid.size))[:, 0]
    low, high = with_test(first, 1.0 + rate), with_test(second, 9.0 - rate)
    assert (
        claims.one_learning_rate_is_best_everywhere(make_results(low, with_test(second, 1.0 + rate))).holds == "holds"
    )
    check = claims.one_learning_rate_is_best_everywhere(make_results(low, high))
    assert check.holds == "fails" and "HPO-Bench-Protein 0.0005, HPO-Bench-Naval 0.1" in check.detail
