"""Image sets: sizes of the parts, resizing, moments, subsets."""

import numpy as np
import pytest
import torch

from core.data import Dataset
from core.foundation.errors import UserError
from core.vision import data as module
from core.vision import image_set


@pytest.fixture
def official(monkeypatch):
    """A set of 50 colour images, 40 of which are the official training part; the number of an image is its value."""
    X = np.repeat(np.arange(50, dtype=np.uint8), 3 * 8 * 8).reshape(50, -1)
    y = np.arange(50) % 5
    dataset = Dataset("made", X, y, (), "classification", tuple("abcde"), "made", 40, (3, 8, 8))
    monkeypatch.setattr(module, "load", lambda name: dataset)


def numbers(part) -> set[int]:
    return set(part.X[:, 0, 0, 0].tolist())


def test_parts_come_from_the_official_ones_and_do_not_overlap(official):
    data = image_set("made", train=20, validation=10, test=4, seed=3)
    parts = [numbers(part) for part in (data.train, data.validation, data.test)]
    assert [len(part) for part in parts] == [20, 10, 4]
    assert not parts[0] & parts[1] and max(parts[0] | parts[1]) < 40 <= min(parts[2])
    assert all((part.y == part.X[:, 0, 0, 0].long() % 5).all() for part in (data.train, data.validation, data.test))
    again = image_set("made", train=20, validation=10, test=4, seed=3)
    assert torch.equal(again.train.X, data.train.X)
    assert numbers(image_set("made", train=20, validation=10, test=4, seed=4).train) != parts[0]


def test_by_default_all_images_are_used(official):
    data = image_set("made")
    assert [len(part) for part in (data.train, data.validation, data.test)] == [32, 8, 10]
    joined = data.for_testing()
    assert numbers(joined.train) == set(range(40)) and numbers(joined.validation) == set(range(40, 50))


def test_a_set_without_official_parts_is_divided():
    data = image_set("digits", size=16, train=100, validation=50, test=30)
    assert data.train.X.shape == (100, 3, 16, 16) and data.train.X.dtype == torch.uint8
    assert (len(data.validation), len(data.test), data.classes) == (50, 30, 10)
    assert torch.equal(data.train.X[:, 0], data.train.X[:, 2])  # grey


def test_moments_are_those_of_the_inputs(official):
    data = image_set("made")
    inputs = data.inputs(data.train.X / 255)
    torch.testing.assert_close(inputs.mean((0, 2, 3)), torch.zeros(3), atol=1e-5, rtol=0)
    torch.testing.assert_close(inputs.var((0, 2, 3), correction=0), torch.ones(3))
    assert inputs.is_contiguous(memory_format=torch.channels_last)


def test_shrinking_takes_means_of_areas():
    X = np.zeros((1, 3, 4, 4), np.uint8)
    X[0, 1] = [[0, 4, 0, 0], [8, 12, 0, 0], [0, 0, 200, 200], [0, 0, 200, 100]]
    small = module._resized(X, 2)
    assert small[0, 1].tolist() == [[6, 0], [0, 175]] and small[0, 0].sum() == 0


def test_a_subset_is_part_of_the_training_images(official):
    data = image_set("made")
    some = data.subset(0.25, np.random.default_rng(0))
    assert len(some.train) == 8 and numbers(some.train) <= numbers(data.train)
    assert torch.equal(some.validation.X, data.validation.X)
    assert data.subset(1.0, np.random.default_rng(0)) is data


@pytest.mark.parametrize("given", [{"train": 35, "validation": 10}, {"test": 11}, {"train": 40}, {"size": 1}])
def test_more_images_than_there_are_is_refused(official, given):
    with pytest.raises(UserError, match="allowed"):
        image_set("made", **given)


def test_a_table_is_no_image_set():
    with pytest.raises(UserError, match="square images"):
        image_set("wine")
