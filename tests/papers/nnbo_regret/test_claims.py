"""Checks and drawings on records with known answers."""

import numpy as np
import pandas as pd
import pytest

from core.experiment.paper import Papers
from core.report import style
from core.report.tables.table import row_lines
from core.report.verdicts.published import read_published
from papers.nnbo_regret.figures import searches as figures
from papers.nnbo_regret.figures.searches import gp_regrets, least_certain
from papers.nnbo_regret.runs import queries
from tests.papers.functions import Functions
from tests.papers.runs import Fake

artifacts = Functions("nnbo_regret", "artifacts")
claims = Functions("nnbo_regret", "claims")

FOLDER = Papers().root / "papers" / "nnbo_regret"


def searches(curves: np.ndarray, experiment="hartmann", benchmark="hartmann4_rescaled") -> Fake:
    """Regrets (runs, n) of queries after initial points of mean regret 2."""
    runs, n = curves.shape
    frame = pd.DataFrame(
        {
            "benchmark": benchmark,
            "method": "least_squares",
            "run": np.repeat(range(runs), n),
            "evaluation": np.tile(np.arange(1, n + 1), runs),
            "regret": curves.ravel(),
            "minimum_regret": np.minimum.accumulate(curves, 1).ravel(),
            "initial_regret": 2.0,
            "status": "ok",
        }
    )
    return Fake(**{experiment: frame})


def noisy(curve: np.ndarray, runs: int = 20) -> np.ndarray:
    return curve * np.random.default_rng(0).uniform(0.9, 1.1, size=(runs, 1))


def test_regret_that_rises_and_then_vanishes_holds_everywhere():
    n = np.arange(300)
    results = searches(noisy(np.where(n < 40, 1 + n / 20, 0.001)))
    assert claims.average_does_not_fall_at_first_on_hartmann(results).ours > 1
    for check in ("minimum_reaches_zero", "average_does_not_fall_at_first", "average_falls_later"):
        assert getattr(claims, f"{check}_on_hartmann")(results).holds == "holds"


def test_regret_that_falls_from_the_start_and_stays_above_zero_fails():
    results = searches(noisy(1 / np.sqrt(np.arange(1, 301)) + 0.2))
    assert claims.average_does_not_fall_at_first_on_hartmann(results).holds == "fails"
    assert claims.minimum_reaches_zero_on_hartmann(results).holds == "fails"
    assert claims.average_falls_later_on_hartmann(results).holds == "holds"


def test_an_average_that_stops_falling_does_not_trend_downwards():
    n = np.arange(300)
    falls = claims.average_falls_later_on_hartmann(searches(noisy(np.where(n < 100, 1.0, 0.1))))
    assert (falls.holds, falls.ours) == ("holds", "3 of 3")
    # Lower at the end than at half of the queries, as before, but not since three quarters.
    stops = claims.average_falls_later_on_hartmann(searches(noisy(np.where((n < 160) | (n > 224), 1.0, 0.1))))
    assert stops.holds == "fails"


def test_zero_is_reached_generally_although_a_few_runs_stay_elsewhere():
    curves = noisy(np.full(300, 0.01), runs=50)
    curves[:3] = 1.0  # a mean of 0.07, 3.4% of the uniform points' mean
    results = searches(curves)
    check = claims.minimum_reaches_zero_on_hartmann(results)
    assert check.holds == "holds" and "94% of runs below 0.02" in check.detail
    curves[:30] = 1.0
    assert claims.minimum_reaches_zero_on_hartmann(searches(curves)).holds == "fails"


def test_variants_of_the_method_do_not_count():
    results = searches(noisy(np.ones(300)))
    (frame,) = results.frames.values()
    variant = frame.assign(method="printed_variance", regret=5.0, minimum_regret=5.0)
    both = Fake(hartmann=pd.concat([frame, variant], ignore_index=True))
    for found, expected in zip(
        queries(both, "hartmann", "hartmann4_rescaled", 300), queries(results, "hartmann", "hartmann4_rescaled", 300)
    ):
        np.testing.assert_array_equal(found, expected)
    other = queries(both, "hartmann", "hartmann4_rescaled", 300, "printed_variance")
    np.testing.assert_array_equal(other[1], 5.0)


