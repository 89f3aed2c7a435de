"""Initial weights by their distribution."""

import numpy as np
import pytest

from core.training import Networks


def networks(seeds, sizes=(30, 40, 2)):
    hidden = len(sizes) - 2
    zeros = np.zeros((len(seeds), hidden), np.float32)
    return Networks(sizes, 8, zeros > 0, zeros, np.ones((len(seeds), 3)), np.array(seeds, dtype=np.uint64))


def test_initial_weights_are_glorots():
    group = networks(range(50))
    theta = group.initial()
    assert theta.shape == (50, group.num_weights) == (50, 31 * 40 + 41 * 2)
    first, bound = theta[:, : 30 * 40], np.sqrt(6 / 70)
    assert np.abs(first).max() <= bound
    assert first.var() == pytest.approx(bound**2 / 3, rel=0.02)
    assert (theta[:, 30 * 40 : 31 * 40] == 0).all()
    np.testing.assert_array_equal(networks([7]).initial()[0], theta[7])
    assert (networks([2**64 - 1]).initial() != theta[:1]).any()


def test_too_few_sizes_are_refused():
    with pytest.raises(ValueError, match="sizes"):
        networks([0], sizes=(3, 1))
