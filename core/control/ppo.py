"""Proximal policy optimization (Schulman et al. 2017) on cart-pole, as the benchmark behind thesis 6.4.4 trains it.

    learnt = PPO(units_1=64, units_2=64, batch_size=64, learning_rate=1e-3, discount=0.99, clipping=0.2).learn(seed=0)
    learnt.episodes

After every `batch_size` episodes both networks take ten steps of Adam. What the thesis does not say follows HPOlib's
benchmark and Tensorforce 0.4, which it runs: two layers of tanh units for the policy, two of 64 relu units for the
baseline, whose learning rate is 0.001, returns without bootstrapping, advantages neither normalized nor generalized, a
tenth of the batch's time steps in each step of the policy and all of them in each of the baseline, ratios clipped to
[1 / (1 + c), 1 + c], and weights that start normal with standard deviation min(0.1, sqrt(2 / (in + out))).

Agents of different sizes share no product, so they are trained one after the other in machine code, each with the
episodes of a batch side by side: see `core.compiled.proximal`.

Cart-pole as gymnasium has it (CartPole-v0 and -v1), batched over environments.

    states = start((runs, environments), generator)
    ended = step(states, actions)

A state is x (m), x' (m/s), the pole's angle (rad) and its velocity (rad/s); see `core.compiled.proximal` for the
dynamics. Every step is rewarded with 1, the last included. An episode ends when the cart is more than 2.4 m from the
middle or the pole more than 12 degrees from the upright, or after 200 steps (500 in -v1).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from core.compiled.layers import RELU, TANH
from core.compiled.perceptron import Layout, Perceptron, make_layout, make_perceptron
from core.compiled.proximal import ENDED, ROW, START, STATE, Batch, advance, compile_learning, compile_play
from core.foundation.errors import UserError
from core.foundation.validation import check_counts, require_number

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


ACTIONS = 2
BASELINE = (STATE, 64, 64, 1)
BASELINE_RATE = 1e-3
STEPS = 10
SHARE = 0.1  # of a batch's time steps, in one step of the policy
CAPACITY = 64  # rows of a product: enough to reuse the weights that are in registers
LARGEST_DEVIATION = 0.1

IN_A_ROW = 20
MOST_EPISODES = 3000


class Learning(NamedTuple):
    """What became of an agent.

    Attributes:
        episodes: Number of episodes until it had converged, or the most that were allowed.
        timesteps: Steps of the simulator in these episodes.
        converged: Whether `in_a_row` consecutive episodes had the highest reward.
        finite: Whether its networks stayed finite; otherwise training stopped and counts as not converged.
        rewards: Reward of each episode played, (episodes,), fewer if the networks did not stay finite.
    """

    episodes: int
    timesteps: int
    converged: bool
    finite: bool
    rewards: NDArray[np.int64]


@dataclass(frozen=True)
class PPO:
    """An agent's hyperparameters.

    Args:
        units_1, units_2: Numbers of units in the policy's hidden layers.
        batch_size: Number of episodes between two updates.
        learning_rate: Adam's, of the policy.
        discount: Discount factor of rewards, in [0, 1].
        clipping: Bound c of the likelihood ratios, above 0.
        entropy: Weight of the policy's entropy, from 0.

    Raises:
        UserError: a value out of range.
    """

    units_1: int
    units_2: int
    batch_size: int
    learning_rate: float
    discount: float
    clipping: float
    entropy: float = 0.0

    def __post_init__(self) -> None:
        check_counts("PPO", units_1=self.units_1, units_2=self.units_2, batch_size=self.batch_size)
        for name in ("learning_rate", "clipping"):
            require_number(f"PPO.{name}", getattr(self, name), lambda value: value > 0, "a number above 0")
        require_number("PPO.discount", self.discount, lambda value: 0 <= value <= 1, "a number from 0 to 1")
        require_number("PPO.entropy", self.entropy, lambda value: value >= 0, "a number from 0")

    def learn(self, seed: int, most_episodes: int = MOST_EPISODES, in_a_row: int = IN_A_ROW) -> Learning:
        """Train an agent until it has converged; the same seed gives the same agent.

        Args:
            most_episodes: Number of episodes after which training ends in any case.
            in_a_row: Number of consecutive episodes with the highest reward that count as convergence.

        Raises:
            UserError: a number of episodes below 1.
        """
        check_counts("PPO.learn", most_episodes=most_episodes, in_a_row=in_a_row)
        play, learn = compile_play(), compile_learning()
        rng = np.random.default_rng(seed)
        sizes = (STATE, self.units_1, self.units_2, ACTIONS)
        policy_layout, baseline_layout = make_layout(sizes, CAPACITY), make_layout(BASELINE, CAPACITY)
        policy, baseline = _network(policy_layout, TANH, rng), _network(baseline_layout, RELU, rng)
        generator = rng.integers(2**64, size=1, dtype=np.uint64)
        batch = _batch(min(self.batch_size, most_episodes) * LONGEST)
        scratch = np.zeros(max(policy_layout.scratch, baseline_layout.scratch), np.float32)
        rates = np.array([self.learning_rate, BASELINE_RATE])
        rewards, updates = np.zeros(0, np.int64), 0
        while len(rewards) < most_episodes:
            lengths = np.empty(min(self.batch_size, most_episodes - len(rewards)), np.int64)
            count = play(policy_layout, policy, self.discount, LONGEST, generator, batch, scratch, lengths)
            if count == ENDED:
                return Learning(most_episodes, int(rewards.sum()), False, False, rewards)
            rewards = np.concatenate([rewards, lengths])
            if end := converged_after(rewards, in_a_row, len(lengths)):
                return Learning(end, int(rewards[:end].sum()), True, True, rewards[:end])
            if len(lengths) == self.batch_size:
                learn(
                    policy_layout, policy, baseline_layout, baseline, count, max(1, int(SHARE * count)), STEPS,
                    STEPS * updates, rates, self.clipping, self.entropy, generator, batch, scratch,
                )  # fmt: skip
                updates += 1
        return Learning(most_episodes, int(rewards.sum()), False, True, rewards)


def converged_after(rewards: NDArray[np.int64], in_a_row: int, fresh: int) -> int:
    """Number of episodes after which the last `in_a_row` had the highest reward, 0 if that is not so yet.

    Args:
        fresh: Number of episodes at the end among which the last of these may be.
    """
    best = np.concatenate([[0], np.cumsum(rewards == LONGEST)])
    ends = np.arange(max(in_a_row, len(rewards) - fresh + 1), len(rewards) + 1)
    streak_ends = ends[best[ends] - best[ends - in_a_row] == in_a_row]
    return int(streak_ends[0]) if len(streak_ends) else 0


def _network(layout: Layout, unit: int, rng: np.random.Generator) -> Perceptron:
    """A network with random weights and biases 0."""
    weights = []
    for inputs, outputs in pairwise(layout.sizes.tolist()):
        deviation = min(LARGEST_DEVIATION, np.sqrt(2 / (inputs + outputs)))
        weights += [rng.normal(0, deviation, inputs * outputs), np.zeros(outputs)]
    return make_perceptron(layout, unit, weights)


def _batch(steps: int) -> Batch:
    """Space for a number of time steps."""
    actions, previous, order = (np.empty(steps, np.int64) for _ in range(3))
    log_probability, returns, advantages = (np.empty(steps, np.float32) for _ in range(3))
    states = np.empty(steps * ROW, np.float32)
    return Batch(states, actions, log_probability, returns, advantages, previous, order)
