"""Updates of actor, critic and their copies against autograd and torch's Adam, with the batches that were drawn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from core.compiled.deterministic import TASKS, UNIT, Learner, Memory, Rates, compile_episodes, compile_update
from core.compiled.perceptron import index_below, make_layout, make_perceptron, padded_places

RATES = Rates(actor=0.01, critic=0.02, follow=0.1, decay=0.05, discount=0.9)
BATCH, UPDATES, EPISODES = 12, 3, 2


class Agent:
    """An agent of a task with random weights, and a memory of episodes that it has played."""

    def __init__(self, task: str) -> None:
        module, rng = TASKS[task], np.random.default_rng(1)
        self.observation, self.actions, self.steps = module.OBSERVATION, module.ACTIONS, module.STEPS
        sizes = (self.observation, 13, 9, self.actions), (self.observation + self.actions, 13, 9, 1)
        self.layouts = [make_layout(each, BATCH) for each in sizes]
        weights = [[rng.normal(0, 0.4, len(padded_places(each)))] for each in self.layouts * 2]
        pairs = zip(self.layouts * 2, weights, strict=True)
        self.learner = Learner(*(make_perceptron(layout, UNIT, each) for layout, each in pairs))
        self.row = int(self.layouts[0].row[0])
        space = EPISODES * self.steps
        self.memory = Memory(
            np.zeros(space * self.row, np.float32),
            np.zeros(space * self.row, np.float32),
            np.zeros((space, self.actions), np.float32),
            np.zeros(space, np.float32),
        )
        self.scratch, self.critic_scratch = (np.zeros(each.scratch, np.float32) for each in self.layouts)
        self.generator = np.array([5], np.uint64)
        self.explore, self.test = compile_episodes(task)
        self.update = compile_update()

    def play(self, episode: int, spread: float) -> float:
        stored = episode * self.steps
        return self.explore(
            self.layouts[0], self.learner.actor, self.steps, 0.15, spread, stored, self.memory, self.generator,
            self.scratch,
        )  # fmt: skip

    def parameters(self, which: int) -> list[torch.Tensor]:
        layout = self.layouts[which % 2]
        theta, start, tensors = self.learner[which].theta[padded_places(layout)], 0, []
        for inputs, outputs in pairwise(layout.sizes.tolist()):
            for shape in ((inputs, outputs), (outputs,)):
                size = int(np.prod(shape))
                tensors.append(torch.tensor(theta[start : start + size].reshape(shape), dtype=torch.float64))
                start += size
        return [each.requires_grad_() for each in tensors]


def output(parameters, x):
    for layer in range(0, len(parameters), 2):
        x = x @ parameters[layer] + parameters[layer + 1]
        x = x if layer == len(parameters) - 2 else torch.relu(x)
    return x


@pytest.mark.parametrize("task", TASKS)
def test_updates_are_those_of_autograd(task):
    agent = Agent(task)
    for episode in range(EPISODES):
        agent.play(episode, 0.2)
    stored = EPISODES * agent.steps
    actor, critic, slow_actor, slow_critic = (agent.parameters(which) for which in range(4))
    optimizers = [torch.optim.Adam(actor, RATES.actor), torch.optim.Adam(critic, RATES.critic)]
    draws = agent.generator.copy()
    rows = [[index_below(stored, draws) for _ in range(BATCH)] for _ in range(UPDATES)]
    memory = [torch.tensor(each, dtype=torch.float64) for each in agent.memory]
    before, after = (each.reshape(-1, agent.row)[:, : agent.observation] for each in memory[:2])
    for chosen in rows:
        with torch.no_grad():
            following = torch.cat([after[chosen], torch.tanh(output(slow_actor, after[chosen]))], -1)
            targets = memory[3][chosen] + RATES.discount * output(slow_critic, following)[:, 0]
        values = output(critic, torch.cat([before[chosen], memory[2][chosen]], -1))[:, 0]
        penalty = sum((each**2).sum() for each in critic) * RATES.decay / 2
        optimizers[1].zero_grad()
        (((values - targets) ** 2).mean() + penalty).backward()
        optimizers[1].step()
        optimizers[0].zero_grad()
        moves = torch.tanh(output(actor, before[chosen]))
        (-output(critic, torch.cat([before[chosen], moves], -1)).mean()).backward()
        optimizers[0].step()
        with torch.no_grad():
            for slow, network in zip([*slow_actor, *slow_critic], [*actor, *critic], strict=True):
                slow += RATES.follow * (network - slow)
    agent.update(
        *agent.layouts, agent.learner, BATCH, UPDATES, 0, RATES, stored, agent.memory, agent.generator, agent.scratch,
        agent.critic_scratch,
    )  # fmt: skip
    assert agent.generator[0] == draws[0]
    for which, expected in enumerate((actor, critic, slow_actor, slow_critic)):
        for ours, theirs in zip(agent.parameters(which), expected, strict=True):
            np.testing.assert_allclose(ours.detach(), theirs.detach(), atol=2e-4)


@pytest.mark.parametrize("task", TASKS)
def test_an_episode_is_remembered_step_by_step(task):
    agent = Agent(task)
    rewards = [agent.play(episode, 0.2) for episode in range(EPISODES)]
    remembered = agent.memory.rewards.reshape(EPISODES, -1)
    np.testing.assert_allclose(remembered.sum(axis=1), rewards, rtol=1e-5)
    before, after = (each.reshape(EPISODES, agent.steps, agent.row) for each in agent.memory[:2])
    np.testing.assert_array_equal(before[:, 1:], after[:, :-1])
    assert (np.abs(agent.memory.actions) <= 1).all()


def test_noise_is_an_ornstein_uhlenbeck_process():
    """Without an actor's share the actions are n <- 0.85 n + 0.1 N(0, 1) from 0, whose variance is a partial sum."""
    agent = Agent("swing_up")
    agent.learner.actor.theta[:] = 0
    actions = np.empty((3000, agent.steps))
    for each in actions:
        agent.play(0, 0.1)
        each[:] = agent.memory.actions[: agent.steps, 0]
    expected = 0.01 * np.cumsum(0.85 ** (2 * np.arange(agent.steps)))
    np.testing.assert_allclose(actions.var(axis=0), expected, rtol=0.15)
    assert np.corrcoef(actions[:, -2], actions[:, -1])[0, 1] == pytest.approx(0.85, abs=0.03)


def test_tests_end_with_the_first_episode_that_does_not_succeed():
    agent, rewards = Agent("reaching"), np.zeros(10)
    played = agent.test(agent.layouts[0], agent.learner.actor, 50, -np.inf, rewards, agent.generator, agent.scratch)
    assert played == 10 and (rewards < 0).all()
    threshold = np.sort(rewards)[5]
    agent.generator[0], again = 5, np.zeros(10)
    agent.test(agent.layouts[0], agent.learner.actor, 50, -np.inf, again, agent.generator, agent.scratch)
    agent.generator[0], short = 5, np.zeros(10)
    threshold = np.sort(again)[5]
    played = agent.test(agent.layouts[0], agent.learner.actor, 50, threshold, short, agent.generator, agent.scratch)
    assert played == 1 + np.flatnonzero(again <= threshold)[0]
    np.testing.assert_array_equal(short[:played], again[:played])
