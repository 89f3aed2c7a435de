"""Checks of the claims, and figures, on made-up curves for which the answer is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.experiment.paper import Papers
from core.report import style
from core.report.runs.frames import NotRunError
from core.report.verdicts.claims import run_check
from papers.bohb.figures import surrogates
from papers.bohb.figures.curves import ETAS, line_of
from tests.papers.functions import Functions, all_claims
from tests.papers.runs import Fake

artifacts = Functions("bohb", "artifacts")
claims = Functions("bohb", "claims")
CLAIMS = all_claims("bohb")
AGAINST = {  # claims that the usual two worlds would not tell apart, or that contradict another one
    "more_workers_are_sublinear": ("as published", "linear"),
    "many_workers_lose_efficiency": ("as published", "linear"),
    "speedups_are_consistent": ("as published", "uneven"),
    "thirty_two_workers_are_linear_on_letter": ("linear", "as published"),
    "traditional_methods_catch_up_on_letter": ("as published", "fast"),
    "bohb_ten_times_faster_than_bayesian_optimization": ("fast", "as published"),
    "speedups_are_comparable": ("as published", "fast"),
    "bandits_outperform_random": ("ahead", "to the contrary"),
    "other_sets_are_similar": ("as published", "dissimilar"),
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_holds_where_it_is_true_and_fails_where_it_is_not(claim, world):
    true, false = AGAINST.get(claim.id, ("as published", "to the contrary"))
    assert run_check(claim, world[true]).on_our_part == "holds"
    assert run_check(claim, world[false]).on_our_part == "fails"


def test_times_of_the_authors_surrogate_are_outside_whatever_ours_are(world):
    for name, part in (("as published", "holds"), ("to the contrary", "fails")):
        check = claims.workers_take_the_printed_times(world[name])
        assert (check.holds, check.part) == ("outside", part)


def test_default_and_other_values_of_settings_are_close(make):
    """Not clearly worse than the best one, by 1.5 times, and within a factor of 2."""
    curves = dict.fromkeys(ETAS, (0.1, 0.5)) | {"eta_3": (0.17, 0.5), "eta_5": (0.22, 0.5)}
    results = make.results(eta=make.on_sets(curves))
    assert claims.eta_default_is_robust(results).holds == "fails"
    assert claims.insensitive_to_eta(results).holds == "fails"


def test_the_same_and_as_well_are_within_a_quarter_of_each_other(make):
    sets = make.on_sets({"random": (0.15, 0.3), "hyperband": (0.1, 0.3)})
    assert claims.hyperband_ends_like_random(make.results(surrogates=sets)).holds == "fails"
    counting = pd.concat([make.made("d16", "hyperband", 0.15, 0.1), make.made("d16", "bohb", 0.1, 0.1)])
    assert claims.bohb_starts_as_well_as_hyperband(make.results(counting_ones=counting)).holds == "fails"


def test_comparable_is_neither_much_slower_nor_much_faster(world, make):
    frame = world["as published"].frame("svm_surrogate")
    faster = frame.assign(finished=frame["finished"].where(frame["method"] != "hyperband", frame["finished"] / 10))
    check = claims.bandits_work_like_fabolas(make.results(svm_surrogate=faster))
    assert check.holds == "fails"


def test_regrets_below_the_resolution_leave_the_gain_of_late_stages_open(make):
    """Whether the gain that is seen is large or none."""
    for late in (0.1, 1e-4):
        curves = {"factor_1": (late, 0.1), "factor_2": (0.1, 0.1), "factor_3": (1e-5, 0.1), "factor_5": (0.1, 0.1)}
        frame = make.on_sets(curves, ("letter",))
        check = claims.bandwidth_factor_helps_late(make.results(bandwidth_factor=frame))
        assert check.holds == "inconclusive" and "(below 0.0001)" in check.detail


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_without_runs_is_not_run(claim, world):
    assert run_check(claim, world["nothing"]).holds == "not run"


def test_noise_that_hides_a_difference_is_open(make):
    names = ("random", "tpe", "hyperband", "bohb")
    frame = pd.concat([make.made("d16", name, 0.1, 0.1, sd=0.5) for name in names])
    assert claims.bohb_soon_beats_hyperband(make.results(counting_ones=frame)).holds == "inconclusive"


def test_without_smac_what_is_said_of_tpe_and_smac_is_refuted_or_outside(world, make):
    for name, holds in (("as published", "outside"), ("to the contrary", "fails")):
        frame = world[name].frame("counting_ones")
        check = claims.model_based_dominate_random(make.results(counting_ones=frame[frame["method"] != "smac"]))
        assert check.holds == holds and "smac not run" in check.detail


def test_runs_too_short_for_what_is_said_of_the_end_are_open(world, make):
    short = world["as published"].frame("surrogates_gp").query("finished <= 50")
    results = make.results(surrogates=world["as published"].frame("surrogates"), surrogates_gp=short)
    for claim in ("model_based_overtake_hyperband", "random_ends_worst", "bohb_ends_best"):
        check = getattr(claims, claim)(results)
        assert check.holds == "inconclusive" and "gp ends at 4" in check.detail
    late = world["as published"].frame("counting_ones").query("finished <= 1000")
    check = claims.bohb_converges_slower_than_tpe_late(make.results(counting_ones=late))
    assert check.holds == "inconclusive" and "(bohb ends at 899)" in check.detail


def test_a_short_run_of_one_leaves_what_is_said_of_traditional_methods_open(world, make):
    short = world["as published"].frame("surrogates_gp").query("finished <= 50")
    results = make.results(surrogates=world["as published"].frame("surrogates"), surrogates_gp=short)
    check = claims.traditional_methods_catch_up_on_letter(results)
    assert check.holds == "inconclusive" and "gp ends at 4" in check.detail


def test_tpe_that_ends_before_its_model_is_open(make):
    frame = make.networks({"tpe": (8, 0.3), "hyperband": (5, 0.1)}).query("finished <= 25")
    check = claims.tpe_catches_up_on_networks(make.results(bayesian_network=frame))
    assert check.holds == "inconclusive" and "and has hardly learned anything before 30" in check.detail


def test_a_claim_about_both_networks_is_open_where_one_was_not_run(world, make):
    frame = world["as published"].frame("bayesian_network").query("benchmark == 'bnn_boston'")
    check = claims.bohb_converges_fastest_on_networks(make.results(bayesian_network=frame))
    assert check.holds == "inconclusive" and "bnn_protein not run" in check.detail


def test_what_is_said_of_the_sets_says_how_many_were_run(make, world):
    few = world["as published"].frame("surrogates").query("benchmark in ('letter', 'poker')")
    check = claims.bohb_beats_hyperband_after_first_iterations(make.results(surrogates=few))
    assert check.ours == "2 of 2" and "without adult; without higgs" in check.detail


FIGURES = [name for name, artifact in Papers().paper("bohb").artifacts.items() if artifact.kind == "figure"]


@pytest.mark.parametrize("name", FIGURES)
def test_figures_without_runs_are_not_run(name, world):
    with pytest.raises(NotRunError):
        getattr(artifacts, name)(world["nothing"], None)


@pytest.mark.parametrize("name", [name for name in FIGURES if name != "figC_1"])
def test_figures_draw_what_was_run(name, world, make):
    drawn = getattr(artifacts, name)(world["as published"], None)
    curves = drawn.data[drawn.data["method"] != "gp, authors' runs"]
    assert (curves["low"] <= curves["value"]).all() and (curves["value"] <= curves["high"]).all()
    assert f"over {make.runs} runs" in drawn.caption


def test_effects_of_rules_are_ratios_to_the_text(world):
    """Both methods and the one rule that was run have half of the text's regret at every time."""
    drawn = artifacts.code_rules(world["as published"], None).data
    assert (drawn["group"] != "all rules: counting ones").all() and "good and bad share none" in set(drawn["label"])
    np.testing.assert_allclose(drawn["value"], 0.5, rtol=0.1)  # of means over noisy runs


