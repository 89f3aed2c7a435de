"""The order of proposals: an initial design, then a policy; a run whose model fails gets a uniform point instead.

All runs get their proposals in one batch. If a model fails in any run, each run gets its proposal separately, from the
state that it was in before, so that a failing run changes nothing for the others. The memory of a failing run stays as
it was before the failure, so that chains which diverged are not continued. Only a `ModelError` counts as a failure of
the model.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from core.foundation.errors import ModelError, UserError
from core.optimizers.policy import DOUBT, Memory, Policy, Recommending, RunMemory, alike, no_memory, uniform_points

INITIAL, POLICY, RANDOM = "initial design", "policy", "random"
FAILED = f"{RANDOM}: the model failed: "
BATCH = "failure of the batch"  # a note: why the proposals were made run by run

T = TypeVar("T")
P = TypeVar("P", bound=Policy)


@dataclass(frozen=True)
class Proposal:
    """The next point of each run, (runs, d), its origin, which has the message if a model failed, and other notes."""

    points: Tensor
    origins: tuple[str, ...]
    others: tuple[Mapping[str, Any], ...] = ()

    @property
    def notes(self) -> list[dict[str, Any]]:
        """For each run: the origin, and what the policy noted."""
        return [{"origin": origin, **more} for origin, more in zip(self.origins, self.others or cycle([{}]))]


class _Next(NamedTuple):
    """The next point of one run, (d,), where it comes from, what is noted and what is remembered."""

    point: Tensor
    origin: str
    notes: Mapping[str, Any]
    memory: RunMemory


class Proposer:
    """Makes the proposals of all runs.

    Args:
        policy: Policy that proposes after the initial design.
        initial: Points of the initial design, (runs, n, d); if n is 0, the first point is uniform.
        generators: Generators, one per run.

    Attributes:
        memory: Memory of the policy for each run, see `core.optimizers.policy`.

    Raises:
        UserError: the number of generators or coordinates does not fit.
    """

    def __init__(self, policy: Policy, initial: Tensor, generators: Sequence[torch.Generator]) -> None:
        if initial.ndim != 3 or initial.shape[0] != len(generators) or initial.shape[2] != policy.encoding.dimension:
            raise UserError(
                f"initial design: has shape {tuple(initial.shape)}, expected ({len(generators)}, n, "
                f"{policy.encoding.dimension})"
            )
        self.policy, self.initial, self.generators = policy, initial, list(generators)
        self.memory = no_memory(len(self.generators))
        self._warned: set[str] = set()

    def copied(self) -> Proposer:
        """A copy in the same state, whose use leaves the original unchanged."""
        other = Proposer(self.policy, self.initial, [generator.clone_state() for generator in self.generators])
        other.memory = self.memory
        return other

    def propose(self, number: int, X: Tensor, y: Tensor, pending: Tensor) -> Proposal:
        """The points for evaluation `number` of each run, counted from 0. The first failure of a model and the first
        doubt of the policy are warned of.

        Args:
            X: Evaluated points (runs, N, d).
            y: Losses (runs, N), or losses and costs (runs, N, 2).
            pending: Points under evaluation (runs, J, d).

        Raises:
            UserError: the policy's settings do not allow what was observed; no model has failed then.
        """
        runs = len(self.generators)
        if number < self.initial.shape[1]:
            return Proposal(self.initial[:, number], (INITIAL,) * runs)
        if X.shape[1] == 0:
            return Proposal(uniform_points(self.policy.encoding, 1, self.generators).squeeze(1), (RANDOM,) * runs)
        proposed = self._attempt(lambda rows: self._ask(rows, X, y, pending), self._uniform)
        points, origins, notes, memory = zip(*(one if why is None else _noted(one, why) for one, why in proposed))
        self.memory = memory
        self._warn(number, FAILED, [origin if origin.startswith(FAILED) else "" for origin in origins])
        self._warn(number, DOUBT, [each.get(DOUBT, "") for each in notes])
        return Proposal(torch.stack(points), origins, notes)

    def recommend(self, X: Tensor, y: Tensor) -> list[int] | None:
        """The evaluation whose configuration each run recommends, None if the policy recommends none.

        Where a model fails, which is warned of, it is the one with the smallest loss. Raises as `propose`.
        """
        policy = self.policy
        if not isinstance(policy, Recommending):
            return None
        losses = y[..., 0] if y.ndim == 3 else y

        def ask(rows: list[int]) -> list[int]:
            some, memory, generators = self._of_runs(policy, rows)
            suggestion = some.recommend(memory, X[rows], y[rows], generators)
            return [int(notes["recommended"]) for notes in suggestion.notes]

        def smallest(run: int, error: ModelError) -> int:
            best = int(losses[run].argmin())
            where = f" of run {run}" if len(X) > 1 else ""
            warnings.warn(f"the recommendation{where} is the smallest loss: the model failed: {error}", stacklevel=7)
            return best

        return [number for number, _ in self._attempt(ask, smallest)]

    def _attempt(
        self, ask: Callable[[list[int]], list[T]], otherwise: Callable[[int, ModelError], T]
    ) -> list[tuple[T, str | None]]:
        """The result for each run, and the failure of its batch if the runs were asked one by one.

        Args:
            ask: Function of some runs that returns a result for each; it raises ModelError if a model fails in any.
            otherwise: Function of a run that failed alone, and its failure, that returns the replacement of its result.
        """
        results: dict[int, tuple[T, str | None]] = {}
        for rows in alike(self.memory):
            states = [self.generators[run].get_state() for run in rows]
            try:
                results.update((run, (one, None)) for run, one in zip(rows, ask(rows), strict=True))
            except ModelError as error:
                if len(rows) == 1:
                    results[rows[0]] = otherwise(rows[0], error), None
                    continue
                for run, state in zip(rows, states, strict=True):
                    self.generators[run].set_state(state)
                    results[run] = self._alone(run, ask, otherwise), str(error)
        return [results[run] for run in range(len(self.memory))]

    def _alone(self, run: int, ask: Callable[[list[int]], list[T]], otherwise: Callable[[int, ModelError], T]) -> T:
        try:
            return ask([run])[0]
        except ModelError as error:
            return otherwise(run, error)

    def _ask(self, rows: list[int], X: Tensor, y: Tensor, pending: Tensor) -> list[_Next]:
        policy, memory, generators = self._of_runs(self.policy, rows)
        memory, (points, notes) = policy.propose(memory, X[rows], y[rows], pending[rows], generators)
        each = zip(points, notes or cycle([{}]), memory)
        return [_Next(point, POLICY, noted, remembered) for point, noted, remembered in each]

    def _uniform(self, run: int, error: ModelError) -> _Next:
        point = uniform_points(self.policy.encoding, 1, self.generators[run : run + 1])[0, 0]
        return _Next(point, f"{FAILED}{error}", {}, self.memory[run])

    def _of_runs(self, policy: P, rows: list[int]) -> tuple[P, Memory, list[torch.Generator]]:
        policy = policy if len(rows) == len(self.generators) else policy.of_runs(rows)
        return policy, tuple(self.memory[run] for run in rows), [self.generators[run] for run in rows]

    def _warn(self, number: int, kind: str, reasons: Sequence[str]) -> None:
        """Warn of the first trial with a reason of a kind; `reasons` has one of each run, empty without one."""
        concerned = [run for run, reason in enumerate(reasons) if reason]
        if concerned and kind not in self._warned:
            self._warned.add(kind)
            where = f" of run {concerned[0]}" if len(reasons) > 1 else ""
            text = f"trial {number}{where}: {reasons[concerned[0]]}; later ones are not warned of"
            warnings.warn(text, stacklevel=6)


def _noted(one: _Next, batch: str) -> _Next:
    """The same with the failure of its batch, which the origin has too if the run failed by itself of another one."""
    origin = one.origin
    if origin.startswith(FAILED) and not origin.endswith(batch):
        origin = f"{origin}; with the other runs: {batch}"
    return one._replace(origin=origin, notes={**one.notes, BATCH: batch})
