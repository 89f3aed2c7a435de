"""The network of all tasks: what it fits with a sigmoid, and that copies of the data count once."""

import math

import pytest
import torch

from core.foundation.randomness import make_generators
from core.models.meta_models import MetaNetwork

CHAIN = {"burn_in": 3000, "steps": 5000, "thinning": 100, "batch_size": 20}


def test_a_sigmoid_mean_fits_errors_and_stays_within_0_and_1():
    x = torch.linspace(0, 1, 60, dtype=torch.float64)
    y = 0.5 + 0.45 * (6 * x).sin()
    model = MetaNetwork(widths=(20, 20), mean="sigmoid", **CHAIN).fit(x[None, :, None], y[None], make_generators([0]))
    means, noise = model.predict(torch.linspace(-3, 4, 50, dtype=torch.float64)[None, :, None])
    assert (means >= 0).all() and (means <= 1).all() and (noise > 0).all()
    at_data = model.predict(x[None, :, None])[0].mean(0)[0]
    assert (at_data - y).square().mean().sqrt() < 0.05


@pytest.mark.slow
def test_copies_of_the_data_leave_the_noise_as_it_is():
    """With H copies that count 1/H the posterior is that of one copy; counted fully, its prior would weigh less."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(1, 50, 1, generator=generator, dtype=torch.float64)
    y = X[..., 0] + 0.3 * torch.randn(1, 50, generator=generator, dtype=torch.float64)
    levels = []
    for copies in (1, 4):
        chain = {"burn_in": 5000, "steps": 25000, "thinning": 100, "batch_size": 200}
        model = MetaNetwork(widths=(), copies=copies, weight_prior=MetaNetwork(widths=(5,)).weight_prior, **chain)
        model.fit(X.repeat(1, copies, 1), y.repeat(1, copies), make_generators([1]))
        levels.append(model.noise_variance.log().mean().item())
    assert math.isclose(*levels, abs_tol=0.1)


@pytest.mark.parametrize(
    "settings, message",
    [({"mean": "probit"}, "must be 'linear' or 'sigmoid', got 'probit'"), ({"copies": 0}, "copies is 0")],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        MetaNetwork(widths=(5,), **settings)


def test_targets_beyond_a_sigmoid_are_refused():
    X, y = torch.rand(1, 5, 1), torch.tensor([[0.1, 0.2, 1.5, 0.3, 0.4]])
    with pytest.raises(ValueError, match=r"targets from 0\.1 to 1\.5; allowed with a sigmoid: 0 to 1"):
        MetaNetwork(widths=(5,), mean="sigmoid", **CHAIN).fit(X, y, make_generators([0]))
