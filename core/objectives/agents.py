"""Agents that learn control tasks: PPO on the cart-pole, DDPG on swinging up and on reaching.

Proximal policy optimization on cart-pole (thesis 6.4.4): the hyperparameters of Table C.4.

    PolicyTuning()                          trains agents
    PolicySurrogate.fit(records)            replays agents that an experiment has trained

The loss is the mean number of episodes, over the trials of a budget of one to nine, until 20 episodes in a row have the
highest reward, at most 3,000; it costs the number of trials. A trial whose agent cannot be trained counts as 3,000.

The authors' benchmark has the weight of the entropy in its space but does not hand it to the agent, which then has
none; `entropy` follows the text instead.

Deep deterministic policy gradient on a control task: its hyperparameters by how soon it learns (NIPS 6.4).

    AgentTuning("swing_up")

The loss is the number of training episodes until ten test episodes in a row succeed, at most 2,000, of one agent whose
seed is drawn: the objective is noisy. It costs the agent's updates. An agent that does not learn, or does not stay
finite, counts as 2,000.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.compiled.deterministic import TASKS
from core.control.ddpg import DDPG
from core.control.ddpg import MOST_EPISODES as MOST_EPISODES_OF_DDPG
from core.control.ppo import MOST_EPISODES, PPO, Learning
from core.foundation.errors import UnknownNameError, UserError
from core.objectives.base import Configurations, Evaluation, Fidelity, check_budget
from core.objectives.forest import TREES, Forest
from core.objectives.spaces import actor_critic_space, policy_space
from core.spaces import CubeEncoding
from core.spaces.points import sobol_points


@dataclass(frozen=True)
class AgentTuning:
    """The objective.

    Args:
        task: "swing_up" or "reaching".
        most_episodes: Number of episodes after which an agent has not learned its task.
        most_units, most_rows, most_updates: Upper ends of the space, see `actor_critic_space`.

    Raises:
        UnknownNameError: no such task.
    """

    task: str
    most_episodes: int = MOST_EPISODES_OF_DDPG
    most_units: int = 512
    most_rows: int = 256
    most_updates: float = 16.0
    fidelity: None = None
    optimum: None = None

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise UnknownNameError("task", self.task, TASKS)

    @cached_property
    def space(self) -> ConfigurationSpace:
        return actor_critic_space(self.most_units, self.most_rows, self.most_updates)

    @property
    def worst_loss(self) -> float:
        return float(self.most_episodes)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Train one agent for each configuration; `info` has the highest `reward` of its test episodes.

        Raises:
            UserError: a budget, which this objective does not have, or no agent can have these hyperparameters.
        """
        check_budget(self.fidelity, budget)
        seeds = generator.integers(2**63, size=len(configurations))
        learnt = [
            self.agent(each).learn(self.task, int(seed), self.most_episodes)
            for each, seed in zip(configurations, seeds, strict=True)
        ]
        costs = [
            each.episodes * TASKS[self.task].STEPS * float(configuration["updates"])
            for each, configuration in zip(learnt, configurations, strict=True)
        ]
        info = tuple({"reward": each.reward} for each in learnt)
        return Evaluation(np.array([float(each.episodes) for each in learnt]), np.array(costs), info)

    def agent(self, configuration: Mapping[str, Any]) -> DDPG:
        """The agent that a configuration describes.

        Raises:
            UserError: a value out of range.
        """
        return DDPG(**{name: configuration[name] for name in self.space})


TRIALS = Fidelity("trials", 1, 9)
COLUMNS = ("number", "trial", "episodes")


