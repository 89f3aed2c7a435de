"""Hyperparameters of deep deterministic policy gradient as an objective."""

from __future__ import annotations

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.objectives import objective
from core.objectives.agents import AgentTuning
from core.spaces import CubeEncoding

SMALL = AgentTuning("reaching", most_episodes=3, most_units=20, most_rows=20, most_updates=1.0)


def test_the_space_has_twelve_hyperparameters_that_make_agents():
    encoding = CubeEncoding(SMALL.space)
    assert encoding.dimension == 12
    for configuration in encoding.decode(np.random.default_rng(0).random((20, 12))):
        agent = SMALL.agent(configuration)
        assert agent.units_1 <= 20 and agent.batch_size <= 20 and agent.updates <= 1


def test_losses_are_episodes_and_costs_are_updates():
    configurations = CubeEncoding(SMALL.space).decode(np.random.default_rng(1).random((2, 12)))
    found = SMALL.evaluate(configurations, None, np.random.default_rng(0))
    np.testing.assert_array_equal(found.loss, [3, 3])
    np.testing.assert_allclose(found.cost, [3 * 50 * float(each["updates"]) for each in configurations])
    assert all(entry["reward"] < 0 for entry in found.info)


def test_it_has_a_name_and_refuses_what_it_has_not():
    assert objective("ddpg_swing_up").worst_loss == 2000
    with pytest.raises(UserError, match="unknown task 'swimming'"):
        AgentTuning("swimming")
    with pytest.raises(UserError, match="budget"):
        SMALL.evaluate([], 3.0, np.random.default_rng(0))
