"""Published cells and runs of ours to judge."""

import numpy as np

from core.report.verdicts.published import PublishedCell


def published(value=0.0, spread=1.0, kind="sd", runs=10, reading="number"):
    return PublishedCell(value, spread, kind, runs, reading)


def runs_with(mean, sd, count, seed=0):
    """(count,) numbers of exactly this mean and standard deviation."""
    draws = np.random.default_rng(seed).normal(size=count)
    return mean + sd * (draws - draws.mean()) / draws.std(ddof=1)
