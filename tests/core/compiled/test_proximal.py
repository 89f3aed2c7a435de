"""One update of policy and baseline against autograd, and what a batch of episodes consists of."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from core.compiled.layers import RELU, TANH
from core.compiled.perceptron import Perceptron, make_layout, padded_places
from core.compiled.proximal import ENDED, FARTHEST, ROW, STEEPEST, Batch, compile_learning, compile_play

SIZES = {"policy": (4, 13, 9, 2), "baseline": (4, 12, 8, 1)}
DISCOUNT, EPISODES, LONGEST = 0.9, 30, 40
RATES, CLIPPING, ENTROPY = np.array([0.01, 0.02]), 0.15, 0.3


def network(layout, unit, rng):
    theta, *others = (np.zeros(layout.size, np.float32) for _ in range(5))
    theta[padded_places(layout)] = rng.normal(0, 0.4, len(padded_places(layout)))
    return Perceptron(unit, theta, *others)


class Played:
    """Two networks and a batch that the policy has played, with its probabilities."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.layouts = {name: make_layout(sizes, 16) for name, sizes in SIZES.items()}
        self.policy = network(self.layouts["policy"], TANH, rng)
        self.baseline = network(self.layouts["baseline"], RELU, rng)
        self.generator = np.array([7], np.uint64)
        space = EPISODES * LONGEST
        self.batch = Batch(
            np.empty(space * ROW, np.float32),
            np.empty(space, np.int64),
            *(np.empty(space, np.float32) for _ in range(3)),
            *(np.empty(space, np.int64) for _ in range(2)),
        )
        self.scratch = np.zeros(max(layout.scratch for layout in self.layouts.values()), np.float32)
        self.lengths = np.empty(EPISODES, np.int64)
        play = compile_play()
        self.count = play(
            self.layouts["policy"], self.policy, DISCOUNT, LONGEST, self.generator, self.batch, self.scratch,
            self.lengths,
        )  # fmt: skip

    @property
    def states(self):
        return torch.tensor(self.batch.states.reshape(-1, ROW)[: self.count, :4], dtype=torch.float64)

    def parameters(self, name):
        """The network's parameters as tensors that require gradients, W then b for each layer."""
        theta, layout, start, found = getattr(self, name).theta[padded_places(self.layouts[name])], SIZES[name], 0, []
        for inputs, outputs in pairwise(layout):
            for shape in ((inputs, outputs), (outputs,)):
                size = int(np.prod(shape))
                found.append(torch.tensor(theta[start : start + size].reshape(shape), dtype=torch.float64))
                start += size
        return [each.requires_grad_() for each in found]


def outputs(parameters, states, unit):
    a = states
    for layer in range(0, len(parameters), 2):
        a = a @ parameters[layer] + parameters[layer + 1]
        a = unit(a) if layer < len(parameters) - 2 else a
    return a


@pytest.fixture
def played():
    return Played()


def test_a_batch_has_every_step_of_every_episode(played):
    states, batch = played.states.numpy(), played.batch
    assert played.count == played.lengths.sum() and played.lengths.max() <= LONGEST
    inside = (np.abs(states[:, 0]) <= FARTHEST) & (np.abs(states[:, 2]) <= STEEPEST)
    assert inside.all()  # the state in which an episode ends is no state to act in
    starts = batch.previous[: played.count] == ENDED
    assert starts.sum() == EPISODES and (np.abs(states[starts]) <= 0.05).all()
    # An episode's first step has the longest return, and step after step it falls to 1, the last reward.
    expected = np.sort((1 - DISCOUNT**played.lengths) / (1 - DISCOUNT))
    np.testing.assert_allclose(np.sort(batch.returns[: played.count][starts]), expected, rtol=1e-5)


def test_actions_follow_the_policy(played):
    log_p = torch.log_softmax(outputs(played.parameters("policy"), played.states, torch.tanh), 1).detach().numpy()
    actions = played.batch.actions[: played.count]
    recorded = played.batch.log_probability[: played.count]
    np.testing.assert_allclose(recorded, log_p[np.arange(played.count), actions], atol=2e-6)
    p = np.exp(log_p[:, 1])
    assert abs((actions - p).sum()) < 4 * np.sqrt((p * (1 - p)).sum())  # four standard deviations


def test_an_update_is_a_step_of_adam_along_the_gradient(played):
    rng = np.random.default_rng(1)  # away from the policy that has played, so that some ratios are clipped
    places = padded_places(played.layouts["policy"])
    played.policy.theta[places] += rng.normal(0, 0.1, len(places)).astype(np.float32)
    policy, baseline = played.parameters("policy"), played.parameters("baseline")
    sample = played.count // 3
    compile_learning()(
        played.layouts["policy"], played.policy, played.layouts["baseline"], played.baseline, played.count, sample, 1,
        0, RATES, CLIPPING, ENTROPY, played.generator, played.batch, played.scratch,
    )  # fmt: skip
    states, returns = played.states, torch.tensor(played.batch.returns[: played.count], dtype=torch.float64)
    values = outputs(baseline, states, torch.relu)[:, 0]
    advantages = (returns - values).detach()
    picks = torch.tensor(played.batch.order[:sample])
    assert picks.min() >= 0 and picks.max() < played.count and len(picks.unique()) < sample  # with replacement
    log_p = torch.log_softmax(outputs(policy, states[picks], torch.tanh), 1)
    taken = torch.tensor(played.batch.actions)[picks]
    old = torch.tensor(played.batch.log_probability, dtype=torch.float64)[picks]
    ratio = torch.exp(log_p.gather(1, taken[:, None])[:, 0] - old)
    clipped = ratio.clamp(1 / (1 + CLIPPING), 1 + CLIPPING)
    assert 0 < (ratio != clipped).sum() < sample
    entropy = -(log_p.exp() * log_p).sum(1)
    loss = (-torch.minimum(ratio * advantages[picks], clipped * advantages[picks]) - ENTROPY * entropy).mean()
    loss.backward()
    ((values - returns) ** 2).sum().div(2).backward()
    for name, parameters, rate in (("policy", policy, RATES[0]), ("baseline", baseline, RATES[1])):
        optimizer = torch.optim.Adam(parameters, lr=float(rate))
        optimizer.step()
        expected = torch.cat([each.detach().ravel() for each in parameters]).numpy()
        moved = getattr(played, name).theta[padded_places(played.layouts[name])]
        gradient = torch.cat([each.grad.ravel() for each in parameters]).numpy()
        clear = np.abs(gradient) > 1e-4 * np.abs(gradient).max()  # Adam's first step is the rate times the sign
        assert clear.mean() > 0.5
        np.testing.assert_allclose(moved[clear], expected[clear], atol=1e-5)
        # The moments hold the gradient itself, to rounding.
        first = getattr(played, name).first[padded_places(played.layouts[name])]
        np.testing.assert_allclose(first, 0.1 * gradient, atol=2e-6 * np.abs(gradient).max())


def test_a_policy_that_is_not_finite_is_reported(played):
    played.policy.theta[:] = np.nan
    play = compile_play()
    count = play(
        played.layouts["policy"], played.policy, DISCOUNT, LONGEST, played.generator, played.batch, played.scratch,
        played.lengths,
    )  # fmt: skip
    assert count == ENDED