def test_sets_that_were_not_run_have_no_panel_and_are_named(make):
    drawn = artifacts.figC_2(make.results(surrogates=make.on_sets({"bohb": (0.1, 0.5)}, ("letter", "mnist"))), None)
    assert [axes.get_title() or axes.get_title("left") for axes in drawn.figure.axes] == ["Letter", "MNIST"]
    assert "Not run: Adult, Higgs, OptDigits, Poker." in drawn.caption
    assert set(drawn.data["benchmark"]) == {"letter", "mnist"}


def test_settings_are_drawn_as_ratios_to_the_default_and_stored_as_regrets(make):
    laws = {"eta_2": (0.2, 0.5), "eta_3": (0.1, 0.5), "eta_4": (0.05, 0.5)}
    drawn = artifacts.figC_6(make.results(eta=make.on_sets(laws, ("letter",))), None)
    ratios = drawn.data.groupby("method")["ratio"].agg(["min", "max"])
    for method, expected in (("eta_2", 2.0), ("eta_3", 1.0), ("eta_4", 0.5)):
        np.testing.assert_allclose(ratios.loc[method], expected, rtol=1e-9)
    lines = {line.get_label(): np.unique(line.get_ydata().round(9)) for line in drawn.figure.axes[0].lines}
    assert lines["eta = 2"] == [2.0] and lines["eta = 3, default"] == [1.0]
    np.testing.assert_allclose(drawn.data["value"].max(), 0.2 * (1 / 27) ** -0.5, rtol=0.1)