def beside_gp(ours: float, theirs: float) -> Fake:
    """300 queries of ours that end at `ours`, 100 of GP-BO at `theirs`; uniform points have 2."""
    mine = searches(noisy(np.full(300, ours)))
    gp = searches(noisy(np.full(100, theirs))).frames["hartmann"].assign(method="gp")
    return Fake(**mine.frames, gaussian_process=gp)


def test_competitive_is_a_difference_that_counts_as_zero():
    assert claims.competitive_on_hartmann(beside_gp(0.05, 0.04)).holds == "holds"
    assert claims.competitive_on_hartmann(beside_gp(0.04, 0.2)).holds == "holds"
    worse = claims.competitive_on_hartmann(beside_gp(0.2, 0.05))
    assert worse.holds == "fails" and "after 100 queries" in worse.detail
    assert worse.ours == pytest.approx((0.2 - 0.05) / 2, rel=0.1)
    some = beside_gp(0.02, 0.015)
    frame = some.frame("hartmann")
    frame.loc[frame["run"] == 0, "minimum_regret"] = 0.5  # one of 20 runs, which makes up half of the mean
    assert claims.competitive_on_hartmann(some).holds == "holds"


def timed(exponent: float) -> pd.DataFrame:
    """Seconds that grow with a power of the observations from 1,600 on."""
    return pd.DataFrame(
        {"benchmark": "hartmann4_rescaled", "method": "least_squares", "run": run, "observations": n, "status": "ok"}
        | {"seconds": 1e-3 * (1 + 0.01 * run) * (n / 1600) ** exponent if n > 1000 else 5.0}
        for run in range(5)
        for n in (400, 1600, 6400, 25600)
    )


def test_section6_draws_every_series():
    both = beside_gp(0.05, 0.04)
    mixture = both.frame("hartmann").assign(benchmark="gaussian_mixture")
    with style.context():
        drawn = artifacts.section6(Fake(**both.frames, mixture=mixture, interpolation=timed(1.0)), None).data
    assert drawn.groupby("quantity")["series"].nunique().to_dict() == {
        "minimum regret, gaussian_mixture": 1,
        "minimum regret, hartmann4_rescaled": 2,
        "seconds of an interpolation": 1,
    }


@pytest.mark.parametrize(("exponent", "holds"), [(1.0, "holds"), (2.0, "fails"), (0.0, "fails")])
def test_growth_of_an_interpolation_is_judged_on_many_observations(exponent, holds):
    check = claims.interpolation_grows_linearly(Fake(interpolation=timed(exponent)))
    assert check.ours == pytest.approx(exponent, abs=1e-9) and check.holds == holds


def wall_clock(**seconds: float) -> Fake:
    """Evaluations of 1 s; a mode's whole time, give or take a hundredth."""
    frames = [
        pd.DataFrame(
            {
                "benchmark": "gaussian_mixture",
                "method": mode,
                "run": run,
                "evaluation": range(1, 11),
                "finished": np.linspace(0.1, 1, 10) * total * (1 + run / 100),
                "evaluation_seconds": 1.0,
                "status": "ok",
            }
        )
        for mode, total in seconds.items()
        for run in range(3)
    ]
    return Fake(wall_clock=pd.concat(frames))


def test_speed_up_is_the_ratio_of_whole_times():
    results = wall_clock(sequential=10, parallel_2=5.2, parallel_6=1.7)
    assert claims.parallel_is_faster(results).ours == pytest.approx(10 / 5.2)
    assert claims.parallel_is_faster(results).holds == "holds"


def illustration(error: float, network_error: float) -> Fake:
    x = np.linspace(-1, 1, 50)
    frames = []
    for run in range(5):
        columns = {"run": run, "x": x, "value": np.sin(3 * x), "sd": 0.1, "ei": 0.01}
        grid = pd.DataFrame({**columns, "mean": np.sin(3 * x) + error, "network": np.sin(3 * x) + network_error})
        frames += [grid.assign(part="grid"), grid[::10].assign(part="data"), grid[::20].assign(part="query")]
    return Fake(illustration=pd.concat(frames))


