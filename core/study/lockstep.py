"""All runs of a cell in lockstep: one proposal serves every run.

The next points of all runs are proposed in one batch, from everything that each run has evaluated, and join the data
together (`advance`). If objectives are evaluated one configuration at a time (`run_in_lockstep`), each with a generator
of its run, then each run is a `core.study.loop.Run` with one worker, and only the proposals are made jointly. A failed
evaluation counts with the objective's worst-case loss.

Proposals are kept on the disk (`KeptProposals`), so that an interruption costs a minute of a search and not hours. A
search that begins again makes its evaluations again, in the same order and with the same random numbers, but takes the
proposals from the file; the first new one continues from the generators and memories in their last kept state, so that
it ends as if nothing had happened. What it would have evaluated otherwise is noticed by its losses.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor

from core.foundation import convergence
from core.foundation.errors import UserError
from core.foundation.progress import Progress, silent
from core.objectives.base import Objective
from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.fidelities import budgets_of, check_cost, priced
from core.optimizers.policy import Policy
from core.optimizers.proposer import Proposer
from core.optimizers.states import read_state, write_state
from core.study.journal import Journal
from core.study.loop import Run
from core.study.record import Record
from core.study.simulated import SimulatedWorkers
from core.study.trace import Trace


class Batch(Protocol):
    """A proposal: `points` of the unit cube, (runs, k, d), and any other information about them."""

    @property
    def points(self) -> Tensor: ...


B = TypeVar("B", bound=Batch)


def advance(
    propose: Callable[[Tensor, Tensor], B],
    evaluate: Callable[[B], Tensor],
    X: Tensor,
    y: Tensor,
    evaluations: int,
    progress: Progress = silent,
) -> tuple[Tensor, Tensor]:
    """The loop: propose, evaluate and add to the data until every run has all its evaluations.

    Args:
        propose: Function of X (runs, N, d) and y (runs, N) that returns the next batch of every run.
        evaluate: Function of a batch that returns its losses, (runs, k), or whatever y holds of each evaluation. The
            model that proposed the batch is still fitted to the earlier data when it is called: record its posterior
            here.
        X, y: Points and values of earlier evaluations; may be empty.
        evaluations: Number of evaluations per run, including the earlier ones.
        progress: Function called with the fraction of the new evaluations that is done.

    Returns:
        X and y of all evaluations.
    """
    before = X.shape[1]
    while X.shape[1] < evaluations:
        batch = propose(X, y)
        losses = evaluate(batch)
        X, y = torch.cat([X, batch.points], 1), torch.cat([y, losses], 1)
        progress((X.shape[1] - before) / (evaluations - before))
    return X, y


def run_on_cube(
    function: Callable[[Tensor], Tensor],
    policy: Policy,
    X: Tensor,
    generators: Sequence[torch.Generator],
    evaluations: int,
    kept: KeptProposals | None = None,
) -> tuple[Tensor, Tensor]:
    """Minimize a function of the unit cube that is evaluated for all runs at once.

    Args:
        function: Function of points (runs, k, d) that returns values (runs, k).
        X: Initial design, (runs, n, d) with n at least 1.
        generators: Generators of the policy, one per run.
        evaluations: Number of evaluations per run, including the initial design.
        kept: Where proposals are kept, from which an interrupted search continues.

    Returns:
        The points (runs, evaluations, d) and their values.
    """
    proposer = Proposer(policy, X[:, :0], generators)
    return advance(_Proposals(proposer, kept), lambda batch: function(batch.points), X, function(X), evaluations)


@dataclass(frozen=True)
class Histories:
    """Everything that all runs evaluated, in order.

    Attributes:
        X: Points of the unit cube, (runs, n, d).
        records: Records of each run, n per run.
        recommended: Number of the evaluation that each run recommends in the end, (runs,), for a policy that recommends
            configurations; None for all others.
        generators: Generators of the proposals, one per run, in their state after the search.
    """

    X: Tensor
    records: Sequence[Sequence[Record]]
    generators: Sequence[torch.Generator]
    recommended: Sequence[int] | None = None

    @property
    def loss(self) -> np.ndarray:
        """Losses, (runs, n)."""
        return np.array([[record.loss for record in records] for records in self.records])

    @property
    def cost(self) -> np.ndarray:
        """Costs, (runs, n)."""
        return np.array([[record.cost for record in records] for records in self.records])

    @property
    def failure(self) -> np.ndarray:
        """Messages (runs, n) that say why an evaluation failed, empty if it did not."""
        return np.array([[record.failure for record in records] for records in self.records], dtype=object)

    def trace(self, runs: Iterable[int]) -> Trace:
        """The trace of all runs, with the given run numbers."""
        return Trace.of(self.records, runs, self.recommended)


def run_in_lockstep(
    objective: Objective,
    policy: Policy,
    initial: Tensor,
    generators: Sequence[torch.Generator],
    evaluations: int,
    noise: Sequence[np.random.Generator],
    progress: Progress = silent,
    kept: KeptProposals | None = None,
) -> Histories:
    """Evaluate `evaluations` configurations in every run: the initial design, then what the policy proposes.

    Args:
        objective: Objective on the space that the policy encodes.
        initial: Points of the initial design, (runs, n, d); if n is 0, the first point is uniform.
        generators: Generators of the proposals, one per run.
        noise: Generators of what the objective draws, one per run.
        progress: Function called with the fraction that is done.
        kept: Where proposals are kept, from which an interrupted search continues; not for policies that learn from
            costs, which may be measured.

    Raises:
        UserError: a search that was interrupted now has other losses.
    """
    encoding, with_costs = policy.encoding, priced(policy.encoding)
    optimizers = [_ProposedTogether(encoding.space) for _ in generators]
    runs = [
        Run(own, SimulatedWorkers(objective, 1, generator), evaluations, Journal(), lambda record: None)
        for own, generator in zip(optimizers, noise, strict=True)
    ]

    def evaluate(batch: Proposed) -> Tensor:
        points = batch.points[:, 0].cpu().numpy()
        configurations, budgets = encoding.decode(points), budgets_of(encoding, points)
        for run, own, configuration, budget, notes in zip(
            runs, optimizers, configurations, budgets, batch.notes, strict=True
        ):
            run.take(own.proposed(configuration, budget, notes), batch.seconds)
        for run in runs:
            run.wants()  # continues to the next proposal, by which time the trial has been told
        last = [run.records[-1] for run in runs]
        if not with_costs:
            return batch.points.new_tensor([[record.loss] for record in last])
        return batch.points.new_tensor([[(record.loss, check_cost(record.number, record.cost))] for record in last])

    X = initial.new_empty(len(runs), 0, encoding.dimension)
    y = X.new_empty(len(runs), 0, 2) if with_costs else X[..., 0]
    proposer = Proposer(policy, initial, generators)
    X, y = advance(_Proposals(proposer, None if with_costs else kept), evaluate, X, y, evaluations, progress)
    return Histories(X, [run.records for run in runs], generators, proposer.recommend(X, y))


class _Proposals:
    """A proposer in the form that `advance` calls, after proposals that an earlier process kept."""

    def __init__(self, proposer: Proposer, kept: KeptProposals | None) -> None:
        self.proposer, self.kept = proposer, kept
        self.made = [] if kept is None else kept.resume(proposer)
        self.first: int | None = None  # evaluations before the first proposal

    def __call__(self, X: Tensor, y: Tensor) -> Proposed:
        number = X.shape[1]
        self.first = number if self.first is None else self.first
        if number - self.first < len(self.made):
            return self.made[number - self.first]
        if self.kept is not None:
            self.kept.check(y)
        start = time.process_time()  # of this process: other processes of the machine do not count
        proposal = self.proposer.propose(number, X, y, X[:, :0])
        seconds = (time.process_time() - start) / len(X)
        self.made.append(Proposed(proposal.points.to(X).unsqueeze(1), proposal.notes, seconds))
        if self.kept is not None:
            self.kept.keep(self.made, y, self.proposer)
        return self.made[-1]


class _ProposedTogether(Optimizer):
    """The optimizer of one run; trials come from the proposer of all runs, which learns from the data of `advance`."""

    def proposed(self, configuration: Mapping[str, Any], budget: float | None, notes: Mapping[str, Any]) -> Trial:
        """The next trial."""
        self._next = (configuration, budget, notes)
        return self.ask(1)[0]

    def _propose(self) -> tuple[Mapping[str, Any], float | None, Mapping[str, Any]]:
        return self._next

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        """Does nothing: the losses are in the records."""

    def _state(self) -> dict[str, Any]:
        return {}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Does nothing."""


