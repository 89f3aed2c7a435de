"""Networks that classify images as objectives: what a budget is, what a seed determines, failures, interruptions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.foundation.errors import UnknownNameError, UserError
from core.objectives import objective
from core.objectives.base import failure_of
from core.objectives.guard import Remembered, guarded_evaluate
from core.objectives.image_classification import ImageClassification, reduced
from core.objectives.image_networks import Convolutional, Corrupted, Residual, Shaken
from core.vision import image_set
from core.vision.evaluation import OUT_OF_MEMORY
from core.vision.training import Training

FAMILIES = {
    "convolutional": Convolutional(20, 64),
    "corrupted": Corrupted(4, 32, 2),
    "residual": Residual(2, 64, 4),
    "shaken": Shaken(1, 2, 64),
}


@pytest.fixture(scope="module")
def digits():
    return image_set("digits", size=16, train=120, validation=60, test=60)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", FAMILIES)
def test_an_evaluation_is_determined_by_its_seed(digits, name):
    tuning = ImageClassification(FAMILIES[name], digits, epochs=1)
    configurations = [dict(each) for each in tuning.space.sample_configuration(2)]
    first, again = (tuning.evaluate(configurations, None, generator(3)) for _ in range(2))
    np.testing.assert_allclose(first.loss, again.loss)
    assert ((first.loss >= 0) & (first.loss <= 1)).all() and (first.cost > 0).all()
    assert [entry["outcome"] for entry in first.info] == ["finished"] * 2


def test_a_learned_configuration_beats_one_that_learns_nothing(digits):
    tuning = ImageClassification(Residual(2, 64, 8), image_set("digits", 16, 1000, 400, 397), epochs=3)
    good = {"learning_rate": 0.1, "weight_decay": 1e-4, "rate_factor": 0.1, "momentum": 0.9, "batch_size": 32}
    good |= {"blocks": 1, "shared": 0.0, "reduction": "stride"}
    found = tuning.evaluate([good, good | {"learning_rate": 1e-6}], None, generator())
    assert found.loss[0] < 0.5 and found.loss[1] > 0.6
    assert found.info[0]["learning_curve"][-1] == pytest.approx(found.loss[0])
    assert tuning.test_error(good, seed=0) < 0.5


def test_a_share_of_the_images_is_a_budget(digits, monkeypatch):
    tuning = ImageClassification(Convolutional(20, 64), digits, epochs=2, smallest_share=0.25)
    seen = spy(monkeypatch)
    configuration = [dict(tuning.space.get_default_configuration())]
    for budget in (0.25, 0.5, 1.0, None):
        tuning.evaluate(configuration, budget, generator())
    assert [(len(data.train), settings.epochs) for data, settings in seen] == [(30, 2), (60, 2), (120, 2), (120, 2)]
    with pytest.raises(UserError, match=r"share of the training images from 0\.25"):
        tuning.evaluate(configuration, 0.1, generator())


def test_epochs_are_a_budget_to_which_the_schedule_is_fitted(digits, monkeypatch):
    tuning = ImageClassification(Shaken(1, 2, 64), digits, epochs=4, least_epochs=1)
    seen = spy(monkeypatch)
    configuration = dict(tuning.space.get_default_configuration())
    for budget in (1.0, 2.0, None):
        tuning.evaluate([configuration], budget, generator())
    assert [settings.epochs for _, settings in seen] == [1, 2, 4]
    rate = configuration["learning_rate"]
    np.testing.assert_allclose(seen[1][1].rates, [rate, rate / 2])  # a cosine over two epochs


def test_test_images_are_not_seen_before_the_end(digits, monkeypatch):
    tuning = ImageClassification(Convolutional(20, 64), digits, epochs=1)
    seen = spy(monkeypatch)
    configuration = dict(tuning.space.get_default_configuration())
    tuning.evaluate([configuration], None, generator())
    tuning.test_error(configuration, 0)
    assert seen[0][0].validation is digits.validation and len(seen[0][0].train) == 120
    assert seen[1][0].validation is digits.test and len(seen[1][0].train) == 180


def test_a_training_that_fails_is_a_failed_evaluation(digits, monkeypatch):
    module = "core.objectives.image_classification.train"
    tuning = ImageClassification(Convolutional(20, 64), digits, epochs=2)
    configuration = dict(tuning.space.get_default_configuration())

    def full(network, data, settings, seed, device, file):
        nothing = np.full(2, np.nan, np.float32)
        from core.vision.evaluation import Trained

        return Trained(nothing, nothing, nothing, nothing, np.array([1.5, np.nan], np.float32), OUT_OF_MEMORY)

    monkeypatch.setattr(module, full)
    found = guarded_evaluate(tuning, [configuration], None, generator())
    assert found.loss.tolist() == [1.0] and found.cost.tolist() == [1.5]
    assert failure_of(found.info[0]) == "out of memory in epoch 1"
    assert tuning.test_error(configuration, 0) == 1.0


def test_what_was_interrupted_goes_on_from_the_last_evaluation(digits, tmp_path, monkeypatch):
    tuning = ImageClassification(Convolutional(20, 64), digits, epochs=1, folder=tmp_path)
    configurations = [dict(each) for each in tuning.space.sample_configuration(3)]
    whole = [tuning.evaluate([each], None, rng) for rng in [generator()] for each in configurations]
    file, rng = tmp_path / "evaluations.jsonl", generator()
    for each in configurations[:2]:
        Remembered(tuning, file).evaluate([each], None, rng)
    seen, rng = spy(monkeypatch), generator()
    again = [Remembered(tuning, file).evaluate([each], None, rng) for each in configurations]
    assert len(seen) == 1  # the third one alone
    np.testing.assert_allclose([float(each.loss[0]) for each in again], [float(each.loss[0]) for each in whole])
    assert [path.name for path in tmp_path.iterdir()] == ["evaluations.jsonl"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epochs": 0}, "epochs is 0"),
        ({"smallest_share": 0.5, "least_epochs": 1}, "allowed: one of them"),
        ({"smallest_share": 1.0}, "smallest_share is 1.0"),
        ({"least_epochs": 3}, "least_epochs is 3"),
    ],
)
def test_bad_arguments_are_refused(digits, given, message):
    with pytest.raises(UserError, match=message):
        ImageClassification(Convolutional(), digits, **{"epochs": 3, **given})


def test_objectives_by_name():
    found = objective("images/residual/digits")
    assert isinstance(found, ImageClassification) and found.data.size == 16 and found.fidelity is None
    assert objective("images/convolutional/digits").fidelity.name == "share of the training images"
    assert objective("images/shaken/digits").fidelity.maximum == 9
    with pytest.raises(UnknownNameError, match="family of networks"):
        reduced("perceptron", "digits")


def test_dngos_hyperparameters_are_exponents(digits):
    family = Corrupted(4, 32, 2)
    given = {"momentum": 1.0, "learning_rate": 2.0, "weight_decay": 3.0, "hue_shift": 10.0, "scaling": 0.1}
    configuration = dict.fromkeys(family.space(), 0.3) | given
    settings: Training = family.training(configuration, digits, epochs=200)
    assert settings.momentum == pytest.approx(0.9) and settings.weight_decay == pytest.approx(1e-3)
    np.testing.assert_allclose(settings.rates[[0, 129, 130, 189, 190]], [1e-2, 1e-2, 1e-3, 1e-3, 1e-4])
    assert settings.augment.size == 14 and settings.corrupt.hue == 10.0
    whole = replace(digits, train=replace(digits.train, X=torch.zeros(2, 3, 32, 32, dtype=torch.uint8)))
    assert family.training(configuration, whole, epochs=200).augment.size == 27  # A.2


def test_bohamiann_drops_the_rate_at_half_and_three_quarters(digits):
    family = Residual()
    configuration = dict(family.space().get_default_configuration()) | {"learning_rate": 0.1, "rate_factor": 0.1}
    rates = family.training(configuration, digits, epochs=82).rates
    np.testing.assert_allclose(rates[[0, 40, 41, 60, 61]], [0.1, 0.1, 0.01, 0.01, 0.001])


def spy(monkeypatch) -> list:
    """The data and the settings of each training from now on."""
    from core.objectives import image_classification as module

    seen, inner = [], module.train

    def watched(network, data, settings, *rest):
        seen.append((data, settings))
        return inner(network, data, settings, *rest)

    monkeypatch.setattr(module, "train", watched)
    return seen
