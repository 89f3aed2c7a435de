"""Deep deterministic policy gradient on a control task: its hyperparameters by how soon it learns (NIPS 6.4).

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
from ConfigSpace import ConfigurationSpace

from core.compiled.deterministic import TASKS
from core.control.ddpg import DDPG, MOST_EPISODES
from core.foundation.errors import UnknownNameError
from core.objectives.base import Configurations, Evaluation, check_budget
from core.objectives.network_spaces import actor_critic_space


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
    most_episodes: int = MOST_EPISODES
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
