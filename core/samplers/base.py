"""The interface of the stochastic-gradient samplers: a sampler's three functions and the checks of its constants.

A sampler is a frozen dataclass of constants and holds no chains. Its chains live in a state, a named tuple of tensors
of shape (chains, P) whose first field is the position theta. Operations are element-wise: chains are independent. The
target is exp(-U(theta)); samplers see U only through (estimates of) its gradient.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import torch

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, normal_
from core.foundation.validation import require_number

StateT = TypeVar("StateT", bound=tuple[Any, ...])


class Sampler(Protocol[StateT]):
    """The functions that a model or an experiment may call on a stochastic-gradient sampler: init, step and freeze."""

    def init(self, position: torch.Tensor) -> StateT:
        """The state of chains that start at a copy of `position`, shape (chains, P)."""

    def step(
        self, state: StateT, gradient: torch.Tensor, generator: Generators, noise: torch.Tensor | None = None
    ) -> StateT:
        """One step of all chains.

        `gradient`, shape (chains, P), is that of U at `state.position`, or an unbiased estimate of it (a minibatch, its
        likelihood terms scaled to all N points). `noise` replaces the standard normals that would be drawn
        from `generator`, which may then be None.
        The passed state is consumed: its tensors are updated in place and become those of the returned state.
        """

    def freeze(self, state: StateT) -> StateT:
        """End the burn-in: what the sampler adapted stays fixed from here on. The identity if nothing adapts."""


def starting_position(position: torch.Tensor) -> torch.Tensor:
    """A copy of `position`. Raises ValueError unless it is a floating-point tensor of shape (chains, P)."""
    if position.ndim != 2 or not position.is_floating_point():
        given = f"{tuple(position.shape)} {position.dtype}"
        raise UserError(f"position: must be a floating-point tensor of shape (chains, P), got {given}")
    return position.clone(memory_format=torch.contiguous_format)


def standard_normals(position: torch.Tensor, generator: Generators, noise: torch.Tensor | None) -> torch.Tensor:
    """`noise` if given, else standard normals of the position's shape, type and device."""
    return normal_(torch.empty_like(position), generator) if noise is None else noise


def check_momentum_decay(owner: Any) -> None:
    """Raise UserError unless friction takes a share of the momentum in (0, 1] per step.

    Without friction no noise may be added; above 1 the momentum would change its sign at each step.
    """
    name = f"{type(owner).__name__}.momentum_decay"
    require_number(name, owner.momentum_decay, lambda share: 0 < share <= 1, "above 0, up to 1")
