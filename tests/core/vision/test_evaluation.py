"""Errors averaged over corruptions of the images (DNGO, A.4)."""

import numpy as np
import pytest
import torch
from torch import nn

from core.foundation.errors import UserError
from core.vision import evaluate
from core.vision.evaluation import corrupted_error


class ByMean(nn.Module):
    """The class is 1 where the mean of an image is positive; scores are log-odds."""

    def forward(self, X):
        mean = X.mean((1, 2, 3))
        return torch.stack([-mean, mean], 1)


class Shifted:
    """Adds numbers to all inputs, one after the other."""

    def __init__(self, shifts):
        self.shifts, self.calls = shifts, 0

    def __call__(self, X, generator):
        self.calls += 1
        return X + self.shifts[(self.calls - 1) % len(self.shifts)]


def unchanged(X, generator):
    return X


@pytest.fixture
def halves(stripes):
    """Labels that are right for the network of this module."""
    y = (stripes.inputs(stripes.validation.X / 255).mean((1, 2, 3)) > 0).long()
    return type(stripes.validation)(stripes.validation.X, y)


def test_without_corruption_it_is_the_error(stripes, halves):
    generator = torch.Generator()
    plain = evaluate(ByMean(), halves, stripes)[1]
    assert plain == 0
    assert corrupted_error(ByMean(), halves, stripes, unchanged, unchanged, 3, generator) == pytest.approx(plain)


def test_log_probabilities_are_averaged_over_the_samples(stripes, halves):
    """Corruptions that cancel leave no error; one alone makes as many as its shift says."""
    generator = torch.Generator()
    means = stripes.inputs(halves.X / 255).mean((1, 2, 3))
    shift = -float(means.median()) - 1e-3  # which turns the sign of half of them
    expected = float(((means + shift > 0).long() != halves.y).float().mean())
    assert expected > 0.2
    one = corrupted_error(ByMean(), halves, stripes, unchanged, Shifted([shift]), 1, generator)
    both = corrupted_error(ByMean(), halves, stripes, unchanged, Shifted([shift, -shift]), 2, generator)
    np.testing.assert_allclose([one, both], [expected, 0.0])


def test_samples_are_needed(stripes, halves):
    with pytest.raises(UserError, match="samples is 0"):
        corrupted_error(ByMean(), halves, stripes, unchanged, unchanged, 0, torch.Generator())
