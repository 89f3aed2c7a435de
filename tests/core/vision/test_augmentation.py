"""Shifts, flips and cutout: what they move where, and what they leave."""

import pytest
import torch

from core.foundation.errors import UserError
from core.vision import Augmentation


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_nothing_is_changed_by_default():
    X = torch.randn(5, 3, 8, 8)
    assert torch.equal(Augmentation()(X, generator()), X)


def test_a_shift_is_one_of_the_possible_ones_and_zeros_enter():
    X = torch.rand(200, 3, 6, 6) + 1
    moved = Augmentation(shift=2)(X, generator())
    padded = torch.nn.functional.pad(X, (2,) * 4)
    found = set()
    for image, frame in zip(moved, padded, strict=True):
        places = [(r, c) for r in range(5) for c in range(5) if torch.equal(frame[:, r : r + 6, c : c + 6], image)]
        assert len(places) == 1
        found.add(places[0])
    assert found == {(r, c) for r in range(5) for c in range(5)}


def test_about_half_of_the_images_are_reflected():
    X = torch.randn(400, 3, 5, 5)
    moved = Augmentation(flip=True)(X, generator())
    same = (moved == X).all((1, 2, 3))
    assert torch.equal(moved[~same], X[~same].flip(3))
    assert 0.4 < same.float().mean() < 0.6


def test_cutout_blanks_a_square_around_any_pixel():
    X = torch.ones(500, 3, 8, 8)
    holes = Augmentation(cutout=4)(X, generator())[:, 0] == 0
    assert torch.equal(holes.any(2).sum(1) * holes.any(1).sum(1), holes.sum((1, 2)))  # they are rectangles
    assert holes.any(2).sum(1).unique().tolist() == [2, 3, 4]  # of four rows, or fewer at the border
    assert holes.any(0).all()


def test_images_are_changed_each_by_numbers_of_its_own_and_reproducibly():
    X = torch.randn(1, 3, 16, 16).expand(20, -1, -1, -1)
    change = Augmentation(3, True, 5)
    moved = change(X, generator(1))
    assert len(moved.flatten(1).unique(dim=0)) > 10
    assert torch.equal(moved, change(X, generator(1)))


def test_channels_stay_last():
    X = torch.randn(4, 3, 8, 8).contiguous(memory_format=torch.channels_last)
    assert Augmentation(2, True, 3)(X, generator()).is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("name", ["shift", "cutout"])
def test_a_negative_number_of_pixels_is_refused(name):
    with pytest.raises(UserError, match=f"Augmentation.{name}"):
        Augmentation(**{name: -1})
