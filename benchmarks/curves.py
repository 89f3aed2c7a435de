"""LC-Net on 256 curves of 40 epochs with six hyperparameters: a whole fit, and a chain-step beside pybnn's.

A step of ours sees 20 curves with all of their epochs, 800 points, one of pybnn's 20 points. The floor of a step is
that of the layers' products and of the update, see `benchmarks.breakdown`; the basis functions come on top of it.
Seconds are those of the processor.
"""

import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.breakdown import breakdown
from benchmarks.peers import run_peer
from core.models.curves.basis_network import BasisMLP
from core.models.curves.lcnet import LCNet

CURVES, EPOCHS, DIMENSION, BATCH = 256, 40, 6, 20
LONGEST, FASTER = 20.0, 10.0  # seconds of a fit; times pybnn's steps per second


def problem() -> tuple[np.ndarray, np.ndarray]:
    """Configurations (n, d) and falling curves (n, T) with noise."""
    rng = np.random.default_rng(0)
    x, t = rng.random((CURVES, DIMENSION)), np.arange(1, EPOCHS + 1) / EPOCHS
    fall = (0.3 + 0.4 * x[:, :1]) * np.exp(-(1 + 5 * x[:, 1:2]) * t)
    return x, 0.1 + 0.3 * x[:, 2:3] + fall + 0.01 * rng.standard_normal((CURVES, EPOCHS))


def report(peers: Path, seconds: float) -> tuple[list[Table], list[str]]:
    """Steps per second, and lines on the targets and the floor."""
    x, curves = problem()
    LCNet(burn_in=100, steps=200).fit(x, curves)  # compiles
    start = time.process_time()
    model = LCNet().fit(x, curves)
    whole = time.process_time() - start
    step = whole / model.model.chains / model.model.steps
    case = {"curves": CURVES, "epochs": EPOCHS, "dimension": DIMENSION, "batch": BATCH, "seconds": seconds}
    theirs = run_peer(peers, "peer_pybnn_lcnet", case)
    table = Table("", "chain-steps per second", title=f"LC-Net, {CURVES} curves of {EPOCHS} epochs")
    table.add_row("ours, 20 curves each", f"{1 / step:,.0f}")
    lines = [
        f"LC-Net, {model.model.chains} chains of {model.model.steps:,} steps: {whole:.1f} CPU seconds, "
        f"target {LONGEST:g}: {_met(whole < LONGEST)}"
    ]
    if theirs is not None:
        table.add_row("pybnn 0.0.5, 20 points each", f"{1 / theirs:,.0f}")
        ratio = theirs / step
        lines.append(f"LC-Net: {ratio:.0f}x pybnn's steps, target {FASTER:g}x: {_met(ratio >= FASTER)}")
    sizes = [DIMENSION, 50, 50, 50, BasisMLP.outputs]
    # the products of a network whose one output stands for LC-Net's; only their number of operations differs
    parts = breakdown({"sizes": [*sizes[:-1], 1], "points": CURVES, "batch": BATCH, "seconds": seconds})
    pairs = [a * b for a, b in pairwise(sizes)]
    operations = 2 * BATCH * (2 * sum(pairs) + sum(pairs[1:]))
    floor = max(operations / parts["peak"], parts["memory floor"])
    lines.append(f"LC-Net: a step takes {1e6 * step:.1f} microseconds, {step / floor:.1f} times its floor")
    return [table], lines


def _met(condition: bool) -> str:
    return "met" if condition else "MISSED"
