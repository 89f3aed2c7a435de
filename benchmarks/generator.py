"""The generator of tabular benchmarks beside training one by one in plain PyTorch: autograd, torch.optim.Adam, loops.

Data are random, of the sizes in thesis Table 7.1. A configuration costs 4 repetitions of 100 epochs, each with its
minibatches and one validation; one epoch is measured and multiplied.
"""

import time
from itertools import product

import numpy as np
import torch
from rich.table import Table

from core.training import Networks, Part, Parts, train

SETS = {"parkinsons": (3525, 1175, 20), "naval": (7160, 2387, 15), "protein": (27_438, 9146, 9)}
WIDTHS = (16, 32, 64)
SHIPPED = {"parkinsons": (1728, WIDTHS), "naval": (768, WIDTHS[:2]), "protein": (768, WIDTHS[:2])}
"""Numbers of configurations of the shipped tables, and their widths."""
TARGETS = {16: 20, 32: 20, 64: 8}  # times plain PyTorch
EPOCHS, REPETITIONS = 100, 4


def random_parts(name: str) -> Parts:
    """Random data of a set's size."""
    n, n_validation, d = SETS[name]
    g = np.random.default_rng(0)

    def part(rows):
        return Part(g.standard_normal((rows, d), np.float32), g.standard_normal(rows, np.float32))

    return Parts(part(n), part(n_validation), part(1))


def ours(parts: Parts, hidden: tuple[int, int], batch_size: int, dropout: tuple[float, float], tanh: bool) -> float:
    """CPU seconds per epoch of one network."""
    return float(train(random_networks(parts, hidden, 1, batch_size, dropout, tanh), parts).seconds[0])


def random_networks(
    parts: Parts,
    hidden: tuple[int, int],
    group: int,
    batch_size: int = 64,
    dropout: tuple[float, float] = (0.0, 0.0),
    tanh: bool = False,
) -> Networks:
    """Networks to be trained for one epoch."""
    return Networks(
        sizes=(parts.train.X.shape[1], *hidden, 1),
        batch_size=batch_size,
        tanh=np.full((group, 2), tanh),
        dropout=np.tile(np.float32(dropout), (group, 1)),
        rates=np.full((group, 1), 1e-3),
        seeds=np.arange(1, group + 1, dtype=np.uint64),
    )


def plain(parts: Parts, hidden: tuple[int, int], batch_size: int, seconds: float) -> float:
    """CPU seconds per epoch of one relu network without dropout, the shortest found within `seconds`."""
    layers, (X, y), validation = [], map(torch.from_numpy, parts.train), map(torch.from_numpy, parts.validation)
    for inputs, outputs in ((X.shape[1], hidden[0]), hidden):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    network = torch.nn.Sequential(*layers, torch.nn.Linear(hidden[1], 1))
    optimizer, loss = torch.optim.Adam(network.parameters(), lr=1e-3), torch.nn.MSELoss()
    X_validation, y_validation = validation

    best, deadline = float("inf"), time.perf_counter() + seconds
    while best == float("inf") or time.perf_counter() < deadline:
        start = time.thread_time()
        for rows in torch.randperm(len(y)).split(batch_size):
            optimizer.zero_grad()
            loss(network(X[rows]).squeeze(1), y[rows]).backward()
            optimizer.step()
        with torch.no_grad():
            loss(network(X_validation).squeeze(1), y_validation).item()
        best = min(best, time.thread_time() - start)
    return best


def minutes(name: str) -> float:
    """Core-minutes of the shipped table of a set, over all its widths, activations and dropout rates, batches of 64."""
    (configurations, widths), parts = SHIPPED[name], random_parts(name)
    rates = list(product((0.0, 0.3), (0.0, 0.3)))
    seconds = [ours(parts, *case) for case in product(product(widths, widths), (64,), rates, (False, True))]
    return float(np.mean(seconds)) * EPOCHS * REPETITIONS * configurations / 60


def report(seconds: float) -> tuple[list[Table], list[str]]:
    """Seconds per configuration by width and batch size; lines on which targets are met and what the tables cost."""
    parts, lines = random_parts("parkinsons"), []
    table = Table(title="parkinsons: CPU seconds per configuration (4 x 100 epochs), and how many times faster ours is")
    for column in ("widths", "batch", "ours", "plain PyTorch", "ratio"):
        table.add_column(column, justify="right")
    ours(parts, (16, 16), 64, (0.0, 0.0), False)  # compiles
    for width, batch_size in product(WIDTHS, (64, 8)):
        hidden = (width, width)
        mine = min(ours(parts, hidden, batch_size, (0.0, 0.0), False) for _ in range(5))
        theirs = plain(parts, hidden, batch_size, seconds)
        whole = [EPOCHS * REPETITIONS * value for value in (mine, theirs)]
        cells = (*(f"{value:.2f}" for value in whole), f"{theirs / mine:.0f}")
        table.add_row(f"{width}, {width}", str(batch_size), *cells)
        met = "met" if theirs / mine >= TARGETS[width] else "MISSED"
        lines.append(
            f"generator, {width} units, batch {batch_size}: {theirs / mine:.0f}x plain PyTorch, "
            f"target {TARGETS[width]}x: {met}"
        )
    costs = ", ".join(f"{name} {SHIPPED[name][0]:,} configurations {minutes(name):.0f}" for name in SETS)
    lines.append(f"core-minutes of the shipped tables: {costs}")
    return [table], lines
