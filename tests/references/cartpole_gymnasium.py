"""Trajectories of gymnasium's CartPole-v1, the values in cartpole_gymnasium.json; needs envs/requirements-rl.txt.

    python -m tests.references.cartpole_gymnasium

Each starts from gymnasium's own reset with a seed and pushes at random until the episode ends, at most 60 steps.
"""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium
import numpy as np

EPISODES, STEPS = 6, 60


def trajectory(seed: int) -> dict:
    environment = gymnasium.make("CartPole-v1").unwrapped
    environment.reset(seed=seed)
    generator = np.random.default_rng(seed)
    states, actions, ended = [list(map(float, environment.state))], [], False
    while not ended and len(actions) < STEPS:
        actions.append(int(generator.integers(2)))
        _, reward, ended, _, _ = environment.step(actions[-1])
        assert reward == 1
        states.append(list(map(float, environment.state)))
    return {"states": states, "actions": actions, "ended": bool(ended)}


if __name__ == "__main__":
    found = {"gymnasium": gymnasium.__version__, "episodes": [trajectory(seed) for seed in range(EPISODES)]}
    Path(__file__).with_suffix(".json").write_text(json.dumps(found) + "\n")
