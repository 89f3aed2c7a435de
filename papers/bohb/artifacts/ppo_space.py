"""The configuration space that the thesis prints and no benchmark has yet."""

from __future__ import annotations

from ConfigSpace import ConfigurationSpace, Float, Integer


def ppo_space() -> ConfigurationSpace:
    """Table C.4: proximal policy optimization on cartpole swing-up.

    The text speaks of eight hyperparameters, the table has seven; so has the authors' code.
    """
    space = ConfigurationSpace(name="PPO on cartpole")
    space.add(
        Integer("units_1", (2**3, 2**7), log=True),
        Integer("units_2", (2**3, 2**7), log=True),
        Integer("batch_size", (2**3, 2**8), log=True),
        Float("learning_rate", (1e-7, 1e-1), log=True),
        Float("discount", (0.0, 1.0)),
        Float("likelihood_ratio_clipping", (0.0, 1.0)),
        Float("entropy_regularization", (0.0, 1.0)),
    )
    return space
