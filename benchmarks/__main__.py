"""Print speed compared with peers, by subject: `python -m benchmarks`, or `python -m benchmarks suggestion growth`.

    steps        chain-steps per second of scale-adapted SGHMC: pybnn, JAX, our torch engine, and a step's floor
    simd         what explicit vectors gain over plain numba in a step
    suggestion   fit and search of BOHAMIANN and DNGO (pybnn) and of the Gaussian process (BoTorch)
    entropy_search  one suggestion by part and number of observations (BoTorch's joint entropy search)
    fabolas      one suggestion by part and number of observations (BoTorch's multi-fidelity max-value entropy search)
    curves       LC-Net on 256 learning curves: a fit, and its steps (pybnn)
    embedding    MT-BOHAMIANN's steps beside BOHAMIANN's
    growth       seconds of fit and search from 10^2 to 10^5 observations
    bohb         BOHB's picks (hpbandster, Optuna's TPE), TPE's (Optuna's) and whole runs
    generator    training of tabular benchmarks (plain PyTorch, one by one), and the cost of the shipped tables
    device       chain-steps and configurations per second on a CUDA device (the torch engine, one CPU core)
    commands     what a user waits for: drawing, listing, rerunning what is finished
    workers      searches on 64 threads and 16 processes, as multiples of the ideal time (Dask, Optuna)
    own_function 20 evaluations of a user's function, and the replay of a finished journal
    tabular      lookups in tabular benchmarks (published files), and runs of optimizers on them
    ablr         a joint fit of 9 tasks and one at hand, from 450 to 45,000 evaluations
    optuna       studies of 1,000 trials with our methods as samplers (Optuna's TPE)
    profet       1,000 generated tasks, training of a meta-model, seven optimizers on generated tasks (emukit)

Between machines, compare ratios, not seconds. pybnn, JAX and hpbandster run in `.venv-peers`; where that is missing,
only our code is measured.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from benchmarks import (
    ablr,
    bohb,
    commands,
    curves,
    device,
    embedding,
    entropy_search,
    fabolas,
    generator,
    growth,
    own_function,
    peer_optuna,
    profet,
    simd,
    steps,
    suggestion,
    tabular,
    workers,
)

SUBJECTS: dict[str, Callable[[Path, float], tuple[list[Table], list[str]]]] = {
    "steps": steps.report,
    "simd": lambda peers, seconds: simd.report(seconds),
    "suggestion": suggestion.report,
    "entropy_search": lambda peers, seconds: entropy_search.report(seconds),
    "fabolas": lambda peers, seconds: fabolas.report(seconds),
    "curves": curves.report,
    "embedding": lambda peers, seconds: embedding.report(seconds),
    "growth": lambda peers, seconds: growth.report(),
    "bohb": bohb.report,
    "device": lambda peers, seconds: device.report(seconds),
    "generator": lambda peers, seconds: generator.report(seconds),
    "commands": lambda peers, seconds: commands.report(),
    "own_function": lambda peers, seconds: own_function.report(),
    "workers": lambda peers, seconds: workers.report(),
    "tabular": lambda peers, seconds: tabular.report(),
    "ablr": lambda peers, seconds: ablr.report(),
    "optuna": lambda peers, seconds: peer_optuna.report(),
    "profet": lambda peers, seconds: profet.report(seconds),
}


def main() -> None:
    """Run the subjects and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("subjects", nargs="*", help=f"any of {', '.join(SUBJECTS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each short measurement (default: 2)")
    parser.add_argument("--peers", type=Path, default=Path(".venv-peers"), help="the peers' environment")
    options = parser.parse_args()
    unknown = [name for name in options.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {', '.join(unknown)}; allowed: {', '.join(SUBJECTS)}")
    torch.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    console = Console(width=120)
    if not (options.peers / "bin" / "python").exists():
        console.print(f"[bold]no peers in {options.peers}: run `make bench`; only our code is measured[/bold]")
    lines: list[str] = []
    for name in options.subjects or SUBJECTS:
        tables, verdicts = SUBJECTS[name](options.peers, options.seconds)
        lines += verdicts
        for table in tables:
            console.print(table)
    for line in lines:
        console.print(line)


if __name__ == "__main__":
    main()
