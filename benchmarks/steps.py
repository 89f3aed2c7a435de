"""Chain-steps per second of scale-adapted SGHMC beside pybnn, JAX and our own torch engine.

All measurements of one table run one after the other on one CPU; each is the best of many repetitions.
"""

from pathlib import Path

from rich.table import Table

from benchmarks.breakdown import breakdown
from benchmarks.ours import seconds_per_step, table_3_1
from benchmarks.peers import run_peer

NETWORKS = {"small": [13, 50, 1], "large": [6, 50, 50, 50, 1]}
TARGETS = {"small": {"one chain": 60, "many chains": 150}, "large": {"one chain": 25, "many chains": 60}}  # times pybnn


def measure(sizes: list[int], seconds: float, peers: Path) -> dict[str, dict[str, list[float]]]:
    """Seconds per chain-step of everything that can run, by name and phase, one entry per number of chains."""
    case = {"sizes": sizes, "points": 455, "batch": 20, "chains": [1, 10, 20, 50], "seconds": seconds}
    timings = {"compiled": seconds_per_step("compiled", case), "torch": seconds_per_step("torch", case)}
    others = {name: run_peer(peers, f"peer_{name}", case) for name in ("pybnn", "jax")}
    return timings | {name: measured for name, measured in others.items() if measured is not None}


def speed_table(network: str, timings: dict[str, dict[str, list[float]]]) -> Table:
    """Chain-steps per second in sampling and in burn-in, and the compiled engine's ratio to each."""
    sizes = "-".join(map(str, NETWORKS[network]))
    table = Table(title=f"{network} network, {sizes}: chain-steps per second (and how many times faster ours is)")
    for column in ("", "phase", "1 chain", "10 chains", "20 chains", "50 chains"):
        table.add_column(column, justify="left" if column in ("", "phase") else "right")
    labels = {"compiled": "ours, compiled", "torch": "ours, torch", "pybnn": "pybnn 0.0.5", "jax": "JAX"}
    for name in (key for key in labels if key in timings):
        for phase in ("sampling", "burn_in"):
            pairs = zip(timings[name][phase], timings["compiled"][phase])
            cells = [
                f"{1 / theirs:,.0f}" + ("" if name == "compiled" else f" ({theirs / ours:.1f}x)")
                for theirs, ours in pairs
            ]
            table.add_row(labels[name] if phase == "sampling" else "", phase.replace("_", "-"), *cells)
    return table


def verdicts(network: str, timings: dict[str, dict[str, list[float]]]) -> list[str]:
    """The targets, met or missed, in sampling."""
    ours, lines = timings["compiled"]["sampling"], []
    if "pybnn" in timings:
        ratios = [theirs / mine for theirs, mine in zip(timings["pybnn"]["sampling"], ours)]
        for name, ratio in (("one chain", ratios[0]), ("many chains", min(ratios[2:]))):
            target = TARGETS[network][name]
            lines.append(f"{network}, {name}: {ratio:.0f}x pybnn, target {target}x: {_met(ratio >= target)}")
    if "jax" in timings:
        ratio = min(theirs / mine for theirs, mine in zip(timings["jax"]["sampling"], ours))
        lines.append(f"{network}: at least {ratio:.1f}x JAX, target 1x: {_met(ratio >= 1)}")
    return lines


def floor_table(network: str, parts: dict[str, float]) -> Table:
    """The parts of one step in microseconds, with the floors."""
    notes = {
        "arithmetic floor": f"{parts['operations']:,.0f} operations at {parts['peak'] / 1e9:.0f} GFLOP/s, measured",
        "memory floor": f"{parts['moved'] / 1e3:.0f} kB at {parts['bandwidth'] / 1e9:.0f} GB/s, measured in cache",
    }
    table = Table(title=f"{network} network: one step, one chain, by part (parts measured alone)")
    for column in ("part", "microseconds", ""):
        table.add_column(column, justify="right" if column == "microseconds" else "left")
    for name, value in parts.items():
        if name not in ("operations", "peak", "moved", "bandwidth"):
            table.add_row(name, f"{1e6 * value:.2f}", notes.get(name, ""))
    return table


def _met(condition: bool) -> str:
    return "met" if condition else "MISSED"


def report(peers: Path, seconds: float) -> tuple[list[Table], list[str]]:
    """Tables of both networks, and lines on which targets are met, including the whole protocol of Table 3.1."""
    tables, lines = [], []
    for network, sizes in NETWORKS.items():
        timings = measure(sizes, seconds, peers)
        parts = breakdown({"sizes": sizes, "points": 455, "batch": 20, "seconds": seconds})
        tables += [speed_table(network, timings), floor_table(network, parts)]
        floor = max(parts["arithmetic floor"], parts["memory floor"])
        whole = timings["compiled"]["sampling"][0]
        lines += verdicts(network, timings)
        lines.append(f"{network}: a step takes {1e6 * whole:.2f} microseconds, {whole / floor:.1f} times its floor")
    seconds_each, memory = table_3_1()
    each, total = ", ".join(f"{name} {value:.1f}" for name, value in seconds_each.items()), sum(seconds_each.values())
    lines.append(f"Table 3.1, adaptive, 50 runs of 15,000 steps, seconds on one core: {each}; {total:.0f} in all")
    lines.append(f"within 120 s on two cores: {_met(total < 120)}; within 2 GB ({memory:.2f}): {_met(memory < 2)}")
    return tables, lines
