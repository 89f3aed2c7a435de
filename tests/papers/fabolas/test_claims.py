"""Every claim on made-up runs for which the answer is known, and on runs that are missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.report.verdicts.claims import run_check
from papers.fabolas import checks
from papers.fabolas.grid_runs import SHOWN, machine_grid
from papers.fabolas.search_runs import AUTHORS, SETS, SHARES, TASKS
from tests.core.report.made_runs import made
from tests.papers.fabolas.conftest import TRUE, made_grid, made_models, made_noise, searches, tasks
from tests.papers.functions import Functions, all_claims
from tests.papers.runs import Fake

claims = Functions("fabolas", "claims")
artifacts = Functions("fabolas", "artifacts")

ON_GRID = [
    "small_subset_locates_the_good_region",
    "no_deceiving_optima",
    "bad_configurations_stay_bad",
    "good_region_is_stable",
    "size_matters_most_for_time",
    "small_subsets_are_cheap",
]
FALSE = {"random": 100, "gp": 100, "entropy_search": 900, "hyperband": 90, "mtbo": 1000, "fabolas": 90}


@pytest.mark.parametrize("name", ON_GRID)
def test_claims_about_the_grid_hold_where_they_are_true(name):
    check = getattr(claims, name)(Fake(grid=made_grid()))
    assert (check.holds, check.part) == ("outside", "holds") and "100 on 8,192 points of MNIST" in check.detail


@pytest.mark.parametrize("name", ON_GRID)
def test_claims_about_the_grid_are_asked_of_the_authors_as_well(name):
    theirs = made_grid().loc[lambda frame: frame["share"].isin(SHOWN)]
    check = getattr(claims, name)(Fake(grid=made_grid(), authors_grid=theirs))
    assert check.holds == "outside" and check.reproduced.holds == "holds"
    assert getattr(claims, name)(Fake(authors_grid=theirs)).holds == "not run", "ours"


@pytest.mark.parametrize("name", ON_GRID)
def test_claims_about_the_grid_are_judged_on_one_like_the_thesis(name, monkeypatch):
    monkeypatch.setattr(checks, "MACHINES", 100)
    monkeypatch.setattr(checks, "POINTS", 8192)
    assert getattr(claims, name)(Fake(grid=made_grid())).holds == "holds"


@pytest.mark.parametrize(
    ("name", "grid"),
    [
        ("small_subset_locates_the_good_region", made_grid(shift=-13)),
        ("no_deceiving_optima", made_grid(shift=-13)),
        ("bad_configurations_stay_bad", made_grid(bad=0.82)),
        ("good_region_is_stable", made_grid(shift=-10)),
        ("size_matters_most_for_time", made_grid(growth=0.3, spread=1.0)),
        ("small_subsets_are_cheap", made_grid(growth=1.0)),
    ],
)
def test_claims_about_the_grid_fail_where_they_are_false(name, grid):
    check = getattr(claims, name)(Fake(grid=grid))
    assert (check.holds, check.part) == ("outside", "fails")


@pytest.mark.parametrize(("factor", "holds"), [(0.1, "holds"), (3.0, "fails")])
def test_noise_falls_or_not(factor, holds):
    rng = np.random.default_rng(0)
    frames = []
    for machine in range(25):
        for share, sd in ((1 / 4, 0.01), (1 / 2, 0.01 * factor**0.5)):
            errors = 0.3 + sd * rng.normal(size=10)
            columns = {"run": np.arange(10), "C": float(machine), "gamma": 1.0, "share": share, "valid_error": errors}
            names = {"points": 8192 * share, "benchmark": "mnist", "method": "svm"}
            frames.append(pd.DataFrame({**columns, **names}))
    check = claims.noise_decreases(Fake(subsampling_noise=pd.concat(frames)))
    assert (check.holds, check.part) == ("outside", holds) and "25 on 8,192 points" in check.detail


def test_noise_that_falls_at_the_ends_alone_does_not_decrease():
    """Six sizes, of which all but the smallest and the largest have more noise the larger they are."""
    rng = np.random.default_rng(0)
    sds = np.sqrt([1.0, 0.01, 0.1, 1.0, 10.0, 0.9]) * 0.01
    shape = (25, 10, len(sds))
    machine, run, size = (axis.ravel() for axis in np.meshgrid(*map(range, shape), indexing="ij"))
    errors = 0.3 + (sds * rng.normal(size=shape)).ravel()
    share = 2.0 ** (size - len(sds))
    columns = {"run": run, "C": machine, "gamma": 1.0, "share": share, "points": 8192 * share, "valid_error": errors}
    noise = pd.DataFrame({**columns, "benchmark": "mnist", "method": "svm"})
    assert claims.noise_decreases(Fake(subsampling_noise=noise)).part == "fails"


@pytest.mark.parametrize(("wrong", "holds"), [(0.01, "holds"), (0.5, "fails")])
def test_extrapolation_is_judged_against_the_last_value(wrong, holds):
    for name in ("loss_is_extrapolated", "cost_is_extrapolated"):
        assert getattr(claims, name)(Fake(subset_models=made_models(wrong))).holds == holds


@pytest.mark.parametrize(("estimate", "holds"), [(1e-3, "holds"), (1e-5, "fails")])
def test_estimates_are_above_the_noise_of_subsampling_or_not(estimate, holds):
    check = claims.model_noise_above_subsampling(Fake(**made_noise(estimate)))
    assert (check.holds, check.part) == ("outside", holds)


@pytest.mark.parametrize(("times", "holds"), [(TRUE, "holds"), (FALSE, "fails")])
@pytest.mark.parametrize(
    "name",
    [
        "fabolas_10_to_1000_times_sooner",
        "fabolas_ten_times_faster_than_all",
        "fabolas_ten_times_faster_than_mtbo",
        "mtbo_faster_than_full_data",
        "ei_and_es_alike",
        "ei_three_times_faster_than_random",
        "hyperband_ten_times_faster",
    ],
)
def test_speed_ups_hold_and_fail(name, times, holds):
    times = times | ({"mtbo": 90 / 0.9} if holds == "fails" and name == "fabolas_ten_times_faster_than_mtbo" else {})
    check = getattr(claims, name)(Fake(surrogate=searches(times)))
    assert check.holds == holds, check.detail


@pytest.mark.parametrize(("times", "begins", "holds"), [(TRUE | {"mtbo": 20}, 0.001, "holds"), (FALSE, 10.0, "fails")])
def test_claims_about_live_searches(times, begins, holds):
    """Curves of test error that come within 0.01 of the smallest at these times; Hyperband's begin earlier or later."""
    frames = []
    for benchmark in SETS["live"]:
        for name, time in times.items():
            first = time * (begins if name == "hyperband" else 0.1)
            frames.append(made(benchmark, name, 0.01 * time, 1.0, first, 1e4 * time))
    live = pd.concat(frames).assign(error=lambda frame: frame["regret"] + 0.05, points=100)
    for name in ("fabolas_fastest_when_training", "hyperband_recommends_first"):
        check = getattr(claims, name)(Fake(live=live))
        assert check.holds == holds, check.detail
    assert set(artifacts.fig4_6(Fake(live=live), None).data["benchmark"]) == set(SETS["live"])


