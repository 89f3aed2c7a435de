"""Deep deterministic policy gradient (Lillicrap et al. 2016) on two tasks with continuous actions (NIPS 6.4).

    learnt = DDPG().learn("swing_up", seed=0)
    learnt.episodes

After every training episode the networks are updated, a number of times per step of the episode, and the actor is
tested without noise: it has learned its task when ten test episodes in a row, of the same actor, have a reward above
the task's. `DDPG()` has the constants of Lillicrap et al., section 7, but that the critic sees actions with the
observation instead of in its second layer, observations are not normalized by batches, and updates come between
episodes, which is how the NIPS text counts them ("the number of SGD steps performed between collected episodes").

Agents of different sizes share no product, so they are trained one after the other in machine code: see
`core.compiled.deterministic`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.compiled.deterministic import TASKS, UNIT, Learner, Memory, Rates, compile_episodes, compile_update
from core.compiled.perceptron import Layout, Perceptron, make_layout, make_perceptron
from core.control import ENOUGH
from core.foundation.errors import UnknownNameError
from core.foundation.validation import check_counts, require_number

IN_A_ROW = 10
MOST_EPISODES = 2000
LAST_LAYER = 3e-3


class Learning(NamedTuple):
    """What became of an agent.

    Attributes:
        episodes: Number of training episodes until it had learned its task, or the most that were allowed.
        learned: Whether `in_a_row` test episodes of the same actor were successful.
        finite: Whether its networks stayed finite; otherwise training stopped and the task counts as not learned.
        reward: Highest reward of a test episode, -inf if there was none.
        rewards: Reward of each training episode, (episodes,), fewer if the networks did not stay finite.
    """

    episodes: int
    learned: bool
    finite: bool
    reward: float
    rewards: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DDPG:
    """An agent's hyperparameters.

    Args:
        units_1, units_2: Numbers of units in the two hidden layers of both networks.
        actor_rate, critic_rate: Adam's learning rates.
        updates: Number of updates per step of an episode.
        batch_size: Number of remembered steps in an update.
        discount: Discount factor of rewards, in [0, 1].
        follow: Share by which the slow copies of the networks follow them in an update, in (0, 1].
        decay: Weight of the critic's squared parameters in its loss, from 0.
        pull, spread: Constants of the Ornstein-Uhlenbeck noise in each step, pull in [0, 1], spread from 0.
        memory: Number of steps that are remembered.

    Raises:
        UserError: a value out of range.
    """

    units_1: int = 400
    units_2: int = 300
    actor_rate: float = 1e-4
    critic_rate: float = 1e-3
    updates: float = 1.0
    batch_size: int = 64
    discount: float = 0.99
    follow: float = 1e-3
    decay: float = 1e-2
    pull: float = 0.15
    spread: float = 0.2
    memory: int = 1_000_000

    def __post_init__(self) -> None:
        sizes = {name: getattr(self, name) for name in ("units_1", "units_2", "batch_size", "memory")}
        check_counts("DDPG", **sizes)
        for name in ("actor_rate", "critic_rate", "updates"):
            require_number(f"DDPG.{name}", getattr(self, name), lambda value: value > 0, "a number above 0")
        for name in ("decay", "spread"):
            require_number(f"DDPG.{name}", getattr(self, name), lambda value: value >= 0, "a number from 0")
        for name in ("discount", "pull"):
            require_number(f"DDPG.{name}", getattr(self, name), lambda value: 0 <= value <= 1, "a number from 0 to 1")
        require_number("DDPG.follow", self.follow, lambda value: 0 < value <= 1, "a number above 0, up to 1")

    def learn(
        self,
        task: str,
        seed: int,
        most_episodes: int = MOST_EPISODES,
        in_a_row: int = IN_A_ROW,
        each: Callable[[int, Callable[[int], NDArray[np.float64]]], None] | None = None,
        go_on: bool = False,
    ) -> Learning:
        """Train an agent until it has learned a task; the same seed gives the same agent.

        Args:
            task: "swing_up" or "reaching".
            most_episodes: Number of training episodes after which training ends in any case.
            in_a_row: Number of consecutive successful test episodes; 0 never ends training before `most_episodes`.
            each: Called after every training episode with their number so far and a function that plays a number of
                test episodes with the actor and returns their rewards; it does not change the training.
            go_on: Whether training goes on to `most_episodes` after the task has been learned, which changes nothing
                but the number of `rewards`.

        Raises:
            UnknownNameError: no such task.
            UserError: a number of episodes below 1.
        """
        if task not in TASKS:
            raise UnknownNameError("task", task, TASKS)
        check_counts("DDPG.learn", most_episodes=most_episodes)
        agent = _Agent(self, task, seed, most_episodes)
        rewards, best, test, learned = [], -np.inf, np.empty(in_a_row), 0
        for episode in range(1, most_episodes + 1):
            rewards.append(agent.explore())
            if not (finite := agent.update()):
                break
            if not learned:
                played = agent.test(test, ENOUGH[task])
                best = max([best, *test[:played]])
                if in_a_row and played == in_a_row and test[-1] > ENOUGH[task]:
                    learned = episode
            if each is not None:
                each(episode, agent.rewards)
            if learned and not go_on:
                break
        return Learning(learned or most_episodes, learned > 0, finite, best, np.array(rewards))


class _Agent:
    """An agent in training: networks, memory, and the arrays that machine code works on."""

    def __init__(self, settings: DDPG, task: str, seed: int, most_episodes: int) -> None:
        module, rng = TASKS[task], np.random.default_rng(seed)
        self.settings, self.steps = settings, module.STEPS
        self._explore, self._test = compile_episodes(task)
        self._update = compile_update()
        hidden = (settings.units_1, settings.units_2)
        self.layout = make_layout((module.OBSERVATION, *hidden, module.ACTIONS), settings.batch_size)
        self.critic_layout = make_layout((module.OBSERVATION + module.ACTIONS, *hidden, 1), settings.batch_size)
        actor, critic = _weights(self.layout, rng), _weights(self.critic_layout, rng)
        self.learner = Learner(*(self._network(weights) for weights in (actor, critic, actor, critic)))
        size, row = min(settings.memory, most_episodes * self.steps), int(self.layout.row[0])
        self.memory = Memory(
            *(np.zeros(size * row, np.float32) for _ in range(2)),
            np.zeros((size, module.ACTIONS), np.float32),
            np.zeros(size, np.float32),
        )
        self.rates = Rates(
            settings.actor_rate, settings.critic_rate, settings.follow, settings.decay, settings.discount
        )
        self.scratch, self.critic_scratch = (
            np.zeros(each.scratch, np.float32) for each in (self.layout, self.critic_layout)
        )
        self.generator, self.tests, self.shown = rng.integers(2**64, size=(3, 1), dtype=np.uint64)
        self.stored, self.updates, self.owed = 0, 0, 0.0

    def explore(self) -> float:
        """Play a training episode; its reward."""
        noise = (self.settings.pull, self.settings.spread)
        reward = self._explore(
            self.layout, self.learner.actor, self.steps, *noise, self.stored, self.memory, self.generator, self.scratch
        )
        self.stored += self.steps
        return float(reward)

    def update(self) -> bool:
        """The updates after an episode; whether all networks are still finite."""
        self.owed += self.settings.updates * self.steps
        count = int(self.owed)
        self.owed -= count
        self._update(
            self.layout, self.critic_layout, self.learner, self.settings.batch_size, count, self.updates, self.rates,
            min(self.stored, len(self.memory.rewards)), self.memory, self.generator, self.scratch, self.critic_scratch,
        )  # fmt: skip
        self.updates += count
        return bool(np.isfinite(self.learner.actor.theta).all() and np.isfinite(self.learner.critic.theta).all())

    def test(self, rewards: NDArray[np.float64], above: float) -> int:
        """Fill the rewards of test episodes until one is not above a reward; their number."""
        return int(self._play(rewards, above, self.tests))

    def rewards(self, count: int) -> NDArray[np.float64]:
        """Rewards of a number of test episodes, (count,), from a generator of their own."""
        rewards = np.empty(count)
        self._play(rewards, -np.inf, self.shown)
        return rewards

    def _play(self, rewards: NDArray[np.float64], above: float, generator: NDArray[np.uint64]) -> Any:
        return self._test(self.layout, self.learner.actor, self.steps, above, rewards, generator, self.scratch)

    def _network(self, weights: tuple[Layout, list[NDArray[np.float64]]]) -> Perceptron:
        layout, arrays = weights
        return make_perceptron(layout, UNIT, arrays)


def _weights(layout: Layout, rng: np.random.Generator) -> tuple[Layout, list[NDArray[np.float64]]]:
    """Uniform in +-1 / sqrt(inputs), in the last layer in +-0.003 (Lillicrap et al. 2016, section 7)."""
    arrays, last = [], len(layout.weight) - 1
    for number, (inputs, outputs) in enumerate(pairwise(layout.sizes.tolist())):
        bound = LAST_LAYER if number == last else inputs**-0.5
        arrays += [rng.uniform(-bound, bound, (inputs, outputs)), rng.uniform(-bound, bound, outputs)]
    return layout, arrays
