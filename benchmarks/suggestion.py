"""Suggestions: fit a model to N observations, then search for the point of the highest expected improvement.

    BOHAMIANN   N = 100, 3 x 50, burn-in of 100 N + 10,000 steps, 100 samples; one run, and 20 in lockstep: pybnn
    DNGO        N = 500: pybnn
    GP          marginal likelihood, log EI, gradient ascent: BoTorch, as often as the time allows at each size

All in 6 dimensions. Times are CPU seconds of one thread, which other load on the machine does not lengthen; compiled
functions are in numba's cache before the clock starts.
"""

import time
from collections.abc import Callable
from pathlib import Path

import torch
from rich.table import Table

from benchmarks import peer_botorch
from benchmarks.peers import run_peer
from core.acquisition import Integrated, LogExpectedImprovement, best_observed
from core.acquisition.maximizers import EvolutionarySearch, GradientAscent, Maximizer
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.dngo import DNGO
from core.models.ensemble import EnsembleModel
from core.models.gaussian_process import GaussianProcess
from core.models.mixture import GaussianMixtureModel

DIMENSION = 6
CHAIN = {"points": 100, "burn_in": 10_000, "steps": 20_000}  # as in the NIPS paper: 100 N, and 10,000 more
RUNS = 20
DNGO_POINTS = 500
PYBNN_TRAINING = {"epochs": 500, "batch_size": 10}  # its defaults
GP_POINTS = (20, 50, 100, 200)
TARGETS = {"one run": 20, f"{RUNS} runs": 50, "DNGO": 20, "GP": 1}  # times the peer, per run
ASCENT = GradientAscent()


def data(runs: int, points: int, device: str = "cpu") -> tuple[torch.Tensor, torch.Tensor]:
    """X (runs, N, d) in the unit cube and y (runs, N)."""
    X = torch.rand(runs, points, DIMENSION, dtype=torch.float64, generator=make_generators([points])[0]).to(device)
    return X, (3 * X).sin().sum(-1)


def suggest(model: EnsembleModel, searches: dict[str, Maximizer], X: torch.Tensor, y: torch.Tensor) -> dict[str, float]:
    """Seconds of the fit and of each search, of all runs together: CPU time, on another device wall-clock time."""
    clock = time.process_time if X.device.type == "cpu" else finished
    generators = make_generators(range(len(X)), X.device)
    start = clock()
    model.fit(X, y, generators)
    seconds = {"fit": clock() - start}
    best, _ = best_observed(y)
    mixture = isinstance(model, GaussianMixtureModel)
    acquisition = LogExpectedImprovement(model.predict if mixture else model.moments, best)
    for name, search in searches.items():
        start = clock()
        search(Integrated(acquisition) if mixture else acquisition, X.shape[-1], generators)
        seconds[name] = clock() - start
    return seconds


def finished() -> float:
    """The time when a CUDA device has done all that it was given."""
    torch.cuda.synchronize()
    return time.perf_counter()


def bohamiann(peers: Path) -> tuple[Table, list[str]]:
    """One suggestion of our networks beside pybnn's."""
    searches = {"gradient ascent": ASCENT, "differential evolution": EvolutionarySearch()}
    suggest(BayesianNetwork(burn_in=100, steps=200), searches, *data(1, CHAIN["points"]))
    timings = {}
    for name, runs in (("one run", 1), (f"{RUNS} runs", RUNS)):
        model = BayesianNetwork(burn_in=CHAIN["burn_in"], steps=CHAIN["steps"])
        seconds = suggest(model, searches, *data(runs, CHAIN["points"]))
        timings[name] = {part: value / runs for part, value in seconds.items()}
    peer = run_peer(peers, "peer_pybnn_suggestion", {"model": "bohamiann", "dimension": DIMENSION, **CHAIN})
    title = f"BOHAMIANN, one suggestion at N = {CHAIN['points']}: CPU seconds per run"
    if peer is None:
        return seconds_table(title, timings), []
    lines = []
    for name, seconds in timings.items():
        for search in searches:
            ratio = (peer["fit"] + peer["search"]) / (seconds["fit"] + seconds[search])
            lines.append(verdict(f"BOHAMIANN suggestion, {name}, {search}", ratio, "pybnn", TARGETS[name]))
    return seconds_table(title, {**timings, "pybnn 0.0.5": peer}), lines


