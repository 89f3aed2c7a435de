"""Schedules of learning rates in closed form."""

import numpy as np
import pytest

from core.foundation.schedules import constant, cosine, exponential, stepped


def test_schedules():
    np.testing.assert_allclose(constant(0.1, 3), [0.1, 0.1, 0.1])
    np.testing.assert_allclose(cosine(0.1, 4), [0.1, 0.05 * (1 + np.sqrt(0.5)), 0.05, 0.05 * (1 - np.sqrt(0.5))])
    np.testing.assert_allclose(exponential(0.1, -np.log(2), 4), [0.1, 0.05, 0.025, 0.0125])
    assert exponential(1e-2, np.log(1e-4) / 50, 51)[-1] == pytest.approx(1e-6)


def test_a_stepped_rate_drops_at_shares_of_the_training():
    np.testing.assert_allclose(stepped(0.1, 0.1, (0.5, 0.75), 8), [0.1] * 4 + [0.01] * 2 + [0.001] * 2)
    np.testing.assert_allclose(stepped(0.1, 0.5, (0.5,), 3), [0.1, 0.1, 0.05])  # half of three epochs is within one
    np.testing.assert_allclose(stepped(0.1, 0.5, (), 2), [0.1, 0.1])
    epochs = stepped(0.1, 0.1, (130 / 200, 190 / 200), 200)  # DNGO A.3
    assert [int(epoch) for epoch in np.flatnonzero(np.diff(epochs)) + 1] == [130, 190]
