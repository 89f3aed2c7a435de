"""The models beside LC-Net, by what each of them must get right, and odd curves for all."""

import numpy as np
import pytest
import torch

from core.foundation.errors import UserError
from core.models.curves.base import CurveForest, LastSeenValue
from core.models.curves.extrapolation import FUNCTIONS, Extrapolation, _sums, least_squares
from core.models.curves.freeze_thaw import DecayingCurves, FreezeThaw
from core.models.curves.lcnet import plot_curves
from tests.core.models.curves.curve_examples import falling_curves, hide

MODELS = {
    "extrapolation": lambda: Extrapolation(burn_in=20, samples=3, thinning=3),
    "decaying": lambda: DecayingCurves(updates=15),
    "freeze-thaw": lambda: FreezeThaw(updates=15),
    "forest": lambda: CurveForest(trees=10),
    "last": LastSeenValue,
}


@pytest.mark.parametrize("name", ["extrapolation", "decaying", "last"])
def test_models_of_single_curves_say_what_they_offer_instead_of_predictions(name):
    with pytest.raises(UserError, match=r"predicts only the curves that it was fitted to; allowed: extrapolate\(t\)"):
        MODELS[name]().predict(np.zeros((1, 1)))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_least_squares_fit_a_curve_of_their_own_family(function):
    """From the start, to parameters a tenth of the way to the upper ends of their ranges; one epoch is not seen."""
    ranges = torch.tensor(function.ranges, dtype=torch.float64)
    truth = ranges[:, 1] + torch.linspace(0.02, 0.05, len(ranges)).double() * (ranges[:, 2] - ranges[:, 1])
    log_x = torch.arange(1, 31).double().log()
    y = function.evaluate(log_x, *truth).expand(2, -1)
    assert torch.isfinite(y).all()
    seen = torch.ones_like(y, dtype=torch.bool)
    seen[1, -1] = False
    found = least_squares(function, log_x, y, seen)
    values = function.evaluate(log_x, *found.unsqueeze(-1).unbind(1))
    start = function.evaluate(log_x, *ranges[:, 1])
    assert (values - y).abs().max() < 0.02 * (start - y).abs().max() + 1e-4


def test_extrapolation_beats_the_last_value_on_slow_curves():
    epochs = np.arange(1, 41)
    rates = np.linspace(0.2, 0.6, 8)[:, None]
    curves = 0.2 + 0.7 * epochs**-rates + 0.002 * np.random.default_rng(0).standard_normal((8, 40))
    model = Extrapolation(burn_in=150, samples=10, thinning=15).fit(np.zeros((8, 1)), hide(curves, np.full(8, 15)))
    mean, variance = model.extrapolate()
    assert ((mean - curves[:, -1]) ** 2).mean() < ((curves[:, 14] - curves[:, -1]) ** 2).mean() / 2
    assert (np.abs(mean - curves[:, -1]) < 4 * np.sqrt(variance)).all()
    fitted = model.extrapolate(epochs[:15] / 40).mean
    assert np.abs(fitted - curves[:, :15]).mean() < 0.02


def test_walkers_that_never_reach_the_support_of_the_prior_are_no_samples():
    """After few epochs, least-squares fits leave the unit interval before the last, and many walkers start there."""
    rng = np.random.default_rng(1)
    curves = 2 + 1 / np.arange(1, 31) + 0.2 * rng.standard_normal((12, 30))
    model = Extrapolation(burn_in=20, samples=4, thinning=5).fit(np.zeros((12, 1)), hide(curves, np.full(12, 4)))
    assert model.inside.any(1).all() and not model.inside.all()
    ends = _sums(model.walks.double()[..., :-1], torch.tensor([1.0, 30.0]).double().log())
    within = (ends > -1e-4).all(-1) & (ends < 1 + 1e-4).all(-1) & (ends[..., 0] < ends[..., 1] + 1e-4)
    assert within[model.inside].all()
    mean, variance = model.extrapolate([1 / 30, 1.0])
    by_hand = [(e[keep].mean(0), e[keep].var(0, correction=0)) for e, keep in zip(ends, model.inside, strict=True)]
    noise = [(2 * walk[keep, -1].double()).exp().mean() for walk, keep in zip(model.walks, model.inside, strict=True)]
    means = torch.stack([m for m, _ in by_hand]) * model.scale + model.offset
    spreads = torch.stack([v + n for (_, v), n in zip(by_hand, noise, strict=True)]) * model.scale**2
    np.testing.assert_allclose(mean, means, rtol=1e-6)
    np.testing.assert_allclose(variance, spreads, rtol=1e-6)


