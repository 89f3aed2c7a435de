"""The simulated clock and real worker processes give the same schedule on a deterministic objective.

A trial on a real worker ends when its file appears. The test makes these files one by one, each after the optimizer was
told of the one before, in the order of the simulated ends: results arrive as their durations say and no time is
measured. What the drivers do with that order, which trials they start when and where, is theirs.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace

from core.objectives.base import Evaluation, Fidelity
from core.optimizers.bohb import BOHB
from core.optimizers.hyperband import Hyperband, SuccessiveHalving
from core.optimizers.random_search import RandomSearch
from core.optimizers.settings import BOHBSettings, HyperbandSettings, SuccessiveHalvingSettings
from core.optimizers.tpe import TPE
from core.study import local_workers, run_parallel, simulate

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the workers cannot import the tests

WORKERS = 3
STUCK_SECONDS = 60  # without any trial ending, of a test that fails
SPACE = ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0), "kind": ["a", "b", "c"]})
BANDITS = {
    "successive_halving": (SuccessiveHalving, SuccessiveHalvingSettings(brackets=2)),
    "hyperband": (Hyperband, HyperbandSettings(brackets=5)),
    "bohb": (BOHB, BOHBSettings(brackets=12, random_fraction=0.2)),
}
ENDLESS = {"random_search": RandomSearch, "tpe": TPE}


@pytest.fixture(scope="module")
def address():
    with local_workers(WORKERS) as scheduler:
        yield scheduler


class Curve:
    """Deterministic, with losses and durations of its own for each configuration and budget; a quarter fails."""

    space, optimum, worst_loss = SPACE, None, 9.0

    def __init__(self, fidelity: Fidelity | None) -> None:
        self.fidelity = fidelity

    def evaluate(self, configurations, budget, generator) -> Evaluation:
        (c,) = configurations
        spread = (c["x"] - 0.3) ** 2 + (c["y"] - 0.6) ** 2 + "abc".index(c["kind"])
        loss = spread + np.cos(40 * c["x"]) / (budget or 1)
        duration = (budget or 1) * (0.5 + 3 * abs(np.sin(100 * c["y"])))
        failed = int(1e6 * c["x"]) % 4 == 0
        return Evaluation(np.array([np.nan if failed else loss]), np.array([duration]), ({},))


class Gated(Curve):
    """Ends when it may."""

    def __init__(self, folder: Path, fidelity: Fidelity | None) -> None:
        super().__init__(fidelity)
        self.folder = folder

    def evaluate(self, configurations, budget, generator) -> Evaluation:
        differ = self.folder / "differ"
        while not gate(self.folder, configurations[0], budget).exists():
            if differ.exists() or time.time() - self.folder.stat().st_mtime > STUCK_SECONDS:
                differ.touch()  # for the others to end as well
                raise TimeoutError("its turn never comes: the schedules differ")
            time.sleep(0.002)
        return super().evaluate(configurations, budget, generator)


def gate(folder: Path, configuration, budget) -> Path:
    return folder / f"{configuration['x']!r}-{configuration['y']!r}-{budget}"


def noted(optimizer_class):
    """The class with a list `events` of what its instances proposed and were told, in order."""

    class Noted(optimizer_class):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.events = []

        def _propose(self):
            proposal = super()._propose()
            if proposal is not None:
                self.events.append(("asked", self._asked))
            return proposal

        def _observe(self, trial, outcome):
            self.events.append(("told", trial.number))
            super()._observe(trial, outcome)

    return Noted


def both(make, fidelity: Fidelity | None, evaluations: int, address: str, folder: Path):
    """The optimizers and the records of the simulated and of the real run."""
    on_clock, on_workers = make(), make()
    simulated = simulate(on_clock, Curve(fidelity), WORKERS, np.random.default_rng(0), evaluations=evaluations)
    gates = [gate(folder, record.configuration, record.budget) for record in simulated]
    gates[0].touch()
    ends = iter(gates[1:])

    def open_next(record):
        if (following := next(ends, None)) is not None:
            following.touch()

    objective = Gated(folder, fidelity)
    real = run_parallel(on_workers, objective, evaluations, seed=0, address=address, report=open_next)
    return on_clock, on_workers, simulated, real


def outline(records) -> list[tuple]:
    """All that a record says beside its times on the clock."""
    return [
        (r.number, dict(r.configuration), r.budget, r.loss, r.cost, r.failure, r.worker, dict(r.notes)) for r in records
    ]


@pytest.mark.parametrize("name", BANDITS)
def test_bandits_evaluate_the_same_trials_at_the_same_places_in_the_same_order(name, address, tmp_path):
    kind, settings = BANDITS[name]

    def make():
        return noted(kind)(SPACE, np.random.default_rng(0), 1, 9, settings)

    on_clock, on_workers, simulated, real = both(make, Fidelity("epochs", 1, 9), 1000, address, tmp_path)
    assert on_clock.finished and on_workers.finished
    assert outline(real) == outline(simulated)
    assert on_workers.events == on_clock.events
    assert any(record.failure for record in real)
    told = [record.number for record in real]
    assert told != sorted(told)  # durations differ: results do not arrive in the order of the starts
    brackets = [record.notes["bracket"] for record in sorted(real, key=lambda record: record.number)]
    assert brackets != sorted(brackets)  # brackets overlap
    if name == "bohb":
        assert [record.notes["origin"] for record in real].count("model") > 10


@pytest.mark.parametrize("name", ENDLESS)
def test_so_do_optimizers_without_budgets(name, address, tmp_path):
    def make():
        return noted(ENDLESS[name])(SPACE, np.random.default_rng(0))

    on_clock, on_workers, simulated, real = both(make, None, 40, address, tmp_path)
    assert len(real) == 40 and outline(real) == outline(simulated)
    assert on_workers.events == on_clock.events
