"""Sequential optimization of all runs of a cell in lockstep: one proposal of the policy serves every run.

Evaluation n of all runs is proposed in one batch, each run's configuration is evaluated with a generator of its own,
and the outcomes enter the data together. A failed evaluation counts with the objective's worst-case loss.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from core.benchmarks.objective import FAILURE, Objective, guarded_evaluate
from core.optimizers.proposer import Proposer


@dataclass(frozen=True)
class Histories:
    """What all runs evaluated, in order.

    Attributes:
        X: points of the unit cube, (runs, n, d).
        loss, cost: (runs, n).
        overhead: seconds a proposal took, of all runs together, (n,).
        origin, failure: (runs, n) texts: where a proposal comes from; why an evaluation failed, empty where none did.
    """

    X: Tensor
    loss: np.ndarray
    cost: np.ndarray
    overhead: np.ndarray
    origin: np.ndarray
    failure: np.ndarray

    def frame(self, runs: Sequence[int]) -> pd.DataFrame:
        """One row an evaluation: run, evaluation (from 1), loss, cost, overhead, origin, status, message.

        `overhead` is in seconds: a run's share of its proposal.
        """
        count, n = self.loss.shape
        return pd.DataFrame(
            {
                "run": np.repeat(list(runs), n),
                "evaluation": np.tile(np.arange(1, n + 1), count),
                "loss": self.loss.ravel(),
                "cost": self.cost.ravel(),
                "overhead": np.tile(self.overhead / count, count),
                "origin": self.origin.ravel(),
                "status": np.where(self.failure == "", "ok", "failed").ravel(),
                "message": self.failure.ravel(),
            }
        )


def minimise(
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
    encoding, runs = proposer.policy.encoding, len(generators)
    X = torch.empty(runs, 0, encoding.dimension, dtype=torch.float64, device=proposer.generators[0].device)
    y, pending = X.new_empty(runs, 0), X.new_empty(runs, 0, encoding.dimension)
    cost, overhead = np.empty((runs, evaluations)), np.empty(evaluations)
    origin, failure = np.full((runs, evaluations), "", dtype=object), np.full((runs, evaluations), "", dtype=object)
    for number in range(evaluations):
        start = time.perf_counter()
        proposal = proposer.propose(number, X, y, pending)
        overhead[number] = time.perf_counter() - start
        configurations = encoding.decode(proposal.points.cpu().numpy())
        losses = X.new_empty(runs, 1)
        for run, (configuration, generator) in enumerate(zip(configurations, generators, strict=True)):
            outcome = guarded_evaluate(objective, [configuration], None, generator)
            losses[run, 0], cost[run, number] = float(outcome.loss[0]), outcome.cost[0]
            failure[run, number] = outcome.info[0].get(FAILURE, "")
        origin[:, number] = proposal.origins
        X, y = torch.cat([X, proposal.points.to(X).unsqueeze(1)], 1), torch.cat([y, losses], 1)
        progress((number + 1) / evaluations)
    return Histories(X, y.cpu().numpy(), cost, overhead, origin, failure)