def test_the_last_seen_value_by_hand():
    model = LastSeenValue().fit(np.zeros((2, 1)), [[5, 4, 3], [2]], epochs=4)
    np.testing.assert_array_equal(model.extrapolate([0.25, 0.5, 1.0]).mean, [[5, 4, 3], [2, 2, 2]])
    assert np.isnan(model.extrapolate().variance).all()


def test_a_forest_is_constant_after_the_observed_epochs():
    x, curves = falling_curves(30, 10)
    model = CurveForest(trees=20).fit(x, hide(curves, np.full(30, 5)))
    mean, variance = model.predict(x, [0.5, 0.8, 1.0])
    np.testing.assert_allclose(mean[:, 1:], mean[:, :1].repeat(2, 1))
    assert (variance > 0).all()
    assert np.abs(mean[:, 0] - curves[:, 4]).mean() < curves[:, 4].std() / 2


@pytest.mark.parametrize("together", [True, False])
def test_decaying_processes_beat_the_last_value_on_exponentials(together):
    rng = np.random.default_rng(0)
    x, t = rng.random((30, 2)), np.arange(1, 21) / 20
    fall = (0.5 + x[:, :1]) * np.exp(-(2 + 3 * x[:, 1:]) * t)
    curves = x[:, 1:] + fall + 0.003 * rng.standard_normal((30, 20))
    model = (FreezeThaw if together else DecayingCurves)(updates=100).fit(x, hide(curves, np.full(30, 8)))
    mean, variance = model.extrapolate()
    assert ((mean - curves[:, -1]) ** 2).mean() < ((curves[:, 7] - curves[:, -1]) ** 2).mean() / 4
    assert np.median(np.abs(mean - curves[:, -1]) / np.sqrt(variance)) < 2
    if together:
        new = model.predict(x[:5] + 1e-6)
        assert np.abs(new.mean - curves[:5, -1]).mean() < 0.2


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "curves",
    [np.full((4, 5), 0.3), [[1.0], [2.0], [3.0], [4.0]], [[1e6, 1e5], [3.0], [2, 1, 0.5], [1.0]]],
    ids=["constant", "one epoch", "unequal lengths, one far off"],
)
def test_odd_curves_give_finite_predictions(name, curves):
    x = np.random.default_rng(0).random((4, 2))
    x[:, 1] = 0.5
    mean, variance = MODELS[name]().fit(x, curves, epochs=6).extrapolate([0.5, 1.0])
    assert mean.shape == variance.shape == (4, 2)
    assert np.isfinite(mean).all() and (np.isfinite(variance).all() or name == "last")


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        (-1, "curves is -1; allowed: a whole number from 1, or a list of indices from 0 to 3"),
        (2.5, "curves is 2.5; allowed: a whole number from 1"),
        ([0, 1.5], r"curves\[1\] is 1.5; allowed: a whole number from 0"),
        ([], r"curves is \[\]; allowed: a number of curves, or indices from 0 to 3"),
    ],
)
def test_curves_that_cannot_be_plotted_are_refused(curves, message):
    with pytest.raises(UserError, match=message):
        plot_curves(LastSeenValue().fit(np.zeros((4, 1)), np.ones((4, 5))), curves)


@pytest.mark.parametrize("name", MODELS)
def test_bad_curves_are_refused_before_any_work(name):
    model = MODELS[name]()
    with pytest.raises(UserError, match="call fit first"):
        model.extrapolate()
    with pytest.raises(UserError, match=r"curves\[0\]\[1\] is nan before an observed value"):
        model.fit(np.zeros((2, 1)), [[1, np.nan, 2], [1, 2, 3]])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Extrapolation(walkers=40), "walkers is 40; allowed: a whole number from 49"),
        (lambda: Extrapolation(samples=0), "samples is 0"),
        (lambda: DecayingCurves(updates=0), "updates is 0"),
        (lambda: CurveForest(trees=0), "trees"),
    ],
)
def test_bad_settings_are_named(make, message):
    with pytest.raises(UserError, match=message):
        make()


@pytest.mark.parametrize("name", ["decaying", "freeze-thaw", "forest", "extrapolation", "last"])
@pytest.mark.filterwarnings("ignore:.*clipped to")
def test_one_curve_far_off_leaves_the_predictions_of_the_others(name):
    x, curves = falling_curves(12, 8)
    spoilt = curves.copy()
    spoilt[3, 5] = 1e10
    others = np.delete(np.arange(12), 3)
    mean = MODELS[name]().fit(x, spoilt).extrapolate().mean[others]
    assert np.abs(mean - curves[others, -1]).max() < np.ptp(curves)
