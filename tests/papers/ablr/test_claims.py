"""Claims and figures on made-up runs for which the answers are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from papers.ablr.figures import fig1_left, fig1_right, fig2_left, fig2_right
from tests.papers.functions import Functions
from tests.papers.runs import Fake

claims = Functions("ablr", "claims")
RUNS, EVALUATIONS = 8, 20
OPENML = "openml_random_forest"


def curves(benchmark: str, **rates: float) -> pd.DataFrame:
    """Regrets that fall exponentially after 5 evaluations, by method, on levels of the runs' own."""
    parts, levels = [], np.exp(np.random.default_rng(0).normal(0, 1, RUNS))
    at = np.arange(1, EVALUATIONS + 1)
    for method, rate in rates.items():
        values = levels[:, None] * np.exp(-rate * np.maximum(at - 5, 0))
        columns = {"run": np.repeat(np.arange(RUNS), EVALUATIONS), "evaluation": np.tile(at, RUNS)}
        columns |= {"loss": values.ravel(), "regret": values.ravel()}
        parts.append(pd.DataFrame(columns).assign(benchmark=benchmark, method=method, status="ok", message=""))
    return pd.concat(parts, ignore_index=True)


SLOW = {"gp": 0.05, "ablr": 0.05}


def test_what_the_paper_saw_holds():
    fast = {"gp_transfer": 2.2, "ablr_nn": 2.0, "ablr_rks": 1.8, "ablr_nn_context": 2.0, "ablr_rks_context": 1.8}
    results = Fake(quadratics=curves("quadratics", **SLOW, **fast))
    for check in (
        claims.transfer_is_much_faster,
        claims.fourier_is_worse,
        claims.contexts_do_not_help_clearly,
        claims.gp_transfer_is_better,
    ):
        assert check(results).holds == "holds"
    assert set(fig1_left(results, None).data["method"]) == set(SLOW) | set(fast)


def test_the_contrary_fails():
    slow = {"gp_transfer": 0.04, "ablr_nn": 0.05, "ablr_rks": 0.1, "ablr_nn_context": 1.0, "ablr_rks_context": 0.1}
    results = Fake(quadratics=curves("quadratics", **SLOW, **slow))
    for check in (
        claims.transfer_is_much_faster,
        claims.fourier_is_worse,
        claims.contexts_do_not_help_clearly,
        claims.gp_transfer_is_better,
    ):
        assert check(results).holds == "fails"


def test_further_runs_of_one_method_have_no_partner():
    frame = curves("quadratics", gp_transfer=3.0, ablr_nn=2.0)
    some = frame[(frame["method"] == "ablr_nn") | (frame["run"] < 3)]
    check = claims.gp_transfer_is_better(Fake(quadratics=some))
    first = frame[frame["run"] < 3]
    assert check.ours == pytest.approx(claims.gp_transfer_is_better(Fake(quadratics=first)).ours)


def test_slightly_is_less_than_half_and_more_than_that_fails_in_these_words():
    results = Fake(quadratics=curves("quadratics", gp_transfer=1.0, ablr_nn=0.5, ablr_rks=0.2))
    for check, words in ((claims.fourier_is_worse, "worse"), (claims.gp_transfer_is_better, "better")):
        found = check(results)
        assert found.holds == "fails" and found.detail.endswith(f"{words} by more than slightly")
    contrary = Fake(quadratics=curves("quadratics", gp_transfer=0.2, ablr_nn=0.5, ablr_rks=1.0))
    for check in (claims.fourier_is_worse, claims.gp_transfer_is_better):
        found = check(contrary)
        assert found.holds == "fails" and "slightly" not in found.detail


def test_one_search_that_stays_away_does_not_decide_for_all():
    """Its regret is most of the arithmetic mean, whatever the other searches find."""
    frame = curves("quadratics", **SLOW, gp_transfer=2.0, ablr_nn=2.0, ablr_rks=2.0)
    frame.loc[(frame["method"] == "ablr_rks") & (frame["run"] == 0), ["loss", "regret"]] = 30.0
    assert claims.transfer_is_much_faster(Fake(quadratics=frame)).holds == "holds"


def test_regrets_of_zero_count_as_the_floor():
    frame = curves("quadratics", gp_transfer=1.0, ablr_nn=1.0)
    frame.loc[(frame["method"] == "ablr_nn") & (frame["evaluation"] == 6), ["loss", "regret"]] = 0.0
    check = claims.gp_transfer_is_better(Fake(quadratics=frame))
    assert check.holds == "fails" and np.isfinite([check.ours, check.low, check.high]).all()