def test_claims_about_auxiliary_tasks():
    names = list(SHARES) + [name for name in TASKS if name not in SHARES]
    starts = ((100, 50, 25, 5, 100, 100), (5, 25, 50, 100, 100, 100))
    ends = ((0.001, 0.001, 0.001, 0.02, 0.01, 0.02), (0.02, 0.02, 0.02, 0.001, 0.01, 0.002))
    good, poor = (tasks(dict(zip(names, start)), dict(zip(names, end))) for start, end in zip(starts, ends))
    for name in ("smaller_tasks_start_faster", "smallest_task_ends_worst", "one_auxiliary_task_is_best"):
        assert getattr(claims, name)(Fake(auxiliary=good)).holds == "holds", name
        assert getattr(claims, name)(Fake(auxiliary=poor)).holds == "fails", name


@pytest.mark.parametrize(("order", "holds"), [(1, "holds"), (-1, "fails")])
def test_smaller_tasks_that_start_faster_are_overtaken_or_not(order, holds):
    """The regret of 1e-4 is reached after 400, 470, 580 and 700 s."""
    names = list(SHARES)[::order]
    starts, ends = (100, 50, 25, 5), (1e-6, 1e-5, 3e-5, 6e-5)
    frame = tasks(dict(zip(names, starts)), dict(zip(names, ends)))
    check = claims.smaller_tasks_converge_more_slowly(Fake(auxiliary=frame))
    assert check.holds == holds, check.detail


def test_methods_that_were_not_run_leave_a_comparison_with_several_open():
    frame = searches({name: TRUE[name] for name in ("gp", "fabolas", "hyperband")})
    check = claims.fabolas_10_to_1000_times_sooner(Fake(surrogate=frame))
    assert check.holds == "inconclusive" and "entropy_search not run" in check.detail
    for name in ("mtbo_faster_than_full_data", "fabolas_ten_times_faster_than_mtbo"):
        check = run_check(claim_of(name), Fake(surrogate=frame))
        assert check.holds == "not run" and check.reproduced is not None


