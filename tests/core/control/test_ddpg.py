"""Agents of deep deterministic policy gradient: seeds, ends of training, and that they learn."""

from __future__ import annotations

import numpy as np
import pytest

from core.control import ddpg
from core.control.ddpg import DDPG
from core.foundation.errors import UserError

SMALL = {"units_1": 16, "units_2": 8, "batch_size": 16}


@pytest.mark.parametrize("task, lowest", [("swing_up", -4), ("reaching", -150)])
def test_the_same_seed_gives_the_same_agent(task, lowest):
    learnt = [DDPG(**SMALL).learn(task, seed, most_episodes=2) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(learnt[0].rewards, learnt[1].rewards)
    assert not np.array_equal(learnt[0].rewards, learnt[2].rewards)
    for each in learnt:
        assert len(each.rewards) == each.episodes == 2 and each.finite and not each.learned
        assert ((each.rewards < 0) & (each.rewards > lowest)).all()


def test_watching_an_agent_does_not_change_it():
    seen = []
    plain = DDPG(**SMALL).learn("swing_up", 2, most_episodes=4)
    watched = DDPG(**SMALL).learn(
        "swing_up", 2, most_episodes=4, each=lambda episode, rewards: seen.append((episode, rewards(3)))
    )
    np.testing.assert_array_equal(plain.rewards, watched.rewards)
    assert [episode for episode, _ in seen] == [1, 2, 3, 4] and all(len(rewards) == 3 for _, rewards in seen)


def test_training_ends_when_ten_tests_in_a_row_succeed(monkeypatch):
    monkeypatch.setitem(ddpg.ENOUGH, "swing_up", -10.0)  # no episode is as bad
    learnt = DDPG(**SMALL).learn("swing_up", 0, most_episodes=5)
    assert learnt.learned and learnt.episodes == 1 and learnt.reward > -10
    assert DDPG(**SMALL).learn("swing_up", 0, most_episodes=3, in_a_row=0).episodes == 3


def test_training_that_goes_on_tells_when_the_task_was_learned(monkeypatch):
    monkeypatch.setitem(ddpg.ENOUGH, "swing_up", -10.0)
    short = DDPG(**SMALL).learn("swing_up", 0, most_episodes=5)
    whole = DDPG(**SMALL).learn("swing_up", 0, most_episodes=5, go_on=True)
    assert whole[:4] == short[:4] == (1, True, True, short.reward)
    assert len(whole.rewards) == 5 and whole.rewards[0] == short.rewards[0]


def test_an_agent_that_is_no_longer_finite_has_not_learned():
    learnt = DDPG(**SMALL, actor_rate=1e38, critic_rate=1e38).learn("swing_up", 0, most_episodes=6)
    assert not learnt.finite and not learnt.learned and learnt.episodes == 6 and len(learnt.rewards) < 6


def test_the_number_of_updates_may_be_a_fraction(monkeypatch):
    counts = []
    update = ddpg.compile_update()
    monkeypatch.setattr(ddpg, "compile_update", lambda: lambda *args: counts.append(args[4]) or update(*args))
    DDPG(**SMALL, updates=0.06).learn("swing_up", 0, most_episodes=5)
    assert sum(counts) == pytest.approx(5 * 0.06 * 40, abs=1) and set(counts) == {2, 3}


def test_small_memories_forget_what_is_old():
    learnt = DDPG(**SMALL, memory=50).learn("swing_up", 0, most_episodes=4)
    assert learnt.finite and not np.array_equal(
        learnt.rewards, DDPG(**SMALL).learn("swing_up", 0, most_episodes=4).rewards
    )


@pytest.mark.parametrize(
    "change, message",
    [
        ({"actor_rate": 0.0}, "DDPG.actor_rate is 0.0; allowed: a number above 0"),
        ({"follow": 0.0}, "DDPG.follow is 0.0; allowed: a number above 0, up to 1"),
        ({"discount": 1.5}, "DDPG.discount is 1.5; allowed: a number from 0 to 1"),
        ({"units_1": 0}, "units_1"),
        ({"spread": -1.0}, "DDPG.spread"),
    ],
)
def test_bad_hyperparameters_are_named(change, message):
    with pytest.raises(UserError, match=message):
        DDPG(**SMALL | change)


def test_an_unknown_task_is_named():
    with pytest.raises(UserError, match="unknown task 'swingup'"):
        DDPG().learn("swingup", 0)


@pytest.mark.slow
def test_agents_learn_to_swing_the_pole_up_for_a_while():
    """Of four seeds two learned the task in 1,000 episodes, and all had an episode above -3.4; untrained, about -4."""
    settings = {"units_1": 64, "units_2": 64, "updates": 4, "follow": 1e-2, "decay": 0.0}
    best = [DDPG(**settings, actor_rate=1e-3).learn("swing_up", seed, most_episodes=1000).reward for seed in range(3)]
    assert sum(reward > -3.7 for reward in best) >= 2
    idle = DDPG(**settings, actor_rate=1e-9, critic_rate=1e-9).learn("swing_up", 0, most_episodes=200)
    assert idle.reward < -3.9 and not idle.learned
