"""Optuna's TPE with its own defaults, which fits again for each pick: one pick, and studies beside our samplers."""

import time
from collections.abc import Callable

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.samplers import BaseSampler, TPESampler
from optuna.trial import create_trial
from rich.table import Table

from core.integrations import HPOSampler

TRIALS = (250, 500, 1000)
OWN = "Optuna's TPESampler"
SAMPLERS: dict[str, Callable[[], BaseSampler]] = {
    OWN: lambda: TPESampler(seed=0),
    "HPOSampler('tpe')": lambda: HPOSampler("tpe", seed=0),
    "HPOSampler('random')": lambda: HPOSampler("random", seed=0),
}
TARGET = 1.0  # times the seconds of Optuna's own TPE


def pick(case: dict) -> dict[str, float]:
    """CPU seconds of the shortest pick; the case is that of `benchmarks.peer_hpbandster`."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    distributions: dict[str, BaseDistribution] = {f"x{i}": FloatDistribution(0, 1) for i in range(case["continuous"])}
    for i, count in enumerate(case["categorical"]):
        distributions[f"c{i}"] = CategoricalDistribution(range(count))
    study = optuna.create_study(sampler=TPESampler(seed=0))
    g = np.random.default_rng(0)
    for _ in range(case["points"]):
        values = {
            name: g.random() if isinstance(kind, FloatDistribution) else int(g.integers(len(kind.choices)))
            for name, kind in distributions.items()
        }
        study.add_trial(create_trial(params=values, distributions=distributions, value=g.random()))
    picks, deadline = [], time.perf_counter() + case["seconds"]
    while len(picks) < 3 or time.perf_counter() < deadline:
        start = time.process_time()
        study.ask(distributions)
        picks.append(time.process_time() - start)
    return {"pick": min(picks)}


def report(trials: tuple[int, ...] = TRIALS) -> tuple[list[Table], list[str]]:
    """A table of the CPU seconds of studies in memory, and lines that say which targets are met."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for make in SAMPLERS.values():
        study(make(), 30)  # imports and compiles
    table = Table(title="studies of Optuna in memory, six parameters: CPU seconds by number of trials")
    for column in ("", *(f"{n:,}" for n in trials)):
        table.add_column(column, justify="right" if column else "left")
    last = {}
    for name, make in SAMPLERS.items():
        seconds = [study(make(), n) for n in trials]
        last[name] = seconds[-1]
        table.add_row(name, *(f"{value:.2f}" for value in seconds))
    return [table], [verdict(name, last[name] / last[OWN]) for name in SAMPLERS if name != OWN]


def study(sampler: BaseSampler, trials: int) -> float:
    """CPU seconds of a study of a function that takes no time."""
    start = time.process_time()
    optuna.create_study(sampler=sampler).optimize(bowl, n_trials=trials)
    return time.process_time() - start


def bowl(trial: optuna.Trial) -> float:
    """Four floats, an integer and a choice."""
    loss = sum(trial.suggest_float(f"x{i}", -5, 5) ** 2 for i in range(4))
    return loss + trial.suggest_int("n", 1, 9) + (trial.suggest_categorical("c", ["a", "b", "c"]) == "a")


def verdict(name: str, ratio: float) -> str:
    """A line that compares the seconds with those of Optuna's own TPE."""
    return f"{name}: {ratio:.2f} times {OWN}, target at most {TARGET:g}: {'met' if ratio <= TARGET else 'MISSED'}"
