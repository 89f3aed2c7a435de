"""The order of proposals: an initial design, then a policy; a run whose model fails gets a uniform point instead."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.optimizers.policy import Policy, uniform_points

INITIAL, POLICY, RANDOM = "initial design", "policy", "random"
MODEL_FAILURES = (ValueError, ArithmeticError, torch.linalg.LinAlgError)


@dataclass(frozen=True)
class Proposal:
    """The next point of each run, (runs, d), and its origin, which has the message if a model failed."""

    points: Tensor
    origins: tuple[str, ...]


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

    def propose(self, number: int, X: Tensor, y: Tensor, pending: Tensor) -> Proposal:
        """The points for evaluation `number` of each run, counted from 0.

        Args:
            X: evaluated points (runs, N, d).
            y: losses (runs, N).
            pending: points under evaluation (runs, J, d).
        """
        runs = len(self.generators)
        if number < self.initial.shape[1]:
            return Proposal(self.initial[:, number], (INITIAL,) * runs)
        if X.shape[1] == 0:
            return Proposal(uniform_points(self.policy.encoding, 1, self.generators).squeeze(1), (RANDOM,) * runs)
        try:
            return Proposal(self.policy.propose(X, y, pending, self.generators), (POLICY,) * runs)
        except MODEL_FAILURES as error:
            if runs == 1:
                return Proposal(self._uniform(0), (_reason(error),))
        parts = [self._alone(run, X, y, pending) for run in range(runs)]
        return Proposal(torch.stack([point for point, _ in parts]), tuple(origin for _, origin in parts))

    def _alone(self, run: int, X: Tensor, y: Tensor, pending: Tensor) -> tuple[Tensor, str]:
        """Propose for one run of a batch that failed as a whole, with a copy of the policy: a model may keep state."""
        rows = slice(run, run + 1)
        try:
            policy = copy.deepcopy(self.policy)
            return policy.propose(X[rows], y[rows], pending[rows], self.generators[rows]).squeeze(0), POLICY
        except MODEL_FAILURES as error:
            return self._uniform(run).squeeze(0), _reason(error)

    def _uniform(self, run: int) -> Tensor:
        return uniform_points(self.policy.encoding, 1, self.generators[run : run + 1]).squeeze(1)


def _reason(error: Exception) -> str:
    return f"{RANDOM}: the model failed: {type(error).__name__}: {error}"
