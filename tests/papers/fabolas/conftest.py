"""Runs at the smoke scale, made once, and made-up grids and searches for which the answers to the claims are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from papers.fabolas.search_runs import AUTHORS
from tests.core.report.made_runs import made
from tests.papers.runs import smoke_runs

SHARES = 2.0 ** np.arange(-9, 1)
TRUE = {"random": 300, "gp": 100, "entropy_search": 102, "hyperband": 10, "mtbo": 9, "fabolas": 0.6}
"""When each method of searches finds a good configuration if the claims are true."""


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


def made_models(wrong: float) -> pd.DataFrame:
    """Machines whose values fall by 0.3 from s = 1/8, the largest trained on, to 1; predictions miss by `wrong`."""
    machine, share = (axis.ravel() for axis in np.meshgrid(np.arange(10), SHARES, indexing="ij"))
    actual = 0.1 * machine - 0.1 * np.log2(share)
    mean = actual + wrong * np.random.default_rng(0).choice([-1, 1], len(actual))
    columns = {"run": 0, "machine": machine, "share": share, "trained": share <= 1 / 8, "actual": actual, "mean": mean}
    frames = [pd.DataFrame({**columns, "quantity": name, "sd": 0.01}) for name in ("error", "log seconds")]
    return pd.concat(frames).assign(benchmark="mnist", method="gp")


def made_noise(estimate: float) -> dict[str, pd.DataFrame]:
    """Variances of about 1e-4 by subsampling, and estimates of `estimate`."""
    run, machine, share = (axis.ravel() for axis in np.meshgrid(range(10), range(25), SHARES[:-1], indexing="ij"))
    errors = 0.3 + 0.01 * np.random.default_rng(0).normal(size=len(run))
    columns = {"run": run, "C": machine.astype(float), "gamma": 1.0, "share": share, "points": 8192 * share}
    sizes = pd.DataFrame(
        {"run": 0, "share": np.repeat(SHARES, 2), "noise": estimate * np.tile([0.9, 1.1], len(SHARES))}
    )
    names = {"benchmark": "mnist", "method": "svm"}
    noise = pd.DataFrame(columns).assign(valid_error=errors, **names)
    return {"subsampling_noise": noise, "size_noise": sizes.assign(**names)}


def searches(times: dict[str, float]) -> pd.DataFrame:
    """Curves of regret t / time^-1 that reach 0.005 at these multiples of a second."""
    frames = [made(AUTHORS, name, 0.005 * time, 1.0, time / 50, 500 * time) for name, time in times.items()]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(error=frame["regret"] + 0.02, optimum=0.02, evaluation_seconds=frame["finished"], evaluation=1)


def tasks(starts: dict[str, float], ends: dict[str, float]) -> pd.DataFrame:
    """Curves that pass a regret of 0.1 at `starts` and have one of `ends` after 1000 seconds."""
    frames = []
    for name, start in starts.items():
        power = np.log(0.1 / ends[name]) / np.log(1000 / start)
        frames.append(made(AUTHORS, name, 0.1 * start**power, power, start / 10, 1000.0))
    return pd.concat(frames).assign(error=lambda frame: frame["regret"] + 0.02, optimum=0.02)