def test_interpolation_compares_errors_with_the_function_s_spread():
    good, bad = illustration(0.01, 0.1), illustration(0.3, 0.1)
    assert claims.representation_interpolates(good).holds == "holds"
    assert claims.regression_beats_the_output_layer(good).ours == pytest.approx(10)
    assert claims.representation_interpolates(bad).holds == "fails"
    assert claims.regression_beats_the_output_layer(bad).holds == "fails"


def test_little_data_is_at_most_two_observations_a_unit():
    few = illustration(0.01, 0.1)
    assert claims.regression_beats_the_output_layer(few).holds == "holds"
    frame = few.frame("illustration")
    data = frame[frame["part"] == "data"]
    many = Fake(illustration=pd.concat([frame, *[data] * 20]))  # 105 observations
    check = claims.regression_beats_the_output_layer(many)
    assert (check.holds, check.part) == ("outside", "holds") and "after 105 observations" in check.detail


def test_timing_shows_the_ratio_beside_theirs():
    rows = [
        {"benchmark": name, "run": run, "seconds": value * (1 + run / 50), "status": "ok"}
        for name, value in (("gaussian_mixture", 2.0), ("hartmann4_rescaled", 5.6))
        for run in range(4)
    ]
    published = read_published(FOLDER / "published" / "timing.csv")
    table = artifacts.timing(Fake(seconds=pd.DataFrame(rows)), published)
    assert table.cells["ratio", "seconds"].ours == pytest.approx(2.8)
    (verdict,) = table.verdicts  # the ratio of their times, whose evaluations are not ours
    assert verdict.kind == "outside" and verdict.difference == pytest.approx(2.8 - 2.7729)
    assert table.cells["gaussian_mixture", "seconds"].verdict is None
    (shown,) = row_lines(table, "gaussian_mixture")
    assert shown.ours.startswith("2.060 ± ") and shown.published == "104.003" and not shown.verdict
    assert row_lines(table, "ratio")[0].published == "2.7729 (derived)"


def test_wall_clock_figure_with_the_authors_timings(monkeypatch):
    theirs = {"parallel": pd.DataFrame({"run_0": [2.0, 4.0]}, index=[1, 2])}
    monkeypatch.setattr(figures, "authors_seconds", lambda: theirs)
    figure = artifacts.fig2a(wall_clock(sequential=10, parallel_6=2), None)
    units = figure.data.groupby("series")["units"].max()
    assert units["sequential"] == pytest.approx(10.1) and units["six evaluators"] == pytest.approx(2.02)
    assert units["parallel, authors"] == 2.0


def test_regret_figure_shows_at_most_300_queries():
    figure = artifacts.fig2c(searches(noisy(np.ones(400))), None)
    assert figure.data["query"].max() == 300
    theirs = figure.data["series"].str.endswith("authors' GP")
    assert figure.data.loc[~theirs, "mean"].to_numpy() == pytest.approx(noisy(np.ones(1)).mean())
    assert theirs.sum() == 600 and figure.data.loc[theirs, "mean"].notna().all()


def test_the_authors_regrets_are_means_of_the_runs_that_go_on():
    runs = pd.DataFrame({"query": [0, 1, 2, 3], "run_1": [0.5, 0.4, 0.8, 0.3], "run_2": [0.1, 0.6, 0.2, np.nan]})
    average, minimum = gp_regrets(runs).values()
    assert average.to_numpy() == pytest.approx([0.5, (0.6 + 0.4) / 2, 0.5])
    assert minimum.to_numpy() == pytest.approx([(0.4 + 0.1) / 2, (0.4 + 0.1) / 2, 0.3])


def test_illustration_is_drawn():
    assert len(artifacts.fig1(illustration(0.01, 0.1), None).figure.axes) == 3


def test_fig_1_shows_the_run_with_the_widest_envelope_for_its_range():
    rows = [
        {"run": run, "part": "grid", "value": value, "sd": sd}
        for run, (span, sd) in enumerate([(4.0, 0.3), (1.0, 0.2), (2.0, 0.3)])
        for value in (0.0, span)
    ]
    assert least_certain(pd.DataFrame(rows)) == 1
