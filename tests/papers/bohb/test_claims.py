"""Checks of the claims, and figures, on made-up curves for which the answer is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.experiment.catalogue import Catalogue
from core.report.checks import NotRunError
from core.report.claims import read_claims, run_check
from papers.bohb import artifacts, claims
from papers.bohb.ablation_figures import ETAS, FACTORS, RANDOM_FRACTIONS, SAMPLES
from papers.bohb.counting_figures import DIMENSIONS
from papers.bohb.surrogate_figures import LABELS, WORKERS

CLAIMS = read_claims(Path(claims.__file__).parent / "published" / "claims.yaml", dir(artifacts))
RUNS = 24


class Fake:
    """Results that hold the given frames."""

    reduced = True

    def __init__(self, **frames: pd.DataFrame) -> None:
        self.frames = frames

    def frame(self, experiment: str) -> pd.DataFrame:
        return self.frames.get(experiment, pd.DataFrame(columns=["benchmark", "method", "run", "status", "message"]))


def made(benchmark, method, scale, exponent, first=1.0, last=512.0, sd=0.1) -> pd.DataFrame:
    """Runs whose regret, and loss, is scale t^-exponent times a log-normal factor of each run."""
    times = np.geomspace(first, last, 60)
    factors = 10 ** (sd * np.random.default_rng(0).normal(size=RUNS))
    regret = np.outer(factors, scale * times**-exponent).ravel()
    return pd.DataFrame(
        {
            "benchmark": benchmark,
            "method": method,
            "run": np.repeat(np.arange(RUNS), len(times)),
            "time": np.tile(times, RUNS),
            "evaluations": np.tile(np.arange(1, len(times) + 1), RUNS),
            "loss": regret,
            "regret": regret,
            "smallest_budget": 1 / 27,
            "largest_budget": 1.0,
            "configurations": 100,
        }
    )


def counting(curves: dict[str, tuple[float, float]], scales: list[float], spreads: list[float]) -> pd.DataFrame:
    return pd.concat(
        [
            made(name, method, scale * a, b, 1 / 81 if method in ("hyperband", "bohb") else 1.0, 1000, sd)
            for name, scale, sd in zip(DIMENSIONS, scales, spreads, strict=True)
            for method, (a, b) in curves.items()
        ]
    )


def on_sets(curves: dict[str, tuple[float, float]], names=tuple(LABELS)) -> pd.DataFrame:
    return pd.concat(
        [
            made(name, method, a, b, 1 / 27 if method in ("hyperband", "bohb") else 1.0)
            for name in names
            for method, (a, b) in curves.items()
        ]
    )


def workers(speeds: list[float]) -> pd.DataFrame:
    return pd.concat(
        [
            made(name, method, 0.1 * speed**-0.5, 0.5, 1 / speed, 4000 / speed, 0.03)
            for name in ("letter", "mnist")
            for method, speed in zip(WORKERS, speeds, strict=True)
        ]
    )


def ablation(methods: list[str], **others: float) -> pd.DataFrame:
    return on_sets({method: (0.1 * others.get(method, 1.0), 0.5) for method in methods})


def networks(curves: dict[str, tuple[float, float]]) -> pd.DataFrame:
    names = ("bnn_boston", "bnn_protein")
    return pd.concat([made(name, m, a, b, 1.0, 100, 0.02) for name in names for m, (a, b) in curves.items()])


def scores(kernel: float, pdf: float) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    parts = []
    for benchmark in ("gaussian", "mixture"):
        for method, mean in (("factorised_kernel", kernel), ("factorised_pdf", pdf), ("truth", 2.0)):
            value = mean + 0.1 * rng.normal(size=RUNS)
            parts.append(pd.DataFrame({"run": range(RUNS), "value": value, "benchmark": benchmark, "method": method}))
    return pd.concat(parts).assign(part="score", x=0.0, y=0.0)


AS_PUBLISHED = Fake(
    counting_ones=counting(
        {"random": (1, 0.1), "hyperband": (0.8, 0.1), "tpe": (3, 0.6), "smac": (2, 0.6), "bohb": (0.8, 0.3)},
        [0.1, 0.2, 0.4, 0.8],
        [0.3, 0.1, 0.1, 0.1],
    ),
    surrogates=on_sets({"random": (0.2, 0.3), "tpe": (0.5, 0.8), "hyperband": (0.1438, 0.3), "bohb": (0.1438, 1.147)}),
    surrogates_gp=on_sets({"gp": (0.6, 0.8)}),
    workers=workers([1, 1.9, 3.6, 7, 11, 15]),
    samples=ablation(SAMPLES, samples_4=2),
    random_fraction=ablation(RANDOM_FRACTIONS, random_0=3),
    eta=ablation(ETAS, eta_5=1.5),
    bandwidth_factor=ablation(FACTORS, factor_1=2),
    bayesian_network=networks({"random": (10, 0.1), "tpe": (8, 0.3), "hyperband": (5, 0.1), "bohb": (5, 0.25)}),
    densities=scores(0.7, 0.4),
)
TO_THE_CONTRARY = Fake(
    counting_ones=counting(
        {"random": (0.01, 0), "hyperband": (5, 1), "tpe": (0.3, 0), "smac": (1, 0), "bohb": (2.5, 0.35)},
        [0.8, 0.4, 0.2, 0.1],
        [0.02, 0.2, 0.2, 0.2],
    ),
    surrogates=on_sets({"random": (0.05, 0.3), "tpe": (0.1, 0), "hyperband": (1, 0.6), "bohb": (0.3, 0)}),
    surrogates_gp=on_sets({"gp": (0.1, 0)}),
    workers=workers([1, 1.05, 1.2, 1.3, 2, 3]),
    samples=ablation(SAMPLES, samples_64=5),
    random_fraction=ablation(RANDOM_FRACTIONS, **{"random_0.33": 5}),
    eta=ablation(ETAS, eta_3=5),
    bandwidth_factor=ablation(FACTORS, factor_3=5),
    bayesian_network=networks({"random": (5, 0), "tpe": (5, -0.3), "hyperband": (10, 0), "bohb": (50, 0)}),
    densities=scores(0.4, 0.7),
)
LINEAR = Fake(workers=workers([1, 2, 4, 8, 16, 30]))
AGAINST = {  # claims that the world above would not contradict, or that contradict another one
    "more_workers_are_sublinear": (AS_PUBLISHED, LINEAR),
    "thirty_two_workers_are_linear_on_letter": (LINEAR, AS_PUBLISHED),
    "traditional_methods_catch_up_on_letter": (TO_THE_CONTRARY, AS_PUBLISHED),
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_holds_where_it_is_true_and_fails_where_it_is_not(claim):
    true, false = AGAINST.get(claim.id, (AS_PUBLISHED, TO_THE_CONTRARY))
    assert run_check(claim, claims, true).holds == "holds"
    assert run_check(claim, claims, false).holds == "fails"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_without_runs_is_not_run(claim):
    assert run_check(claim, claims, Fake()).holds == "not run"


def test_the_speed_up_is_a_factor_and_a_level_never_reached_is_no_speed_up():
    check = claims.thirty_two_workers_are_15_times_faster(AS_PUBLISHED)
    assert check.low <= check.ours <= check.high and check.ours == pytest.approx(15, rel=0.1)
    never = claims.bohb_100_times_faster_than_hyperband(TO_THE_CONTRARY)
    assert never.ours == never.high == 0


def test_noise_that_hides_a_difference_is_open():
    names = ("random", "tpe", "hyperband", "bohb")
    frame = pd.concat([made("d16", name, 0.1, 0.1, sd=0.5) for name in names])
    assert claims.bohb_soon_beats_hyperband(Fake(counting_ones=frame)).holds == "inconclusive"


FIGURES = [name for name, artifact in Catalogue().paper("bohb").artifacts.items() if artifact.kind == "figure"]


@pytest.mark.parametrize("name", FIGURES)
def test_figures_without_runs_are_not_run(name):
    with pytest.raises(NotRunError):
        getattr(artifacts, name)(Fake(), None)


@pytest.mark.parametrize("name", [name for name in FIGURES if name != "figC_1"])
def test_figures_draw_what_was_run(name):
    drawn = getattr(artifacts, name)(AS_PUBLISHED, None)
    curves = drawn.data[drawn.data["method"] != "gp, authors' runs"]
    assert (curves["low"] <= curves["value"]).all() and (curves["value"] <= curves["high"]).all()
    assert f"over {RUNS} runs" in drawn.caption


def test_sets_that_were_not_run_say_so():
    drawn = artifacts.figC_2(Fake(surrogates=on_sets({"bohb": (0.1, 0.5)}, ("letter", "mnist"))), None)
    texts = [text.get_text() for axes in drawn.figure.axes for text in axes.texts]
    assert texts == ["not run"] * 4
    assert set(drawn.data["benchmark"]) == {"letter", "mnist"}
