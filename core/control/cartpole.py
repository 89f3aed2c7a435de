"""Cart-pole as gymnasium has it (CartPole-v0 and -v1), batched over environments.

    states = start((runs, environments), generator)
    ended = step(states, actions)

A state is x (m), x' (m/s), the pole's angle (rad) and its velocity (rad/s); see `core.compiled.cartpole` for the
dynamics. Every step is rewarded with 1, the last included. An episode ends when the cart is more than 2.4 m from the
middle or the pole more than 12 degrees from the upright, or after 200 steps (500 in -v1).
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from core.compiled.cartpole import START, advance
from core.foundation.errors import UserError

LONGEST = 200
"""Steps of an episode in CartPole-v0, and so the highest reward."""


def start(shape: tuple[int, ...], generator: np.random.Generator) -> NDArray[np.float64]:
    """States at the start of an episode, (*shape, 4)."""
    return generator.uniform(-START, START, (*shape, 4))


def step(states: NDArray[np.float64], actions: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Move all environments by 0.02 s, in place.

    Args:
        states: States (..., 4) float64, contiguous.
        actions: Pushes (...), 0 to the left or 1 to the right.

    Returns:
        Whether the episode has ended, (...).

    Raises:
        UserError: another number of actions than states, or an action that is neither 0 nor 1.
    """
    if states.shape != (*actions.shape, 4):
        raise UserError(f"actions have shape {actions.shape}; allowed: {states.shape[:-1]}, as the states")
    if not np.isin(actions, (0, 1)).all():
        raise UserError(f"action {actions[~np.isin(actions, (0, 1))][0]}; allowed: 0 (left) or 1 (right)")
    return np.asarray(_step(states.reshape(-1, 4), actions.reshape(-1))).reshape(actions.shape)


@numba.njit
def _step(states: NDArray[np.float64], actions: NDArray[np.integer]) -> NDArray[np.bool_]:
    ended = np.empty(len(states), np.bool_)
    for e in range(len(states)):
        ended[e] = advance(states, e, actions[e])
    return ended