def test_contexts_are_judged_on_both_representations():
    one = curves("quadratics", ablr_nn=0.5, ablr_nn_context=0.5, ablr_rks=0.5)
    check = claims.contexts_do_not_help_clearly(Fake(quadratics=one))
    assert check.holds == "inconclusive" and "ablr_rks_context not run" in check.detail
    helped = curves("quadratics", ablr_nn=0.5, ablr_nn_context=1.0, ablr_rks=0.5)
    assert claims.contexts_do_not_help_clearly(Fake(quadratics=helped)).holds == "fails"


def test_a_set_with_one_of_two_methods_does_not_count():
    both, one = curves("sonar", ablr=0.1, ablr_signals=1.0), curves("credit_approval", ablr=9.0)
    check = claims.side_signals_speed_up(Fake(networks=pd.concat([one, both])))
    assert check.holds == "holds" and check.ours < 1


def test_figures_show_the_runs_that_all_methods_have():
    frame = curves("xgboost", **SLOW, ablr_nn=1.0)
    some = frame[(frame["method"] != "gp") | (frame["run"] < 3)]
    expected = fig2_left(Fake(transfer=frame[frame["run"] < 3]), None)
    pd.testing.assert_frame_equal(fig2_left(Fake(transfer=some), None).data, expected.data)


def test_methods_that_were_not_run_leave_claims_open():
    results = Fake(quadratics=curves("quadratics", **SLOW, ablr_nn=2.0))
    assert claims.transfer_is_much_faster(results).holds == "inconclusive"
    assert claims.gp_transfer_is_better(results).holds == "inconclusive"


@pytest.mark.parametrize(("rate", "outcome"), [(1.0, "holds"), (0.01, "fails")])
def test_transfer_and_signals_are_compared_to_searches_without(rate, outcome):
    assert claims.transfer_speeds_up(Fake(transfer=curves("xgboost", **SLOW, ablr_nn=rate))).holds == outcome
    sets = [curves(name, **SLOW, ablr_signals=rate) for name in ("sonar", "credit_g")]
    assert claims.side_signals_speed_up(Fake(networks=pd.concat(sets))).holds == outcome


def test_figures_are_drawn_from_what_was_run():
    transfer = curves("xgboost", **SLOW, ablr_nn=1.0)
    assert len(fig2_left(Fake(transfer=transfer), None).data) == 3 * EVALUATIONS
    networks = curves("sonar", ablr=0.1, ablr_signals=1.0)
    only_live = fig2_right(Fake(networks=networks), None)
    assert set(only_live.data["panel"]) == {"(a)"} and "sonar" in only_live.caption
    both = fig2_right(Fake(networks=networks, signals=curves("deepar", ablr=0.1, ablr_signals=1.0)), None)
    assert set(both.data["panel"]) == {"(a)", "(b)"}


def grown(**exponents: float) -> pd.DataFrame:
    """Seconds that grow as powers of the number of evaluations."""
    sizes = np.array([100, 1000, 2000, 4000])
    parts = [
        pd.DataFrame(
            {"run": run, "observations": sizes, "cpu_seconds": 1e-4 * sizes**exponent * (1 + 0.01 * run)}
        ).assign(method=method, benchmark="hartmann3")
        for method, exponent in exponents.items()
        for run in range(3)
    ]
    return pd.concat(parts, ignore_index=True)


def test_growth_and_order_of_times():
    as_published = Fake(suggestion_time=grown(gp=3.0, ablr_nn=1.0, ablr_rks=0.9))
    contrary = Fake(suggestion_time=grown(gp=0.5, ablr_nn=1.0, ablr_rks=2.0))
    for check in (claims.ablr_grows_linearly, claims.gp_is_slower, claims.fourier_is_faster):
        assert check(as_published).holds == "holds" and check(contrary).holds == "fails"
    assert set(fig1_right(as_published, None).data["method"]) == {"gp", "ablr_nn", "ablr_rks"}


@pytest.mark.parametrize(("rate", "outcome"), [(0.5, "holds"), (0.01, "fails")])
def test_transfer_on_openml_is_judged_by_the_error_itself_which_may_be_negative(rate, outcome):
    frame = curves(OPENML, **SLOW, ablr_nn=rate)
    frame["regret"] -= 0.1
    assert claims.transfer_speeds_up_on_openml(Fake(openml=frame)).holds == outcome
    without = claims.transfer_speeds_up_on_openml(Fake(openml=frame[frame["method"] != "gp"]))
    assert without.holds != "holds" and "gp" in without.detail
    assert set(fig2_left(Fake(openml=frame), None).data["benchmark"]) == {OPENML}
