"""The order of proposals: an initial design, then a policy; a run whose model fails gets a uniform point instead."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import torch
from torch import Tensor

from core.optimizers.policy import Policy, Recommending, Suggestion, uniform_points

INITIAL, POLICY, RANDOM = "initial design", "policy", "random"
FAILED = f"{RANDOM}: the model failed: "
MODEL_FAILURES = (ValueError, ArithmeticError, torch.linalg.LinAlgError)


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


class Proposer:
    """Makes the proposals of all runs.

    Args:
        policy: what proposes after the initial design.
        initial: points of the initial design, (runs, n, d); n may be 0, then the first point is uniform.
        generators: one per run.

    Raises:
        ValueError: the number of generators or coordinates does not fit.
    """

    def __init__(self, policy: Policy, initial: Tensor, generators: Sequence[torch.Generator]) -> None:
        if initial.ndim != 3 or initial.shape[0] != len(generators) or initial.shape[2] != policy.encoding.dimension:
            raise ValueError(
                f"initial design: has shape {tuple(initial.shape)}, expected ({len(generators)}, n, "
                f"{policy.encoding.dimension})"
            )
        self.policy, self.initial, self.generators = policy, initial, list(generators)

    def copied(self) -> Proposer:
        """Another one in the same state, whose use leaves this one as it is."""
        generators = [generator.clone_state() for generator in self.generators]
        return Proposer(copy.deepcopy(self.policy), self.initial, generators)

    def propose(self, number: int, X: Tensor, y: Tensor, pending: Tensor) -> Proposal:
        """The points for evaluation `number` of each run, counted from 0.

        Args:
            X: evaluated points (runs, N, d).
            y: losses (runs, N), or losses and costs (runs, N, 2).
            pending: points under evaluation (runs, J, d).

        Raises:
            UserError: the policy's settings do not allow what was observed; no model has failed then.
        """
        runs = len(self.generators)
        if number < self.initial.shape[1]:
            return Proposal(self.initial[:, number], (INITIAL,) * runs)
        if X.shape[1] == 0:
            return Proposal(uniform_points(self.policy.encoding, 1, self.generators).squeeze(1), (RANDOM,) * runs)
        self._check(y)
        try:
            points, notes = _read(self.policy.propose(X, y, pending, self.generators))
            return Proposal(points, (POLICY,) * runs, notes)
        except MODEL_FAILURES as error:
            if runs == 1:
                return Proposal(self._uniform(0), (_reason(error),))
        parts = [self._alone(run, X, y, pending) for run in range(runs)]
        points, origins, notes = zip(*parts)
        return Proposal(torch.stack(points), origins, notes)

    def recommend(self, X: Tensor, y: Tensor) -> list[int] | None:
        """The evaluation whose configuration each run recommends, None if the policy recommends none.

        Where a model fails, it is the one with the smallest loss. Raises as `propose`.
        """
        if not isinstance(self.policy, Recommending):
            return None
        self._check(y)
        try:
            return _recommended(self.policy.recommend(X, y, self.generators))
        except MODEL_FAILURES:
            losses, found = y[..., 0] if y.ndim == 3 else y, []
        for rows in (slice(run, run + 1) for run in range(len(X))):
            try:
                policy = copy.deepcopy(self.policy)
                found += _recommended(policy.recommend(X[rows], y[rows], self.generators[rows]))
            except MODEL_FAILURES:
                found.append(int(losses[rows].argmin()))
        return found

    def _alone(self, run: int, X: Tensor, y: Tensor, pending: Tensor) -> tuple[Tensor, str, Mapping[str, Any]]:
        """Propose for one run of a batch that failed as a whole, with a copy of the policy: a model may keep state."""
        rows = slice(run, run + 1)
        try:
            policy = copy.deepcopy(self.policy)
            points, notes = _read(policy.propose(X[rows], y[rows], pending[rows], self.generators[rows]))
            return points.squeeze(0), POLICY, notes[0] if notes else {}
        except MODEL_FAILURES as error:
            return self._uniform(run).squeeze(0), _reason(error), {}

    def _check(self, y: Tensor) -> None:
        if hasattr(self.policy, "check"):
            self.policy.check(y)

    def _uniform(self, run: int) -> Tensor:
        return uniform_points(self.policy.encoding, 1, self.generators[run : run + 1]).squeeze(1)


def _read(found: Tensor | Suggestion) -> Suggestion:
    return found if isinstance(found, Suggestion) else Suggestion(found, ())


def _recommended(found: Suggestion) -> list[int]:
    return [int(notes["recommended"]) for notes in found.notes]


def _reason(error: Exception) -> str:
    return f"{FAILED}{type(error).__name__}: {error}"
