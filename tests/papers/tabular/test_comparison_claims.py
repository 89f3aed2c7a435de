"""Checks on made-up runs in the published order, and on runs changed to the contrary."""

import numpy as np
import pytest

from core.report.checks import NotRunError
from papers.tabular import claims
from papers.tabular.comparison_claims import _share_below

IN_ORDER = [
    "model_based_begin_like_random",
    "model_based_end_below_random",
    "bohb_begins_like_hyperband",
    "bohb_ends_below_hyperband",
    "hyperband_is_fast",
    "hyperband_ends_little_below_random",
    "evolution_needs_longer_than_tpe",
    "evolution_is_best_at_the_end",
    "reinforce_is_slowest",
    "evolution_has_a_lower_mean_than_tpe",
    "evolution_ends_below_random_everywhere",
    "bohb_ends_below_hyperband_everywhere",
    "no_method_always_ends_alike",
]
CONTRARY = {
    "model_based_begin_like_random": {"tpe": [0.5, 0.01, 0.004, 0.0008]},
    "model_based_end_below_random": {"tpe": [0.5, 0.1, 0.1, 0.1]},
    "bohb_begins_like_hyperband": {"bohb": [3.0, 0.02, 0.005, 0.002]},
    "bohb_ends_below_hyperband": {"bohb": [0.3, 0.02, 0.02, 0.02]},
    "hyperband_is_fast": {"hyperband": [0.3, 0.3, 0.02, 0.01]},
    "hyperband_ends_little_below_random": {"hyperband": [0.3, 0.1, 0.02, 0.001]},
    "evolution_needs_longer_than_tpe": {"regularized_evolution": [0.5, 0.1, 0.001, 0.0004]},
    "evolution_is_best_at_the_end": {"bohb": [0.3, 0.02, 0.005, 0.0001]},
    "reinforce_is_slowest": {"reinforce": [0.5, 0.1, 0.05, 0.0001]},
    "evolution_has_a_lower_mean_than_tpe": {"regularized_evolution": [0.5, 0.1, 0.04, 0.01]},
    "evolution_ends_below_random_everywhere": {"random": [0.5, 0.1, 0.05, 0.0001]},
    "bohb_ends_below_hyperband_everywhere": {"hyperband": [0.3, 0.03, 0.02, 0.0001]},
}


@pytest.mark.parametrize("name", IN_ORDER)
def test_runs_in_the_published_order_agree(name, make_runs):
    assert getattr(claims, name)(make_runs()).holds == "holds"


@pytest.mark.parametrize("name", CONTRARY)
def test_runs_in_another_order_do_not(name, make_runs):
    assert getattr(claims, name)(make_runs(**CONTRARY[name])).holds == "fails"


def test_methods_that_were_not_run_are_left_out(make_runs):
    results = make_runs()
    assert claims.model_based_end_below_random(results).ours == "1 of 1"  # TPE, without SMAC and BOHAMIANN
    results.methods = results.methods[results.methods["method"] != "bohb"]
    assert claims.evolution_is_best_at_the_end(results).ours == "4 of 4"
    with pytest.raises(NotRunError, match="protein/bohb"):
        claims.bohb_ends_below_hyperband(results)


def test_a_method_whose_runs_end_sooner_is_compared_at_their_end(make_runs):
    """TPE after 5 s, where it is no better than random search, which has 100."""
    results = make_runs(tpe=[0.5, 0.1, 0.1, 0.1])
    rows = results.methods
    results.methods = rows[(rows["method"] != "tpe") | (rows["seconds"] <= 4)]
    check = claims.model_based_end_below_random(results)
    assert check.holds == "inconclusive" and "at 0.04 of the end" in check.detail


def test_spread_decides_on_robustness(make_runs):
    results = make_runs()
    rows = results.methods
    wild = (rows["method"] == "regularized_evolution") & (rows["seconds"] == 100) & (rows["run"] % 2 == 0)
    assert claims.evolution_is_less_robust_than_tpe(results).holds == "fails"
    results.methods = rows.assign(regret=rows["regret"].where(~wild, 0.01))
    assert claims.evolution_is_less_robust_than_tpe(results).holds == "holds"


def test_shares_of_runs_at_the_target(make_runs):
    often = {"tpe": [0.5, 0.1, 0.004, 0.0004]}
    results = make_runs(**often)
    assert claims.three_methods_reach_1e_3_mostly(results).holds == "holds"
    assert (
        claims.every_method_reaches_1e_3(results).holds == "inconclusive"
    )  # no number of runs shows a probability of zero
    rows = results.methods
    results.methods = rows.assign(regret=rows["regret"].where((rows["run"] > 0) | (rows["seconds"] < 100), 0.0))
    check = claims.every_method_reaches_1e_3(results)
    assert check.holds == "holds" and check.ours == pytest.approx(1 / 100)
    results = make_runs(**often, hyperband=[0.3, 0.03, 0.02, 0.0001])
    assert claims.three_methods_reach_1e_3_mostly(results).holds == "fails"


def test_a_method_that_always_ends_alike_is_named(make_runs):
    results = make_runs()
    rows = results.methods
    alike = (rows["method"] == "tpe") & (rows["seconds"] == 100)
    results.methods = rows.assign(regret=rows["regret"].where(~alike, 0.0))
    check = claims.no_method_always_ends_alike(results)
    assert check.holds == "fails" and check.ours == 1 and "TPE 1.00" in check.detail


def test_the_share_of_pairs_counts_ties_half():
    ours, theirs = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), np.array([[2.0, 2.0], [np.inf, 0.0]])
    np.testing.assert_allclose(_share_below(ours, theirs), [(2 + 1 + 0) / 6, (3 + 1.5) / 6])
