"""Sobol's sequence by the numbers of its points."""

from __future__ import annotations

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.spaces.points import sobol_points


def test_a_point_depends_on_its_number_alone():
    whole = sobol_points(3, 0, 64)
    np.testing.assert_array_equal(np.concatenate([sobol_points(3, i, 8) for i in range(0, 64, 8)]), whole)


def test_the_first_points_are_those_of_the_textbook():
    expected = [[0, 0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    np.testing.assert_array_equal(sobol_points(2, 0, 4), expected)


def test_every_half_and_quarter_of_each_axis_has_its_share():
    points = sobol_points(8, 0, 256)
    for parts in (2, 4, 256):
        counts = np.stack([np.bincount((column * parts).astype(int), minlength=parts) for column in points.T])
        assert (counts == 256 // parts).all()


@pytest.mark.parametrize(
    ("arguments", "named"), [((0, 0, 1), "dimension"), ((2, -1, 1), "first"), ((2, 0, 0), "count")]
)
def test_what_is_refused(arguments, named):
    with pytest.raises(UserError, match=f"{named} is"):
        sobol_points(*arguments)