@dataclass(frozen=True, kw_only=True)
class PolicyTuning:
    """The objective itself: every trial trains an agent from another seed.

    Args:
        entropy: Whether the agent is given the weight of the entropy.
        most_episodes: Number of episodes after which a trial ends.
    """

    entropy: bool = False
    most_episodes: int = MOST_EPISODES
    fidelity: Fidelity = TRIALS
    optimum: None = None

    @cached_property
    def space(self) -> ConfigurationSpace:
        return policy_space()

    @property
    def worst_loss(self) -> float:
        return float(self.most_episodes)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Train agents; `info` has the `episodes` of every trial.

        Raises:
            UserError: a budget outside the fidelity's range, or no agent can have these hyperparameters.
        """
        trials = round(self.fidelity.checked(budget))
        episodes = []
        for configuration in configurations:
            seeds = generator.integers(2**63, size=trials)
            episodes.append([self.trial(configuration, int(seed)).episodes for seed in seeds])
        losses = np.mean(episodes, axis=1) if episodes else np.empty(0)
        return Evaluation(losses, np.full(len(episodes), float(trials)), tuple({"episodes": each} for each in episodes))

    def trial(self, configuration: Mapping[str, Any], seed: int) -> Learning:
        """One agent with a configuration of Table C.4.

        Raises:
            UserError: a value out of range: a clipping of 0, which the table allows and no agent can have.
        """
        agent = PPO(
            units_1=configuration["units_1"],
            units_2=configuration["units_2"],
            batch_size=configuration["batch_size"],
            learning_rate=configuration["learning_rate"],
            discount=configuration["discount"],
            clipping=configuration["likelihood_ratio_clipping"],
            entropy=configuration["entropy_regularization"] if self.entropy else 0.0,
        )
        return agent.learn(seed, self.most_episodes)


class PolicySurrogate:
    """A random forest over agents that have been trained (Eggensperger et al. 2015), with the noise of their trials.

    The expected number of episodes of a configuration is the forest's mean. A trial is what one tree, drawn at random,
    says of one of the recorded trials, drawn at random: trees are grown to single configurations, so that it is what a
    trial of a similar configuration was.

    Args:
        X: Configurations in the unit cube, (N, 7).
        episodes: Episodes of each of their trials, (N, trials).
        seed: Seed of the trees.

    Attributes:
        optimum: None, since the smallest expected number of episodes is not known.
    """

    fidelity = TRIALS
    optimum = None

    def __init__(self, X: NDArray[np.float64], episodes: NDArray[np.float64], seed: int = 0) -> None:
        self.space = policy_space()
        self.encoding = CubeEncoding(self.space)
        self.worst_loss = float(episodes.max())
        self._trials = episodes.shape[1]
        self._forest = Forest(X, episodes, seed)

    @classmethod
    def fit(cls, records: pd.DataFrame) -> PolicySurrogate:
        """The surrogate of a table with one row per trial: `number` in Sobol's sequence, `trial`, `episodes`.

        Raises:
            UserError: a column is missing, or there are fewer than two configurations.
        """
        if missing := [name for name in COLUMNS if name not in records]:
            raise UserError(f"records of agents: no column {missing[0]!r}; allowed: {', '.join(COLUMNS)}")
        episodes = records.pivot(index="number", columns="trial", values="episodes")
        if len(episodes) < 2:
            raise UserError(f"records of {len(episodes)} configurations; allowed: at least 2")
        points = sobol_points(len(policy_space()), 0, int(episodes.index.max()) + 1)
        return cls(points[episodes.index.to_numpy()], episodes.to_numpy(np.float64))

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Draw as many trials as the budget says.

        Raises:
            UserError: a budget outside the fidelity's range.
        """
        trials, n = round(self.fidelity.checked(budget)), len(configurations)
        X = np.repeat(self.encoding.encode(configurations), trials, axis=0)
        trees, which = generator.integers(TREES, size=len(X)), generator.integers(self._trials, size=len(X))
        losses = self._forest.single(X, which, trees).reshape(n, trials).mean(axis=1)
        return Evaluation(losses, np.full(n, float(trials)), tuple({} for _ in range(n)))

    def expected(self, configurations: Configurations) -> NDArray[np.float64]:
        """The expected number of episodes, (n,)."""
        X = self.encoding.encode(configurations)
        every = np.tile(np.arange(self._trials), len(X))
        predicted = self._forest.predict(np.repeat(X, self._trials, axis=0), every)
        return np.asarray(predicted.reshape(len(X), self._trials).mean(axis=1))
