"""LC-Net as users call it: extrapolation of rising and falling curves, odd data, plots."""

import matplotlib
import numpy as np
import pytest

from core.foundation.errors import UserError
from core.models.curves.lcnet import CurveNetwork, LCNet
from tests.core.models.curves.curve_examples import falling_curves, hide

matplotlib.use("Agg")
SHORT = {"chains": 1, "burn_in": 1000, "steps": 3000, "thinning": 50}


def small(**settings):
    return LCNet(**{"chains": 1, "widths": (10, 10, 10), "burn_in": 200, "steps": 600, "thinning": 50, **settings})


@pytest.mark.parametrize("sign", [1, -1])
def test_extrapolates_better_than_the_last_value_and_the_plain_network(sign):
    x, curves = falling_curves(80, 30)
    curves = 100 * sign * curves
    partial = hide(curves, np.full(80, 8))
    errors = {}
    for name, model in (("lcnet", LCNet(**SHORT)), ("plain", CurveNetwork(**SHORT))):
        mean, variance = model.fit(x, partial).predict(x)
        errors[name] = ((mean - curves[:, -1]) ** 2).mean()
        assert mean.shape == variance.shape == (80,) and (variance > 0).all()
    assert errors["lcnet"] < errors["plain"]
    assert errors["lcnet"] < curves[:, -1].var() / 2


def test_mixed_lengths_predictions_samples_and_plot():
    x, curves = falling_curves(40, 12)
    lengths = np.arange(40) % 12 + 1
    model = small().fit(x, [curve[:length] for curve, length in zip(curves, lengths)], epochs=12)
    new = falling_curves(5, 12, seed=1)[0]
    mean, variance = model.predict(new, [0.25, 0.5, 1.0])
    samples = model.samples(new, [0.25, 0.5, 1.0])
    assert mean.shape == variance.shape == (5, 3) and samples.shape == (8, 5, 3)
    np.testing.assert_allclose(samples.mean(0), mean)
    np.testing.assert_allclose(model.samples(new), samples[..., 2], atol=1e-5)
    np.testing.assert_allclose(model.extrapolate().mean, model.predict(x).mean)
    figure = model.plot([0, 3, 39])
    assert len([axes for axes in figure.axes if axes.lines]) == 3
    with pytest.raises(UserError, match="curves is"):
        model.plot([40])
    matplotlib.pyplot.close("all")


def test_the_seed_determines_the_run():
    x, curves = falling_curves(20, 5)
    first, again, other = (small().fit(x, curves, seed=seed).predict(x).mean for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0


@pytest.mark.parametrize(
    "curves",
    [np.full((6, 4), 0.3), np.linspace(0, 1, 6)[:, None], np.where(np.arange(6)[:, None] == 5, 1e6, np.ones((6, 4)))],
    ids=["constant", "one epoch", "one far off"],
)
@pytest.mark.parametrize("model", [small, lambda: CurveNetwork(chains=1, widths=(10, 10, 10), burn_in=200, steps=600)])
def test_degenerate_curves_give_finite_predictions(model, curves):
    x = np.random.default_rng(0).random((6, 2))
    x[:, 1] = 0.5
    mean, variance = model().fit(x, curves).predict(x)
    assert np.isfinite(mean).all() and np.isfinite(variance).all()


def test_errors_before_and_after_a_fit():
    with pytest.raises(UserError, match="call fit first"):
        small().predict(np.zeros((1, 2)))
    x, curves = falling_curves(5, 3)
    model = small().fit(x, curves)
    with pytest.raises(UserError, match=r"t is 1.5; allowed: in \(0, 1\]"):
        model.predict(x, 1.5)
    with pytest.raises(UserError, match=r"allowed: \(m, 4\)"):
        model.samples(x[:, :2])
    with pytest.raises(UserError, match="is nan before an observed value"):
        model.fit(x, np.where(np.eye(5, 3), np.nan, curves))
