"""Chains that are finite and far from the data: they are named, warned of, and not used where there are others."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch

from core.foundation.errors import UserError
from core.models.bohamiann import BayesianNetwork
from core.models.chains import LARGEST_NOISE, StrayedChainsWarning, strayed, unwarned, warn_of
from core.models.curves.lcnet import LCNet

SHORT = {"burn_in": 60, "steps": 100, "thinning": 10}


def noise(*variances: float) -> torch.Tensor:
    """Of one run with two chains, step by step."""
    return torch.tensor(variances, dtype=torch.float64)[:, None, None]


def test_one_sample_far_away_gives_its_chain_up():
    assert strayed(noise(1, 2, 3, 2 * LARGEST_NOISE), 2).tolist() == [[False, True]]
    assert strayed(noise(1, 2, float("nan"), 4), 2).tolist() == [[True, False]]
    two_runs = torch.tensor([[1.0, 1e9], [1.0, 1.0]], dtype=torch.float64)[:, :, None]
    assert strayed(two_runs, 2).tolist() == [[False, False], [True, False]]


def test_the_warning_says_how_many_and_what_helps():
    with pytest.warns(StrayedChainsWarning, match=r"LCNet: 1 of 4 chains left the data.*a shorter step"):
        warn_of(torch.tensor([[False, True], [False, False]]), "LCNet")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of(torch.zeros(2, 2, dtype=torch.bool), "LCNet")
        with unwarned():
            warn_of(torch.ones(1, 1, dtype=torch.bool), "LCNet")


def test_a_network_knows_its_strayed_chains():
    X = torch.rand(2, 30, 1, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    network = BayesianNetwork(widths=(5,), chains=2, **SHORT).fit(
        X, X.sin().squeeze(-1), torch.Generator().manual_seed(1)
    )
    assert network.strayed.shape == (2, 2) and not network.strayed.any()
    network.noise_variance[3, 1] = 1e6  # the fourth sample: the second step's second chain
    assert network.strayed.tolist() == [[False, False], [False, True]]


@pytest.fixture
def curves() -> LCNet:
    """A fitted model of 12 curves with two chains."""
    rng = np.random.default_rng(0)
    configurations, t = rng.random((12, 1)), np.arange(1, 9) / 8
    values = configurations + np.exp(-4 * t) + 0.05 * rng.standard_normal((12, 8))
    return LCNet(chains=2, **SHORT).fit(configurations, values, seed=1)


def test_predictions_are_those_of_the_chains_that_stayed(curves):
    configurations, network = [[0.5]], curves.model
    samples = curves.samples(configurations, [0.5, 1.0])
    network.noise_variance[5] = 1e12  # of the second chain
    network.samples[1::2] *= 1e6
    kept = curves.samples(configurations, [0.5, 1.0])
    np.testing.assert_allclose(kept, samples[::2], rtol=1e-12)
    mean, variance = curves.predict(configurations)
    expected = samples[::2, :, 1]
    noise = network.targets.inverse_variance(network.noise_variance)[::2].mean().item()
    np.testing.assert_allclose(mean.ravel(), expected.mean(0), rtol=1e-4)
    np.testing.assert_allclose(variance.ravel(), expected.var(0) + noise, rtol=1e-4)


def test_a_model_without_any_chain_left_says_so(curves):
    curves.model.noise_variance[:2] = 1e12
    with pytest.raises(UserError, match=r"LCNet: all 2 chains left the data; allowed: .*shorter step"):
        curves.predict([[0.5]])
