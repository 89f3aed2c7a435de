"""From records to arrays, and the checks and figures on records of runs that obey the theorem and that break it."""

from copy import copy

import numpy as np
import pandas as pd
import pytest

from core.report import style
from core.report.runs.frames import NotRunError
from core.report.verdicts.published import read_published
from papers.nnbo_regret.checks import _largest_mean
from papers.nnbo_regret.figures.theorem import name_those_below
from papers.nnbo_regret.runs import EXPERIMENTS, average_with_initial, recorded_batches, recorded_paths
from tests.papers.functions import PAPERS, Functions, all_claims

artifacts = Functions("nnbo_regret", "artifacts")
claims = Functions("nnbo_regret", "claims")

FOLDER = PAPERS.root / "papers" / "nnbo_regret"
DRAWN = ("fig3a", "fig3b", "theorem", "lemma4_1", "lemma4_2")
CHECKS = [claim.id for claim in all_claims("nnbo_regret") if claim.artifact in DRAWN]


class Records:
    """Runs whose predicted regret falls below the threshold at random times, with increments of a given kind."""

    reduced = False

    def __init__(self, kind: str, runs: int = 60, n: int = 400) -> None:
        generator = np.random.default_rng(11)
        self.rows = pd.concat(self._rows(name, kind, runs, n, generator) for name in EXPERIMENTS)

    def frame(self, experiment: str) -> pd.DataFrame:
        names = [name for name, where in EXPERIMENTS.items() if where == experiment]
        return self.rows[self.rows["benchmark"].isin(names)].reset_index(drop=True)

    @staticmethod
    def _rows(name: str, kind: str, runs: int, n: int, generator: np.random.Generator) -> pd.DataFrame:
        queries = np.arange(1, n + 1)
        length = 30 + generator.exponential(10 if name == "gaussian_process" else 30, (runs, 1))
        predicted = 3 * np.exp(-queries / length) + 0.01
        sd = 0.3 * np.exp(-queries / 200) + 0.02 + 0 * predicted
        noise = generator.standard_normal((runs, n))
        if kind == "shared":  # all of a batch alike, shifted and three times as wide
            noise = 3 * np.repeat(noise[:, : n // 5], 5, axis=1) + 2
        batch = (queries - 1) // 5 + 1
        columns = {"regret": predicted + sd * noise, "mu_query": 1 - predicted, "variance": sd**2}
        columns |= {"mu_optimum": np.ones((runs, n)), "initial_regret": np.full((runs, n), 2.0)}
        columns |= {"evaluation": np.tile(queries, (runs, 1)), "batch": np.tile(batch, (runs, 1))}
        columns |= {
            "observations": np.tile(45 + 5 * batch, (runs, 1)),
            "run": np.repeat(np.arange(runs)[:, None], n, 1),
        }
        frame = pd.DataFrame({key: value.ravel() for key, value in columns.items()})
        return frame.assign(benchmark=name, method="least_squares", status="ok", message="")


class Lives(Records):
    """Runs whose average regret is 1 for an exponential time of a given mean, on each function, and then falls."""

    def __init__(self, *means: float, runs: int = 60, n: int = 1500) -> None:
        generator = np.random.default_rng(5)
        self.rows = pd.concat(
            self._rows(name, mean, runs, n, generator) for name, mean in zip(EXPERIMENTS, means, strict=True)
        )

    @staticmethod
    def _rows(name: str, mean: float, runs: int, n: int, generator: np.random.Generator) -> pd.DataFrame:
        queries = np.arange(1, n + 1)
        average = np.where(queries <= 10 + generator.exponential(mean, (runs, 1)), 1.0, 0.5)
        regret = np.diff(average * queries, axis=1, prepend=0.0)
        columns = {"run": np.repeat(np.arange(runs)[:, None], n, 1), "evaluation": np.tile(queries, (runs, 1))}
        frame = pd.DataFrame({key: value.ravel() for key, value in {**columns, "regret": regret}.items()})
        constant = {"mu_query": 0.0, "mu_optimum": 0.0, "variance": 1.0}
        return frame.assign(benchmark=name, method="least_squares", status="ok", **constant)


@pytest.fixture(scope="module")
def obeying() -> Records:
    return Records("normal")


@pytest.fixture(scope="module")
def breaking() -> Records:
    return Records("shared")


def test_columns_become_arrays_with_the_signs_of_the_paper():
    records = Records("normal", runs=3, n=10)
    rows = records.frame("hartmann")
    paths = recorded_paths(records, "hartmann4_rescaled")
    assert paths.regret.shape == (3, 10)
    second = rows[(rows["run"] == 1) & (rows["evaluation"] == 7)].iloc[0]
    assert paths.predicted_regret[1, 6] == pytest.approx(second["mu_optimum"] - second["mu_query"])
    expected = second["regret"] + second["mu_query"] - second["mu_optimum"]
    assert paths.increments[1, 6] == pytest.approx(expected)
    batches, observations = recorded_batches(records, "hartmann4_rescaled")
    assert batches.tolist() == [1] * 5 + [2] * 5 and observations.tolist() == [50] * 5 + [55] * 5
    counted = average_with_initial(records, "hartmann4_rescaled")
    assert counted[1, 6] == pytest.approx((50 * 2.0 + paths.regret[1, :7].sum()) / 57)


def test_failed_runs_are_left_out_and_runs_cut_to_what_all_have():
    records = Records("normal", runs=3, n=10)
    failed = (records.rows["run"] == 0) & (records.rows["evaluation"] == 4)
    records.rows = records.rows.assign(status=np.where(failed, "failed", "ok"))
    records.rows = records.rows[~((records.rows["run"] == 2) & (records.rows["evaluation"] > 8))]
    assert recorded_paths(records, "brofos_quartic").regret.shape == (2, 8)
    records = copy(records)
    records.rows = records.rows.assign(status="failed")
    with pytest.raises(NotRunError, match="line/brofos_quartic"):
        recorded_paths(records, "brofos_quartic")


def test_what_obeys_the_lemmas_passes(obeying):
    for name in (
        "increments_are_centred",
        "increments_are_orthogonal",
        "variance_is_that_of_eq_17",
        "increments_are_sub_gaussian",
        "increments_are_heavy_on_left",
        "probability_is_below_the_bound",
        "bound_decays_exponentially",
    ):
        check = getattr(claims, name)(obeying)
        assert (check.ours, check.holds) == ("3 of 3", "holds"), check.detail
    assert "from 100 observations on" in check.detail


def test_what_breaks_the_lemmas_fails(breaking):
    for name in (
        "increments_are_centred",
        "increments_are_orthogonal",
        "variance_is_that_of_eq_17",
        "increments_are_sub_gaussian",
        "increments_are_heavy_on_left",
        "probability_is_below_the_bound",
    ):
        check = getattr(claims, name)(breaking)
        assert (check.ours, check.holds) == ("0 of 3", "fails"), check.detail


def test_rates(obeying):
    """The lives of the runs are exponential here, so that the decay is; Hartmann's are the longer ones."""
    slow, fast = claims.rate_on_hartmann(obeying), claims.rate_on_gaussian_process(obeying)
    assert fast.ours < slow.ours < 0 and slow.low < slow.ours < slow.high
    assert "least squares of logs" in slow.detail and "initial design counted" in slow.detail
    assert slow.holds != "outside" and fast.holds == "outside" and fast.part in ("holds", "fails", "inconclusive")
    start = claims.decay_starts_at_400(obeying)
    assert (start.holds, start.part) == ("outside", "fails")
    assert "not stated" in start.detail and "not stated" in fast.detail
    assert claims.exponential_on_hartmann(obeying).holds != "fails"


@pytest.mark.parametrize(
    ("lives", "part"), [((400, 40, 40), "holds"), ((400, 40, 400), "fails"), ((40, 40, 40), "fails")]
)
def test_hartmann_is_much_harder_than_either_target_in_one_dimension(lives, part):
    """Mean lives above the threshold on Hartmann, draws and quartic; to be slower than on one is not enough."""
    check = claims.hartmann_is_harder(Lives(*lives))
    assert (check.holds, check.part) == ("outside", part), check.detail


def test_the_largest_of_many_noisy_means_is_not_an_excess():
    """The mean is 0 at each of 500 queries; that of 40 runs is far above 0 somewhere, and so are all resamples."""
    excess = np.random.default_rng(0).choice([-0.5, 0.5], size=(40, 500))
    interval = _largest_mean(excess)
    assert interval.estimate > 0.2 and interval.low < 0.05 < interval.high
    assert _largest_mean(excess + 0.5).low > 0.05


def test_dropping_the_expectation_shows_where_the_runs_differ(obeying):
    assert claims.expectation_may_be_dropped(obeying).holds == "fails"


@pytest.mark.parametrize("name", CHECKS)
def test_checks_work_at_smoke_scale(name):
    assert getattr(claims, name)(Records("normal", runs=2, n=60)).holds in ("holds", "fails", "inconclusive", "outside")


@pytest.mark.parametrize(("runs", "n"), [(60, 400), (2, 60)])
def test_figures_give_their_data(runs, n):
    records = Records("normal", runs, n)
    with style.context():
        for name, published in (("fig3a", True), ("fig3b", True), ("theorem", False)):
            table = read_published(FOLDER / "published" / f"{name}.csv") if published else None
            figure = getattr(artifacts, name)(records, table)
            assert figure.data["x"].notna().all() and figure.data.groupby("benchmark").size().min() >= n
            if published:
                kinds = [verdict.kind for verdict in figure.table.verdicts]
                assert len(kinds) == len(table) and "not published" not in kinds
                assert (set(kinds) == {"outside"}) == (name == "fig3a")  # the authors' draws are not known
            share = figure.data[figure.data["quantity"] == "share of runs"]
            assert ((share["low"] <= share["value"]) & (share["value"] <= share["high"])).all()


def test_the_lemmas_have_figures_of_their_own():
    records = Records("normal", 60, 400)
    with style.context():
        variations, increments = (getattr(artifacts, name)(records, None) for name in ("lemma4_1", "lemma4_2"))
    assert set(variations.data["quantity"]) == {"M_n^2", "[M]_n", "<M>_n"} and (variations.data["value"] > 0).all()
    assert set(variations.data["benchmark"]) == set(increments.data["benchmark"]) > {"counterexample"}
    assert (increments.data["low"] <= increments.data["high"]).all()


def test_bounds_that_leave_the_axis_at_once_are_named_in_their_panel():
    with style.context():
        _, axes = style.subplots()
        falling = np.where(np.arange(1000) < 10, 0.1, 0.0)
        name_those_below(axes, {"seen": np.full(1000, 0.1), "falling": falling, "never seen": np.zeros(1000)})
    (text,) = axes.texts
    assert text.get_text().splitlines() == ["below the axis after query 10:", "falling", "never seen"]
