"""Tabular benchmarks: lookups per second, and runs of the optimizers of thesis 7.4 on a table of the shipped size.

Lookups are compared with those in a file as published (`core.tabular.authors`), read as its own package reads it: the
group of the configuration's sorted JSON, then one number of an array. A run is 500 evaluations, or 125 brackets of
Hyperband and BOHB. The table is made by a formula; CPU seconds of one thread, the shortest of a few runs.
"""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
from rich.table import Table

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.search import on_table, search
from core.experiment.selection import find_cells
from core.tabular.benchmark import TabularBenchmark
from core.tabular.grid import FCNET
from core.tabular.table import synthetic_table

LOOKUPS = 1_000_000  # target, per second
RUNS, MINUTES, CORES = 500, 15.0, 2  # target for all methods except BOHAMIANN on one table
BOHB_SECONDS = 2.0  # target, per run
REPEATS = 3
IN_FILE = 200  # number of configurations in the file that lookups are compared with
METHODS = ("random", "tpe", "regularized_evolution", "reinforce", "hyperband", "bohb")


def shipped_table() -> TabularBenchmark:
    """A table of the shipped grid of parkinsons."""
    (cell,) = find_cells(Papers(), "tabular/grid/parkinsons", "quick")
    return TabularBenchmark(synthetic_table(FCNET.restricted(**cell.settings.values), 0))


def shortest(call: Callable[[], object], repeats: int = REPEATS) -> float:
    """CPU seconds of the shortest of some calls."""
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        call()
        times.append(time.thread_time() - start)
    return min(times)


def lookups(benchmark: TabularBenchmark, n: int = 1_000_000) -> dict[str, float]:
    """Lookups per second: of positions at once, of configurations at once, and one by one in a published file."""
    generator = np.random.default_rng(0)
    positions = generator.integers(benchmark.table.grid.size, size=n)
    few = benchmark.table.grid.configurations(positions[: n // 100])
    rates = {
        "positions": n / shortest(lambda: benchmark.look_up(positions, 100, generator)),
        "configurations": len(few) / shortest(lambda: benchmark.evaluate(few, 100, generator)),
    }
    with tempfile.TemporaryDirectory() as folder:
        file = written(benchmark, Path(folder) / "table.hdf5")
        known = benchmark.table.grid.configurations(positions[: n // 500] % IN_FILE)
        rates["published file"] = len(known) / shortest(lambda: [naive(file, one, generator) for one in known])
        file.close()
    return rates


def written(benchmark: TabularBenchmark, path: Path) -> h5py.File:
    """The first configurations of a table in a file of the published layout, open for reading."""
    table = benchmark.table
    with h5py.File(path, "w") as file:
        for position, configuration in enumerate(table.grid.configurations(np.arange(IN_FILE))):
            group = file.create_group(json.dumps(configuration, sort_keys=True))
            group["valid_mse"] = table.curves[position].astype(np.float64) ** 2
            group["runtime"] = table.seconds[position]
    return h5py.File(path)


def naive(file: h5py.File, configuration: dict, generator: np.random.Generator) -> tuple[float, float]:
    """Loss and cost of one configuration after all epochs."""
    group, repetition = file[json.dumps(configuration, sort_keys=True)], generator.integers(4)
    return float(group["valid_mse"][repetition][-1]), float(group["runtime"][repetition])


def run(benchmark: TabularBenchmark, method: str, repeats: int = REPEATS) -> tuple[float, int]:
    """CPU seconds of a run with the constants of the paper's scale, records included, and its number of evaluations."""
    (cell,) = find_cells(Papers(), f"tabular/methods/parkinsons/{method}", "paper")
    counts = []

    def once() -> None:
        searches = search(Context(cell, range(1)), benchmark)
        on_table(searches)
        counts.append(len(searches.records[0]))

    return shortest(once, repeats), counts[0]


def report(repeats: int = REPEATS) -> tuple[list[Table], list[str]]:
    """Tables of lookups and runs, and lines that say which targets are met."""
    benchmark = shipped_table()
    rates = lookups(benchmark)
    table = Table(title="lookups per second")
    for name in rates:
        table.add_column(name, justify="right")
    table.add_row(*(f"{rate:,.0f}" for rate in rates.values()))
    runs = Table(title="a run on a table of 1,728 configurations")
    for column in ("method", "evaluations", "CPU seconds", "us per evaluation"):
        runs.add_column(column, justify="left" if column == "method" else "right")
    seconds = {}
    for method in METHODS:
        seconds[method], count = run(benchmark, method, repeats)
        runs.add_row(method, f"{count:,}", f"{seconds[method]:.3f}", f"{seconds[method] / count * 1e6:.0f}")
    return [table, runs], verdicts(rates, seconds)


def verdicts(rates: dict[str, float], seconds: dict[str, float]) -> list[str]:
    """Lookups per second and CPU seconds per run against their targets."""
    minutes, bohb = RUNS * sum(seconds.values()) / CORES / 60, seconds["bohb"]
    rate, ratio = rates["positions"], rates["positions"] / rates["published file"]
    met = {True: "met", False: "MISSED"}
    return [
        f"lookups: {rate:,.0f} per second, {ratio:,.0f}x a published file, target {LOOKUPS:,}: {met[rate >= LOOKUPS]}",
        f"BOHB, 125 brackets: {bohb:.2f} s, target {BOHB_SECONDS:g} s: {met[bohb < BOHB_SECONDS]}",
        f"{RUNS} runs of {len(seconds)} methods on {CORES} cores: {minutes:.1f} minutes, target {MINUTES:g}: "
        f"{met[minutes < MINUTES]}",
    ]
