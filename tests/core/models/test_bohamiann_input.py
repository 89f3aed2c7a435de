"""Unusual data and settings of BOHAMIANN's network: well-defined predictions or one clear error."""

import numpy as np
import pytest
import torch

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork

ENGINES = ["compiled", "torch"]


def small(**settings):
    defaults = {"widths": (8,), "burn_in": 100, "steps": 400, "thinning": 50, "batch_size": 10}
    return BayesianNetwork(**{**defaults, **settings})


def waves(runs=1, n=30, d=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    X = torch.rand(runs, n, d, generator=generator, dtype=torch.float64)
    noise = 0.05 * torch.randn(runs, n, generator=generator, dtype=torch.float64)
    return X, torch.sin(4 * X[..., 0]) + X.sum(-1) + noise


@pytest.mark.parametrize("scale, shift", [(1e12, 0), (1e-12, 0), (1.0, 1e6)])
def test_predictions_follow_the_units_of_the_targets(scale, shift):
    X, y = waves()
    plain = small().fit(X, y, make_generators([0]))
    scaled = small().fit(X, y * scale + shift, make_generators([0]))
    (mean, variance), (scaled_mean, scaled_variance) = plain.moments(X), scaled.moments(X)
    torch.testing.assert_close((scaled_mean - shift) / scale, mean, rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(scaled_variance / scale**2, variance, rtol=0.1, atol=1e-3)


@pytest.mark.parametrize("engine", ENGINES)
def test_degenerate_data_give_finite_predictions(engine):
    X, y = waves(n=25)
    cases = {
        "constant targets": (X, torch.full_like(y, 3.0)),
        "constant feature": (torch.cat([X, torch.full_like(X[..., :1], 1e6)], -1), y),
        "one observation": (X[:, :1], y[:, :1]),
        "duplicated points": (X[:, :1].expand(1, 25, 2), y),
        "one feature": (X[..., :1], y),
    }
    for name, (inputs, targets) in cases.items():
        model = small(engine=engine).fit(inputs, targets, make_generators([0]))
        mean, variance = model.moments(inputs)
        assert torch.isfinite(mean).all() and (variance > 0).all(), name
    constant = small(engine=engine, steps=1000).fit(*cases["constant targets"], make_generators([0]))
    assert (constant.moments(X)[0] - 3).abs().mean() < 0.3


def test_bad_data_give_one_clear_error():
    X, y = waves()
    with pytest.raises(ValueError, match="expected finite values"):
        small().fit(X, y * torch.nan, make_generators([0]))
    with pytest.raises(ValueError, match="X has shape"):
        small().fit(X[:, :-1], y, make_generators([0]))
    with pytest.raises(ValueError, match=r"y from .* cannot be standardized"):
        small().fit(X, y * 1e200, make_generators([0]))
    with pytest.raises(UserError, match="call fit"):
        small().predict(X)


@pytest.mark.parametrize(
    "setting, message",
    [
        ({"steps": 120}, "steps is 120; allowed: a whole number from 150"),
        ({"burn_in": -1}, "burn_in is -1; allowed: a whole number from 0"),
        ({"burn_in": "3"}, "burn_in is '3'; allowed: a whole number from 0"),
        ({"chains": True}, "chains is True; allowed: a whole number from 1"),
        ({"thinning": 0}, "thinning"),
        ({"batch_size": 2.5}, "batch_size"),
        ({"chains": 0}, "chains"),
        ({"widths": (8, 0)}, "sizes"),
        ({"activation": "sine"}, "activation"),
    ],
)
def test_bad_settings(setting, message):
    with pytest.raises(ValueError, match=message):
        small(**setting)


def test_whole_numbers_of_numpy_are_settings():
    X, y = waves()
    counts = {"steps": 400, "burn_in": 100, "thinning": 50, "batch_size": 10, "chains": 1}
    numbers = {name: np.int64(value) for name, value in counts.items()}
    found = small(widths=(np.int64(8),), **numbers).fit(X, y, make_generators([0]))
    assert torch.equal(found.samples, small(**counts).fit(X, y, make_generators([0])).samples)


def test_unknown_engine():
    X, y = waves()
    with pytest.raises(ValueError, match="got 'warp'"):
        small(engine="warp").fit(X, y, make_generators([0]))
