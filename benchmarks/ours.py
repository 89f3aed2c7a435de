"""Our engines: seconds of one step of one chain, in burn-in and in sampling, and the whole protocol of Table 3.1."""

import resource
import time
from collections.abc import Callable
from functools import partial

import torch

from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.engines.choice import make_engine
from core.models.engines.problem import Engine, Problem
from core.models.network import MLP
from core.models.priors import GammaHyperprior, LogNormalNoise
from core.samplers import AdaptiveSGHMC

FUSED_STEPS = 500  # of a launch, whatever the number of chains
TABLE_3_1 = {"boston": (455, 13), "concrete": (927, 8), "yacht": (277, 6), "wine": (1439, 11), "power plant": (8611, 4)}


def best_seconds(call: Callable[[], object], seconds: float) -> float:
    """Shortest of repeated calls, at least one, within `seconds`: other load only makes a call longer."""
    deadline, best = time.perf_counter() + seconds, float("inf")
    while True:
        start = time.perf_counter()
        call()
        end = time.perf_counter()
        best = min(best, end - start)
        if end >= deadline:
            return best


def make(name: str, case: dict, runs: int, chains: int = 1, device: str = "cpu") -> tuple[Engine, torch.Tensor]:
    """An engine with `chains` chains per run on random data, and the precisions to advance it with."""
    generators = make_generators(range(runs), device)
    network, random = MLP(tuple(case["sizes"])), {"generator": generators[0], "device": device}
    X = torch.randn(runs, case["points"], network.sizes[0], **random)
    y = torch.randn(runs, case["points"], **random)
    covered = GammaHyperprior().covers(network).to(device)
    problem = Problem(network, X, y, chains, case["batch"], covered, LogNormalNoise())
    weights = network.init(generators, problem.chains, device)
    theta = torch.cat([weights, weights.new_full((problem.chains, 1), -6.9)], 1)
    sampler = AdaptiveSGHMC()
    engine = make_engine(name, problem, sampler, sampler.init(theta), generators)
    return engine, torch.ones(problem.chains, device=device)


def seconds_per_step(name: str, case: dict, device: str = "cpu") -> dict[str, list[float]]:
    """{"burn_in": [s, ...], "sampling": [s, ...]}, one entry per number of chains; on a device all are of one run."""
    best: dict[str, list[float]] = {"burn_in": [], "sampling": []}
    for chains in case["chains"]:
        engine, precision = make(name, case, *((chains, 1) if device == "cpu" else (1, chains)), device)
        steps = FUSED_STEPS if name == "fused" else max(1, (500 if name == "compiled" else 20) // chains)
        for phase in best:
            engine.advance(20, precision)  # compiles
            advance = partial(engine.advance, steps, precision)
            seconds = best_seconds(advance if device == "cpu" else partial(to_the_end, advance), case["seconds"])
            best[phase].append(seconds / steps / chains)
            engine.freeze()
    return best


def to_the_end(call: Callable[[], object]) -> None:
    """Call, and wait until a CUDA device has done what it was given."""
    call()
    torch.cuda.synchronize()


def table_3_1(runs: int = 50) -> tuple[dict[str, float], float]:
    """Seconds to fit and predict data of the five sets' shapes at paper scale, and the peak memory in GB."""
    seconds = {}
    for name, (n, d) in TABLE_3_1.items():
        generators = make_generators(range(runs))
        X = torch.randn(runs, n, d, generator=generators[0])
        y = X.sum(-1).sin() + 0.1 * torch.randn(runs, n, generator=generators[0])
        start = time.perf_counter()
        model = BayesianNetwork(widths=(50,), burn_in=1000, steps=15_000, thinning=100).fit(X, y, generators)
        model.predict(X[:, : n // 9])
        seconds[name] = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
