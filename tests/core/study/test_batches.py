"""Batches: how far apart their points are, and what they find beside a search that asks for one at a time.

With batches of 8 a Gaussian process needs at most 5/3 of the evaluations that it needs one by one, 40 for 24, by the
median regret over five seeds. The factor was chosen on seeds 0 to 4; the test has others.
"""

from __future__ import annotations

import numpy as np
import pytest

from core.objectives.synthetic import FUNCTIONS
from core.spaces import CubeEncoding
from core.study import method_of

MODELS = [
    {"method": "gp", "initial_design": 8},
    {"method": "gp_mcmc", "initial_design": 8, "hyperparameter_samples": 4},
    {"method": "rf", "initial_design": 8},
    {"method": "tpe", "initial_design": 8},
    {"method": "optuna_tpe"},
]


def search(method, function, batch, evaluations, seed):
    """Regrets after each batch, and the points of each."""
    objective, generator = FUNCTIONS[function], np.random.default_rng(0)
    optimizer, encoding = method_of(method).build(objective.space, seed), CubeEncoding(objective.space)
    losses, points = [], []
    while len(losses) < evaluations:
        trials = optimizer.ask(min(batch, evaluations - len(losses)))
        points.append(encoding.encode([trial.configuration for trial in trials]))
        for trial in trials:
            loss = float(objective.evaluate([trial.configuration], None, generator).loss[0])
            losses.append(loss)
            optimizer.tell(trial, loss)
    return min(losses) - objective.optimum, points


def nearest(points):
    """The distances of points (n, d) to the nearest other one, (n,)."""
    distances = np.linalg.norm(points[:, None] - points[None], axis=-1)
    return (distances + np.where(np.eye(len(points)), np.inf, 0.0)).min(1)


@pytest.mark.parametrize("method", MODELS, ids=lambda method: method["method"])
def test_a_batch_is_spread(method):
    """Eight uniform points in the unit square have a mean distance of about 1 / (2 sqrt(8)) = 0.18 to the nearest."""
    _, (_, second, third) = search(method, "branin", 8, 24, 0)
    assert nearest(second).mean() > 0.04
    assert nearest(third).mean() > 0.01, "a forest by then stays near a minimum"
    assert len(np.unique(np.concatenate([second, third]).round(6), axis=0)) >= 15, "hardly any point twice"


@pytest.mark.slow
@pytest.mark.parametrize("function", ["branin", "hartmann3"])
def test_a_batch_of_eight_loses_less_than_it_gains(function):
    batches = [search({"method": "gp"}, function, 8, 40, seed)[0] for seed in range(10, 15)]
    singles = [search({"method": "gp"}, function, 1, 24, seed)[0] for seed in range(10, 15)]
    assert np.median(batches) <= np.median(singles)
