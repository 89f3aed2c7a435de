"""All runs of a cell in lockstep: one proposal of the policy serves every run.

Evaluation n of all runs is proposed in one batch, each run's configuration is evaluated with a generator of its own,
and the outcomes enter the data together. Each run is a `core.study.loop.Run` with one worker; what is together is the
asking alone. A failed evaluation counts with the objective's worst-case loss.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from core.benchmarks.objective import Objective
from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.proposer import Proposer
from core.optimizers.records import Record
from core.study.journal import Journal
from core.study.loop import Run
from core.study.simulated import SimulatedWorkers


@dataclass(frozen=True)
class Histories:
    """What all runs evaluated, in order.

    Attributes:
        X: points of the unit cube, (runs, n, d).
        records: of each run, n.
    """

    X: Tensor
    records: Sequence[Sequence[Record]]

    @property
    def loss(self) -> np.ndarray:
        """(runs, n)."""
        return np.array([[record.loss for record in records] for records in self.records])

    @property
    def cost(self) -> np.ndarray:
        """(runs, n)."""
        return np.array([[record.cost for record in records] for records in self.records])

    @property
    def failure(self) -> np.ndarray:
        """(runs, n) texts: why an evaluation failed, empty where none did."""
        return np.array([[record.failure for record in records] for records in self.records], dtype=object)

    def frame(self, runs: Sequence[int]) -> pd.DataFrame:
        """One row an evaluation, see `evaluations_of`."""
        frames = [evaluations_of(records, run) for run, records in zip(runs, self.records, strict=True)]
        return pd.concat(frames, ignore_index=True)


def evaluations_of(records: Sequence[Record], run: int) -> pd.DataFrame:
    """A row for each evaluation of a run: run, evaluation (from 1), loss, cost, overhead, origin, status, message.

    `overhead` is the seconds of the proposal, of runs in lockstep a run's share of them.
    """
    return pd.DataFrame(
        {
            "run": run,
            "evaluation": np.arange(1, len(records) + 1),
            "loss": [record.loss for record in records],
            "cost": [record.cost for record in records],
            "overhead": [record.overhead for record in records],
            "origin": [record.notes.get("origin", "") for record in records],
            "status": ["failed" if record.failure else "ok" for record in records],
            "message": [record.failure for record in records],
        }
    )


def run_in_lockstep(
    objective: Objective,
    proposer: Proposer,
    evaluations: int,
    generators: Sequence[np.random.Generator],
    progress: Callable[[float], None] = lambda fraction: None,
) -> Histories:
    """Evaluate `evaluations` configurations in every run.

    Args:
        objective: of the space that the proposer's policy encodes.
        proposer: for as many runs as there are generators.
        generators: one a run, for what the objective draws.
        progress: is called with the fraction that is done.
    """
    encoding, device = proposer.policy.encoding, proposer.generators[0].device
    told = [_Told(encoding.space) for _ in generators]
    runs = [
        Run(own, SimulatedWorkers(objective, 1, generator), evaluations, Journal(), lambda record: None)
        for own, generator in zip(told, generators, strict=True)
    ]
    empty = torch.empty(len(runs), 0, encoding.dimension, dtype=torch.float64, device=device)
    X, y = empty, empty[..., 0]
    while min(run.wants() for run in runs):  # of all of them: `all` would stop at the first that is over
        number = X.shape[1]
        if number:
            progress(number / evaluations)
            y = torch.tensor([own.losses for own in told], dtype=torch.float64, device=device)
        start = time.perf_counter()
        proposal = proposer.propose(number, X, y, empty)
        seconds = (time.perf_counter() - start) / len(runs)
        X = torch.cat([X, proposal.points.to(X).unsqueeze(1)], 1)
        configurations = encoding.decode(proposal.points.cpu().numpy())
        for run, own, configuration, origin in zip(runs, told, configurations, proposal.origins, strict=True):
            run.take(own.proposed(configuration, origin), seconds)
    progress(1.0)
    return Histories(X, [run.records for run in runs])


class _Told(Optimizer):
    """What one run is told; its trials come from the proposer of all runs.

    Attributes:
        losses: in the order of telling.
    """

    def __init__(self, space: Any) -> None:
        super().__init__(space)
        self.losses: list[float] = []

    def proposed(self, configuration: Mapping[str, Any], origin: str) -> Trial:
        """The next trial."""
        self._next = (configuration, None, {"origin": origin})
        return self.ask(1)[0]

    def _propose(self) -> tuple[Mapping[str, Any], None, Mapping[str, Any]]:
        return self._next

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        self.losses.append(outcome.loss)

    def _state(self) -> dict[str, Any]:
        return {"losses": list(self.losses)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.losses = list(state["losses"])
