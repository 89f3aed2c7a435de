"""Runs at the smoke scale, made once, and made-up grids and searches for which the answers to the claims are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.papers.runs import smoke_runs

SHARES = 2.0 ** np.arange(-9, 1)


@pytest.fixture(scope="session")
def smoke(tmp_path_factory):
    """Runs a cell of the smoke scale and returns its records."""
    run = smoke_runs("fabolas", tmp_path_factory.mktemp("fabolas"))
    run("grid/digits/svm")
    return run


def made_grid(shift: float = 0.0, bad: float = 0.9, growth: float = 2.0, spread: float = 0.3) -> pd.DataFrame:
    """A grid of 10 x 10 with a valley at (2, -2) that is moved by `shift` on the smallest subset, and not on the whole.

    Times grow as share^growth; their logarithms have a standard deviation of `spread` over the machines.
    """
    at = np.exp(np.linspace(-10, 10, 10))
    share, gamma, C = (axis.ravel() for axis in np.meshgrid(SHARES, at, at, indexing="ij"))
    moved = shift * np.log(share) / np.log(SHARES[0])
    inside = np.exp(-((np.log(C) - 2 - moved) ** 2 + (np.log(gamma) + 2) ** 2) / 30)
    error = np.where(inside > 0.1, bad - (bad - 0.02) * inside ** (0.05 / share**0.3), bad)
    noise = np.tile(np.random.default_rng(0).normal(0, spread, 100), len(SHARES))
    seconds = np.exp(noise) * (1000 * share) ** growth
    columns = {"C": C, "gamma": gamma, "share": share, "points": (8192 * share).astype(int)}
    return pd.DataFrame(columns | {"valid_error": error, "seconds": seconds, "benchmark": "mnist", "method": "svm"})
