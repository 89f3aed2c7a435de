"""Counts of fits that converged and fits that did not."""

from __future__ import annotations

import math

import numpy as np

from core.foundation.convergence import as_record, counting, ended, together


def test_fits_are_counted_by_kind_and_only_inside():
    ended("GP", 7, True, 0.0)
    with counting() as outer:
        ended("ABLR", [3, 50], [True, False], [1e-6, 0.25])
        with counting() as inner:
            ended("GP", 9, True, 1e-8)
        ended("ABLR", np.array([50]), np.array([False]), np.array([0.1]))
    assert as_record(outer) == {"ABLR": {"fits": 3, "unconverged": 2, "steps": 103, "largest_slope": 0.25}}
    assert as_record(inner) == {"GP": {"fits": 1, "unconverged": 0, "steps": 9, "largest_slope": 1e-8}}


def test_a_slope_that_is_no_number_is_infinite():
    with counting() as found:
        ended("ABLR", [1, 2], [False, True], [math.nan, 0.5])
    assert found["ABLR"].largest_slope == math.inf


def test_records_of_shards_are_added():
    parts = []
    for steps in (4, 50):
        with counting() as found:
            ended("ABLR", steps, steps < 50, 1.0 / steps)
        parts.append(as_record(found))
    assert together([parts[0], {}, parts[1]])["ABLR"] == {
        "fits": 2,
        "unconverged": 1,
        "steps": 54,
        "largest_slope": 0.25,
    }