def test_a_figure_of_one_set_counts_its_runs_and_a_legend_names_the_lines_of_all_panels(make):
    frame = pd.concat(
        [make.made("d16", "bohb", 0.1, 0.5).query("run < 3"), make.made("d8", "random", 0.1, 0.1).query("run < 7")]
    )
    results = make.results(counting_ones=frame)
    assert "over 3 runs" in artifacts.fig6_2(results, None).caption
    words = [text.get_text() for text in artifacts.figC_8(results, None).figure.legends[0].get_texts()]
    assert sorted(words) == ["BOHB", "random search"]


def test_printed_times_and_the_printed_speed_up_are_marked(world, make):
    """2000 s and 130 s where the largest budget is 81 s; a hundredth of the time at which Hyperband ends."""
    axes = artifacts.fig6_1(world["as published"], None).figure.axes[0]
    found = sorted(tuple(line.get_xydata()[0]) for line in marks(axes))
    np.testing.assert_allclose(found, [(130 / 81, 0.01), (2000 / 81, 0.01)])
    frame = make.on_sets({"bohb": (0.1, 0.5), "hyperband": (0.2, 0.3)}, ("letter",))
    drawn = artifacts.figC_2(make.results(surrogates=frame), None)
    end = drawn.data[drawn.data["method"] == "hyperband"].iloc[-1]
    (mark,) = marks(drawn.figure.axes[0])
    np.testing.assert_allclose(mark.get_xydata()[0], [end["time"] / 100, end["value"]])


def marks(axes):
    """The marks in a panel, without the one that the legend has."""
    return [line for line in axes.lines if line.get_marker() == "D" and len(line.get_xdata())]


def test_fig6_1_has_two_standard_errors(world):
    rows = artifacts.fig6_1(world["as published"], None).data
    frame = world["as published"].frame("workers").query("benchmark == 'letter' and method == 'workers_1'")
    final = frame.groupby("run")["regret"].last()
    last = rows[rows["method"] == "workers_1"].iloc[-1]
    assert last["high"] - last["value"] == pytest.approx(2 * final.sem(), rel=1e-6)


def test_the_authors_broken_runs_are_left_out(monkeypatch):
    rows = [("letter", run, seconds, error) for run, end, error in ((0, 81 * 512, 0.2), (1, 81 * 9, 0.5))
            for seconds, error in ((81.0, 0.9), (end, error))]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["dataset", "run", "seconds", "error"])
    monkeypatch.setattr(surrogates, "published_runs", lambda name: frame)
    assert surrogates.authors_gp("letter", np.array([1.0, 20.0])) == pytest.approx([0.7, 0.7])


def test_ordered_settings_have_ordered_colours_and_the_default_is_thick():
    looks = [line_of(name) for name in ETAS]
    assert [look["label"] for look in looks] == ["eta = 2", "eta = 3, default", "eta = 4", "eta = 5"]
    assert [look["color"] for look in looks] == style.sequential(4)
    assert max(looks, key=lambda look: look["linewidth"]) is looks[1]
    changed = line_of("eta_3, quantile=0.2")
    assert changed["color"] == looks[1]["color"] and changed["linestyle"] == "--" != looks[1]["linestyle"]


def test_agents_that_are_trained_live_decide(world):
    """Where the searches on the forest show the opposite."""
    frames = {"ppo": world["as published"].frame("ppo"), "ppo_live": world["to the contrary"].frame("ppo")}
    for live, outcome in (({}, "holds"), ({"ppo_live": frames["ppo_live"]}, "fails")):
        check = claims.bohb_ends_much_better_on_cartpole(Fake(ppo=frames["ppo"], **live))
        assert check.holds == outcome


def test_a_search_without_runs_is_drawn_as_not_run(world):
    frame = world["as published"].frame("ppo")
    figure = artifacts.fig6_6(Fake(ppo=frame.assign(configurations=320)), None)
    assert "agents of 320 configurations" in figure.caption and "Not run: agents trained live" in figure.caption
    assert len(figure.figure.axes) == 1
    both = artifacts.fig6_6(Fake(ppo=frame, ppo_live=frame.drop(columns="configurations")), None)
    assert set(both.data["experiment"]) == {"ppo", "ppo_live"} and "Not run" not in both.caption
    with pytest.raises(NotRunError):
        artifacts.fig6_6(Fake(), None)
