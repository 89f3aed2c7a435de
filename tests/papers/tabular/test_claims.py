"""Checks on tables whose properties are known, and on tables changed to the contrary; the bootstrap of repetitions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.report.runs.frames import NotRunError
from core.tabular.grid import FCNET
from core.tabular.table import Table, synthetic_table
from papers.tabular.checks import tables as checks_of_tables
from papers.tabular.statistics import over_repetitions
from papers.tabular.trained_tables import LABELS
from tests.papers.functions import Functions, all_claims

claims = Functions("tabular", "claims")

CLAIMS = all_claims("tabular")


@pytest.fixture(autouse=True)
def whole(tables, monkeypatch):
    """The tables' small grid counts as the whole one, on which every claim can be judged."""
    monkeypatch.setattr(checks_of_tables, "WHOLE", tables["protein"].grid.size)


def with_test(table: Table, mean: np.ndarray, noise: float = 1e-3) -> Table:
    """The table with these average test errors, and small noise over the repetitions."""
    rng = np.random.default_rng(0)
    factors = np.exp(noise * rng.standard_normal((table.grid.size, 4)))
    return replace(table, test_mse=np.float32(mean[:, None] * factors))


def with_errors(table: Table, mean: np.ndarray) -> Table:
    """The same with these averages of the training and validation errors at all epochs as well."""
    table = with_test(table, mean)
    each = np.repeat(table.test_mse[:, None], len(table.epochs), axis=1)
    return replace(table, train_mse=each, valid_mse=each)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_claim_has_a_check_that_decides_something(claim, results, nothing):
    if claim.artifact != "tableD_1":  # of neighbours that are not there
        check = claim.check(results)
        assert check.holds in ("holds", "fails", "inconclusive")
    with pytest.raises(NotRunError):
        claim.check(nothing)


def test_spread_and_share_of_errors(tables, make_results):
    table = tables["protein"]
    wide = with_errors(table, np.geomspace(0.25, 25, table.grid.size))
    narrow_errors = np.geomspace(0.2, 0.4, table.grid.size)
    narrow = with_errors(table, narrow_errors)
    assert claims.errors_spread_over_a_magnitude(make_results(wide)).holds == "holds"
    assert claims.errors_spread_over_a_magnitude(make_results(narrow)).holds == "fails"
    tests_alone = replace(narrow, test_mse=wide.test_mse)
    assert claims.errors_spread_over_a_magnitude(make_results(tests_alone)).holds == "fails"
    assert claims.few_errors_are_below_0_3(make_results(wide)).holds == "holds"
    assert claims.few_errors_are_below_0_3(make_results(narrow)).holds == "fails"
    assert claims.few_errors_are_below_0_3(make_results(with_test(table, 2 * narrow_errors))).holds == "fails"  # none


def test_a_part_of_the_grid_is_outside_whether_it_agrees_or_not(tables, make_results, monkeypatch):
    monkeypatch.setattr(checks_of_tables, "WHOLE", 62_208)
    table = tables["protein"]
    wide = make_results(with_errors(table, np.geomspace(0.25, 25, table.grid.size)))
    narrow = make_results(with_errors(table, np.geomspace(0.2, 0.4, table.grid.size)))
    for results, part in ((wide, "holds"), (narrow, "fails")):
        check = claims.errors_spread_over_a_magnitude(results)
        assert (check.holds, check.part) == ("outside", part)
        assert f"{table.grid.size:,} of 62,208 configurations" in check.detail
        for name in ("noise_differs_by_configuration", "noise_falls_with_the_epochs", "times_vary_dramatically"):
            check = getattr(claims, name)(results)
            assert check.holds == "outside" and check.part in ("holds", "fails", "inconclusive")