def test_the_authors_runs_are_judged_beside_ours_and_the_settings_of_the_text():
    frame = searches(TRUE | {"fabolas_text": 6.0})
    check = claims.fabolas_ten_times_faster_than_mtbo(Fake(surrogate=frame))
    assert check.reproduced.ours == pytest.approx(2724.29 / 391.71, rel=1e-3)
    assert check.reproduced.detail.startswith("fabolas over mtbo (by their clock, which adds the logarithms of")
    assert "with the authors' overhead: " in check.detail and "by the text's settings: " in check.detail
    check = claims.fabolas_ten_times_faster_than_all(Fake(surrogate=frame))
    assert "hyperband not run" in check.reproduced.detail and check.reproduced.holds in ("outside", "inconclusive")


@pytest.mark.parametrize(("scale", "holds"), [(1.0, "holds"), (5.0, "fails"), (0.2, "fails")])
def test_seconds_are_around_those_of_the_text(scale, holds):
    """A regret of t / time^-1 reaches 0.0001 50 times, and 0.00495 about 1.01 times, after that of 0.005."""
    best = searches({"gp": 2000 * scale, "entropy_search": 2200 * scale})
    assert claims.best_after_1e5_seconds(Fake(surrogate=best)).holds == holds
    check = claims.mtbo_after_2000_seconds(Fake(surrogate=searches({"mtbo": 2000 * scale})))
    assert check.holds == holds and check.reproduced.ours == pytest.approx(2724.29, rel=1e-4)


def test_equally_well_is_within_a_quarter():
    check = claims.ei_and_es_alike(Fake(surrogate=searches(TRUE | {"entropy_search": 160})))
    assert check.holds == "fails" and check.ours == pytest.approx(1 / 1.6, rel=0.05)


def test_three_times_is_about_the_best_error_and_not_about_good_ones():
    """Random search has a good configuration when expected improvement does, and the best one three times later."""
    slow = made(AUTHORS, "random", 0.005 * 100**0.78, 0.78, 2, 5e4)
    frame = pd.concat([slow, searches({"gp": 100})], ignore_index=True).assign(error=0.02, optimum=0.02)
    assert claims.ei_three_times_faster_than_random(Fake(surrogate=frame)).holds == "holds"


def test_claims_without_runs_are_not_run():
    for claim in all_claims("fabolas"):
        assert run_check(claim, Fake()).holds == "not run", claim.id


def claim_of(name):
    return next(claim for claim in all_claims("fabolas") if claim.id == name)


def test_grids_that_lack_machines_are_not_run():
    with pytest.raises(LookupError, match="all machines"):
        machine_grid(Fake(grid=made_grid().iloc[1:]))


@pytest.mark.parametrize(("fabolas", "begins", "ends", "holds"), [(10, 3.0, 0.0, "holds"), (90, 1.0, 0.1, "fails")])
def test_claims_about_searches_that_train_networks(fabolas, begins, ends, holds):
    """Test errors within a tenth of the smallest from these times on; Hyperband's begin late and end well, or not."""
    times, frames = {"gp": 100, "entropy_search": 100, "fabolas": fabolas, "hyperband": 300}, []
    for benchmark in SETS["networks"]:
        for name, time in times.items():
            first = begins * 10 if name == "hyperband" else 10 * time / 100
            frame = made(benchmark, name, 0.02 * time, 1.0, first, 1e4 * time)
            frames.append(frame.assign(regret=frame["regret"] + (ends if name == "hyperband" else 0)))
    networks = pd.concat(frames).assign(error=lambda frame: frame["regret"] + 0.2, images=4000)
    for name in ("fabolas_ten_times_faster_on_networks", "hyperband_recommends_late", "hyperband_ends_well"):
        check = getattr(claims, name)(Fake(networks=networks))
        assert check.holds == holds, check.detail
    drawn = artifacts.fig4_7(Fake(networks=networks), None)
    assert set(drawn.data["benchmark"]) == set(SETS["networks"])
    reached = drawn.data.query("benchmark == @benchmark and method == 'gp'")
    reached = reached[reached["value"] <= 1.1 * drawn.data.query("benchmark == @benchmark")["value"].min()]
    (mark,) = (line for line in drawn.figure.axes[-1].lines if line.get_marker() == "D" and len(line.get_xdata()))
    assert mark.get_xdata()[0] == pytest.approx(reached["time"].min() / 10)  # the printed factor
