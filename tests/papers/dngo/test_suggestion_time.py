"""DNGO's Fig 1: what is recorded, and growth with known exponents."""

import numpy as np
import pandas as pd
import pytest

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.report import style
from core.report.runs.frames import NotRunError
from core.report.verdicts.shapes.suggestion_times import times
from tests.papers.functions import Functions

artifacts = Functions("dngo", "artifacts")
claims = Functions("dngo", "claims")
experiments = Functions("dngo", "experiments")

SIZES = {"dngo": [100, 1000, 2000, 4000, 8000], "gp": [100, 200, 400, 1000, 2000, 4000]}


@pytest.mark.parametrize("method", ["dngo", "gp"])
def test_every_size_is_measured(method):
    overrides = {"observations": [3, 5], "warm_up": 2, "longest": 1e9}
    cell = find_cells(Papers(), f"dngo/suggestion_time/hartmann6/{method}", "smoke", overrides=overrides)[0]
    frame = experiments.suggestion_time(Context(cell, range(2)))
    assert frame["observations"].tolist() == [3, 5, 3, 5] and (frame[["seconds", "cpu_seconds"]] > 0).all(axis=None)


def test_a_repetition_ends_with_the_first_suggestion_that_is_too_long():
    overrides = {"observations": [3, 5, 8], "warm_up": 2, "longest": 1e-9}
    cell = find_cells(Papers(), "dngo/suggestion_time/hartmann6/dngo", "smoke", overrides=overrides)[0]
    assert experiments.suggestion_time(Context(cell, range(1)))["observations"].tolist() == [3]


def growing(**exponents: float) -> pd.DataFrame:
    """Five repetitions whose seconds are 1 at 1,000 observations and grow with a power of their number."""
    return pd.DataFrame(
        {"benchmark": "hartmann6", "method": method, "run": run, "observations": n, "status": "ok"}
        | {"cpu_seconds": (1 + 0.01 * run) * (n / 1000) ** exponent}
        for method, exponent in exponents.items()
        for n in SIZES[method]
        for run in range(5)
    )


def test_growth_has_its_exponent(fake):
    results = fake(suggestion_time=growing(dngo=1.0, gp=3.0))
    assert claims.dngo_grows_linearly(results).ours == pytest.approx(1.0)
    assert claims.dngo_grows_linearly(results).holds == "holds"
    assert claims.gp_grows_cubically(results).ours == pytest.approx(3.0)
    assert claims.dngo_grows_linearly(fake(suggestion_time=growing(dngo=1.5))).holds == "fails"
    assert claims.gp_grows_cubically(fake(suggestion_time=growing(gp=1.0))).holds == "fails"


def test_growth_is_that_from_1000_observations_on_for_both_models(fake):
    frame = growing(dngo=1.0, gp=3.0)
    frame.loc[frame["observations"] == 2000, "cpu_seconds"] *= 10  # moves the slope from 2,000 to 4,000 alone
    assert claims.gp_grows_cubically(fake(suggestion_time=frame)).ours == pytest.approx(3.0)
    few = growing(gp=3.0)
    for largest in (400, 1000):
        check = claims.gp_grows_cubically(fake(suggestion_time=few[few["observations"] <= largest]))
        assert check.holds == "inconclusive" and "below 1,000 observations" in check.detail


def test_the_gaussian_process_becomes_slower(fake):
    frame = growing(dngo=1.0, gp=3.0)
    frame.loc[frame["method"] == "gp", "cpu_seconds"] *= 200
    check = claims.gp_is_slower_with_many(fake(suggestion_time=frame))
    assert check.ours == pytest.approx(200 * 4**2) and check.holds == "holds"
    assert "slower from 100 observations on" in check.detail
    frame.loc[frame["method"] == "gp", "cpu_seconds"] /= 1e6
    assert claims.gp_is_slower_with_many(fake(suggestion_time=frame)).holds == "fails"


def test_sizes_that_not_all_repetitions_reached_do_not_count(fake):
    frame = growing(dngo=1.0)
    frame = frame[~((frame["run"] == 0) & (frame["observations"] == 8000))]
    sizes, seconds = times(fake(suggestion_time=frame), "dngo")
    assert sizes.tolist() == [100, 1000, 2000, 4000] and seconds.shape == (5, 4)


def test_figure_has_what_was_run(fake):
    with style.context():
        drawn = artifacts.fig1(fake(suggestion_time=growing(dngo=1.0)), None)
        assert set(drawn.data["method"]) == {"dngo"}
        both = artifacts.fig1(fake(suggestion_time=growing(dngo=1.0, gp=3.0)), None).data
        np.testing.assert_allclose(both.loc[both["observations"] == 1000, "seconds"], 1.02)
        with pytest.raises(NotRunError):
            artifacts.fig1(fake(), None)
