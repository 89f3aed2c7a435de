"""Chain-steps per second of scale-adapted SGHMC on a CUDA device, whole suggestions, and the tabular generator.

The fused engine beside the torch engine on the same device and the compiled engine on one CPU core. The floor of a step
is its arithmetic at the device's own rate for single-precision products, measured: chains stay on their multiprocessor
for all steps of a launch, so that memory is no bound. One chain has one multiprocessor, a share of that rate.
"""

import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import torch
from rich.table import Table

from benchmarks.generator import EPOCHS, REPETITIONS, random_networks, random_parts
from benchmarks.suggestion import CHAIN, data, seconds_table, suggest
from core.acquisition.maximizers import EvolutionarySearch
from core.models.bohamiann import BayesianNetwork
from core.models.engines.choice import make_engine
from core.models.engines.problem import Problem
from core.models.network import MLP
from core.models.priors import AveragedNormal, LogNormalNoise
from core.randomness import make_generators
from core.samplers import AdaptiveSGHMC
from core.training import train

SIZES, POINTS, BATCH = (6, 50, 50, 50, 1), 200, 20
CHAINS = (1, 50, 1000, 10_000)
STEPS = {"fused": 500, "torch": 10, "compiled": 200}
RUNS = 50
GROUPS = (32, 256)
WIDTHS = (64, 512)


def make(engine: str, device: str, chains: int):
    """The engine after 100 steps of burn-in, frozen or not as `seconds_per_step` asks."""
    network, prior, generators = MLP(SIZES), AveragedNormal(), make_generators([1], device)
    X = torch.randn(1, POINTS, SIZES[0], device=device)
    problem = Problem(
        network=network,
        X=X,
        y=X.sum(-1).sin(),
        chains_per_run=chains,
        batch_size=BATCH,
        covered=prior.covers(network).to(device),
        noise_prior=LogNormalNoise(),
    )
    weights = network.init(generators, chains, device)
    state = AdaptiveSGHMC().init(torch.cat([weights, weights.new_full((chains, 1), -7.0)], 1))
    return make_engine(engine, problem, AdaptiveSGHMC(), state, generators), prior.precision(weights, [])


def seconds_per_step(engine: str, device: str, chains: int, seconds: float) -> dict[str, float]:
    """Seconds per step of all chains together in burn-in and in sampling, the shortest of many repetitions."""
    sampling, precision = make(engine, device, chains)
    steps, found = STEPS[engine], {}
    for phase in ("burn_in", "sampling"):
        if phase == "sampling":
            sampling.freeze()
        found[phase] = shortest(lambda: sampling.advance(steps, precision), device, seconds) / steps
    return found


def shortest(run: Callable[[], object], device: str, seconds: float) -> float:
    """Seconds of a call, the shortest found within `seconds`, after a first one that compiles."""
    run()
    best, deadline = float("inf"), time.perf_counter() + seconds
    while best == float("inf") or time.perf_counter() < deadline:
        if device != "cpu":
            torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        if device != "cpu":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best


def suggestion(device: str, runs: int) -> dict[str, float]:
    """Seconds of a fit and of a search of `runs` runs in lockstep, per run, after shorter ones that compile."""
    searches = {"differential evolution, 20 generations, polished": EvolutionarySearch(iterations=20, polish=True)}
    for burn_in, steps in ((100, 300), (CHAIN["burn_in"], CHAIN["steps"])):
        model = BayesianNetwork(burn_in=burn_in, steps=steps, weight_prior=AveragedNormal(), device=device)
        seconds = suggest(model, searches, *data(runs, CHAIN["points"], device))
    return {part: value / runs for part, value in seconds.items()}


def operations() -> float:
    """Floating-point operations of the matrix products of a chain-step, forwards and backwards."""
    return 6.0 * BATCH * sum(inputs * outputs for inputs, outputs in pairwise(SIZES))


def rate(seconds: float) -> float:
    """Operations per second of a product of large single-precision matrices."""
    A = torch.randn(8192, 8192, device="cuda")
    return 2 * 8192**3 / shortest(lambda: A @ A, "cuda", seconds)


def report(seconds: float) -> tuple[list[Table], list[str]]:
    """Both tables; without a device, one line that says so."""
    if not torch.cuda.is_available():
        return [], ["device: there is no CUDA device"]
    name, peak = torch.cuda.get_device_name(), rate(seconds)
    units = torch.cuda.get_device_properties(0).multi_processor_count
    chains = Table(title=f"{name}, {'-'.join(map(str, SIZES))}, batches of {BATCH}: chain-steps per second")
    for column in ("chains", "phase", "fused", "torch", "ratio", "of the floor", "CPU cores it replaces"):
        chains.add_column(column, justify="right")
    compiled = seconds_per_step("compiled", "cpu", 1, seconds)
    for number in CHAINS:
        fused, torch_ = (seconds_per_step(engine, "cuda", number, seconds) for engine in ("fused", "torch"))
        floor = operations() * number / (peak * min(1, number / units))
        for phase, took in fused.items():
            cells = (
                f"{number / took:,.0f}",
                f"{number / torch_[phase]:,.0f}",
                f"{torch_[phase] / took:.1f}",
                f"{floor / took:.1%}",
                f"{number * compiled[phase] / took:,.0f}",
            )
            chains.add_row(f"{number:,}", phase, *cells)
    suggestions = seconds_table(
        f"BOHAMIANN, one suggestion as in thesis Fig 3.3, N = {CHAIN['points']}: seconds per run",
        {f"{name}, {RUNS} runs together": suggestion("cuda", RUNS), "one CPU core": suggestion("cpu", 1)},
    )
    training = Table(title=f"{name}: the tabular generator, parkinsons, batches of 64, configurations per second")
    for column in ("widths", "networks at once", "device", "one CPU core", "ratio"):
        training.add_column(column, justify="right")
    parts = random_parts("parkinsons")
    for width in WIDTHS:
        alone = EPOCHS * REPETITIONS * float(train(random_networks(parts, (width, width), 1), parts).seconds[0])
        for group in GROUPS:
            networks = random_networks(parts, (width, width), group)
            took = shortest(partial(train, networks, parts, "cuda"), "cuda", 0) * EPOCHS * REPETITIONS / group
            training.add_row(
                f"{width}, {width}", f"{group}", f"{1 / took:.3g}", f"{1 / alone:.3g}", f"{alone / took:.1f}"
            )
    return [chains, suggestions, training], [f"device: products of single precision at {peak / 1e12:.1f} TFLOP/s"]
