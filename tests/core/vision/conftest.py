"""Small image sets, and networks that start from a seed."""

import numpy as np
import pytest
import torch

from core.vision import ConvolutionalNetwork, Images, ImageSet


def made_set(n: int = 60, size: int = 16, classes: int = 3, seed: int = 0) -> ImageSet:
    """Images in which a bright stripe stands for the class; the three parts are alike."""
    generator = np.random.default_rng(seed)

    def part() -> Images:
        y = generator.integers(classes, size=n)
        X = generator.integers(0, 100, (n, 3, size, size), dtype=np.uint8)
        for image, label in zip(X, y, strict=True):
            image[:, 3 * label : 3 * label + 3] = 250
        return Images(torch.from_numpy(X), torch.from_numpy(y))

    mean, deviation = torch.full((3,), 0.3), torch.full((3,), 0.25)
    return ImageSet("stripes", part(), part(), part(), classes, mean, deviation)


@pytest.fixture
def stripes() -> ImageSet:
    return made_set()


@pytest.fixture
def make_network():
    """Makes a small network, the same one for the same seed."""

    def make(seed: int = 0, classes: int = 3) -> ConvolutionalNetwork:
        return ConvolutionalNetwork((4, 4, 4), 16, classes, torch.Generator().manual_seed(seed))

    return make
