"""Precisions of the weight priors; the Gibbs step against the conjugate posterior and a known joint distribution."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from core.models.network import MLP
from core.models.priors import AveragedNormal, FixedNormal, GammaHyperprior, LogNormalNoise


def generators(runs):
    return [np.random.default_rng(seed) for seed in range(runs)]


def test_what_the_priors_cover():
    network = MLP((2, 3, 1))
    assert GammaHyperprior().covers(network).tolist() == [1] * 6 + [0] * 3 + [1] * 3 + [0]
    assert AveragedNormal().covers(network).tolist() == FixedNormal().covers(network).tolist() == [1] * 13


def test_constant_precisions():
    weights = torch.randn(3, 8)
    torch.testing.assert_close(AveragedNormal().precision(weights, generators(3)), torch.full((3,), 1 / 8))
    torch.testing.assert_close(FixedNormal(2.5).precision(weights, generators(3)), torch.full((3,), 2.5))
    assert AveragedNormal().interval is None and FixedNormal().interval is None


def test_gibbs_draws_follow_the_conjugate_posterior():
    weights = torch.linspace(-2, 3, 10).repeat(4000, 1)
    draws = GammaHyperprior(shape=2.0, rate=3.0).precision(weights, generators(2))
    expected = stats.gamma(2 + 5, scale=1 / (3 + float(weights[0].square().sum()) / 2))
    assert stats.kstest(draws.numpy(), expected.cdf).pvalue > 1e-6


def test_gibbs_sampling_recovers_the_hyperprior():
    """Drawing w | lambda and lambda | w in turn must leave lambda with its prior, Gamma(shape, rate)."""
    prior, n, chains = GammaHyperprior(shape=3.0, rate=2.0), 4, 4000
    rng, (generator,) = np.random.default_rng(5), generators(1)
    precision = torch.ones(chains, dtype=torch.float64)
    for _ in range(60):
        weights = torch.from_numpy(rng.standard_normal((chains, n))) / precision.sqrt()[:, None]
        precision = prior.precision(weights, [generator])
    assert stats.kstest(precision.numpy(), stats.gamma(3, scale=1 / 2).cdf).pvalue > 1e-6


def test_default_precision_is_set_by_the_rate():
    draws = GammaHyperprior().precision(torch.randn(200, 700), generators(200))
    assert abs(draws.mean() - 351 / (1e4 + 350)) < 5e-4


def test_gibbs_draws_of_a_run_do_not_depend_on_the_others():
    weights = torch.randn(6, 9)
    together = GammaHyperprior().precision(weights, generators(3))
    alone = GammaHyperprior().precision(weights[2:4], generators(2)[1:])
    assert torch.equal(together[2:4], alone) and len(set(together.tolist())) == 6


@pytest.mark.parametrize(
    "make",
    [
        lambda: GammaHyperprior(shape=0.0),
        lambda: GammaHyperprior(rate=-1.0),
        lambda: GammaHyperprior(interval=0),
        lambda: GammaHyperprior(interval=1.5),
        lambda: GammaHyperprior(initial=0.0),
        lambda: FixedNormal(math.inf),
        lambda: LogNormalNoise(variance=0.0),
        lambda: LogNormalNoise(mean=math.nan),
    ],
)
def test_bad_settings(make):
    with pytest.raises(ValueError, match=r"(GammaHyperprior|FixedNormal|LogNormalNoise)\.\w+ is .*; allowed"):
        make()