def dngo(peers: Path) -> tuple[Table, list[str]]:
    """DNGO's fit and suggestion beside pybnn's, which trains for 500 epochs; the ratio is of equal work."""
    searches = {"gradient ascent": ASCENT}
    suggest(DNGO(epochs=2), searches, *data(1, DNGO_POINTS))
    own, equal = "ours, its own 20 epochs", "ours, pybnn's epochs and batches"
    models = {own: DNGO(), equal: DNGO(**PYBNN_TRAINING)}
    timings = {name: suggest(model, searches, *data(1, DNGO_POINTS)) for name, model in models.items()}
    peer = run_peer(peers, "peer_pybnn_suggestion", {"model": "dngo", "dimension": DIMENSION, "points": DNGO_POINTS})
    title = f"DNGO, one suggestion at N = {DNGO_POINTS}: CPU seconds"
    if peer is None:
        return seconds_table(title, timings), []
    ratio = sum(peer.values()) / sum(timings[equal].values())
    lines = [verdict("DNGO, equal work", ratio, "pybnn", TARGETS["DNGO"])]
    return seconds_table(title, {**timings, "pybnn 0.0.5": peer}), lines


def gaussian_process(seconds: float) -> tuple[Table, list[str]]:
    """A Gaussian process' suggestion beside BoTorch's, the best of as many as the time allows."""
    timings, lines = {}, []
    for points in GP_POINTS:
        X, y = data(1, points)
        ours = best(lambda X=X, y=y: suggest(GaussianProcess(), {"search": ASCENT}, X, y), seconds)
        theirs = best(lambda X=X, y=y: peer_botorch.suggest(X[0], y[0], ASCENT.candidates, ASCENT.restarts), seconds)
        timings |= {f"ours, N = {points}": ours, f"BoTorch, N = {points}": theirs}
        ratio = sum(theirs.values()) / sum(ours.values())
        lines.append(verdict(f"GP suggestion, N = {points}", ratio, "BoTorch", TARGETS["GP"]))
    return seconds_table("Gaussian process, one suggestion: CPU seconds", timings), lines


def best(measure: Callable[[], dict[str, float]], seconds: float) -> dict[str, float]:
    """The measurement with the smallest sum, out of at least three, for as long as there is time."""
    deadline, timings = time.perf_counter() + seconds, []
    while len(timings) < 3 or time.perf_counter() < deadline:
        timings.append(measure())
    return min(timings, key=lambda parts: sum(parts.values()))


def verdict(name: str, ratio: float, peer: str, target: float) -> str:
    """A line that compares a ratio with its target."""
    return f"{name}: {ratio:.3g}x {peer}, target {target}x: {'met' if ratio >= target else 'MISSED'}"


def seconds_table(title: str, timings: dict[str, dict[str, float]]) -> Table:
    """Seconds by part, one row per contestant."""
    columns = list(dict.fromkeys(part for parts in timings.values() for part in parts))
    table = Table(title=title)
    for column in ("", *columns):
        table.add_column(column, justify="right" if column else "left")
    for name, parts in timings.items():
        table.add_row(name, *(f"{parts[part]:.3f}" if part in parts else "" for part in columns))
    return table


def report(peers: Path, seconds: float) -> tuple[list[Table], list[str]]:
    """Tables of all three models, and lines that say which targets are met."""
    parts = [bohamiann(peers), dngo(peers), gaussian_process(seconds)]
    return [table for table, _ in parts], [line for _, lines in parts for line in lines]
