"""Chain-steps per second of scale-adapted SGHMC on a CUDA device, whole suggestions, and the tabular generator.

The fused engine beside the torch engine on the same device and the compiled engine on one CPU core. The floor of a step
is its arithmetic at the device's own rate for single-precision products, measured: chains stay on their multiprocessor
for all steps of a launch, so that memory is no bound. One chain has one multiprocessor, a share of that rate.
"""

from functools import partial
from itertools import pairwise

import torch
from rich.table import Table

from benchmarks.generator import EPOCHS, REPETITIONS, random_networks, random_parts
from benchmarks.ours import best_seconds, seconds_per_step, to_the_end
from benchmarks.suggestion import CHAIN, data, seconds_table, suggest
from core.acquisition.maximizers import EvolutionarySearch
from core.models.bohamiann import BayesianNetwork
from core.models.priors import AveragedNormal
from core.training import train

SIZES, BATCH = (6, 50, 50, 50, 1), 20
CHAINS = (1, 50, 1000, 10_000)
RUNS = 50
GROUPS = (32, 256)
WIDTHS = (64, 512)


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
    to_the_end(lambda: A @ A)  # loads what multiplies
    return 2 * 8192**3 / best_seconds(partial(to_the_end, lambda: A @ A), seconds)


def report(seconds: float) -> tuple[list[Table], list[str]]:
    """Both tables; without a device, one line that says so."""
    if not torch.cuda.is_available():
        return [], ["device: there is no CUDA device"]
    name, peak = torch.cuda.get_device_name(), rate(seconds)
    units = torch.cuda.get_device_properties(0).multi_processor_count
    chains = Table(title=f"{name}, {'-'.join(map(str, SIZES))}, batches of {BATCH}: chain-steps per second")
    for column in ("chains", "phase", "fused", "torch", "ratio", "of the floor", "CPU cores it replaces"):
        chains.add_column(column, justify="right")
    case = {"sizes": SIZES, "points": 200, "batch": BATCH, "seconds": seconds}
    core = seconds_per_step("compiled", case | {"chains": [1]})
    fused, torch_ = (seconds_per_step(engine, case | {"chains": CHAINS}, "cuda") for engine in ("fused", "torch"))
    for place, number in enumerate(CHAINS):
        floor = operations() / (peak * min(1, number / units))  # of a chain's share of the device
        for phase in fused:
            mine, theirs = fused[phase][place], torch_[phase][place]
            cells = (
                f"{1 / mine:,.0f}",
                f"{1 / theirs:,.0f}",
                f"{theirs / mine:.1f}",
                f"{floor / mine:.1%}",
                f"{core[phase][0] / mine:,.0f}",
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
            train(networks, parts, "cuda")  # loads what multiplies
            took = best_seconds(partial(train, networks, parts, "cuda"), 0) * EPOCHS * REPETITIONS / group
            training.add_row(
                f"{width}, {width}", f"{group}", f"{1 / took:.3g}", f"{1 / alone:.3g}", f"{alone / took:.1f}"
            )
    return [chains, suggestions, training], [f"device: products of single precision at {peak / 1e12:.1f} TFLOP/s"]
