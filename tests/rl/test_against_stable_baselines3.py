"""Agents of `core.control.ppo` beside those of stable-baselines3, which learn on the same batches of episodes.

    make test-rl

The peer's own are networks, loss, minibatches and Adam. Its rollouts are of fixed length and its advantages
generalized, so that whole batches of episodes with their returns are put into its buffer; a tenth of a batch in each of
its ten steps, the initial weights, the units and the two learning rates are as ours. What remains different: it clips
ratios to [1 - c, 1 + c], draws minibatches without replacement, and trains its baseline on them as well.

The criterion was set before the first comparison: the probability that a trial of ours converges sooner than one of
theirs, ties counting half, is between 0.3 and 0.7. Of 30 trials each it has a standard error of 0.075 where both are
the same, so that one comparison in 130 would fail by chance.
"""

from __future__ import annotations

import numpy as np
import pytest

from core.control.ppo import (
    BASELINE_RATE,
    IN_A_ROW,
    LARGEST_DEVIATION,
    LONGEST,
    MOST_EPISODES,
    PPO,
    STEPS,
    converged_after,
    start,
    step,
)

pytest.importorskip("stable_baselines3")

import gymnasium
import torch
from stable_baselines3 import PPO as PeerPPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.logger import Logger

TRIALS = 30
AGENTS = {
    "small steps": PPO(units_1=64, units_2=64, batch_size=16, learning_rate=1e-3, discount=0.99, clipping=0.2),
    "larger batches": PPO(units_1=32, units_2=32, batch_size=32, learning_rate=3e-3, discount=0.95, clipping=0.3),
    "small networks": PPO(units_1=16, units_2=16, batch_size=64, learning_rate=1e-2, discount=0.9, clipping=0.1),
}


class Peer(PeerPPO):
    """Keeps the learning rates of its two parameter groups."""

    def _update_learning_rate(self, optimizers) -> None:
        pass


def make_peer(agent: PPO, seed: int) -> Peer:
    networks = {"pi": [agent.units_1, agent.units_2], "vf": [64, 64]}
    model = Peer(
        "MlpPolicy",
        gymnasium.make("CartPole-v1"),
        n_epochs=1,
        clip_range=agent.clipping,
        normalize_advantage=False,
        ent_coef=0.0,
        max_grad_norm=np.inf,
        policy_kwargs={"net_arch": networks, "activation_fn": torch.nn.Tanh},
        seed=seed,
        device="cpu",
    )
    baseline = model.policy.mlp_extractor.value_net
    for number in range(1, len(baseline), 2):
        baseline[number] = torch.nn.ReLU()
    for layer in model.policy.modules():
        if isinstance(layer, torch.nn.Linear):
            deviation = min(LARGEST_DEVIATION, np.sqrt(2 / (layer.in_features + layer.out_features)))
            torch.nn.init.normal_(layer.weight, 0, deviation)
            torch.nn.init.zeros_(layer.bias)
    values = [*baseline.parameters(), *model.policy.value_net.parameters()]
    own = {id(each) for each in values}
    others = [each for each in model.policy.parameters() if id(each) not in own]
    model.policy.optimizer = torch.optim.Adam(
        [{"params": others, "lr": agent.learning_rate}, {"params": values, "lr": BASELINE_RATE}]
    )
    model.set_logger(Logger(None, []))
    return model


def play(model: Peer, agent: PPO, generator: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Lengths of a batch of episodes, side by side, and their steps."""
    states, running = start((agent.batch_size,), generator), np.arange(agent.batch_size)
    lengths, steps = np.zeros(agent.batch_size, int), []
    while len(running):
        seen = states[running].astype(np.float32)
        with torch.no_grad():
            actions, values, log_probability = model.policy(torch.from_numpy(seen))
        moved = np.ascontiguousarray(states[running])
        ended = step(moved, actions.numpy())
        states[running] = moved
        steps.append((seen, actions.numpy(), values.numpy()[:, 0], log_probability.numpy(), running, lengths[running]))
        lengths[running] += 1
        running = running[~ended & (lengths[running] < LONGEST)]
    seen, actions, values, log_probability, episode, time = (np.concatenate(each) for each in zip(*steps))
    left = lengths[episode] - time
    returns = (1 - agent.discount**left) / (1 - agent.discount)
    names = ("observations", "actions", "values", "log_probs", "returns", "advantages")
    return lengths, dict(zip(names, (seen, actions[:, None], values, log_probability, returns, returns - values)))


def peer_episodes(agent: PPO, seed: int) -> int:
    """Episodes until a peer has converged."""
    model, generator = make_peer(agent, seed), np.random.default_rng(seed)
    rewards = np.zeros(0, np.int64)
    while len(rewards) < MOST_EPISODES:
        lengths, steps = play(model, agent, generator)
        rewards = np.concatenate([rewards, lengths])
        if end := converged_after(rewards, IN_A_ROW, len(lengths)):
            return min(end, MOST_EPISODES)
        count = len(steps["returns"])
        model.rollout_buffer = RolloutBuffer(count, model.observation_space, model.action_space, "cpu")
        for name, values in steps.items():
            getattr(model.rollout_buffer, name)[:, 0] = values
        model.rollout_buffer.full = True
        model.batch_size = -(-count // STEPS)
        model.train()
    return MOST_EPISODES


@pytest.mark.parametrize("name", AGENTS)
def test_agents_take_as_long_to_converge(name):
    agent = AGENTS[name]
    ours = np.array([agent.learn(seed).episodes for seed in range(TRIALS)])
    theirs = np.array([peer_episodes(agent, seed) for seed in range(TRIALS)])
    sooner = ((ours[:, None] < theirs) + 0.5 * (ours[:, None] == theirs)).mean()
    quartiles = [np.percentile(each, (25, 50, 75)).round().astype(int).tolist() for each in (ours, theirs)]
    print(f"\n{name}: quartiles {quartiles[0]} of ours, {quartiles[1]} of stable-baselines3, ours sooner {sooner:.2f}")
    assert 0.3 < sooner < 0.7
