"""Made-up runs over time, whose mean curves are known in closed form."""

from __future__ import annotations

import numpy as np
import pandas as pd

RUNS = 24


def made(benchmark, method, scale, exponent, first=1.0, last=512.0, sd=0.05) -> pd.DataFrame:
    """Runs whose regret, and loss, is scale t^-exponent times a factor of each run: evenly spread logarithms."""
    times = np.geomspace(first, last, 120)
    factors = 10 ** (sd * np.linspace(-(3**0.5), 3**0.5, RUNS))
    regret = np.outer(factors, scale * times**-exponent).ravel()
    return pd.DataFrame(
        {
            "benchmark": benchmark,
            "method": method,
            "run": np.repeat(np.arange(RUNS), len(times)),
            "finished": np.tile(times, RUNS),
            "evaluation": np.tile(np.arange(1, len(times) + 1), RUNS),
            "loss": regret,
            "regret": regret,
            "smallest_budget": 1 / 27,
            "largest_budget": 1.0,
            "configurations": 100,
        }
    )
