"""Configuration spaces as the thesis prints them (Tables C.1, C.3, C.4), and the one that no benchmark has yet."""

from __future__ import annotations

import math

import pandas as pd
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


def described(space: ConfigurationSpace) -> pd.DataFrame:
    """Lower and upper bound and "yes" or "no" for the logarithm, one row per hyperparameter."""
    rows = {
        name: {
            "lower": bound(space[name].lower, space[name].log),
            "upper": bound(space[name].upper, space[name].log),
            "log": "yes" if space[name].log else "no",
        }
        for name in space
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def bound(value: float, logarithmic: bool) -> str:
    """A bound as printed; in a logarithmic range, as a power of 2 or 10 where it is one."""
    for base in (2, 10) if logarithmic else ():
        exponent = round(math.log(value, base))
        if math.isclose(value, float(base) ** exponent):
            return f"{base}^{exponent}"
    return f"{value:g}"