INTERVAL = 60.0  # seconds between two writes


class Proposed(NamedTuple):
    """One point per run, (runs, 1, d), notes on each, and each run's share of the processor seconds of the proposal."""

    points: Tensor
    notes: list[dict[str, Any]]
    seconds: float


class KeptProposals:
    """The proposals of one search and their file.

    Args:
        file: The file.
        key: All that the proposals depend on: those of another search are not used.
        spent: Receives what earlier processes spent on the proposals taken from the file: `wall_seconds`, and `fits`
            as of `core.foundation.convergence.as_record`.
    """

    def __init__(self, file: Path, key: str, spent: dict[str, Any]) -> None:
        self.file, self.key, self.spent = file.absolute(), key, spent
        self._start = self._written = time.monotonic()
        self._losses: Tensor | None = None

    def resume(self, proposer: Proposer) -> list[Proposed]:
        """The proposals in the file, with the proposer in the state after the last; none of another search."""
        try:
            state = read_state(self.file)
            if state["key"] != self.key:
                return []
            columns = zip(state["points"], state["notes"], state["seconds"], strict=True)
            made = [Proposed(points, list(notes), seconds) for points, notes, seconds in columns]
        except (UserError, KeyError, TypeError, ValueError):  # absent, damaged or of another version: from the start
            return []
        for generator, generator_state in zip(proposer.generators, state["generators"], strict=True):
            generator.set_state(generator_state)
        proposer.memory = tuple(state["memory"])
        self._losses = state["losses"]
        self.spent.update(state["spent"])
        return made

    def keep(self, made: Sequence[Proposed], losses: Tensor, proposer: Proposer) -> None:
        """Write, unless the last time was less than `INTERVAL` ago; what cannot be written is warned of and missing.

        Args:
            made: All proposals; the proposer has just made the last.
            losses: What is known of those before it, (runs, n).
        """
        if (now := time.monotonic()) - self._written < INTERVAL:
            return
        seconds = self.spent.get("wall_seconds", 0.0) + now - self._start
        fits = convergence.together([self.spent.get("fits", {}), convergence.so_far()])
        state: Mapping[str, Any] = {
            "key": self.key,
            "points": [each.points for each in made],
            "notes": [each.notes for each in made],
            "seconds": [each.seconds for each in made],
            "losses": losses,
            "generators": [generator.get_state() for generator in proposer.generators],
            "memory": [dict(each) for each in proposer.memory],
            "spent": {"wall_seconds": seconds, "fits": fits},
        }
        try:
            write_state(self.file, state)
        except UserError as error:
            warnings.warn(f"{error}: an interrupted search will begin anew", RuntimeWarning, stacklevel=2)
        self._written = time.monotonic()

    def check(self, losses: Tensor) -> None:
        """Compare the losses (runs, n) of a resumed search with those before the interruption.

        Raises:
            UserError: they differ, so that the proposals do not belong to them; the file is removed.
        """
        known, self._losses = self._losses, None
        if known is None:
            return
        again = losses[:, : known.shape[1]]
        if not torch.equal(again.nan_to_num(), known.to(again).nan_to_num()):
            self.file.unlink(missing_ok=True)
            raise UserError(
                f"{self.file}: the evaluations made again have other losses than before the interruption; the file is "
                "removed, and the same command starts from the beginning"
            )