def test_outliers_are_told_from_a_wide_distribution(tables, make_results):
    table = tables["protein"]
    errors = np.geomspace(0.3, 0.6, table.grid.size)
    assert claims.many_errors_are_far_above_the_average(make_results(with_test(table, errors))).holds == "fails"
    errors[-table.grid.size // 50 :] *= 30  # more than an order of magnitude, but not several
    assert claims.many_errors_are_far_above_the_average(make_results(with_test(table, errors))).holds == "fails"
    errors[-table.grid.size // 50 :] *= 10
    check = claims.many_errors_are_far_above_the_average(make_results(with_test(table, errors)))
    assert check.holds == "holds" and check.ours == pytest.approx(1 / 50, rel=0.05)


def test_times_of_networks_and_of_batches(tables, make_results):
    table, rng = tables["protein"], np.random.default_rng(0)
    seconds = table.parameters[:, None] * rng.uniform(0.9, 1.1, (table.grid.size, 4))
    assert (
        claims.times_follow_the_parameters(make_results(replace(table, seconds=np.float32(seconds)))).holds == "holds"
    )
    other = np.float32(rng.permuted(seconds, axis=0))
    assert claims.times_follow_the_parameters(make_results(replace(table, seconds=other))).holds == "fails"


def test_claims_about_all_sets_are_judged_on_those_at_hand(tables, make_results):
    wide = with_errors(tables["protein"], np.geomspace(0.25, 25, tables["protein"].grid.size))
    every = [replace(wide, dataset=name) for name in LABELS]
    assert claims.errors_spread_everywhere(make_results(*every)).holds == "holds"
    check = claims.errors_spread_everywhere(make_results(*every[:-1]))
    assert check.holds == "holds" and check.ours == "3 of 3" and "without HPO-Bench-Parkinson" in check.detail
    narrow = with_errors(tables["protein"], np.geomspace(0.2, 0.4, tables["protein"].grid.size))
    assert claims.errors_spread_everywhere(make_results(wide, replace(narrow, dataset="naval"))).holds == "fails"


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
    protein = tables["protein"]
    rate, batch, schedule, first, second, *_ = protein.grid.levels(np.arange(protein.grid.size)).T
    base = 1 + 0.01 * rate + 0.003 * batch
    activations = with_test(protein, base + 0.05 * schedule + 0.4 * first + 0.5 * second)
    schedules = with_test(protein, base + 0.9 * schedule + 0.4 * first + 0.5 * second)
    assert claims.activations_are_the_worst_flips_on_protein(make_results(activations)).holds == "holds"
    assert claims.activations_are_the_worst_flips_on_protein(make_results(schedules)).holds == "fails"
    check = claims.larger_batches_hardly_matter_on_protein(make_results(activations))
    assert check.holds == "holds" and check.ours == pytest.approx(0.003, abs=0.002)
    larger = with_test(protein, base + 0.03 * batch + 0.4 * first)
    assert claims.larger_batches_hardly_matter_on_protein(make_results(larger)).holds == "fails"


def neighbours_of(changes: dict[str, float], benchmarks: tuple[str, ...]) -> pd.DataFrame:
    """Records of the incumbent of Table 7.4 on naval, and of it with one value changed, with errors of four runs."""
    start = {"init_lr": 0.0005, "batch_size": 8, "lr_schedule": "cosine", "activation_fn_1": "tanh"}
    start |= {"activation_fn_2": "relu", "n_units_1": 128, "n_units_2": 512, "dropout_1": 0.0, "dropout_2": 0.0}
    other = {"lr_schedule": "const", "dropout_1": 0.3, "activation_fn_1": "relu"}
    every = [start, *(start | {name: other[name]} for name in changes)]
    rng = np.random.default_rng(0)
    errors = [error * np.exp(0.01 * rng.standard_normal(4)) for error in (1.0, *changes.values())]
    indices = FCNET.indices[FCNET.positions(every)]
    frame = pd.DataFrame({"run": range(len(every)), "configuration": indices, "test_mse": errors})
    return pd.concat([frame.assign(benchmark=name) for name in benchmarks], ignore_index=True)


def test_the_worst_flip_is_that_of_the_printed_incumbent(results):
    constant = {"lr_schedule": 9.0, "dropout_1": 2.0, "activation_fn_1": 1.2}
    dropout = {"lr_schedule": 1.5, "dropout_1": 2.0, "activation_fn_1": 1.2}
    check = claims.constant_rate_is_the_worst_flip_elsewhere
    found = check(results.with_frames(neighbours=neighbours_of(constant, ("naval", "parkinsons"))))
    assert found.holds == "holds" and found.ours == "2 of 2" and "without HPO-Bench-Slice" in found.detail
    assert check(results.with_frames(neighbours=neighbours_of(dropout, ("naval",)))).holds == "fails"
    with pytest.raises(NotRunError):
        check(results.with_frames(neighbours=neighbours_of(constant, ("protein",))))


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
    check = claims.pairs_reach_higher_than_singles(pair)
    assert check.holds == "fails" and "by more than slightly" in check.detail


def test_outliers_hide_importances_or_make_them(tables, make_results):
    """The rate matters but for a few outliers; only outliers of one rate make it matter."""
    table, rng = tables["protein"], np.random.default_rng(0)
    rate, few = table.grid.levels(np.arange(table.grid.size))[:, 0], table.grid.size // 110
    hidden = 1.0 + rate
    hidden[rng.choice(rate.size, few, replace=False)] = 1000.0
    assert claims.single_importances_are_small(make_results(with_test(table, hidden))).holds == "holds"
    assert claims.outliers_hide_importances(make_results(with_test(table, hidden))).holds == "holds"
    made = np.exp(0.1 * rng.standard_normal(rate.size))
    made[np.flatnonzero(rate == 5)[:few]] = 1000.0
    assert claims.outliers_hide_importances(make_results(with_test(table, made))).holds == "fails"


def test_correlations_between_sets(tables, make_results):
    first, second = tables["protein"], tables["naval"]
    rng = np.random.default_rng(0)
    errors = np.exp(rng.standard_normal(first.grid.size))
    other = errors * np.exp(0.3 * rng.standard_normal(first.grid.size))
    alike = [with_test(first, errors), with_test(second, other)]
    every = make_results(*alike, *(replace(alike[1], dataset=name) for name in ("parkinsons", "slice_localization")))
    assert claims.datasets_correlate(every).holds == "holds"
    check = claims.datasets_correlate(make_results(*alike))
    assert check.holds == "holds" and check.ours == "2 of 2" and "without HPO-Bench-Slice" in check.detail
    check = claims.datasets_correlate_less_among_the_best(make_results(*alike))
    assert check.holds == "holds" and check.ours == "4 of 4"  # two pairs, two shares
    apart = make_results(with_test(first, errors), with_test(second, rng.permutation(errors)))
    assert claims.datasets_correlate(apart).holds == "fails"
    assert claims.good_elsewhere_does_not_suffice(make_results(*alike)).holds == "fails"
    worst = make_results(with_test(first, errors), with_test(second, errors.max() + 1 - errors))
    assert claims.good_elsewhere_does_not_suffice(worst).holds == "holds"


def sets(table: Table, *errors: np.ndarray) -> list[Table]:
    """Tables of the thesis' sets with these errors, one after the other."""
    return [replace(with_test(table, own), dataset=name) for own, name in zip(errors, LABELS, strict=False)]


def test_one_learning_rate_for_all_sets(tables, make_results):
    table = tables["protein"]
    rate = table.grid.levels(np.arange(table.grid.size))[:, 0]
    up, down, flat = 1.0 + rate, 9.0 - rate, 1.0 + 0.01 * abs(rate - 3)
    check = claims.one_learning_rate_serves_all_sets(make_results(*sets(table, up, up, up, up)))
    assert check.holds == "holds" and check.ours == "4 of 4"
    assert claims.one_learning_rate_serves_all_sets(make_results(*sets(table, up, flat, up, up))).holds == "holds"
    assert claims.one_learning_rate_serves_all_sets(make_results(*sets(table, up, up))).holds == "holds"
    check = claims.one_learning_rate_serves_all_sets(make_results(*sets(table, up, down)))
    assert check.holds == "fails" and "HPO-Bench-Slice, whose best has 0.1, excess: 125.0%" in check.detail
    other = abs(rate - 3) + 1.0  # 0.01 is the best on all sets
    assert claims.one_learning_rate_serves_all_sets(make_results(*sets(table, other, other))).holds == "fails"
    close = with_test(table, np.where(rate == 1, 1.0, 1.05), noise=0.02)  # the first rate is 5% above, give or take
    border = [*sets(table, up, up, up), replace(close, dataset="parkinsons")]
    assert claims.one_learning_rate_serves_all_sets(make_results(*border)).holds == "inconclusive"


def test_activations_that_differ_between_sets(tables, make_results):
    table = tables["protein"]
    first = table.grid.levels(np.arange(table.grid.size))[:, 3]
    relu, tanh = 1.0 + first, 2.0 - first
    assert claims.activations_must_differ(make_results(*sets(table, relu, tanh))).holds == "holds"
    assert claims.activations_must_differ(make_results(*sets(table, relu, relu))).holds == "fails"
    assert claims.activations_must_differ(make_results(*sets(table, relu, relu, relu, relu))).holds == "fails"


def test_best_configurations_that_differ(tables, make_results):
    table = tables["protein"]
    levels = table.grid.levels(np.arange(table.grid.size))
    low, other, far = (
        1.0 + levels.sum(axis=1),
        2.0 + levels[:, 1:].sum(axis=1) - levels[:, 0],
        30.0 - levels.sum(axis=1),
    )
    check = claims.best_configurations_differ_little(make_results(*sets(table, low, other, low, low)))
    assert check.holds == "holds" and "HPO-Bench-Protein and HPO-Bench-Slice: 1 [1, 1] (of 9)" in check.detail
    assert claims.best_configurations_differ_little(make_results(*sets(table, low, other))).holds == "holds"
    assert claims.best_configurations_differ_little(make_results(*sets(table, low, far))).holds == "fails"


def test_all_resamples_of_four_repetitions_give_students_interval_of_a_mean():
    grid = FCNET.restricted(
        init_lr=(0.005,), batch_size=(8,), activation_fn_1=("tanh",), n_units_1=(16,), n_units_2=(16,)
    )
    table = synthetic_table(grid, seed=0)
    values = table.seconds[0].astype(float)
    found = over_repetitions(table, lambda resampled: float(resampled.seconds[0].astype(float).mean())).interval()
    assert found == pytest.approx((values.mean(), *stats.t.interval(0.95, 3, values.mean(), stats.sem(values))))
