"""BOHB's picks beside hpbandster's generator and Optuna's TPE, our TPE's beside Optuna's, and whole runs of BOHB.

A pick comes after 50 or 500 observations, of our TPE also after 4,000, of uniform configurations with random losses,
all on the largest budget, in 6 continuous dimensions and in 16, of which 8 are choices of 3. Its time includes the fit
that a new observation requires, and 64 candidates; Optuna's TPE has its defaults, of which 24 candidates are those of
our TPE. Whole runs are simulated on a free objective with one worker and with 32; hpbandster's hang under numpy 2.
Times are CPU seconds of one thread; compiled functions are in numba's cache before the clock starts.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace, Float
from rich.table import Table

from benchmarks import peer_optuna
from benchmarks.peers import run_peer
from benchmarks.suggestion import verdict
from core.objectives.base import Evaluation, Fidelity
from core.optimizers.base import Optimizer
from core.optimizers.bohb import BOHB
from core.optimizers.parzen import TreeParzen
from core.optimizers.settings import BOHBSettings, TPESettings
from core.study import simulate

SPACES = {"6 continuous": {"continuous": 6, "categorical": []}, "16 mixed": {"continuous": 8, "categorical": [3] * 8}}
POINTS = (50, 500)
TPE_POINTS = (50, 500, 4000)  # the last is the length of the runs on counting ones
OPTUNA = "Optuna's TPE"
PICK_TARGETS = {"hpbandster": 50, OPTUNA: 1}  # times the peer
EVALUATIONS, RUN_TARGET = 2000, 2000  # per run; per second


class Free:
    """Random losses at hardly any cost; an `Objective`."""

    fidelity, optimum, worst_loss = Fidelity("budget", 1, 27), None, 1.0

    def __init__(self, space: ConfigurationSpace) -> None:
        self.space = space

    def evaluate(self, configurations: Any, budget: float | None, generator: np.random.Generator) -> Evaluation:
        return Evaluation(generator.random(len(configurations)), np.full(len(configurations), budget), ({},))


def space_of(case: dict) -> ConfigurationSpace:
    """A case's space of numbers in [0, 1] and choices."""
    space = ConfigurationSpace()
    space.add(*(Float(f"x{i}", (0.0, 1.0)) for i in range(case["continuous"])))
    space.add(*(Categorical(f"c{i}", list(range(count))) for i, count in enumerate(case["categorical"])))
    return space


def pick(case: dict) -> dict[str, float]:
    """Shortest CPU seconds of our fit after an observation, and of the pick."""
    optimizer = BOHB(space_of(case), np.random.default_rng(0), 1, 1, BOHBSettings(random_fraction=1.0))
    _tell_random_losses(optimizer, case["points"])
    optimizer.settings = BOHBSettings(random_fraction=0.0)
    state = optimizer.state_dict()
    fit = shortest(optimizer.model, case["seconds"] / 2, before=lambda: optimizer.load_state_dict(state))  # none fitted
    return {"fit": fit, "pick": shortest(optimizer.ask, case["seconds"] / 2)}


def picks(peers: Path, seconds: float) -> tuple[Table, list[str]]:
    """Milliseconds of a pick of all three, including its fit."""
    table, lines = Table(title="BOHB: milliseconds of a model-based pick, including its fit"), []
    for column in ("space", "observations", "ours: fit", "ours: pick", "ours", "hpbandster", OPTUNA):
        table.add_column(column, justify="left" if column == "space" else "right")
    for name, space in SPACES.items():
        for points in POINTS:
            case = {**space, "points": points, "seconds": seconds}
            ours = pick(case)
            theirs = {"hpbandster": run_peer(peers, "peer_hpbandster", case), OPTUNA: peer_optuna.pick(case)}
            total = sum(ours.values())
            cells = [f"{1e3 * value:.2f}" for value in (*ours.values(), total)]
            cells += [f"{1e3 * sum(parts.values()):.1f}" if parts else "" for parts in theirs.values()]
            table.add_row(name, str(points), *cells)
            for peer, parts in theirs.items():
                if parts:
                    ratio = sum(parts.values()) / total
                    lines.append(verdict(f"BOHB pick, {name}, {points} observations", ratio, peer, PICK_TARGETS[peer]))
    return table, lines


def _tell_random_losses(optimizer: Optimizer, n: int) -> None:
    losses = np.random.default_rng(0).random((n, 1))
    for trial, loss in zip(optimizer.ask(n), losses):
        optimizer.tell(trial, Evaluation(loss, np.ones(1), ({},)))


def tree_parzen_picks(seconds: float) -> tuple[Table, list[str]]:
    """Milliseconds of a pick of our TPE and of Optuna's."""
    table, lines = Table(title="TPE: milliseconds of a model-based pick, including its fit"), []
    for column in ("space", "observations", "ours", "Optuna's"):
        table.add_column(column, justify="left" if column == "space" else "right")
    for name, space in SPACES.items():
        for points in TPE_POINTS:
            optimizer = TreeParzen(
                space_of(space),
                np.random.default_rng(0),
                TPESettings(joint=False, initial_design=20, share=0.25, candidates=24),
            )
            _tell_random_losses(optimizer, points)
            ours = shortest(optimizer.ask, seconds)
            peer = peer_optuna.pick({**space, "points": points, "seconds": seconds})["pick"]
            table.add_row(name, str(points), f"{1e3 * ours:.2f}", f"{1e3 * peer:.1f}")
            what = f"TPE pick, {name}, {points} observations"
            lines.append(verdict(what, peer / ours, OPTUNA, PICK_TARGETS[OPTUNA]))
    return table, lines


def runs(seconds: float) -> tuple[Table, list[str]]:
    """Evaluations per second in whole runs."""
    table, lines = Table(title=f"BOHB: evaluations per second in runs of {EVALUATIONS:,} on a free objective"), []
    for column in ("space", "1 worker", "32 workers"):
        table.add_column(column, justify="left" if column == "space" else "right")
    for name, case in SPACES.items():
        space = space_of(case)

        def run(workers: int, space: ConfigurationSpace = space) -> None:
            optimizer = BOHB(space, np.random.default_rng(0), 1, 27)
            simulate(optimizer, Free(space), workers, np.random.default_rng(1), evaluations=EVALUATIONS)

        rates = [EVALUATIONS / shortest(partial(run, workers), 2 * seconds) for workers in (1, 32)]
        table.add_row(name, *(f"{rate:,.0f}" for rate in rates))
        met = "met" if min(rates) > RUN_TARGET else "MISSED"
        lines.append(f"BOHB runs, {name}: {min(rates):,.0f} evaluations per second, target {RUN_TARGET:,}: {met}")
    return table, lines


def report(peers: Path, seconds: float) -> tuple[list[Table], list[str]]:
    """Tables of picks and runs, and lines that say which targets are met."""
    parts = [picks(peers, seconds), tree_parzen_picks(seconds), runs(seconds)]
    return [table for table, _ in parts], [line for _, lines in parts for line in lines]


def shortest(run: Callable[[], Any], seconds: float, before: Callable[[], Any] = lambda: None) -> float:
    """CPU seconds of the shortest of at least three calls, for as long as there is time; `before` is not counted."""
    times, deadline = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < deadline:
        before()
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)
