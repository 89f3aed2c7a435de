"""Runs at the smoke scale, made once, and made-up curves for which the answers to all claims are known."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from core.report.verdicts import speedups
from papers.bohb.figures.curves import ETAS, FACTORS, RANDOM_FRACTIONS, SAMPLES, WORKERS
from papers.bohb.figures.searches import DIMENSIONS
from tests.core.report.made_runs import RUNS, made
from tests.papers.runs import Fake, smoke_runs

SETS = ("letter", "optdigits", "poker")  # half of the data sets, to be quick
Law = tuple[float, float]  # of a curve a t^-b


@pytest.fixture(scope="session")
def smoke(tmp_path_factory):
    """Runs a cell of the smoke scale and returns its records."""
    run = smoke_runs("bohb", tmp_path_factory.mktemp("bohb"))
    run("collect/digits/fcnet")
    return run


def counting(curves: dict[str, Law], scales: Sequence[float], spread: float, last: float = 4000) -> pd.DataFrame:
    """Each dimension's curves are higher by its scale; BOHB's runs with 8 dimensions have a spread of their own."""
    frames = []
    for name, scale in zip(DIMENSIONS, scales, strict=True):
        for method, (a, b) in curves.items():
            first = 1 / 81 if method in ("hyperband", "bohb") else 1.0
            sd = spread if (name, method) == ("d8", "bohb") else 0.03
            frames.append(made(name, method, scale * a, b, first, last, sd))
    return pd.concat(frames)


def on_sets(curves: dict[str, Law], names: Sequence[str] = SETS, **others: dict[str, Law]) -> pd.DataFrame:
    """The same curves on every set, but for the `others` of a set."""
    frames = []
    for name in names:
        for method, (a, b) in (curves | others.get(name, {})).items():
            first = 1.0 if method in ("random", "tpe", "gp") else 1 / 27
            frames.append(made(name, method, a, b, first))
    return pd.concat(frames)


def workers(letter: Sequence[float], mnist: Sequence[float] | None = None) -> pd.DataFrame:
    """Of so many times one worker's speed, which takes 2000 s of 81 s each to a regret of 0.01."""
    frames = []
    for name, speeds in (("letter", letter), ("mnist", mnist or letter)):
        for method, speed in zip(WORKERS, speeds, strict=True):
            scale = 0.01 * (2000 / 81 / speed) ** 0.5
            frames.append(made(name, method, scale, 0.5, 1 / speed, 4000 / speed, 0.03))
    return pd.concat(frames)


def machines(times: dict[str, float]) -> pd.DataFrame:
    """Curves whose regret is 0.005 at these times."""
    frames = [made("mnist", name, 0.005 * time, 1.0, time / 50, 50 * time) for name, time in times.items()]
    return pd.concat(frames).assign(error=lambda frame: frame["regret"] + 0.02, optimum=0.02)


def ablation(methods: Sequence[str], **others: Law) -> pd.DataFrame:
    return on_sets({method: others.get(method, (0.1, 0.5)) for method in methods})


def networks(curves: dict[str, Law]) -> pd.DataFrame:
    names = ("bnn_boston", "bnn_protein")
    return pd.concat([made(name, m, a, b, 1.0, 100, 0.02) for name in names for m, (a, b) in curves.items()])


def policies(curves: dict[str, Law]) -> pd.DataFrame:
    """Curves of the expected number of episodes."""
    frames = []
    for method, (a, b) in curves.items():
        first = 1 / 9 if method in ("hyperband", "bohb") else 1.0
        frames.append(made("cartpole", method, a, b, first, 64, 0.02))
    return pd.concat(frames).rename(columns={"regret": "episodes"})


