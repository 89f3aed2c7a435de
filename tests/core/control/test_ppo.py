"""Agents of proximal policy optimization: what counts as convergence, and whether they learn at all."""

from __future__ import annotations

import numpy as np
import pytest

from core.control import ppo
from core.control.ppo import LONGEST, PPO
from core.foundation.errors import UserError

AGENT = {"units_1": 32, "units_2": 16, "batch_size": 16, "learning_rate": 3e-3, "discount": 0.97, "clipping": 0.2}


def test_agents_converge_and_the_same_seed_gives_the_same_agent():
    learnt = [PPO(**AGENT).learn(seed) for seed in range(3)]
    assert sum(each.converged for each in learnt) >= 2
    for each in learnt:
        assert len(each.rewards) == each.episodes and each.timesteps == each.rewards.sum()
        if each.converged:
            assert (each.rewards[-20:] == LONGEST).all() and each.episodes < 3000
            assert each.rewards[:20].mean() < 60  # it was not able to at first
    again = PPO(**AGENT).learn(1)
    np.testing.assert_array_equal(again.rewards, learnt[1].rewards)


@pytest.mark.parametrize(
    "change", [{"learning_rate": 1e-7}, {"discount": 0.0}, {"entropy": 1000.0}], ids=lambda change: next(iter(change))
)
def test_what_cannot_learn_does_not_converge(change):
    """No steps, no foresight, or a policy that is kept uniform."""
    learnt = PPO(**AGENT | change).learn(0, most_episodes=400)
    assert not learnt.converged and learnt.episodes == 400 and len(learnt.rewards) == 400
    assert learnt.rewards[-100:].mean() < 100


def test_training_ends_at_the_largest_number_of_episodes_within_a_batch():
    learnt = PPO(**AGENT).learn(0, most_episodes=39)
    assert learnt.episodes == 39 and len(learnt.rewards) == 39 and learnt.finite


def test_convergence_is_found_wherever_a_batch_ends():
    rewards = np.array([LONGEST] * 2 + [50] + [LONGEST] * 6)
    assert ppo.converged_after(rewards, 4, 9) == 7
    assert ppo.converged_after(rewards[:6], 4, 3) == 0
    assert ppo.converged_after(rewards[:7], 4, 1) == 7
    assert ppo.converged_after(np.array([LONGEST] * 3), 4, 3) == 0


def test_an_agent_that_is_no_longer_finite_has_not_converged(monkeypatch):
    def play(*arguments):
        arguments[-1][:] = 10
        return ppo.ENDED if played else played.append(1) or 10 * AGENT["batch_size"]

    played: list[int] = []
    monkeypatch.setattr(ppo, "compile_play", lambda: play)
    monkeypatch.setattr(ppo, "compile_learning", lambda: lambda *arguments: None)
    learnt = PPO(**AGENT).learn(0)
    assert not learnt.finite and not learnt.converged
    assert learnt.episodes == 3000 and len(learnt.rewards) == AGENT["batch_size"]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"clipping": 0.0}, "PPO.clipping is 0.0; allowed: a number above 0"),
        ({"discount": 1.5}, "PPO.discount is 1.5; allowed: a number from 0 to 1"),
        ({"batch_size": 0}, "batch_size"),
        ({"entropy": -1.0}, "PPO.entropy"),
    ],
)
def test_bad_hyperparameters_are_named(change, message):
    with pytest.raises(UserError, match=message):
        PPO(**AGENT | change)
