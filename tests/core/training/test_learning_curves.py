"""Collections of learning curves: what is recorded, that numbers determine curves, and bad input."""

import numpy as np
import pytest

from core.data import load
from core.foundation.errors import UserError
from core.training.learning_curves import RECORDED, LearningCurves, image_parts, train_curve


@pytest.fixture(scope="module")
def parts():
    return image_parts(load("digits"), (120, 60), seed=0)


def test_every_epoch_is_recorded_and_training_helps(parts):
    found = train_curve("lr", {"learning_rate": 0.5, "l2": 0.0, "batch_size": 20, "dropout": 0.0}, parts, 12, seed=0)
    assert set(found) == set(RECORDED)
    assert all(values.shape == (12,) and np.isfinite(values).all() for values in found.values())
    assert found["curve"][-1] < 0.3 and found["curve"][-1] < found["curve"][0]
    assert found["train_loss"][-1] < found["train_loss"][0] and (found["seconds"] > 0).all()


def test_divergence_is_recorded(parts):
    """The weights overflow in the first epoch; its seconds count, and nothing follows."""
    found = train_curve("lr", {"learning_rate": 1e30, "l2": 1.0, "batch_size": 20, "dropout": 0.0}, parts, 4, seed=0)
    assert all(np.isnan(found[name]).all() for name in ("curve", "valid_loss", "train_loss"))
    assert found["seconds"][0] > 0 and np.isnan(found["seconds"][1:]).all()


def test_the_last_batch_of_a_single_image_is_left_out(parts):
    one = {"learning_rate": 0.1, "l2": 0.0, "log10_gamma": -2.0, "kappa": 0.5, "momentum": 0.9}
    one |= {"batch_size": 119, "units_1": 32, "units_2": 32, "dropout_1": 0.0, "dropout_2": 0.0}
    assert np.isfinite(train_curve("fcnet", one, parts, 1, seed=0)["curve"]).all()


def test_batches_of_one_image_are_refused(parts):
    """They would all be left out, and the network would stay as it was."""
    with pytest.raises(UserError, match="batch_size of 'lr' is 1; allowed: a whole number from 2"):
        train_curve("lr", {"learning_rate": 0.1, "l2": 0.0, "batch_size": 1, "dropout": 0.0}, parts, 1, seed=0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epochs": -1}, "LearningCurves.epochs is -1; allowed: a whole number from 1"),
        ({"images": (5,)}, r"LearningCurves.images is \(5,\); allowed: a number for training and one for validation"),
        ({"images": (5, 1)}, r"LearningCurves.images\[1\] is 1; allowed: a whole number from 2"),
    ],
)
def test_settings_out_of_range_are_named(settings, message):
    with pytest.raises(UserError, match=message):
        LearningCurves("fcnet", **settings)


@pytest.mark.parametrize("name", ["cnn", "vae"])
def test_a_configurations_number_determines_its_curve(name):
    collection = LearningCurves(name, dataset="digits", images=(60, 40), epochs=2, most_units=34)
    together, alone = collection.train([4, 7]), collection.train([7])
    for column in set(together) - {"seconds"}:
        np.testing.assert_allclose(together[column][1:], alone[column], rtol=1e-5)
    assert set(collection.space) <= set(together)
    other = LearningCurves(name, dataset="digits", images=(60, 40), epochs=2, most_units=34, seed=1).train([7])
    assert not np.allclose(other["curve"], alone["curve"])


def test_validation_images_are_none_of_those_trained_on():
    data = load("digits")
    parts = image_parts(data, None, seed=3)
    assert len(parts.train.y) + len(parts.validation.y) == len(data.y)
    assert len(parts.validation.y) == round(0.2 * len(data.y))
    assert float(parts.train.X.min()) >= 0 and float(parts.train.X.max()) <= 1
    counts = np.bincount(data.y) - np.bincount(parts.train.y.numpy()) - np.bincount(parts.validation.y.numpy())
    assert (counts == 0).all()


@pytest.mark.parametrize(
    ("dataset", "images", "message"),
    [
        ("diabetes", None, "diabetes: .* inputs; allowed: square images in classes"),
        ("digits", (1, 10), r"1 \+ 10 images of digits; allowed: at least 2 of each and 1797 together"),
        ("digits", (1790, 10), r"1790 \+ 10 images of digits"),
    ],
)
def test_images_that_are_not_there_are_refused(dataset, images, message):
    with pytest.raises(UserError, match=message):
        image_parts(load(dataset), images, seed=0)