def scores(kernel: float, pdf: float) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    parts = []
    for benchmark in ("gaussian", "mixture"):
        for method, mean in (("factorised_kernel", kernel), ("factorised_pdf", pdf), ("truth", 2.0)):
            value = mean + 0.1 * rng.normal(size=RUNS)
            parts.append(pd.DataFrame({"run": range(RUNS), "value": value, "benchmark": benchmark, "method": method}))
    return pd.concat(parts).assign(part="score", x=0.0, y=0.0)


def shaken(small: int) -> pd.DataFrame:
    """Searches of 19 workers: nine evaluations on the largest budget, and so many that cost a third of one."""
    rng, frames = np.random.default_rng(0), []
    for run in range(RUNS):
        cost = np.r_[np.full(9, 3.0), np.full(small, 1.0)] * rng.normal(1, 0.05, 9 + small)
        frames.append(pd.DataFrame({"run": run, "cost": cost, "budget": np.r_[np.full(9, 3), np.full(small, 1)]}))
    return pd.concat(frames).assign(workers=19, benchmark="cifar10", method="bohb", status="ok")


def retrained(**errors: float) -> pd.DataFrame:
    """Test errors of networks that were trained anew."""
    rng, names = np.random.default_rng(0), list(errors)
    frames = [
        pd.DataFrame({"run": range(RUNS), "test_error": errors[name] + 1e-3 * rng.normal(size=RUNS), "method": name})
        for name in names
    ]
    return pd.concat(frames, ignore_index=True).assign(benchmark="cifar10", status="ok")


def as_published() -> Fake:
    """A world in which nearly all claims are true."""
    sets = {"random": (0.2, 0.3), "hyperband": (0.082, 0.15), "bohb": (0.067, 0.45), "hyperband_lcnet": (0.032, 0.02)}
    return Fake(
        counting_ones=counting(
            {"random": (1, 0.1), "hyperband": (0.7, 0.1), "tpe": (3, 0.6), "smac": (3, 0.65), "bohb": (0.81, 0.26)},
            [0.3, 0.3615, 0.499, 0.7],
            spread=0.36,
        ),
        surrogates=on_sets({**sets, "tpe": (0.067, 0.4)}, letter={"tpe": (0.08, 0.6)}),
        surrogates_text=on_sets({"hyperband_text": (0.164, 0.15), "bohb_text": (0.134, 0.45)}),
        surrogates_gp=on_sets({"gp": (0.067, 0.4)}, letter={"gp": (0.08, 0.6)}),
        surrogate_starts=on_sets({**sets, "random": (0.3, 0.3), "gp": (0.5, 0.9)}),
        code_variants=on_sets({"text_1": (0.2, 0.5), "disjoint_1": (0.1, 0.5)}, ("letter",)),
        workers=workers([1, 1.9, 3.7, 7.4, 11, 15]),
        workers_on_letter=workers([1, 1.9, 3.7, 7.4, 11, 15]),
        samples=ablation(SAMPLES, samples_4=(0.17, 0.5)),
        random_fraction=ablation(RANDOM_FRACTIONS, random_0=(0.17, 0.5)),
        eta=ablation(ETAS, eta_5=(0.15, 0.5)),
        bandwidth_factor=ablation(FACTORS, factor_1=(0.1, 0.42)),
        bayesian_network=networks({"random": (10, 0.1), "tpe": (8, 0.3), "hyperband": (5, 0.1), "bohb": (5, 0.25)}),
        ppo=policies({"random": (2500, 0.2), "tpe": (2500, 0.3), "hyperband": (1500, 0.15), "bohb": (2085, 0.45)}),
        densities=scores(0.7, 0.4),
        svm_surrogate=machines({"random": 300, "gp": 100, "mtbo": 20, "fabolas": 1, "hyperband": 1.5, "bohb": 1}),
        cifar10=shaken(small=20),
        cifar10_retrained=retrained(bohb=0.03, gastaldi=0.04),
    )


def to_the_contrary() -> Fake:
    """A world in which nearly all are false."""
    sets = {"random": (0.05, 0.3), "hyperband": (1, 0.6), "bohb": (0.6, 0), "hyperband_lcnet": (2, 0.6)}
    return Fake(
        counting_ones=counting(
            {"random": (0.01, 0), "hyperband": (5, 1), "tpe": (0.3, 0), "smac": (1, 0), "bohb": (2.5, 0.35)},
            [0.8, 0.4, 0.2, 0.1],
            spread=0.03,
        ),
        surrogates=on_sets({**sets, "tpe": (0.1, 0)}),
        surrogates_gp=on_sets({"gp": (0.1, 0)}),
        surrogate_starts=on_sets({**sets, "gp": (0.1, 0)}),
        workers=workers([1, 1.05, 1.2, 1.3, 2, 3]),
        workers_on_letter=workers([1, 1.05, 1.2, 1.3, 2, 3]),
        samples=ablation(SAMPLES, samples_64=(0.5, 0.5)),
        random_fraction=ablation(RANDOM_FRACTIONS, **{"random_0.33": (0.5, 0.5)}),
        eta=ablation(ETAS, eta_3=(0.5, 0.5)),
        bandwidth_factor=ablation(FACTORS, factor_3=(0.5, 0.5)),
        bayesian_network=networks({"random": (5, 0), "tpe": (5, -0.3), "hyperband": (10, 0), "bohb": (50, 0)}),
        ppo=policies({"random": (2500, 0.1), "tpe": (400, 0.1), "hyperband": (500, 0.3), "bohb": (1500, 0.1)}),
        densities=scores(0.4, 0.7),
        svm_surrogate=machines({"random": 300, "gp": 2, "mtbo": 2, "fabolas": 1, "hyperband": 9, "bohb": 9}),
        cifar10=shaken(small=200),
        cifar10_retrained=retrained(bohb=0.04, gastaldi=0.03),
    )


def fast_bohb() -> Fake:
    """BOHB leaves all others behind at once, and for good."""
    sets = {"random": (0.2, 0.3), "tpe": (0.5, 0.8), "hyperband": (0.1438, 0.3), "bohb": (0.02, 0.5)}
    return Fake(surrogates=on_sets(sets), surrogates_gp=on_sets({"gp": (0.5, 0.8)}))


def dissimilar_sets() -> Fake:
    """On the other sets the methods come in the opposite order to that on OptDigits."""
    laws = [(0.1, 0.5), (0.2, 0.5), (0.4, 0.5), (0.8, 0.5)]
    names = ("bohb", "hyperband", "tpe", "random")
    shown = dict(zip(names, laws, strict=True))
    return Fake(surrogates=on_sets(dict(zip(names, reversed(laws), strict=True)), optdigits=shown))


@pytest.fixture(scope="module", autouse=True)  # undone before tests elsewhere, which may judge real runs
def fewer_resamples():
    """The curves are wide apart or equal, for which a few will do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speedups, "RESAMPLES", 200)
        yield


@pytest.fixture(scope="session")
def world():
    """Made-up results by name."""
    return {
        "as published": as_published(),
        "to the contrary": to_the_contrary(),
        "fast": fast_bohb(),
        "ahead": Fake(surrogates=on_sets({"random": (0.2, 0.3), "hyperband": (0.1, 0.3), "bohb": (0.1, 0.5)})),
        "dissimilar": dissimilar_sets(),
        "linear": Fake(workers=workers([1, 2, 4, 8, 16, 32]), workers_on_letter=workers([1, 2, 4, 8, 16, 32])),
        "uneven": Fake(workers=workers([1, 2, 4, 8, 16, 30], [1, 1.1, 1.2, 1.3, 1.4, 1.5])),
        "nothing": Fake(),
    }


@pytest.fixture(scope="session")
def make():
    """Makers of curves, and of results that hold them."""
    return SimpleNamespace(made=made, on_sets=on_sets, counting=counting, networks=networks, results=Fake, runs=RUNS)
